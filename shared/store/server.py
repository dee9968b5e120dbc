"""What the Postgres server is, and what our login may do there: for `daybook doctor`. Reads only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import psycopg

from shared.store.db import Database, Role
from shared.store.queries import queries
from shared.store.reasons import reason

_SQL: Final = queries("server")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """One server, as one login sees it."""

    version_number: int
    """As `server_version_num`: 180006."""
    version: str
    pgvector: str | None
    """Version of the extension in this database; None where it is not installed."""
    login: str
    superuser: bool
    bypasses_policies: bool
    owns_schema: bool
    """The login owns Daybook's tables, or may act as who does, so it could take the policies away."""
    missing_roles: tuple[str, ...]
    """Of Daybook's roles, those that are not there or that the login may not act as."""


def why_unreachable(url: str, *, timeout_s: float) -> str | None:
    """What a connection of its own is told: a pool only knows that none came in time. None if it succeeds."""
    try:
        psycopg.connect(url, connect_timeout=max(2, round(timeout_s))).close()
    except psycopg.Error as error:
        return reason(error)
    return None


def look(database: Database) -> Facts:
    """Ask the server.

    Raises:
        DatabaseUnavailable: it does not answer.
    """
    with database.bare() as connection:
        row = connection.execute(_SQL["facts"]).fetchone()
        assert row is not None  # everybody who is logged in is in pg_roles
        parameters = {"roles": list(Role), "version_number": row["version_number"]}
        missing = connection.execute(_SQL["missing_roles"], parameters).fetchall()
    return Facts(**row, missing_roles=tuple(each["name"] for each in missing))
