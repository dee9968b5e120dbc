"""The life of a memory: its versions by both clocks, the operations behind them, its evidence, and its ties."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from gateway.accounts import Version, version_shown
from shared.contract.errors import NotFound
from shared.contract.events import Event
from shared.contract.ids import IdRange
from shared.contract.records import EvidenceRef, Link, MemoryVersion, Operation
from shared.contract.scope import Owner, Scope, checked_scope
from shared.store import ledger, links, memories
from shared.store.db import Database, Role, Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """An operation on a memory, as the ledger has it."""

    sequence: int
    operation: Operation
    reason: str | None
    """Why, by a name of ours; None where the operation's content is erased."""
    recorded_at: datetime
    run_id: str | None
    """The run that led to it, where one did."""
    opened: int | None
    """The version that it opened."""
    closed: int | None
    """The version that it closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """A message that a memory rests on, in any of its versions."""

    sequence: int
    text: str | None
    """What of it the memory cites; None where it is erased."""
    speaker: str | None
    origin: str
    said_at: datetime | None
    run_id: str | None
    message_id: str | None
    is_independent: bool
    """False for an echo: the same source said again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """What a memory is tied to."""

    relation: str
    memory_id: UUID
    """The other memory."""
    is_source: bool
    """Whether the tie goes from this memory to the other."""
    text: str | None
    """What the other says; None where it is forgotten, or of no concern to who asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryHistory:
    """All that became of one memory."""

    memory_id: UUID
    owner: Owner
    text: str
    versions: tuple[Version, ...]
    """From the first; each but the last is closed."""
    steps: tuple[Step, ...]
    evidence: tuple[Cited, ...]
    ties: tuple[Tie, ...]


def history_of(database: Database, scope: Scope, memory_id: UUID | str) -> MemoryHistory:
    """The life of a memory of the scope, or of a room that its user takes part in.

    Raises:
        InvalidScope: the scope is not acceptable.
        InvalidInput: it is no id, or the beginning of several.
        NotFound: the scope has no memory of that id, or it is forgotten.
    """
    checked_scope(scope)
    ids = IdRange.of(memory_id, field="memory_id")
    with database.transaction(
        Role.READER, scope.tenant_id, [scope.owner], read_only=True, agent_id=scope.agent_id
    ) as session:
        found = ids.only(memories.called(session, ids.first, ids.last), "memories", field="memory_id")
        versions = memories.versions(session, [found[0]]) if found else []
        if found is None or not versions:
            msg = f"the scope has no memory {str(memory_id)[:40]!r}: it is another scope's, or it is forgotten"
            raise NotFound(msg, memory_id=str(memory_id)[:40])
        owner = found[1]
        return _history(replace(session, owners=(owner, *session.owners)), owner, versions)


def _history(session: Session, owner: Owner, versions: Sequence[MemoryVersion]) -> MemoryHistory:
    refs = {ref.span: ref for version in versions for ref in version.evidence}
    behind = {version.opened_by for version in versions} | {each.closed_by for each in versions if each.closed_by}
    events = {
        event.sequence: event
        for event in ledger.numbered(session, owner, behind | {ref.sequence for ref in refs.values()})
    }
    memory = versions[0].memory_id
    return MemoryHistory(
        memory_id=memory,
        owner=owner,
        text=versions[-1].text,
        versions=tuple(version_shown(owner, version) for version in versions),
        steps=tuple(_step(events[sequence], versions) for sequence in sorted(behind)),
        evidence=tuple(_cited(ref, events[ref.sequence]) for ref in refs.values()),
        ties=tuple(_ties(session, memory, links.of(session, [memory]))),
    )


def _step(event: Event, versions: Sequence[MemoryVersion]) -> Step:
    opened = {version.opened_by: version.version for version in versions}
    closed = {version.closed_by: version.version for version in versions}
    return Step(
        sequence=event.sequence,
        operation=Operation(event.kind),
        reason=(event.payload or {}).get("reason"),
        recorded_at=event.recorded_at,
        run_id=event.run_id,
        opened=opened.get(event.sequence),
        closed=closed.get(event.sequence),
    )


def _cited(ref: EvidenceRef, event: Event) -> Cited:
    text = (event.payload or {}).get("text")
    return Cited(
        sequence=event.sequence,
        text=text[ref.start : ref.end] if isinstance(text, str) else None,
        speaker=event.speaker,
        origin=event.origin,
        said_at=event.occurred_at,
        run_id=event.run_id,
        message_id=event.message_id,
        is_independent=ref.independent,
    )


def _ties(session: Session, memory: UUID, found: Collection[Link]) -> list[Tie]:
    others = {link.target if link.source == memory else link.source for link in found}
    texts: Mapping[UUID, str] = {each.memory_id: each.text for each in memories.versions(session, others)}
    return [_tie(link, memory, texts) for link in found]


def _tie(link: Link, memory: UUID, texts: Mapping[UUID, str]) -> Tie:
    is_source = link.source == memory
    other = link.target if is_source else link.source
    return Tie(relation=link.relation, memory_id=other, is_source=is_source, text=texts.get(other))
