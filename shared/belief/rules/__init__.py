"""What is worth remembering, without a model: rules on messages (`admission`), rules on candidates (`gate`). Pure.

Importing this loads the rules on messages alone, for recall asks them too.
"""

from shared.belief.rules.admission import (
    MAX_ANSWER_CHARS,
    MAX_ANSWER_WORDS,
    RULES,
    AdmissionContext,
    Rule,
    admit,
    admit_run,
)

__all__ = [
    "MAX_ANSWER_CHARS",
    "MAX_ANSWER_WORDS",
    "RULES",
    "AdmissionContext",
    "Rule",
    "admit",
    "admit_run",
]
