"""premise: whether what a query says of somebody was said by somebody else. Pure.

"What did Ana see on her trip?" has no answer where the trip was Rui's, however near the memories of his trip are. So
where a query names one of those who speak, what it says of them, its words but for the name, is looked for in what they
said and in what the others said. Friends speak much of each other, and answer in few words what another has put in
many: where more than two speak, what is said around somebody counts for them too, in part.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotpath._asked import is_asked_about, is_person
from hotpath._plan import Plan
from hotpath._search import Candidates
from hotpath.weights import ELSEWHERE

BEST: Final = 3
"""Memories of each side that are compared: one may hold the words by chance. With 1 the balanced accuracy on our own
questions was the same, with 5 it was less."""
BESIDE: Final = 0.6
"""What words count that stand beside a memory of who is asked about, and not in it. At .5 and .7 the area under the
curve on our own questions was the same (.87, without .82)."""
ASKED_SHARE: Final = 0.5
"""What the words of a memory count that ends with a question: who asks claims nothing, and says what it is about."""

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Compared(NamedTuple):
    """What they said of it who are asked about, against what the others said."""

    asked: tuple[str, ...]
    other: str
    """Who of the others said the most of it."""
    margin: float
    """How much more of it the ones asked about said: -1 to 1."""


def premise(plan: Plan, candidates: Candidates, *, asker: str) -> str:
    """Why a query's premise is not supported: others said more of it than who is asked about. Empty where they did not.

    `asker` is the user who asks.
    """
    found = compared(plan, candidates, asker=asker)
    if found is None or found.margin >= -ELSEWHERE:
        return ""
    return f"what it says of {' and '.join(found.asked)} was said by {found.other}"


def compared(plan: Plan, candidates: Candidates, *, asker: str) -> Compared | None:
    """Both sides; None where the query asks about nobody who speaks under a name, or about all of them."""
    shown = candidates.shown
    people = {who for who in set(zip(shown.speakers, shown.roles, strict=True)) if is_person(who[0])}
    asked = {who for who in people if is_asked_about(plan, *who, asker)}
    if not asked or asked == people:
        return None
    said, told = (said_of_it(candidates, beside=beside) for beside in (0.0, BESIDE))
    of_asked, of_others = (_said_by(candidates, side) for side in (asked, people - asked))
    place = int(np.flatnonzero(of_others)[np.argmax(said[of_others])])
    return Compared(
        asked=tuple(sorted({speaker for speaker, _ in asked if speaker})),
        other=shown.speakers[place] or "",
        margin=_best(told[of_asked]) - _best(said[of_others]),
    )


def said_of_it(candidates: Candidates, *, beside: float = 0.0) -> Floats:
    """How much of what the query says, but for names of who speaks, each candidate says: 0 to 1.

    What is said around it counts `beside`, in a group.
    """
    asks = np.fromiter(candidates.shown.asks, np.float64, len(candidates.shown.keys))
    own, around = candidates.features["said"], candidates.features["said_around"]
    said: Floats = (own + beside * (around - own)) * (1 - (1 - ASKED_SHARE) * asks)
    return said


def _best(said: Floats) -> float:
    """The mean of the best `BEST`; fewer are filled up with nothing."""
    return float(np.sort(said)[-BEST:].sum()) / BEST


def _said_by(candidates: Candidates, people: set[tuple[str | None, str | None]]) -> Bools:
    shown = candidates.shown
    found = (who in people for who in zip(shown.speakers, shown.roles, strict=True))
    return np.fromiter(found, np.bool_, len(shown.keys))
