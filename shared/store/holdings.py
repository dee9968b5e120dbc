"""Which passes of jobs are somebody's, and whose. Reads only: `jobs` is the one writer of `job`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from shared.store.db import Database
from shared.store.queries import queries

_SQL: Final = queries("jobs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """A pass that is somebody's: nobody else takes it until the lease is over, though its worker be dead."""

    tenant_id: str
    name: str
    holder: str | None
    """Host and process id of the worker; None while it pauses after a failure, or where an earlier version began it."""
    held_since: datetime | None
    lease_until: datetime
    """As far as it stands now: the worker moves it on while it lives."""
    done: int
    total: int
    last_error: str | None = None

    @property
    def says(self) -> str:
        """Who is at what, since when and until when, as a sentence for people."""
        what, until = f"{self.name} of {self.tenant_id!r}", _shown(self.lease_until)
        if self.holder is None and self.last_error:
            return f"{what} failed and is tried again after {until}: {self.last_error}"
        since = f" since {_shown(self.held_since)}" if self.held_since else ""
        far = f" and has done {self.done:,} of {self.total:,}" if self.total else ""
        taken_over = f"if that was killed, whoever comes after {until} takes it over (DAYBOOK_JOB_LEASE_S)"
        return f"{what} is held by {self.holder or 'a worker'}{since}{far}; {taken_over}"


def _shown(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def held(
    database: Database, *, tenant_id: str | None = None, name: str | None = None, limit: int = 20
) -> list[Holding]:
    """Passes that are somebody's, of one tenant or job or of all, those that are held the longest first."""
    parameters = {"tenant_id": tenant_id, "name": name, "limit": limit}
    with database.claiming() as connection:
        rows = connection.execute(_SQL["held"], parameters).fetchall()
    return [Holding(**row) for row in rows]
