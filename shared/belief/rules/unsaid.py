"""What a candidate holds that nobody said: objects, numbers and names that its evidence has not. Pure.

Dates and times are let pass: they are worked out from the day of the message, as they should be. So is whatever is
written otherwise than it was said ("4.2k", "4200"): it is missed, for the sake of what is written so and was made up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from shared.belief._telling import NUMBERS
from shared.belief.rules.case import Case
from shared.belief.rules.wording import Said, content, words
from shared.contract.candidates import Change

_MONTH: Final = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_WORKED_OUT: Final = re.compile(
    r"\d{4}-\d{2}(?:-\d{2})?|\b(?:19|20|21)\d{2}\b|\d{1,2}:\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}\b|\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b"
    r"|\d{1,2} ?[ap]\.?m\b|(?<!\d)\d+[月日年]",
    re.IGNORECASE,
)
"""Dates and times, as a date of a message and \"next Tuesday\" come to them."""
_NUMBER: Final = re.compile(r"\d+(?:[.,\u00a0 ]\d{3})*")
_SEPARATORS: Final = re.compile(r"[^\w]|_")


def has_unsaid_object(case: Case) -> bool:
    """It claims an object of which its evidence says no word, though its own sentence does.

    An object that the sentence does not name is the usual word for what it says: `vegetarian` for `veggie`.
    """
    claim = case.candidate.claim
    if claim is None or case.candidate.change is not Change.HOLDS or any(map(str.isdigit, claim.object)):
        return False
    told = content(claim.object)
    return Said(case.candidate.text).holds_any(told) and not case.said_of_subject.holds_any(told)


def has_unsaid_number(case: Case) -> bool:
    """It gives a number that nobody said, and that is no date or time."""
    told = [re.sub(r"\D", "", each) for each in _NUMBER.findall(_WORKED_OUT.sub(" ", case.candidate.text))]
    if not told:
        return False
    said = _digits(" ".join((*(line.text for line in case.cited), *(word for name in case.speakers for word in name))))
    return not all(number in said for number in told)


def has_unsaid_name(case: Case) -> bool:
    """It claims nothing that could be keyed, and has a name in it that nobody in the run has said or bears.

    A name that it begins with may be an ordinary word with a capital, and says nothing.
    """
    if case.candidate.claim is not None or case.is_summary:
        return False
    names = [name for name in case.names if case.words[: len(name)] != name]
    if not names or all(any(map(case.said.holds, name)) for name in names):
        return False
    known = Said("\n".join(_known(case)))
    return not all(any(map(known.holds, name)) for name in names)


def _known(case: Case) -> Iterator[str]:
    """Everything that a name may come from."""
    yield from (text for line in case.context.lines.values() for text in (line.speaker, line.text))
    yield from (held.text for held in case.context.held)
    yield case.context.owner_speaker or ""


def _digits(text: str) -> str:
    """The numbers of a text without what is between their digits, those in words too; each number is within it."""
    spelt = " ".join(NUMBERS[word] for word in words(text) if word in NUMBERS)
    return f"{_SEPARATORS.sub('', text)} {text} {spelt}"
