"""The inbox: accepted runs, and how far each has come. The one writer of `inbox`.

A row is the truth about a run's work; messages on the broker only say that somebody should look. `stage` is the one
to be done next, `attempts` are those at it, counted before each start, so that a run that kills its worker is counted
too. The payload goes in the transaction that puts it into the ledger.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from shared.contract.errors import ConflictingMessage
from shared.contract.receipts import Stage, Work
from shared.contract.scope import Owner
from shared.store.db import Database, Row, Session
from shared.store.queries import queries

_SQL: Final = queries("inbox")
DONE: Final = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A run on its way into the inbox."""

    inbox_id: UUID
    run_id: str
    digests: Mapping[str, str]
    """Digest of each message, by message id."""
    payload: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """What the inbox says of a delivery."""

    at: datetime
    repeated: bool


def insert(session: Session, delivery: Delivery) -> Accepted:
    """Accept a delivery, or find that it was accepted before. Deliveries of one run wait for each other.

    Raises:
        ConflictingMessage: an earlier delivery of this run has a message of the same id and another text.
    """
    parameters = {"run_id": delivery.run_id, "inbox_id": delivery.inbox_id}
    with session.connection.pipeline():
        session.execute(_SQL["lock_run"], run_id=delivery.run_id)
        earlier = session.execute(_SQL["earlier_deliveries"], **parameters)
        inserted = session.execute(
            _SQL["insert"],
            **parameters,
            digests=json.dumps(delivery.digests),
            payload=delivery.payload,
            stage=Stage.APPEND,
        )
    for row in earlier.fetchall():
        _refuse_conflict(delivery, row)
    found = inserted.fetchone()
    if found is None:
        msg = f"inbox row {delivery.inbox_id} is not visible to its own owner"
        raise RuntimeError(msg)
    return Accepted(at=found["accepted_at"], repeated=not found["inserted"])


def _refuse_conflict(delivery: Delivery, row: Row) -> None:
    for message_id, digest in delivery.digests.items():
        if row["message_digests"].get(message_id, digest) != digest:
            msg = (
                f"message {message_id!r} of run {delivery.run_id!r} was accepted with another text at "
                f"{row['accepted_at']:%Y-%m-%d %H:%M:%S %Z}; a message is never changed: send the correction under "
                "an id of its own, or in another run"
            )
            raise ConflictingMessage(msg, run_id=delivery.run_id, message_id=message_id)


def claim(database: Database, work: Work, stage: Stage, *, lease: timedelta) -> int | None:
    """Take a piece of work for `lease`; returns which attempt this is, or None if it is done, parked or somebody's."""
    with database.claiming() as connection:
        row = connection.execute(
            _SQL["claim"], {"tenant_id": work.tenant_id, "inbox_id": work.inbox_id, "stage": stage, "lease": lease}
        ).fetchone()
    return int(row["attempts"]) if row else None


def mark_rung(
    database: Database, stages: Iterable[Stage], *, idle: timedelta, again_after: timedelta, limit: int
) -> list[tuple[Stage, Work]]:
    """Work to ring for now, oldest first, of all tenants: at most `limit` of each stage, marked as rung for.

    It is what nobody holds, what nothing has happened to for `idle`, and what was not marked within `again_after`.
    """
    parameters = {"stages": list(stages), "idle": idle, "again_after": again_after, "limit": limit}
    with database.claiming() as connection:
        rows = connection.execute(_SQL["mark_rung"], parameters).fetchall()
    return [
        (
            Stage(row["stage"]),
            Work(tenant_id=row["tenant_id"], owner=Owner(row["user_id"]), inbox_id=row["inbox_id"]),
        )
        for row in rows
    ]


def backlog(database: Database, tenant_id: str | None = None) -> list[Row]:
    """How many runs are at each `stage` and `state`, and since when the `oldest` has been; of one tenant or of all."""
    with database.claiming() as connection:
        return connection.execute(_SQL["backlog"], {"tenant_id": tenant_id}).fetchall()


def take(session: Session, work: Work, stage: Stage) -> Row | None:
    """Lock a run's row for the stage's own transaction; None if the stage has been done meanwhile."""
    return session.row(_SQL["take"], inbox_id=work.inbox_id, stage=stage)


def advance(session: Session, work: Work, following: Stage | None) -> None:
    """Say that a stage is done and which follows (None: none), in the transaction that holds its effect."""
    session.execute(
        _SQL["advance"],
        inbox_id=work.inbox_id,
        stage=following or DONE,
        state=DONE if following is None else "waiting",
        keep_payload=following is Stage.APPEND,
    )


def give_back(session: Session, work: Work, stage: Stage, *, attempt: int, error: str, after: timedelta) -> bool:
    """Note that an attempt failed; the work waits `after` until somebody may try again.

    False, and nothing noted, if the attempt's lease is its own no more: it had run out, and somebody took the work.
    """
    given = session.execute(
        _SQL["give_back"], inbox_id=work.inbox_id, stage=stage, attempt=attempt, error=error, after=after
    )
    return given.rowcount == 1


def park(session: Session, work: Work, *, error: str) -> None:
    """Stop trying. The payload stays, for whoever looks into it."""
    session.execute(_SQL["park"], inbox_id=work.inbox_id, error=error)


def of_run(session: Session, run_id: str) -> Sequence[Row]:
    """State of each delivery of a run: `inbox_id`, `stage`, `state`, `attempts`, `last_error`, `accepted_at`."""
    return session.rows(_SQL["of_run"], run_id=run_id)


def fresh(session: Session, *, limit: int, longest_chars: int) -> list[Row]:
    """The session's newest runs that are accepted and not in the ledger yet: `inbox_id`, `user_id`, `payload`.

    Payloads above `longest_chars` are left out: reading them would cost more than a recall may take.
    """
    return session.rows(_SQL["fresh"], limit=limit, longest_chars=longest_chars)
