"""What one recall put before a model, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, NamedTuple, NewType
from uuid import UUID

from shared.contract import _checks as check
from shared.contract.errors import InvalidInput
from shared.contract.scope import Owner

TurnId = NewType("TurnId", UUID)

RANDOM_BYTES: Final = 10


def turn_id(at: datetime, random: bytes) -> TurnId:
    """The id of a recall that began at `at`: a UUID of version 7, so that ids sort by time (RFC 9562, section 5.7).

    `random` is `RANDOM_BYTES` long and never the same twice.
    """
    if len(random) != RANDOM_BYTES:
        check.refuse("random", len(random), f"pass {RANDOM_BYTES} bytes")
    value = round(at.timestamp() * 1000) << 80 | int.from_bytes(random)
    value = value & ~(0xF << 76) | 0x7 << 76
    return TurnId(UUID(int=value & ~(0x3 << 62) | 0x2 << 62))


def began_at(turn: TurnId) -> datetime:
    """When a recall began, to the millisecond, as its id says."""
    return datetime.fromtimestamp((turn.int >> 80) / 1000, UTC)


class Injected(NamedTuple):
    """A memory that a recall ranked or showed. A tuple, since each recall makes dozens."""

    owner: Owner
    memory_id: UUID
    rank: int | None
    """Place among the hits, from 1; None for the neighbour of one."""
    score: float
    ordinal: int | None
    """What the bundle cites it by, from 1; None where it was not shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One recall as it is logged. It holds ids alone, and not what was asked: a query says as much as a message."""

    turn_id: TurnId
    tenant_id: str
    owner: Owner
    """Who asked."""
    recalled_at: datetime
    agent_id: str | None
    session_id: str | None
    verdict: str
    recipe: str
    tokens: int
    watermark: int
    """The sequence up to which the asker's own stream was searched; 0 where it had none."""
    injected: tuple[Injected, ...]
    conflicts: int = 0
    """Contradictions among what was found."""
    conflicts_shown: int = 0
    """Of these, those that were shown."""
    about_now: bool = True
    """Whether it asked for what is so and known now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOutcome:
    """What came of one recall, as the agent reports it.

    Raises:
        InvalidInput: it says nothing, or that a memory both served and misled.
    """

    turn_id: UUID
    used: tuple[UUID, ...] = ()
    """Memories that the answer rests on."""
    misled: tuple[UUID, ...] = ()
    """Memories that made it wrong."""
    corrected: bool = False
    """The user had to correct the answer."""
    abstained: bool = False
    """The agent gave no answer."""

    def __post_init__(self) -> None:
        both = set(self.used) & set(self.misled)
        if both:
            check.refuse("used", str(min(both)), "the same memory is said to have misled: name it once")
        if not (self.used or self.misled or self.corrected or self.abstained):
            raise InvalidInput("an outcome says at least one of used, misled, corrected and abstained")

    @property
    def memories(self) -> tuple[UUID, ...]:
        """All that it names."""
        return (*self.used, *self.misled)


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """How a memory has fared in the recalls of which an outcome was reported; each counts once."""

    memory_id: UUID
    doc: int
    """The memory's number (`MemoryVersion.doc`)."""
    used: int
    misled: int

    def __post_init__(self) -> None:
        check.at_least("used", self.used, 0)
        check.at_least("misled", self.misled, 0)
