"""Whether an entry's sentence and its claim say the same. Pure.

A person is shown the sentence, and claims are compared by their keys: where the two differ, one of them is believed by
mistake. An entry is refused where that is certain. Where it may be another name, another script or a word of the
model's own, the sentence is kept and claims nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from shared.contract.candidates import Change
from shared.contract.records import Claim
from shared.language.guessing import language_of
from warmpath._entry import Entry
from warmpath._grounding import Fault
from warmpath._kinds import speaks_of_another
from warmpath._mentioning import mentions, numbers_differ
from warmpath._windows import Shown

UNSURE: Final = 0.6
"""How sure a sentence is at most whose claim was left out: enough to be held, less than a claim."""


def agreed(entry: Entry, claim: Claim | None, lines: Sequence[Shown]) -> Claim | None:
    """The claim of an entry, None where it cannot be told that its sentence says that.

    Raises:
        Fault: its sentence says something else.
    """
    if claim is None or entry.object is None:
        return claim
    named = mentions(entry.text, entry.object)
    if numbers_differ(entry.object, entry.text) or (named is False and _is_said_beside(entry, lines)):
        raise Fault("other_object", f"`object` {entry.object[:60]!r} is not what `text` speaks of")
    if entry.change is not Change.HOLDS:
        return claim
    language = language_of(entry.text) or language_of(_said(lines))
    return None if named is not True or speaks_of_another(claim.predicate, entry.text, language) else claim


def _is_said_beside(entry: Entry, lines: Sequence[Shown]) -> bool:
    """Whether the object stands in the lines, in the language of the sentence that says nothing of it."""
    said = _said(lines)
    return mentions(said, entry.object or "") is True and language_of(said) == language_of(entry.text)


def _said(lines: Sequence[Shown]) -> str:
    return " ".join(shown.text for shown in lines)
