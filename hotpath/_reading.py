"""What a second look at hits tells beside their fused score: features of a query and a hit with the turns around it.

Pure. What fusion cannot see since it reads no text: whether a turn asks or tells, whether it answers the turn before,
whether it holds the kind of thing that is asked for. `hotpath.weights.RERANK` says what each is worth.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotpath._asked import is_asked_about, words_of_people
from hotpath._plan import Plan
from hotpath._shape import Shape

FEATURES: Final = ("asks", "length", "answers", "around", "time", "number", "own", "company")
"""In the order of the columns; see `hotpath.weights.Rerank` for what each is."""

READ_CHARS: Final = 2_400
"""A hit is read up to here: the longest that is one episode."""
LONG_CHARS: Final = 2_000
"""A turn of this length is as long as any."""

Floats = NDArray[np.float64]

_MARKS: Final = ("?", "\uff1f", "\u061f")
_ENDS: Final = (*_MARKS, ".", "!", "\n", "\u3002", "\uff01")
_MONTHS: Final = "january|february|march|april|june|july|august|september|october|november|december"
_DAYS: Final = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_TIME: Final = re.compile(
    rf"\b(?:yesterday|today|tonight|tomorrow|recently|since|ago|weekend|(?:last|this|next) (?:night|morning|summer|"
    rf"winter|spring|autumn|fall|past)|{_MONTHS}|{_DAYS}|(?:day|week|month|year)s?|\d\d?:\d\d|(?:19|20)\d\d|"
    r"\d\d?(?:st|nd|rd|th))\b"
)
_NUMBER: Final = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|"
    r"dozen|couple|once|twice|several)\b"
)
_HOW_MUCH: Final = re.compile(
    r"\bhow (?:many|much|old|long|far|often|big|tall|high)\b|\bnumber of\b|\bpercent|\b(?:cost|price)\b"
)
_OF_ONESELF: Final = re.compile(r"\b(?:i|my|me|mine|we|us|our)\b")


class Reading(NamedTuple):
    """A hit as it is read again."""

    text: str
    fused: float
    """Its score so far, 0 to 1."""
    speaker: str | None
    role: str | None
    session: object
    """Equal for hits of one session."""
    before: str = ""
    """The turn before it in its session; empty where there is none."""
    after: str = ""


def features(plan: Plan, readings: Sequence[Reading], *, asker: str, late: Callable[[], bool]) -> Floats:
    """(readings, features), each 0 to 1; the readings are in the fused order.

    Raises:
        TimeoutError: `late` said so.
    """
    look = _Look(plan, readings, asker)
    found = np.zeros((len(readings), len(FEATURES)))
    for row, reading in zip(found, readings, strict=True):
        if late():
            raise TimeoutError
        row[:] = look.at(reading)
    return found


def asks(text: str) -> bool:
    """Whether a text ends with a question."""
    return text.rstrip().endswith(_MARKS)


def asked_share(text: str) -> float:
    """How much of a text the question is that it ends with: 0 where it ends otherwise."""
    said = text.rstrip()
    if not said.endswith(_MARKS):
        return 0.0
    begins = max(said.rfind(mark, 0, len(said) - 1) for mark in _ENDS) + 1
    return (len(said) - begins) / len(said)


class _Look:
    """One query, looking at hits in order."""

    def __init__(self, plan: Plan, readings: Sequence[Reading], asker: str) -> None:
        people = words_of_people(plan, (reading.speaker for reading in readings))
        folded = plan.query.casefold()
        self._terms = [term for term in plan.terms if term not in people]
        self._wants_time = plan.shape is Shape.TEMPORAL
        self._wants_number = _HOW_MUCH.search(folded) is not None
        self._is_asked = {
            who: is_asked_about(plan, *who, asker) for who in {(each.speaker, each.role) for each in readings}
        }
        self._better: Counter[object] = Counter()

    def at(self, reading: Reading) -> tuple[float, ...]:
        """The features of the next hit."""
        text, before, after = (part[:READ_CHARS].casefold() for part in (reading.text, reading.before, reading.after))
        held_before = {term for term in self._terms if term in before}
        held = {term for term in self._terms if term in text or term in after} | held_before
        most = len(self._terms) or 1
        better = self._better[reading.session]
        self._better[reading.session] += 1
        own = self._is_asked[reading.speaker, reading.role] and _OF_ONESELF.search(text) is not None
        return (
            asked_share(text),
            min(1.0, math.log1p(len(text)) / math.log1p(LONG_CHARS)),
            len(held_before) / most if asks(before) else 0.0,
            len(held) / most,
            float(self._wants_time and _TIME.search(text) is not None),
            float(self._wants_number and _NUMBER.search(text) is not None),
            float(own),
            better / (1 + better),
        )
