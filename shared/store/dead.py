"""Dead letters: runs that were given up. Reads only: `inbox` parks and redrives them."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

from shared.contract.scope import Owner
from shared.store.db import Database, Row, Session
from shared.store.queries import queries

_SQL: Final = queries("dead")


def letters(
    database: Database, tenant_id: str | None = None, *, limit: int, until: datetime | None = None
) -> list[Row]:
    """The newest first, of one tenant or of all, without anything of what they say.

    `tenant_id`, `user_id`, `inbox_id`, `stage`, `attempts`, `accepted_at`, `changed_at` (when it was parked: not after
    `until`).
    """
    with database.claiming() as connection:
        return connection.execute(_SQL["letters"], {"tenant_id": tenant_id, "limit": limit, "until": until}).fetchall()


def called(database: Database, tenant_id: str, first: UUID, last: UUID) -> list[tuple[UUID, Owner]]:
    """The tenant's dead letters whose id lies between two, with whose they are; two at most."""
    with database.claiming() as connection:
        rows = connection.execute(_SQL["called"], {"tenant_id": tenant_id, "first": first, "last": last}).fetchall()
    return [(row["inbox_id"], Owner(row["user_id"])) for row in rows]


def letter(session: Session, inbox_id: UUID) -> Row | None:
    """One of the session's owners: as `letters`, with `run_id`, `messages` and `last_error`."""
    return session.row(_SQL["letter"], inbox_id=inbox_id)
