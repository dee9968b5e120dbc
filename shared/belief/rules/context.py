"""What the gate is told beside the candidate, and how careful it is. Pure values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Final, NamedTuple
from uuid import UUID

from shared.belief.rules.sensitivity import POLICIES, Policies, Sensitive
from shared.belief.rules.wording import shingles
from shared.belief.similarity import says_the_same
from shared.contract.block import GUARDS
from shared.contract.candidates import Candidate, Change, Line
from shared.contract.events import Event
from shared.contract.records import Claim, Kind, MemoryVersion
from shared.contract.trust import TRUST, Origin

OUR_WORDS: Final = 8
"""Words in a row that two texts share by chance hardly ever: what holds as many of ours was copied from us."""


class Source(NamedTuple):
    """Where a piece of evidence comes from: two that differ in none of this are one person saying one thing twice."""

    speaker: str
    run_id: str
    day: date | None
    """In UTC; None where the time is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What a candidate may say once more: an open belief, or a candidate that waits for a second piece of evidence."""

    subject: UUID | int
    """The memory's id, or the sequence of the candidate that waits."""
    kind: Kind
    text: str
    claim: Claim | None = None
    change: Change = Change.HOLDS
    since: datetime | None = None
    """World time from which it holds."""
    until: datetime | None = None
    """World time at which it ended."""
    sources: frozenset[Source] = frozenset()

    @property
    def waits(self) -> bool:
        """Whether it is no memory yet."""
        return isinstance(self.subject, int)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How careful the gate is."""

    confidence_floor: float = 0.5
    """What is more likely wrong than right is not remembered on one piece of evidence alone."""
    lowest_trust: int = TRUST[Origin.WEB]
    """Below this nobody knows where the words come from, and a person is asked."""
    defer_days: int = 30
    """How long a candidate waits for a second piece of evidence: what recurs at all mostly does within a month."""
    review_days: int = 14
    """How long a person has to decide: two working weeks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateContext:
    """What the rules go by beside the candidate."""

    lines: Mapping[int, Line]
    """The admitted lines of the run by sequence: what a candidate may cite."""
    run_id: str
    holds_secret: Callable[[str], bool]
    """Whether a text holds a secret; the front door's scrubber, asked once more for what was written since."""
    owner_speaker: str | None = None
    """As `Reading.owner_speaker`."""
    room: bool = False
    """Whether the lines are of a room, where nobody is "the user"."""
    held: Sequence[Held] = ()
    """Open beliefs that it may repeat or differ from, and candidates that wait, in a fixed order."""
    near: Callable[[str, str], bool] = says_the_same
    """Whether two sentences say the same thing; asked only of what has no claim."""
    policies: Mapping[Sensitive, Policies] = field(default_factory=lambda: POLICIES)
    asked_about: AbstractSet[str] = frozenset()
    """Kinds of memory and names of schemas of which an app wants each write to be approved."""
    tenant_wide: bool = False
    """Whether it would be held for all users of the tenant."""
    ours: AbstractSet[str] = shingles(GUARDS, OUR_WORDS)
    """Runs of words that are ours and nobody's evidence (`our_words`): of the block, and of the prompt used."""
    limits: Limits = field(default_factory=Limits)


def our_words(*texts: str) -> frozenset[str]:
    """What `GateContext.ours` holds for the block that recall renders and for further texts, such as a prompt."""
    return shingles((*GUARDS, *texts), OUR_WORDS)


def held_belief(version: MemoryVersion, evidence: Iterable[Event]) -> Held:
    """An open belief with where its evidence comes from."""
    return Held(
        subject=version.memory_id,
        kind=version.kind,
        text=version.text,
        claim=version.claim,
        since=version.valid_from,
        until=version.valid_to,
        sources=frozenset(map(_source, evidence)),
    )


def held_candidate(sequence: int, candidate: Candidate, said_at: datetime | None, evidence: Iterable[Event]) -> Held:
    """A candidate that waits, by the sequence of its event; `said_at` is the world time of what it was read from."""
    ended = candidate.change is Change.ENDED
    return Held(
        subject=sequence,
        kind=candidate.kind,
        text=candidate.text,
        claim=candidate.claim,
        change=candidate.change,
        since=candidate.since or (None if ended else said_at),
        until=candidate.until or (said_at if ended else None),
        sources=frozenset(map(_source, evidence)),
    )


def _source(event: Event) -> Source:
    return Source(event.speaker or "", event.run_id or "", utc_day(event.occurred_at))


def utc_day(at: datetime | None) -> date | None:
    """The day of a moment, in UTC."""
    return at.astimezone(UTC).date() if at else None
