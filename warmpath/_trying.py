"""What a decision would do to what is held: found out by doing it, and undoing all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from shared.contract.events import memory_id
from shared.contract.operations import AddPayload, Payload, ReopenPayload, WrittenEntry
from shared.contract.records import MemoryVersion, Operation
from shared.store import memories
from shared.store.beliefs import Draft
from shared.store.db import Session
from shared.store.ledger import Head


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """An operation that would be done."""

    payload: Payload
    opens: UUID | None = None
    """The memory that it would open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One thing that approving would do to what is held."""

    operation: Operation
    memory_id: UUID | None
    """None of a memory that would be new."""
    text: str
    valid_from: datetime | None
    valid_to: datetime | None
    """As it would be afterwards."""


class _UndoneError(Exception):
    """Ends a savepoint that was only to be looked at."""


class _NotingDraft(Draft):
    """A draft that is never written, and notes what it is told to do."""

    def __init__(self, session: Session, head: Head) -> None:
        super().__init__(session, head)
        self.noted: list[Noted] = []

    def do(self, held: Iterable[MemoryVersion], operations: Sequence[Payload], *, run_id: str | None = None) -> None:
        """See `Draft.do`."""
        first = self.head.sequence + 1
        for place, payload in enumerate(operations, first):
            is_new = isinstance(payload, AddPayload)
            opens = memory_id(self.session.tenant_id, self.head.stream, place, 0) if is_new else None
            self.noted.append(Noted(payload=payload, opens=opens))
        super().do(held, operations, run_id=run_id)


def tried(session: Session, head: Head, do: Callable[[Draft], None]) -> list[Noted]:
    """What `do` would do, in order; nothing of it stays. The caller holds the stream's lock, and `head` is its end."""
    draft = _NotingDraft(session, head)
    with suppress(_UndoneError), session.savepoint():
        do(draft)
        raise _UndoneError
    return draft.noted


def differences(session: Session, noted: Sequence[Noted]) -> Iterable[Difference]:
    """What operations do, each in one line; those on a memory that is new are told of as the new one."""
    new = {each.opens: entry for each in noted for entry in _opened(each.payload)}
    named = {memory for each in noted if isinstance(memory := getattr(each.payload, "memory", None), UUID)}
    known = {version.memory_id: version for version in memories.versions(session, named - new.keys())}
    for each in noted:
        memory = each.opens or getattr(each.payload, "memory", None)
        told = new.get(memory) or known.get(memory) if memory else None
        if told is not None:
            ends = isinstance(each.payload, ReopenPayload) or hasattr(each.payload, "valid_to")
            valid_to = getattr(each.payload, "valid_to", None) if ends else told.valid_to
            yield _difference(each.payload.op, memory if memory in known else None, told, valid_to)


def _opened(payload: Payload) -> Iterable[WrittenEntry]:
    """The memory that an operation opens, where it opens one."""
    entries = payload.entries if isinstance(payload, AddPayload) else ()
    return (entry for entry in entries if isinstance(entry, WrittenEntry))


def _difference(
    operation: Operation, memory: UUID | None, told: MemoryVersion | WrittenEntry, valid_to: datetime | None
) -> Difference:
    return Difference(
        operation=operation, memory_id=memory, text=told.text, valid_from=told.valid_from, valid_to=valid_to
    )
