"""What the statements of one claim key come to, in the world's time.

A pure function of the set of statements: in which order they arrived, and how often, makes no difference. Gone through
in the order of the world they become segments: an object, and the time in which it was so.

    same object              joins the segment that runs: it confirms it, also where it says less of it
    the same more exactly    joins it too, and what is shown of it from its beginning is the more exact text
    another object           ends what runs, and begins a segment of its own
    ended                    ends the segment of its object, if one runs
    never                    takes back what was said of its object before it; that becomes a retracted segment

A statement is heard when what it says began, and when it was said. "I have been vegan since 2020", said in 2031, takes
the place of "I am vegetarian", said in 2025, because it is the last word on what is so.

"I moved to Vienna in 2001" tells of that day alone: whoever is known to live elsewhere since lives there.

"Since I was a child" has no day on which it began: it is heard as without a time, and again when it was said.

What has no time comes before all that has one, and ends nothing: different objects without a time stand side by side
until something with a time takes the place of all. "No longer" without a time takes back what has no time either: it
cannot be given an end. A word that is trusted less stands beside one that is trusted more. Intervals are half-open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import IntEnum
from typing import Final, NamedTuple

from shared.belief.exactness import is_refined_by, says_no_more
from shared.belief.segments import Identity, Segment, Stated, identity_of
from shared.contract.candidates import Change

_BEFORE_ALL_TIME: Final = datetime.min.replace(tzinfo=UTC)


def timeline(stated: Iterable[Stated]) -> tuple[Segment, ...]:
    """The segments of one claim key: those that stand, in the world's order, then those that are retracted.

    The key of a predicate with many values holds the object, so its statements agree in it. What stands never overlaps
    at one level of trust, but for what has no beginning.
    """
    statements = list(stated)
    denials = [each for each in statements if _is_denial(each)]
    standing: list[Stated] = []
    taken_back: dict[str, list[Stated]] = {}
    for each in statements:
        if any(_takes_back(denial, each) for denial in denials):
            taken_back.setdefault(each.side, []).append(each)
        else:
            standing.append(each)
    retracted = (_swept(of_side) for _, of_side in sorted(taken_back.items()))
    return (
        *(run.segment(is_retracted=False) for run in _swept(standing)),
        *(run.segment(is_retracted=True) for runs in retracted for run in runs),
    )


def _is_denial(stated: Stated) -> bool:
    """Whether it takes back what was said before; an end that has a time does not, it ends."""
    said = stated.candidate
    return said.change is Change.NEVER or (said.change is Change.ENDED and stated.said_at is None and not said.until)


def _takes_back(denial: Stated, stated: Stated) -> bool:
    if not says_no_more(denial, stated) or denial.trust < stated.trust:
        return False
    if denial.candidate.change is Change.ENDED:
        return stated.begins is None and stated.candidate.until is None
    if stated.said_at is None or denial.said_at is None:
        return stated.said_at is None
    return (denial.said_at, denial.place) > (stated.said_at, stated.place)


class _Turn(IntEnum):
    """What comes first at one instant: intervals are half-open, so what ends there ends before anything begins."""

    UNTIL = 0
    SAID = 1
    UNTIL_AT_ONCE = 2
    """What began and ended at that very instant."""


class _Point(NamedTuple):
    """A statement at one of the times that it speaks for."""

    at: datetime | None
    turn: _Turn
    stated: Stated
    ends: bool

    @property
    def order(self) -> tuple[object, ...]:
        """Its place in the world's order: what has no time first, of that the most trusted first."""
        stated = self.stated
        said_at = stated.said_at or _BEFORE_ALL_TIME
        if self.at is None:
            return (0, -stated.trust, said_at, stated.place)
        return (1, self.at, self.turn, said_at, stated.place)


def _points(stated: Stated) -> Iterator[_Point]:
    """When it speaks: of a beginning or an end, and once more of the time when it was said, if that came later."""
    said, said_at = stated.candidate, stated.said_at
    if said.change is Change.ENDED:
        over = (said.until,) if said.of_then and said.until else _and_later(said.until or said_at, said_at)
        yield from (_Point(at, _Turn.SAID, stated, ends=True) for at in over)
        return
    begins, until = stated.begins, said.until
    still = said_at if not said.of_then and (until is None or (said_at and said_at < until)) else None
    times = (None, still) if said.began_earlier and begins is None and still else _and_later(begins, still)
    yield from (_Point(at, _Turn.SAID, stated, ends=False) for at in times)
    if until:
        yield _Point(until, _Turn.UNTIL_AT_ONCE if until == begins else _Turn.UNTIL, stated, ends=True)


def _and_later(first: datetime | None, later: datetime | None) -> tuple[datetime | None, ...]:
    return (first, later) if first and later and later > first else (first,)


@dataclass(slots=True, kw_only=True, eq=False)
class _Run:
    """A segment while it is being made."""

    heard: list[tuple[Stated, datetime | None]]
    founding: Stated
    valid_to: datetime | None = None
    superseded_by: _Run | None = None

    @property
    def identity(self) -> Identity:
        return identity_of(self.founding, self.heard[0][1])

    def joins(self, point: _Point) -> bool:
        """Take in what says the same, or less, or more of it; whether it does."""
        stated = point.stated
        if self.founding.trust < stated.trust:
            return False
        refines = self.founding.trust == stated.trust and is_refined_by(self.founding, stated)
        if not (refines or says_no_more(stated, self.founding)):
            return False
        self.heard.append((stated, point.at))
        # What is more exact since a later day was not so before, so its words cannot stand for the whole.
        if refines and stated.candidate.since is None:
            self.founding = stated
        return True

    def segment(self, *, is_retracted: bool) -> Segment:
        by = self.superseded_by
        return Segment(
            heard=tuple(self.heard),
            founding=self.founding,
            valid_to=self.valid_to,
            superseded_by=by.identity if by else None,
            is_retracted=is_retracted,
        )


def _swept(stated: Iterable[Stated]) -> list[_Run]:
    """The runs of some statements, whatever among them denies."""
    begun: list[_Run] = []
    running: list[_Run] = []
    points = (point for each in stated if not _is_denial(each) for point in _points(each))
    for point in sorted(points, key=lambda point: point.order):
        if point.ends:
            over = [run for run in running if _reaches(point, run) and says_no_more(point.stated, run.founding)]
            by = None
        else:
            by = _joined(point, running, begun)
            over = [run for run in running if _reaches(point, run) and run is not by]
        for run in over:
            run.valid_to, run.superseded_by = point.at, by
            running.remove(run)
    return begun


def _joined(point: _Point, running: list[_Run], begun: list[_Run]) -> _Run:
    """The run that a statement confirms, else the one that it begins."""
    for run in running:
        if run.joins(point):
            return run
    run = _Run(heard=[(point.stated, point.at)], founding=point.stated)
    begun.append(run)
    running.append(run)
    return run


def _reaches(point: _Point, run: _Run) -> bool:
    """Whether what is said there can bring a run to its end."""
    return point.at is not None and point.stated.trust >= run.founding.trust
