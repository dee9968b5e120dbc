"""What a text states, in a form from which a claim can be made. Pure data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final

from shared.contract.candidates import Change

SURE: Final = 0.9
"""Confidence of a form that says what it says."""
FAIR: Final = 0.8
"""Of one about somebody else, or put in fewer words."""
LOW: Final = 0.7
"""Of one that leans on the sentence before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One thing that somebody states."""

    subject: str
    predicate: str
    object: str
    text: str
    """One sentence in the third person that stands by itself, without a relative date."""
    start: int
    """Of the words that it was read from; `end` is exclusive."""
    end: int
    change: Change = Change.HOLDS
    since: date | None = None
    until: date | None = None
    earlier: bool = False
    """It began before it was said, on a day that the words do not give; `since` is None then."""
    of_then: bool = False
    """It tells of a day long gone, which is `since`, and says nothing of today."""
    replaces: Statement | None = None
    """What was said before and is taken back by this, where it is a correction."""
    is_preference: bool = False
    confidence: float = SURE
