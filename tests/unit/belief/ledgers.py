"""A stream being written, for tests of the fold."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from shared.belief.fold import apply
from shared.belief.opening import add_episodes
from shared.belief.state import State
from shared.contract.events import Event, EventClass, Precision, memory_id
from shared.contract.operations import AddPayload, Payload, VerbatimEntry, WrittenEntry, as_json
from shared.contract.records import Action, Decision, EpistemicType, EvidenceRef, Kind
from shared.contract.scope import Owner
from shared.contract.trust import Origin

START = datetime(2031, 3, 4, 9, 0, tzinfo=UTC)
STORED = Decision(action=Action.STORE, rule="default", reason="nothing speaks against it", confidence=0.6)


def at(day: int) -> datetime:
    """A world time, `day` days after the first."""
    return START + timedelta(days=day)


def belief(*evidence: int | EvidenceRef, text: str = "a belief", **fields: Any) -> WrittenEntry:
    """A written entry that rests on evidence given by sequence or reference."""
    refs = tuple(ref if isinstance(ref, EvidenceRef) else EvidenceRef(sequence=ref) for ref in evidence)
    given = {"kind": Kind.SEMANTIC, "epistemic_type": EpistemicType.FACT, "confidence": 0.5, **fields}
    return WrittenEntry(text=text, evidence=refs, **given)


@dataclass
class Ledger:
    """Events appended one by one, and the state that was brought along with each of them."""

    tenant_id: str = "acme"
    stream: str = "user:mira"
    events: list[Event] = field(default_factory=list)
    state: State = field(default_factory=State)

    def append(self, event_class: EventClass, kind: str, payload: dict[str, Any] | None, **fields: Any) -> Event:
        """Write any event."""
        sequence = len(self.events) + 1
        unset = dict.fromkeys(("actor_role", "speaker", "occurred_at", "session_id"))
        given: dict[str, Any] = {"origin": Origin.USER, **unset, **fields}
        event = Event(
            tenant_id=self.tenant_id,
            owner=Owner("mira"),
            stream=self.stream,
            sequence=sequence,
            event_class=event_class,
            kind=kind,
            precision=Precision.INSTANT,
            recorded_at=START + timedelta(seconds=sequence),
            run_id="run-1",
            message_id=None,
            message_digest=None,
            agent_id=None,
            caused_by=None,
            schema_version=1,
            payload_hash=b"",
            previous_hash=b"",
            hash=b"",
            payload=payload,
            **given,
        )
        self.state = apply(self.state, event)
        self.events.append(event)
        return event

    def hear(
        self,
        text: str,
        *,
        origin: Origin = Origin.USER,
        speaker: str = "Mira",
        day: int | None = 0,
        session: str | None = "monday",
        importance: float | None = None,
    ) -> int:
        """Write a message as evidence; its sequence."""
        occurred_at = None if day is None else at(day)
        event = self.append(
            EventClass.EVIDENCE,
            "message",
            {"text": text} if importance is None else {"text": text, "importance": importance},
            origin=origin,
            actor_role="tool" if origin is Origin.TOOL else "user",
            speaker=speaker,
            occurred_at=occurred_at,
            session_id=session,
        )
        return event.sequence

    def do(self, payload: Payload) -> Event:
        """Write an operation."""
        return self.append(EventClass.OPERATION, payload.op.value, as_json(payload))

    def open_episodes(self, *sequences: int) -> list[UUID]:
        """Open an episode for each evidence event, all in one ADD."""
        payload = add_episodes([(self.events[sequence - 1], STORED) for sequence in sequences])
        assert payload is not None
        return self.ids(self.do(payload), len(sequences))

    def open_stretch(self, ref: EvidenceRef) -> UUID:
        """Open an episode on a stretch of an evidence event."""
        return self.ids(self.do(AddPayload(reason="admitted", entries=(VerbatimEntry(evidence=ref),))))[0]

    def believe(self, entry: WrittenEntry) -> UUID:
        """Open a belief."""
        return self.ids(self.do(AddPayload(reason="resolved", entries=(entry,))))[0]

    def ids(self, event: Event, count: int = 1) -> list[UUID]:
        """The ids of what an event opened."""
        return [memory_id(event.tenant_id, event.stream, event.sequence, ordinal) for ordinal in range(count)]
