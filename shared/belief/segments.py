"""What is said of a claim, and the segments that it comes to: an object, and the time in which it was so. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple, cast

from shared.belief.predicates import side_of
from shared.contract import _checks as check
from shared.contract.candidates import Candidate
from shared.contract.records import Claim, EvidenceRef, Span

MOST_CERTAIN: Final = 0.99
"""However many confirm it, it may still be wrong."""
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
        if candidate.since or self.said_at is None or candidate.began_earlier:
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
    """What it rests on, in the world's order, each with the time for which it speaks. It begins with the first."""
    founding: Stated
    """The statement whose text and claim stand for all: the first of those that say most."""
    valid_to: datetime | None = None
    superseded_by: Identity | None = None
    """The segment that took its place; None where it holds, or ended and nothing has its place."""
    is_retracted: bool = False
    """It never was so. Its times are what was said, and were never true."""

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
        """All that it rests on, each stretch once, in the world's order."""
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
