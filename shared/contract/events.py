"""What goes into the ledger."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from enum import StrEnum
from typing import Any, Final, NewType
from uuid import UUID, uuid5

from shared.contract.scope import Owner, Scope, room_owner
from shared.contract.stated import StatedRecord
from shared.contract.trust import Origin
from shared.contract.turns import TurnOutcome

RunId = NewType("RunId", str)
Json = dict[str, Any]

NAMESPACE = UUID("b5a3c0de-8f1e-5d0a-9c57-1da7b00c0001")
"""Root of every UUIDv5 that Daybook derives. Never change it: ids in stored ledgers hang on it."""


MESSAGE: Final = "message"
STANDING_QUESTION: Final = "standing_question"
STANDING_QUESTION_ENDED: Final = "standing_question_ended"
"""Kinds of the derivations by which a question stands and stands no more; the second is caused by the first, whose
payload goes in the same transaction, and there is one more for each answer of a model that goes with it."""
REFLECTION: Final = "reflection"
REFLECTION_ANSWER: Final = "reflection_answer"
"""Kinds of the derivations that say on which standing question a model was asked, and what it answered; the second is
caused by the first, and its payload goes with the question's words."""
OUTCOME: Final = "outcome"
"""The kinds of evidence: what was said, and what came of a recall."""


class EventClass(StrEnum):
    """The four kinds of ledger entry (design: Words)."""

    EVIDENCE = "evidence"
    DERIVATION = "derivation"
    OPERATION = "operation"
    AUDIT = "audit"


class Role(StrEnum):
    """Who a message of a run is by, as the caller's chat format has it."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"
    DEVELOPER = "developer"


def local(at: datetime | None, original_at: str | None, naive_zone: tzinfo) -> datetime | None:
    """A time in the zone in which a caller wrote it (`original_at`), or in `naive_zone` where it named none."""
    return None if at is None else at.astimezone(zone_of(original_at) or naive_zone)


def zone_of(original_at: str | None) -> tzinfo | None:
    """The zone of a time as a caller wrote it; None where it has none, or is no time in ISO 8601."""
    try:
        return datetime.fromisoformat(original_at).tzinfo if original_at else None
    except ValueError:
        return None


class Precision(StrEnum):
    """How exactly `occurred_at` is known."""

    INSTANT = "instant"
    DAY = "day"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a run, as it left the front door: cleaned, scrubbed, dated, keyed."""

    position: int
    """Place in the run as the caller gave it, from 0."""
    message_id: str
    """The caller's id, or `<run id>#<position>` where there is none."""
    role: Role
    speaker: str
    """Who says it: a name or id. The role's name where the caller gave none."""
    text: str
    origin: Origin
    occurred_at: datetime | None
    """World time; None when it is not known."""
    precision: Precision
    digest: str
    """SHA-256 (hex) of the cleaned, scrubbed content."""
    original_at: str | None = None
    """The time as the caller wrote it, where it had to be interpreted."""
    warnings: tuple[str, ...] = ()
    """What the front door changed or doubted."""
    tool_calls: tuple[Json, ...] = ()
    tool_call_id: str | None = None
    recalled: int = 0
    """How many recalled blocks, or parts of such, were cut out of the text."""
    torn: tuple[str, ...] = ()
    """Lines of the text that may be the end of a memory recalled: `shared.contract.cutting.Cut`."""
    record: StatedRecord | None = None
    """The record that it states, checked; its text is that record as a sentence."""
    importance: float | None = None
    """How much it matters by the app's own word, 0 to 1; no part of what it says, nor of its digest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One agent turn or session that has ended, as it left the front door.

    One with an outcome has no message: it says what came of a recall.
    """

    scope: Scope
    run_id: RunId
    messages: tuple[Message, ...]
    room_id: str | None = None
    participants: tuple[str, ...] = ()
    redacted: int = 0
    """How many secrets were removed."""
    outcome: TurnOutcome | None = None
    """What came of a recall; its own run, whose id is the turn's."""

    @property
    def owner(self) -> Owner:
        """Whose stream the run belongs to: the room's where it has one."""
        return room_owner(self.room_id) if self.room_id else self.scope.owner


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEvent:
    """An event about to be appended: all but what the stream decides (sequence, times, hashes)."""

    event_class: EventClass
    kind: str
    payload: Json
    origin: Origin = Origin.UNKNOWN
    actor_role: str | None = None
    speaker: str | None = None
    occurred_at: datetime | None = None
    precision: Precision = Precision.UNKNOWN
    run_id: str | None = None
    message_id: str | None = None
    message_digest: str | None = None
    agent_id: str | None = None
    session_id: str | None = None
    caused_by: int | None = None
    """Sequence, in the same stream, of the event that led to this one."""
    schema_version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One row of the ledger, with its content if that has not been erased."""

    tenant_id: str
    owner: Owner
    stream: str
    sequence: int
    event_class: EventClass
    kind: str
    occurred_at: datetime | None
    precision: Precision
    recorded_at: datetime
    origin: Origin
    actor_role: str | None
    speaker: str | None
    run_id: str | None
    message_id: str | None
    message_digest: str | None
    agent_id: str | None
    session_id: str | None
    caused_by: int | None
    schema_version: int
    payload_hash: bytes
    previous_hash: bytes
    hash: bytes
    payload: Json | None = field(default=None)
    """The content; None once it has been erased."""

    @property
    def event_id(self) -> UUID:
        """The event's id, worked out from where it stands."""
        return event_id(self.tenant_id, self.stream, self.sequence)


def event_id(tenant_id: str, stream: str, sequence: int) -> UUID:
    """UUIDv5 of an event's place in the ledger; the same on every machine and at every replay."""
    return uuid5(NAMESPACE, f"event\x1f{tenant_id}\x1f{stream}\x1f{sequence}")


def memory_id(tenant_id: str, stream: str, sequence: int, ordinal: int) -> UUID:
    """UUIDv5 of the `ordinal`-th memory that the operation event at `sequence` opens."""
    return uuid5(NAMESPACE, f"memory\x1f{tenant_id}\x1f{stream}\x1f{sequence}\x1f{ordinal}")


def message_id_on_its_way(tenant_id: str, stream: str, message_id: str, digest: str) -> UUID:
    """UUIDv5 of a message by its key: what stands for its memory while it is on its way into the ledger."""
    return uuid5(NAMESPACE, f"fresh\x1f{tenant_id}\x1f{stream}\x1f{message_id}\x1f{digest}")
