"""Which streams there are, of all tenants: for jobs that go through them. Reads only."""

from __future__ import annotations

from typing import Final

from shared.contract.scope import Owner
from shared.store.db import Database
from shared.store.queries import queries

_SQL: Final = queries("streams")


def sample(database: Database, size: int) -> list[tuple[str, Owner]]:
    """Tenant and owner of `size` streams drawn by chance."""
    with database.claiming() as connection:
        rows = connection.execute(_SQL["sample"], {"size": size}).fetchall()
    return [(row["tenant_id"], Owner(row["user_id"])) for row in rows]


def of_tenant(database: Database, tenant_id: str | None) -> list[tuple[str, Owner, int]]:
    """Tenant, owner and last sequence of every stream, of one tenant or (None) of all, in order."""
    with database.claiming() as connection:
        rows = connection.execute(_SQL["of_tenant"], {"tenant_id": tenant_id}).fetchall()
    return [(row["tenant_id"], Owner(row["user_id"]), row["last_sequence"]) for row in rows]
