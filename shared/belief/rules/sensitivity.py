"""What is delicate to remember, told by its words, and what is done about it by policy. Pure.

A class is found where a sentence says something of the kind about a person, not wherever a word of the field stands:
`is Muslim` is religion, `the mosque opens at nine` is none. What is missed is stored as anything else is; and so is
what is found too often, unless a policy says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from shared.belief.rules import delicate_words as said
from shared.belief.rules.delicate_words import pattern, pattern_without_spaces
from shared.contract.sensitivity import Policy, Sensitive, policies_set

__all__ = ["Policies", "Policy", "Sensitive", "classes_of", "parsed_policies"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policies:
    """What is done with a class."""

    own: Policy
    """Where speakers say it of themselves."""
    others: Policy
    """Where they say it of somebody else, who was not asked."""


WEIGHTS: Final[Mapping[Sensitive, float]] = {
    Sensitive.CREDENTIALS: 1.0,
    Sensitive.IDENTITY: 0.9,
    Sensitive.SEXUALITY: 0.8,
    Sensitive.CRIME: 0.8,
    Sensitive.HEALTH: 0.7,
    Sensitive.RELIGION: 0.7,
    Sensitive.POLITICS: 0.7,
    Sensitive.FINANCE: 0.6,
    Sensitive.CHILDREN: 0.5,
}
"""How delicate a class is, 0..1: a secret opens doors, a number impersonates, a special category exposes."""

POLICIES: Final[Mapping[Sensitive, Policies]] = {
    Sensitive.CREDENTIALS: Policies(own=Policy.REFUSE, others=Policy.REFUSE),
    Sensitive.IDENTITY: Policies(own=Policy.STORE, others=Policy.ASK),
    Sensitive.SEXUALITY: Policies(own=Policy.STORE, others=Policy.ASK),
    Sensitive.CRIME: Policies(own=Policy.STORE, others=Policy.ASK),
    Sensitive.HEALTH: Policies(own=Policy.STORE, others=Policy.STORE),
    Sensitive.RELIGION: Policies(own=Policy.STORE, others=Policy.ASK),
    Sensitive.POLITICS: Policies(own=Policy.STORE, others=Policy.ASK),
    Sensitive.FINANCE: Policies(own=Policy.STORE, others=Policy.STORE),
    Sensitive.CHILDREN: Policies(own=Policy.STORE, others=Policy.STORE),
}
"""What is done where nothing else is set.

What people tell of themselves they want remembered. Of others, what exposes them waits for a person; their health,
money and children do not: a friend's allergy or a daughter's school is what a memory is asked for, and a queue of such
is a queue that nobody reads.
"""


def parsed_policies(overrides: Mapping[str, str]) -> dict[Sensitive, Policies]:
    """The policies with some set anew: `{"health": "ask", "finance:others": "refuse"}`.

    A class alone sets both of what speakers say of themselves and of others, `<class>:own` and `<class>:others` one of
    them, and these win over a class alone.

    Raises:
        InvalidInput: a class, a side or a policy is none, or secrets would be stored.
    """
    found = dict(POLICIES)
    for given in policies_set(overrides):
        found[given.sensitive] = replace(found[given.sensitive], **dict.fromkeys(given.sides, given.policy))
    return found


_IS: Final = (
    r"(?:\b(?:am|is|are|was|were|be|been|being)|['\u2019](?:m|s|re))(?: (?:an?|now|also|not|no longer|still|very))*+ "
)
_PATTERNS: Final[Mapping[Sensitive, re.Pattern[str]]] = {
    sensitive: re.compile("|".join(patterns), re.IGNORECASE)
    for sensitive, patterns in {
        Sensitive.IDENTITY: (
            pattern(said.IDENTITY_NUMBERS)
            + r"(?: (?:number|no\.?|nummer|is|ist|es|:))*+[ :#]*[a-z]{0,3}[ -]?\d[\d a-z-]{4}",
            r"\b\d{3}-\d{2}-\d{4}\b",
            r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}\b",  # an IBAN
        ),
        Sensitive.HEALTH: (pattern(said.HEALTH), pattern_without_spaces(said.HEALTH_WITHOUT_SPACES)),
        Sensitive.SEXUALITY: (pattern(said.SEXUALITY), _IS + pattern(said.SEXUALITY_OF)),
        Sensitive.RELIGION: (pattern(said.RELIGION), _IS + pattern(said.RELIGION_OF)),
        Sensitive.POLITICS: (
            *(pattern(said.POLITICS), _IS + pattern(said.POLITICS_OF)),
            r"\b(?:member|supporter|activist) of (?:the )?[\w ]{0,30}\bparty\b",
        ),
        Sensitive.CRIME: (pattern(said.CRIME),),
        Sensitive.FINANCE: (
            *(pattern(said.FINANCE), pattern_without_spaces(said.FINANCE_WITHOUT_SPACES)),
            r"\bowes? [\w ]{0,30}(?:\d|money)",
            r"\bmakes? [$€£]?\d[\d,.]*k?\b[\w $€£]{0,12}\b(?:a|per) (?:year|month|hour)\b",
        ),
        Sensitive.CHILDREN: (
            rf"{pattern(said.CHILD)}[^.!?]{{0,60}}(?:\d[ -]{pattern(said.YEARS)}|{pattern(said.AT_SCHOOL)})",
            rf"[ -]years?[ -]old {pattern(said.CHILD)}",
        ),
    }.items()
}
_REDACTED: Final = re.compile(r"\[redacted: [a-z ]+\]")


def classes_of(text: str, *, holds_secret: bool) -> tuple[Sensitive, ...]:
    """The classes of what a sentence says, the most delicate first. What was redacted is gone, and no secret."""
    plain = _REDACTED.sub("", text)
    found = [sensitive for sensitive, pattern in _PATTERNS.items() if pattern.search(plain)]
    found += [Sensitive.CREDENTIALS] if holds_secret else []
    return tuple(sorted(found, key=lambda sensitive: (-WEIGHTS[sensitive], sensitive)))
