"""What the statements of one claim key come to, in the world's time.

A pure function of the set of statements: in which order they arrived, and how often, makes no difference. Gone through
in the order of the world they become segments: an object, and the time in which it was so.

    same object              joins the segment that runs: it confirms it, also where it says less of it
    another object           ends what runs, and begins a segment of its own
    ended                    ends the segment of its object, if one runs
    never                    takes back what was said of its object before it; that becomes a retracted segment

A statement is heard when what it says began, and when it was said. "I have been vegan since 2020", said in 2031, takes
the place of "I am vegetarian", said in 2025, because it is the last word on what is so.

What has no time comes before all that has one, and ends nothing: different objects without a time stand side by side
until something with a time takes the place of all. "No longer" without a time takes back what has no time either: it
cannot be given an end. A word that is trusted less stands beside one that is trusted more. Intervals are half-open.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import IntEnum
from typing import Final, NamedTuple, cast

from shared.belief.exactness import says_no_more
from shared.belief.predicates import side_of
from shared.contract import _checks as check
from shared.contract.candidates import Candidate, Change
from shared.contract.records import Claim, EvidenceRef, Span

MOST_CERTAIN: Final = 0.99
"""However many confirm it, it may still be wrong."""
_BEFORE_ALL_TIME: Final = datetime.min.replace(tzinfo=UTC)
_NUMBER: Final = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A stored candidate with a claim, as resolution sees it.

    Raises:
        InvalidInput: the candidate has no claim, or the time is naive.
    """

    candidate: Candidate
    said_at: datetime | None
    """World time of the message that says it last; None where that is not known."""
    message_id: str
    digest: str
    """Id and digest of that message: they order what was said at one time. `m9` comes before `m10`."""
    trust: int
    """The lowest of its evidence, which is what the memory made from it will have."""

    def __post_init__(self) -> None:
        check.aware("said_at", self.said_at)
        if self.candidate.claim is None:
            check.refuse("candidate", self.message_id, "only what has a claim is resolved by its key")

    @property
    def claim(self) -> Claim:
        """What it speaks of."""
        return cast("Claim", self.candidate.claim)

    @property
    def side(self) -> str:
        """What it says of what its key names: two statements of one key agree where it is equal."""
        return side_of(self.claim)

    @property
    def begins(self) -> datetime | None:
        """Since when it holds; None where it is not known, as for what is said to have ended before it was said."""
        candidate = self.candidate
        if candidate.since or self.said_at is None:
            return candidate.since
        return None if candidate.until and candidate.until <= self.said_at else self.said_at

    @property
    def place(self) -> tuple[object, ...]:
        """Its place among what was said at one time. Nothing in it hangs on when it arrived."""
        said = self.candidate
        numbered = tuple(int(part) if part.isdigit() else part for part in _NUMBER.split(self.message_id))
        words = (said.text, self.side, said.change, -said.confidence, said.epistemic_type, said.kind)
        return (numbered, self.message_id, self.digest, *words)


class Identity(NamedTuple):
    """By what a segment and the memory that stands for it know each other: none of it ever changes in a memory."""

    key: str
    side: str
    text: str
    valid_from: datetime | None
    founding: frozenset[Span]


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One object of the claim, and when it was so: what becomes a belief."""

    heard: tuple[tuple[Stated, datetime | None], ...]
    """What it rests on, in the world's order, each with the time for which it speaks. The first is the founding one."""
    valid_to: datetime | None = None
    superseded_by: Identity | None = None
    """The segment that took its place; None where it holds, or ended and nothing has its place."""
    is_retracted: bool = False
    """It never was so. Its times are what was said, and were never true."""

    @property
    def founding(self) -> Stated:
        """The statement whose text and claim stand for all."""
        return self.heard[0][0]

    @property
    def valid_from(self) -> datetime | None:
        """Since when; None where that is not known."""
        return self.heard[0][1]

    @property
    def identity(self) -> Identity:
        """That of the memory which is to stand for it."""
        return identity_of(self.founding, self.valid_from)

    @property
    def evidence(self) -> tuple[EvidenceRef, ...]:
        """All that it rests on, each stretch once, the founding statement's first."""
        return distinct(ref for stated, _ in self.heard for ref in stated.candidate.evidence)

    @property
    def confidence(self) -> float:
        """How certain it is: the noisy-or of its independent sources, never above `MOST_CERTAIN` by being confirmed.

        Each source is taken to be wrong by itself with probability 1 - confidence, so all of them are with the product
        (Pearl, Probabilistic Reasoning in Intelligent Systems, 1988, 4.3.2). An echo, and what is read from a message
        that was counted before, adds nothing.
        """
        counted: set[int] = set()
        doubt = 1.0
        for stated, _ in self.heard:
            evidence = stated.candidate.evidence
            if not counted or any(ref.independent and ref.sequence not in counted for ref in evidence):
                doubt *= 1.0 - stated.candidate.confidence
            counted |= {ref.sequence for ref in evidence}
        return max(self.founding.candidate.confidence, min(MOST_CERTAIN, 1.0 - doubt))


def distinct(refs: Iterable[EvidenceRef]) -> tuple[EvidenceRef, ...]:
    """Each stretch of evidence once, as it was first cited."""
    by_span: dict[Span, EvidenceRef] = {}
    for ref in refs:
        by_span.setdefault(ref.span, ref)
    return tuple(by_span.values())


def identity_of(stated: Stated, valid_from: datetime | None) -> Identity:
    """The identity of a memory that is founded on a statement, for one of the times it speaks for."""
    spans = frozenset(ref.span for ref in stated.candidate.evidence)
    return Identity(stated.claim.key, stated.side, stated.candidate.text, valid_from, spans)


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
        yield from (_Point(at, _Turn.SAID, stated, ends=True) for at in _and_later(said.until or said_at, said_at))
        return
    begins, until = stated.begins, said.until
    still = said_at if until is None or (said_at and said_at < until) else None
    yield from (_Point(at, _Turn.SAID, stated, ends=False) for at in _and_later(begins, still if begins else None))
    if until:
        yield _Point(until, _Turn.UNTIL_AT_ONCE if until == begins else _Turn.UNTIL, stated, ends=True)


def _and_later(first: datetime | None, later: datetime | None) -> tuple[datetime | None, ...]:
    return (first, later) if first and later and later > first else (first,)


@dataclass(slots=True, kw_only=True, eq=False)
class _Run:
    """A segment while it is being made."""

    heard: list[tuple[Stated, datetime | None]]
    valid_to: datetime | None = None
    superseded_by: _Run | None = None

    @property
    def founding(self) -> Stated:
        return self.heard[0][0]

    def segment(self, *, is_retracted: bool) -> Segment:
        by = self.superseded_by
        return Segment(
            heard=tuple(self.heard),
            valid_to=self.valid_to,
            superseded_by=identity_of(*by.heard[0]) if by else None,
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
    stated = point.stated
    for run in running:
        if says_no_more(stated, run.founding) and run.founding.trust >= stated.trust:
            run.heard.append((stated, point.at))
            return run
    run = _Run(heard=[(stated, point.at)])
    begun.append(run)
    running.append(run)
    return run


def _reaches(point: _Point, run: _Run) -> bool:
    """Whether what is said there can bring a run to its end."""
    return point.at is not None and point.stated.trust >= run.founding.trust
