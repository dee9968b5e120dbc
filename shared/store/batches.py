"""What jobs have changed, by batch, and how far each has looked. The one writer of `batch` and `job_mark`."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from shared.contract.scope import Owner
from shared.store.db import Database, Session
from shared.store.queries import queries

_SQL: Final = queries("batches")


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What one pass of a job did in one stream."""

    batch_id: UUID
    job: str
    first_sequence: int
    last_sequence: int
    refused: Mapping[str, int]
    """How many proposals were refused, by reason."""
    committed_at: datetime
    reverted_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A batch as a list of them shows it."""

    batch_id: UUID
    job: str
    committed_at: datetime
    streams: int
    """In how many it changed something."""
    reverted: int
    """In how many of those it was taken back."""


def write(session: Session, batch: Batch) -> None:
    """Note what was done in the stream of the session's owner. The caller holds the stream's lock.

    Of a batch that is there it is what was done next: it then goes up to the new end, and `refused` counts for all.
    """
    session.execute(
        _SQL["write"],
        batch_id=batch.batch_id,
        job=batch.job,
        first_sequence=batch.first_sequence,
        last_sequence=batch.last_sequence,
        refused=json.dumps(dict(batch.refused)),
        committed_at=batch.committed_at,
    )


def mark(session: Session, job: str, sequence: int) -> None:
    """Note that a job has seen the owner's stream up to an event. The caller holds the stream's lock."""
    session.execute(_SQL["mark"], job=job, sequence=sequence)


def marked(session: Session, job: str) -> int:
    """Up to which event of the owner's stream a job has seen all; 0 where it never has."""
    row = session.row(_SQL["marked"], job=job)
    return row["sequence"] if row else 0


def of(session: Session, batch_id: UUID) -> Batch | None:
    """What a batch did in the stream of the session's owner, locked until the end of the transaction."""
    row = session.row(_SQL["of"], batch_id=batch_id)
    return None if row is None else Batch(**row)


def reverted(session: Session, job: str, *, after: int = 0) -> list[Batch]:
    """What a job did in the stream of the session's owner, behind an event of it, and was taken back, in order."""
    return [Batch(**row) for row in session.rows(_SQL["reverted"], job=job, after=after)]


def covering(session: Session, jobs: Collection[str], sequences: Collection[int]) -> list[Batch]:
    """What some jobs did in the owner's stream, and nobody took back, that any of some operations is of; in order."""
    return [Batch(**row) for row in session.rows(_SQL["covering"], jobs=list(jobs), sequences=list(sequences))]


def revert(session: Session, batch_id: UUID, at: datetime) -> None:
    """Note that a batch was taken back in the stream of the session's owner."""
    session.execute(_SQL["revert"], batch_id=batch_id, reverted_at=at)


def owners(database: Database, tenant_id: str, batch_id: UUID) -> list[Owner]:
    """In whose streams a batch changed something, in order."""
    with database.claiming() as connection:
        rows = connection.execute(_SQL["owners"], {"tenant_id": tenant_id, "batch_id": batch_id}).fetchall()
    return [Owner(row["user_id"]) for row in rows]


def called(database: Database, tenant_id: str, first: UUID, last: UUID) -> list[UUID]:
    """The tenant's batches whose id lies between two; two at most."""
    with database.claiming() as connection:
        rows = connection.execute(_SQL["called"], {"tenant_id": tenant_id, "first": first, "last": last}).fetchall()
    return [row["batch_id"] for row in rows]


def newest(database: Database, tenant_id: str, *, limit: int) -> list[Listed]:
    """The tenant's last batches, the newest first."""
    with database.claiming() as connection:
        rows = connection.execute(_SQL["newest"], {"tenant_id": tenant_id, "limit": limit}).fetchall()
    return [Listed(**row) for row in rows]


def clear(session: Session) -> int:
    """Take out everything of the owner; returns how many batches went. For the eraser."""
    gone = session.execute(_SQL["clear"]).rowcount
    session.execute(_SQL["clear_marks"])
    return gone
