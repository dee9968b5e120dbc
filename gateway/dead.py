"""Dead letters: runs that were given up, and having them tried again."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from shared.contract.errors import NotFound
from shared.contract.events import EventClass, NewEvent
from shared.contract.ids import IdRange
from shared.contract.scope import AUDIT_OWNER, Owner
from shared.store import dead, inbox, ledger
from shared.store.db import Database, Role, also

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from uuid import UUID

    from shared.contract.receipts import Work
    from shared.store.db import Row

MOST: Final = 1_000
"""Dead letters listed at a time."""


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


def dead_letters(
    database: Database, tenant_id: str | None = None, *, limit: int = MOST, until: datetime | None = None
) -> list[DeadLetter]:
    """The dead letters of a tenant (None: of all), the newest first; with `until`, those given up by then."""
    return [_letter(row) for row in dead.letters(database, tenant_id, limit=limit, until=until)]


def dead_letter(database: Database, tenant_id: str, inbox_id: UUID | str) -> DeadLetter:
    """One dead letter with its run and the reason.

    Raises:
        NotFound: the tenant has none of that id.
        InvalidInput: it is no id, or the beginning of several.
    """
    letter, owner = _called(database, tenant_id, inbox_id)
    with database.transaction(Role.READER, tenant_id, [owner], read_only=True) as session:
        row = dead.letter(session, letter)
    if row is None:
        raise _none(tenant_id, letter)
    return _letter(row)


def redrive(database: Database, tenant_id: str, inbox_id: UUID | str) -> Work:
    """Have a dead letter wait for its stage again, as if it had never been tried; the audit stream says so.

    Raises:
        NotFound: the tenant has none of that id, or somebody else has redriven it.
        InvalidInput: as for `dead_letter`.
    """
    letter, owner = _called(database, tenant_id, inbox_id)
    event = NewEvent(event_class=EventClass.AUDIT, kind="redrive", payload={"inbox_id": str(letter)})
    with database.transaction(Role.WORKER, tenant_id, [owner]) as session:
        work = inbox.redrive(session, letter)
        if work is None:
            raise _none(tenant_id, letter)
        audit = replace(also(session, [AUDIT_OWNER]), owners=(AUDIT_OWNER,))
        _, head = ledger.append(audit, ledger.lock(audit, AUDIT_OWNER), [event])
        ledger.advance(audit, head)
    return work


def redrive_all(database: Database, tenant_id: str) -> Iterator[tuple[DeadLetter, Work]]:
    """Redrive every dead letter that a tenant has now, one by one as they are asked for, each as by `redrive`.

    Passed over: what somebody else has redriven meanwhile, and what is given up again meanwhile.
    """
    found = dead_letters(database, tenant_id)
    until = found[0].parked_at if found else None
    while found:
        for letter in found:
            with suppress(NotFound):
                yield letter, redrive(database, tenant_id, letter.inbox_id)
        found = dead_letters(database, tenant_id, until=until)


def _called(database: Database, tenant_id: str, inbox_id: UUID | str) -> tuple[UUID, Owner]:
    """The dead letter that an id, or the beginning of one, stands for, and whose it is."""
    ids = IdRange.of(inbox_id, field="inbox_id")
    found = ids.only(dead.called(database, tenant_id, ids.first, ids.last), "dead letters", field="inbox_id")
    if found is None:
        raise _none(tenant_id, ids.begins)
    return found


def _none(tenant_id: str, inbox_id: UUID | str) -> NotFound:
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
