"""Dead letters: runs that were given up, and having them tried again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from shared.contract.errors import NotFound
from shared.contract.events import EventClass, NewEvent
from shared.contract.scope import AUDIT_OWNER, Owner
from shared.store import inbox, ledger
from shared.store.db import Database, Role

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from shared.contract.receipts import Work
    from shared.store.db import Row

MOST: Final = 1_000
"""Dead letters listed at a time."""
_EVERY: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """A run that a stage was tried at too often, or cannot be done for at all."""

    tenant_id: str
    owner: Owner
    inbox_id: UUID
    stage: str
    attempts: int
    accepted_at: datetime
    parked_at: datetime
    run_id: str | None = None
    """With the reason, known once it is looked at by itself: a list shows no tenant's own words."""
    messages: int | None = None
    reason: str | None = None


def dead_letters(database: Database, tenant_id: str | None = None, *, limit: int = MOST) -> list[DeadLetter]:
    """The dead letters of a tenant (None: of all), the newest first."""
    return [_letter(row) for row in inbox.dead(database, tenant_id, limit=limit)]


def dead_letter(database: Database, tenant_id: str, inbox_id: UUID) -> DeadLetter:
    """One dead letter with its run and the reason.

    Raises:
        NotFound: the tenant has none of that id.
    """
    owner = _owner_of(database, tenant_id, inbox_id)
    with database.transaction(Role.READER, tenant_id, [owner], read_only=True) as session:
        row = inbox.dead_letter(session, inbox_id)
    if row is None:
        raise _none(tenant_id, inbox_id)
    return _letter(row)


def redrive(database: Database, tenant_id: str, inbox_id: UUID) -> Work:
    """Have a dead letter wait for its stage again, as if it had never been tried; the audit stream says so.

    Raises:
        NotFound: the tenant has none of that id, or somebody else has redriven it.
    """
    owner = _owner_of(database, tenant_id, inbox_id)
    with database.transaction(Role.WORKER, tenant_id, [owner]) as session:
        work = inbox.redrive(session, inbox_id)
    if work is None:
        raise _none(tenant_id, inbox_id)
    event = NewEvent(event_class=EventClass.AUDIT, kind="redrive", payload={"inbox_id": str(inbox_id)})
    with database.transaction(Role.WORKER, tenant_id, [AUDIT_OWNER]) as session:
        _, head = ledger.append(session, ledger.lock(session, AUDIT_OWNER), [event])
        ledger.advance(session, head)
    return work


def _owner_of(database: Database, tenant_id: str, inbox_id: UUID) -> Owner:
    found = inbox.dead(database, tenant_id, limit=_EVERY)
    owner = next((Owner(row["user_id"]) for row in found if row["inbox_id"] == inbox_id), None)
    if owner is None:
        raise _none(tenant_id, inbox_id)
    return owner


def _none(tenant_id: str, inbox_id: UUID) -> NotFound:
    msg = f"tenant {tenant_id!r} has no dead letter {inbox_id}: see `daybook dead list --tenant {tenant_id}`"
    return NotFound(msg, inbox_id=str(inbox_id))


def _letter(row: Row) -> DeadLetter:
    return DeadLetter(
        tenant_id=row["tenant_id"],
        owner=Owner(row["user_id"]),
        inbox_id=row["inbox_id"],
        stage=row["stage"],
        attempts=row["attempts"],
        accepted_at=row["accepted_at"],
        parked_at=row["changed_at"],
        run_id=row.get("run_id"),
        messages=row.get("messages"),
        reason=row.get("last_error"),
    )
