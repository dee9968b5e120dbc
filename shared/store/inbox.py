"""The inbox: accepted runs, and how far each has come. The one writer of `inbox`.

A row is the truth about a run's work; messages on the broker only say that somebody should look. `stage` is the one
to be done next, `attempts` are those at it, counted before each start, so that a run that kills its worker is counted
too. Until `lease_until` it is the worker's who counted the last of them, and until `retry_at` nobody's. The payload
goes in the transaction that puts it into the ledger.
"""

# Above 300 lines: every way a run takes through its row is here, since this alone writes it.

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from shared.contract.errors import ConflictingMessage, InvalidRun
from shared.contract.receipts import Stage, Work
from shared.contract.scope import Owner
from shared.store.db import Database, Row, Session
from shared.store.queries import queries
from shared.store.waiting import Deadline

_SQL: Final = queries("inbox")
DONE: Final = "done"
_STATED: Final = "\x1f"

BURST_RUNS: Final = 20
"""Most runs of a stream that are taken together: from there on a run's share of a claim and a commit is small."""
BURST_MESSAGES: Final = 500
"""Most messages of them together, so that a burst holds its stream for seconds at most; one larger run goes alone."""
_TENANTS: Final = 16
"""Among how many tenants a claim looks for the one that was served longest ago, behind the one that was served last:
where more wait, they take turns in that order."""
_FRONT: Final = 500
"""How far a claim looks behind runs of streams that somebody is at."""
_FRONT_OF_STREAM: Final = 100
"""How far the sweep looks behind runs of a stream that are to be tried later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A run on its way into the inbox."""

    inbox_id: UUID
    run_id: str
    digests: Mapping[str, str]
    """Digest of each message, by message id."""
    payload: str
    cited: AbstractSet[str] = frozenset()
    """Ids of messages of the run that its records rest on: each is in this delivery, or in one before it."""
    stated: Mapping[str, str] = field(default_factory=dict)
    """Digest of each value that its records state, by what it is of (`stated_as`): at one time there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """What the inbox says of a delivery."""

    at: datetime
    repeated: bool
    waits_at: Stage | None
    """The stage that is to be done next; None if all are done, or if the run was given up."""


def insert(session: Session, delivery: Delivery) -> Accepted:
    """Accept a delivery, or find that it was accepted before. Deliveries of one run wait for each other.

    Raises:
        ConflictingMessage: an earlier delivery of this run has a message of the same id and another text.
        InvalidRun: a record rests on a message that no delivery of this run has.
    """
    parameters = {"run_id": delivery.run_id, "inbox_id": delivery.inbox_id}
    with session.connection.pipeline():
        session.execute(_SQL["lock_run"], run_id=delivery.run_id)
        earlier = session.execute(_SQL["earlier_deliveries"], **parameters)
        inserted = session.execute(
            _SQL["insert"],
            **parameters,
            digests=json.dumps({**delivery.digests, **delivery.stated}),
            payload=delivery.payload,
            messages=max(1, len(delivery.digests)),
            stage=Stage.APPEND,
        )
    before = earlier.fetchall()
    for row in before:
        _refuse_conflict(delivery, row)
    _refuse_unknown(delivery, before)
    found = inserted.fetchone()
    if found is None:
        msg = f"inbox row {delivery.inbox_id} is not visible to its own owner"
        raise RuntimeError(msg)
    waits_at = Stage(found["stage"]) if found["state"] == "waiting" else None
    return Accepted(at=found["accepted_at"], repeated=not found["inserted"], waits_at=waits_at)


def _refuse_conflict(delivery: Delivery, row: Row) -> None:
    for message_id, digest in delivery.digests.items():
        if row["message_digests"].get(message_id, digest) != digest:
            msg = (
                f"message {message_id!r} of run {delivery.run_id!r} was accepted with another text at "
                f"{row['accepted_at']:%Y-%m-%d %H:%M:%S %Z}; a message is never changed: send the correction under "
                "an id of its own, or in another run"
            )
            raise ConflictingMessage(msg, run_id=delivery.run_id, message_id=message_id)

    for name, digest in delivery.stated.items():
        if row["message_digests"].get(name, digest) != digest:
            raise stated_otherwise(delivery.run_id, name)


def stated_as(of: str, field_name: str) -> str:
    """What stands for a field of a record beside the ids of messages, none of which begins so."""
    return f"{_STATED}{of}{_STATED}{field_name}"


def messages_of(delivery: Row) -> dict[str, str]:
    """Digest of each message of a delivery's row, by message id."""
    return {each: digest for each, digest in delivery["message_digests"].items() if not each.startswith(_STATED)}


def stated_otherwise(run_id: str, stated: str) -> ConflictingMessage:
    """That a run says two things of a field at one time: one of them would be lost, and nobody could say which."""
    name = stated.rpartition(_STATED)[2]
    msg = (
        f"run {run_id!r} has a record of the same thing and time with another {name!r}; give each its own occurred_at, "
        "so that the later one counts"
    )
    return ConflictingMessage(msg, run_id=run_id, field=name)


def _refuse_unknown(delivery: Delivery, before: Iterable[Row]) -> None:
    unknown = sorted(delivery.cited - delivery.digests.keys() - {each for row in before for each in messages_of(row)})
    if unknown:
        msg = (
            f"a record rests on message {unknown[0]!r}, and run {delivery.run_id!r} has none of that id; observe the "
            "message first, in the same run, or name one that is there"
        )
        raise InvalidRun(msg, run_id=delivery.run_id, message_id=unknown[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Runs of one stream that wait at one stage and are the claimant's until the lease ends."""

    stage: Stage
    tenant_id: str
    owner: Owner
    inbox_ids: tuple[UUID, ...]
    attempt: int
    """Which attempt at the stage this is, the same for all; above 1 there is one run."""
    lease: Deadline
    """When the lease ends, by the claimant's own watch: not later than by the server's."""
    passes_over: bool = False
    """Whether the run that was rung for could be had too, and is not among these."""

    @property
    def left_ms(self) -> int:
        """What is left of the lease, at least 1."""
        return max(1, round(self.lease.left_ms()))


def claim(database: Database, work: Work, stage: Stage, *, lease: timedelta) -> Claim | None:
    """Take this very run for `lease`; None if it is done, parked, somebody's, or to be tried later."""
    ends = _ends(lease)
    with database.claiming() as connection:
        found = connection.execute(_SQL["claim"], {**_hint(work, stage), "lease": lease})
    row = found.fetchone()
    return _claimed(stage, work.tenant_id, [row], ends) if row else None


def claim_burst(database: Database, hint: Work, stage: Stage, *, lease: timedelta) -> Claim | None:
    """Take for `lease` what is next at a stage, whoever's that is and whatever became of the run that was rung for.

    What is next: of the tenant that was served longest ago the oldest run of a stream that nobody is at, and with it
    the next ones of that stream, up to `BURST_RUNS` and `BURST_MESSAGES`; a run that failed before comes alone. Behind
    a long backlog of streams that somebody is at: what is next of the hint's own stream. None if nothing waits, or all
    that does is of streams that somebody is at, or has locked; what an eraser leaves of his the sweep finds.

    Claims at a stage wait for each other, for the milliseconds that one takes.
    """
    ends = _ends(lease)
    limits = {"most_runs": BURST_RUNS, "most_messages": BURST_MESSAGES, "tenants": _TENANTS, "front": _FRONT}
    with database.claiming() as connection:
        connection.execute(_SQL["stand_in_line"], {"stage": stage})
        hinted = connection.execute(_SQL["is_free"], _hint(hint, stage))
        turn = connection.execute(_SQL["whose_turn"], {"stage": stage, **limits}).fetchone()
        waits = hinted.fetchone() is not None
        if turn is None and not waits:
            return None
        stream = turn or {"tenant_id": hint.tenant_id, "user_id": hint.owner}
        whose = {"tenant_id": stream["tenant_id"], "owner": stream["user_id"], "stage": stage}
        rows = connection.execute(_SQL["claim_burst"], {**whose, **limits, "lease": lease}).fetchall()
    if not rows:
        return None
    claim = _claimed(stage, stream["tenant_id"], rows, ends)
    return replace(claim, passes_over=waits and hint.inbox_id not in claim.inbox_ids)


def _hint(work: Work, stage: Stage) -> dict[str, object]:
    return {"tenant_id": work.tenant_id, "inbox_id": work.inbox_id, "stage": stage}


def _ends(lease: timedelta) -> Deadline:
    return Deadline.within(round(lease.total_seconds() * 1000))


def _claimed(stage: Stage, tenant_id: str, rows: Sequence[Row], ends: Deadline) -> Claim:
    return Claim(
        stage=stage,
        tenant_id=tenant_id,
        owner=Owner(rows[0]["user_id"]),
        inbox_ids=tuple(row["inbox_id"] for row in rows),
        attempt=rows[0]["attempts"],
        lease=ends,
    )


def end_lease(
    database: Database, tenant_id: str, owner: Owner, inbox_ids: Sequence[UUID], *, stage: Stage, attempt: int
) -> int:
    """End the lease on runs of which an attempt holds it; returns on how many. Whoever held it commits nothing."""
    whose = {"tenant_id": tenant_id, "owner": owner, "inbox_ids": list(inbox_ids)}
    with database.claiming() as connection:
        return len(connection.execute(_SQL["end_lease"], {**whose, "stage": stage, "attempt": attempt}).fetchall())


def next_of_stream(database: Database, tenant_id: str, owner: Owner, stage: Stage) -> Work | None:
    """The oldest run of a stream that could be taken at a stage now; None where none waits, or somebody is at it."""
    with database.claiming() as connection:
        found = connection.execute(_SQL["next_of_stream"], {"tenant_id": tenant_id, "owner": owner, "stage": stage})
    row = found.fetchone()
    return Work(tenant_id=tenant_id, owner=owner, inbox_id=row["inbox_id"]) if row else None


def mark_rung(
    database: Database, stages: Iterable[Stage], *, idle: timedelta, again_after: timedelta, limit: int
) -> list[tuple[Stage, Work]]:
    """Work to ring for now, one run of each stream at a stage, the longest left alone first: at most `limit` a stage.

    It is what nobody holds and what nothing has happened to for `idle`, or whose lease or pause is over; of streams
    that nobody is at, and of which no run was marked within `again_after`. Each that is returned is marked.
    """
    bounds = {"idle": idle, "again_after": again_after, "limit": limit, "front": _FRONT_OF_STREAM}
    with database.claiming() as connection:
        rows = connection.execute(_SQL["mark_rung"], {"stages": list(stages), **bounds}).fetchall()
    return [
        (Stage(row["stage"]), Work(tenant_id=row["tenant_id"], owner=Owner(row["user_id"]), inbox_id=row["inbox_id"]))
        for row in rows
    ]


def is_known(database: Database, work: Work) -> bool:
    """Whether that delivery was accepted, whatever has become of it."""
    with database.claiming() as connection:
        parameters = {"tenant_id": work.tenant_id, "owner": work.owner, "inbox_id": work.inbox_id}
        return connection.execute(_SQL["is_known"], parameters).fetchone() is not None


def holds(database: Database, tenant_id: str, runs: int) -> bool:
    """Whether as many runs of the tenant, or more, wait to be appended; costs a look at each of so many."""
    parameters = {"tenant_id": tenant_id, "stage": Stage.APPEND, "runs": runs - 1}
    with database.claiming() as connection:
        return connection.execute(_SQL["holds"], parameters).fetchone() is not None


def backlog(database: Database, tenant_id: str | None = None) -> list[Row]:
    """How many runs are at each `stage` and `state`, and since when the `oldest` has been; of one tenant or of all."""
    with database.claiming() as connection:
        return connection.execute(_SQL["backlog"], {"tenant_id": tenant_id}).fetchall()


def unfinished(database: Database, tenant_id: str | None = None) -> list[Row]:
    """As `backlog`, without what is done: costs a look at each run that is not, however many are."""
    with database.claiming() as connection:
        return connection.execute(_SQL["unfinished"], {"tenant_id": tenant_id}).fetchall()


def take(session: Session, claim: Claim) -> list[Row]:
    """Lock the rows of what was claimed for the stage's own transaction, in order of acceptance.

    Those are left out that are the claimant's no more: the lease has run out, or the stage was done meanwhile.
    """
    return session.rows(_SQL["take"], inbox_ids=list(claim.inbox_ids), stage=claim.stage, attempt=claim.attempt)


def advance(session: Session, inbox_id: UUID, following: Stage | None) -> None:
    """Say that a stage is done and which follows (None: none), in the transaction that holds its effect."""
    session.execute(
        _SQL["advance"],
        inbox_id=inbox_id,
        stage=following or DONE,
        state=DONE if following is None else "waiting",
        keep_payload=following is Stage.APPEND,
    )


def give_back(session: Session, claim: Claim, *, error: str, after: timedelta) -> int:
    """Note that an attempt failed; the runs wait `after` until somebody may try again. Returns how many.

    Nothing is noted on what is the claimant's no more.
    """
    whose = {"inbox_ids": list(claim.inbox_ids), "stage": claim.stage, "attempt": claim.attempt}
    return session.execute(_SQL["give_back"], **whose, error=error, after=after).rowcount


def park(session: Session, inbox_id: UUID, *, error: str) -> None:
    """Stop trying: the run is a dead letter. The payload stays, for whoever looks into it, and for `redrive`."""
    session.execute(_SQL["park"], inbox_id=inbox_id, error=error)


def redrive(session: Session, inbox_id: UUID) -> Work | None:
    """Have a dead letter tried again from the stage it stopped at, as if for the first time; None if it is none.

    The caller rings for it when this is committed, or the sweep will.
    """
    row = session.row(_SQL["redrive"], inbox_id=inbox_id)
    return Work(tenant_id=session.tenant_id, owner=Owner(row["user_id"]), inbox_id=inbox_id) if row else None


def runs_at_work(session: Session) -> set[str]:
    """The runs of the session's owner that some stage has still to do."""
    (found,) = session.columns(_SQL["runs_at_work"])
    return set(found)


def of_run(session: Session, run_id: str) -> Sequence[Row]:
    """State of each delivery of a run: `inbox_id`, `stage`, `state`, `attempts`, `last_error`, `accepted_at`."""
    return session.rows(_SQL["of_run"], run_id=run_id)


def fresh(session: Session, *, limit: int, longest_chars: int) -> list[Row]:
    """The session's newest runs that are accepted and not in the ledger yet: `inbox_id`, `user_id`, `payload`.

    Outcomes, which have no message, are none of them. A payload above `longest_chars` is None: reading it would cost
    more than a recall may take.
    """
    return session.rows(_SQL["fresh"], limit=limit, longest_chars=longest_chars)


def called(session: Session, first: UUID, last: UUID) -> Row | None:
    """The delivery whose id lies between two: `inbox_id`, `user_id`, `message_digests`."""
    return session.row(_SQL["called"], first=first, last=last)


def lock_all(session: Session, *, unread: bool = False) -> list[Row]:
    """Lock the rows of the session's owner, with `unread` those that are not in the ledger yet.

    No worker takes them a step on. `inbox_id` and `payload`, in order of acceptance.
    """
    return session.rows(_SQL["lock_all"], unread=unread)


def rewrite(session: Session, inbox_id: UUID, payload: str) -> None:
    """Put a payload without what is forgotten in the place of another. For the eraser, who holds the row's lock."""
    session.execute(_SQL["rewrite"], inbox_id=inbox_id, payload=payload)


def remove(session: Session, inbox_ids: Sequence[UUID]) -> int:
    """Take rows away at whatever stage. For the eraser, who holds their locks; returns how many went."""
    return session.execute(_SQL["remove"], inbox_ids=list(inbox_ids)).rowcount
