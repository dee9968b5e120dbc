"""Passes of jobs: who is at each, and how far it has come. The one writer of `job`.

A pass is its worker's for as long as its lease, which the worker renews while it lives. One whose lease has run out is
taken over by whoever asks next. Attempts are counted before each start, and the attempt is the pass's fence: an effect
that states its attempt has none once another one has begun. A job that beat starts has slots, and a slot has one pass.
"""

# Above 300 lines: a pass from its beginning to its end, each step a statement.

from __future__ import annotations

import hashlib
import json
import os
import socket
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID, uuid4, uuid5

from shared.contract.errors import LeaseLost
from shared.contract.events import NAMESPACE
from shared.store.db import Connection, Database, Row, Session
from shared.store.queries import queries

_SQL: Final = queries("jobs")
_SLICES: Final = "slices"
_ROUND: Final = "round"
"""In `counts`, the attempt of the newest slice that ended well, and where a round is; no counts of the job's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """How far a job has come that looks at a part of what there is in each pass, and in time at all of it.

    Places are numbers that the job understands; they name nobody.
    """

    behind: tuple[int, ...] = ()
    """The place that it was at last; empty before the first."""
    again: tuple[tuple[int, ...], ...] = ()
    """Places where something was not as it must be: to be looked at first, until they are."""


NOWHERE: Final = Round()


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """An attempt at a pass, which is its holder's for as long as nobody has begun the next."""

    tenant_id: str
    job_id: UUID
    name: str
    slot: datetime | None
    """None: nobody scheduled it."""
    attempt: int
    fruitless: int = 1
    """Attempts since the newest slice that ended well, this one included."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """What earlier slices of this pass counted."""
    round: Round = NOWHERE
    """Where earlier slices, or the pass before this one, left it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """A pass as it stands."""

    tenant_id: str
    name: str
    slot: datetime | None
    state: str
    """`running`, `done` or `failed`."""
    attempts: int
    done: int
    total: int
    """0 where that is not known."""
    counts: Mapping[str, int]
    last_error: str | None
    started_at: datetime
    changed_at: datetime
    finished_at: datetime | None
    lapsed_at: datetime | None
    """Since when it is nobody's, although it has not ended."""
    looked_at: datetime
    """The database's time at which it stood so."""


def begin(
    database: Database,
    tenant_id: str,
    name: str,
    *,
    lease: timedelta,
    attempts: int,
    slot: datetime | None = None,
    resume: bool = False,
) -> Held | None:
    """Take a pass of a job for `lease`; None if somebody is at one, or if the slot has had its pass.

    A pass that was left unfinished comes before any new one, whatever its slot: it is taken over, unless `attempts`
    have led nowhere, in which case it has failed. With `resume` no new one is begun.
    """
    whose = {"tenant_id": tenant_id, "name": name, "lease": lease, "holder": f"{socket.gethostname()}/{os.getpid()}"}
    with database.claiming() as connection:
        connection.execute(_SQL["alone"], whose)
        running = connection.execute(_SQL["running"], whose).fetchone()
        if running is not None:
            if running["is_held"]:
                return None
            if running["fruitless"] < attempts:
                return _held(tenant_id, name, _one(connection, "take_over", {**whose, **running}))
            given_up = f"given up: its lease ran out at attempt {running['fruitless']} of {attempts}"
            if not _one(connection, "give_up", {**whose, **running, "error": given_up}):
                return None
        if resume:
            return None
        return _held(tenant_id, name, _one(connection, "insert", {**whose, "job_id": uuid4(), "slot": slot}))


def renew(database: Database, held: Held, lease: timedelta, done: int, total: int) -> bool:
    """Say that its worker lives, and how far it has come; False if it is ours no more.

    Waits for an effect of this attempt that is under way.
    """
    return _change(database, "renew", held, lease=lease, done=done, total=total)


def release(
    database: Database, held: Held, counts: Mapping[str, int], done: int, total: int, *, at: Round = NOWHERE
) -> bool:
    """Leave a pass that is not finished to whoever comes next; False if it is ours no more."""
    return _change(database, "release", held, counts=_kept(counts, at), done=done, total=total)


def finish(database: Database, held: Held, counts: Mapping[str, int], *, at: Round = NOWHERE) -> bool:
    """Say that the pass is done; False if it is ours no more."""
    return _change(database, "finish", held, counts=_kept(counts, at))


def finish_within(session: Session, held: Held, counts: Mapping[str, int], *, at: Round = NOWHERE) -> None:
    """`finish`, in the transaction of the pass's one effect: both happen, or neither.

    Raises:
        LeaseLost: it is ours no more.
    """
    _as_claimer(session, "finish", held, counts=_kept(counts, at))


def keep_within(session: Session, held: Held, counts: Mapping[str, int], *, at: Round = NOWHERE) -> None:
    """Write the counts down in the transaction of one effect of several: whoever goes on knows that it was had.

    Raises:
        LeaseLost: it is ours no more.
    """
    _as_claimer(session, "keep", held, counts=_kept(counts, at))


def fail(
    database: Database,
    held: Held,
    error: str,
    *,
    again_after: timedelta | None = None,
    counts: Mapping[str, int] | None = None,
    at: Round = NOWHERE,
) -> bool:
    """Say that the attempt failed: the pass too, or (`again_after`) another attempt may begin after a while.

    With `counts` it is kept what the attempt did all the same. False if it is ours no more.
    """
    kept = None if counts is None else _kept(counts, at)
    return _change(database, "fail", held, error=error, after=again_after, counts=kept)


def fence(session: Session, held: Held) -> None:
    """Let nobody take the pass over before the session's transaction has ended. In a transaction of any role.

    Raises:
        LeaseLost: somebody has; the transaction must have no effect.
    """
    _as_claimer(session, "fence", held)


def mark(held: Held, about: str) -> tuple[str, str]:
    """Message id and digest for the one event that a pass writes about something: a stream takes the pair once."""
    return f"{held.name} {held.job_id}", hashlib.sha256(f"{held.job_id}\x1f{about}".encode()).hexdigest()


def is_written(session: Session, stream: str, marked: tuple[str, str]) -> bool:
    """Whether a stream of the session has the event that bears a mark."""
    message_id, digest = marked
    row = session.row(_SQL["is_written"], stream=stream, message_id=message_id, digest=digest)
    return bool(row and row["is_written"])


def note(database: Database, tenant_id: str, name: str, counts: Mapping[str, int]) -> None:
    """Say that a pass has been made, of a job that keeps one row for all of them and needs no lease."""
    parameters = {
        "tenant_id": tenant_id,
        "name": name,
        "job_id": uuid5(NAMESPACE, f"job\x1f{tenant_id}\x1f{name}"),
        "counts": json.dumps(dict(counts)),
    }
    with database.claiming() as connection:
        connection.execute(_SQL["note"], parameters)


def latest(database: Database, tenant_id: str | None = None) -> list[Pass]:
    """The newest pass of each job of each tenant, or of one, by tenant and name."""
    with database.claiming() as connection:
        rows = connection.execute(_SQL["latest"], {"tenant_id": tenant_id}).fetchall()
    return [Pass(**{name: row[name] for name in Pass.__slots__}) for row in rows]


def lapsed(database: Database, *, since: timedelta, limit: int) -> list[tuple[str, str]]:
    """Tenant and name of passes that have been nobody's for `since` and are not finished, the longest first."""
    with database.claiming() as connection:
        rows = connection.execute(_SQL["lapsed"], {"since": since, "limit": limit}).fetchall()
    return [(row["tenant_id"], row["name"]) for row in rows]


def due(
    database: Database,
    name: str,
    slot: datetime,
    *,
    now: datetime,
    limit: int,
    spread: timedelta = timedelta(0),
    among: Collection[str] | None = None,
    but: Collection[str] = (),
) -> list[str]:
    """Tenants, of all or `among` some, whose pass of a slot is nobody's yet: the longest without a turn first.

    Within `spread` of the slot's begin each tenant comes at a moment of its own, the same for every slot.
    """
    parameters = {
        "name": name,
        "slot": slot,
        "now": now,
        "spread": spread,
        "limit": limit,
        "among": None if among is None else list(among),
        "but": list(but),
    }
    with database.claiming() as connection:
        rows = connection.execute(_SQL["due"], parameters).fetchall()
    return [row["tenant_id"] for row in rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """What became of a slot, over all tenants."""

    done: int
    failed: int
    running: int
    error: str | None = None
    """Why one of those that failed did."""

    @property
    def started(self) -> int:
        """Of how many somebody has begun the pass."""
        return self.done + self.failed + self.running


@dataclass(frozen=True, slots=True, kw_only=True)
class Last:
    """The newest pass of a job that ended."""

    tenant_id: str
    state: str
    finished_at: datetime
    last_error: str | None


def slot_of(database: Database, name: str, slot: datetime) -> Slot:
    """What became of a slot of a job."""
    with database.claiming() as connection:
        row = _one(connection, "slot", {"name": name, "slot": slot})
    assert row is not None
    return Slot(**row)


def last(database: Database, name: str) -> Last | None:
    """The newest pass of a job that ended, scheduled or not; None where there never was one."""
    with database.claiming() as connection:
        row = _one(connection, "last", {"name": name})
    return None if row is None else Last(**row)


def _one(connection: Connection, query: str, parameters: Mapping[str, object]) -> Row | None:
    return connection.execute(_SQL[query], parameters).fetchone()


def _held(tenant_id: str, name: str, row: Row | None) -> Held | None:
    if row is None:
        return None
    return Held(
        tenant_id=tenant_id,
        job_id=row["job_id"],
        name=name,
        slot=row["slot"],
        attempt=row["attempts"],
        fruitless=row["attempts"] - row["counts"].get(_SLICES, 0),
        counts={key: count for key, count in row["counts"].items() if key not in {_SLICES, _ROUND}},
        round=_round(row["counts"].get(_ROUND)),
    )


def _round(kept: Mapping[str, Any] | None) -> Round:
    if kept is None:
        return NOWHERE
    return Round(behind=tuple(kept["behind"]), again=tuple(tuple(place) for place in kept["again"]))


def _kept(counts: Mapping[str, int], at: Round) -> str:
    """What of a pass is kept for its next slice, and of where its round is for the next pass."""
    going = {} if at == NOWHERE else {_ROUND: {"behind": at.behind, "again": at.again}}
    return json.dumps({**counts, **going})


def _change(database: Database, query: str, held: Held, **more: object) -> bool:
    with database.claiming() as connection:
        return _one(connection, query, {**_whose(held), **more}) is not None


def _as_claimer(session: Session, query: str, held: Held, **more: object) -> None:
    """A statement on the pass within a transaction of another role and tenant, which may not see it."""
    before = session.row(_SQL["become_claimer"])
    assert before is not None
    found = _one(session.connection, query, {**_whose(held), **more})
    session.execute(_SQL["become_again"], role=before["before"])
    if found is None:
        msg = f"attempt {held.attempt} at {held.name} of {held.tenant_id} is over: its lease ran out, and another began"
        raise LeaseLost(msg, job_id=held.job_id, attempt=held.attempt)


def _whose(held: Held) -> dict[str, object]:
    return {"job_id": held.job_id, "attempt": held.attempt, "tenant_id": held.tenant_id}


def prune(database: Database, keep: timedelta, *, limit: int) -> int:
    """Take away the passes that ended longer ago, the oldest `limit` of them; returns how many went."""
    with database.claiming() as connection:
        gone = connection.execute(_SQL["prune"], {"keep": keep, "limit": limit})
    return gone.rowcount  # not known before the end: statements are sent together
