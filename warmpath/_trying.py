"""What a decision would do to what is held: found out by doing it, and undoing all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from shared.contract.events import memory_id
from shared.contract.operations import AddPayload, Payload
from shared.contract.records import MemoryVersion
from shared.store.beliefs import Draft
from shared.store.db import Session
from shared.store.ledger import Head


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """An operation that would be done."""

    payload: Payload
    opens: UUID | None = None
    """The memory that it would open."""


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
