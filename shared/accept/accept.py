"""The front door of every write: a run comes in, is cleaned and scrubbed, and stands in the inbox when this returns."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID, uuid5

from pydantic import TypeAdapter

from shared import clock
from shared.accept import pressure, registered, spool
from shared.accept.clean import RawMessage, clean_run
from shared.accept.outcome import by_owner, delivery_id, next_delivery
from shared.accept.records import stated_fields
from shared.contract.errors import DatabaseUnavailable, InboxFull, InvalidRun, InvalidScope
from shared.contract.events import NAMESPACE, Message, Run
from shared.contract.receipts import Outcome, Receipt, Stage, Work
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.store import inbox, participants, receipts
from shared.store.db import Database, Role, Session, also
from shared.work.doorbell import Bell

_RUN: Final = TypeAdapter(Run)


def observe(
    database: Database,
    bell: Bell,
    settings: Settings,
    scope: Scope,
    messages: Sequence[RawMessage | Mapping[str, Any]],
    *,
    run_id: str,
    room: str | None = None,
    members: Iterable[str] = (),
    spools: bool = False,
) -> Receipt:
    """Accept a run that has ended, ring the worker, and return the receipt.

    One transaction: when this returns, the run is committed. The same run with the same messages again is answered with
    the first receipt. Where it cannot be accepted now and `spools` is set, it is kept on this machine's disk, which the
    receipt says; see `send_spooled`.

    Raises:
        InvalidScope, InvalidRun: an argument does not fit, or the room is others'; nothing was written.
        ConflictingMessage: a message id of this run was accepted with another text.
        InboxFull, DatabaseUnavailable: the run was not accepted; send it again.
        SpoolFailed: nor did the disk take it; send it again.
    """
    started = clock.now()
    run = clean_run(scope, messages, run_id=run_id, room=room, participants=members, settings=settings, now=started)
    try:
        return _accept(database, bell, settings, run, started)
    except (DatabaseUnavailable, InboxFull) as error:
        if not spools:
            raise
        return _spool(settings, run, started, error)


def report(database: Database, bell: Bell, settings: Settings, run: Run, *, spools: bool = False) -> Receipt:
    """Accept what came of a recall (`outcome_run`), ring the worker, and return the receipt; as durable as `observe`.

    What was said last of the turn, said again, is answered with the receipt of then; whatever else is said counts, also
    what was said before that. Where some of the memories are of a room, the receipt is the one of the scope's own part,
    if there is such. What is spooled counts as said when it is sent on.

    Raises:
        InboxFull, DatabaseUnavailable: it was not accepted; send it again.
        SpoolFailed: nor did the disk take it; send it again.
    """
    started = clock.now()
    try:
        return _accept(database, bell, settings, run, started)
    except (DatabaseUnavailable, InboxFull) as error:
        if not spools:
            raise
        return _spool(settings, run, started, error)


def send_spooled(database: Database, bell: Bell, settings: Settings) -> spool.Sent:
    """Have every run that this machine keeps on its disk accepted, but those of tenants whose inbox is full.

    Raises:
        DatabaseUnavailable: those not sent stay where they are.
    """

    def accept(payload: str, since: datetime) -> Receipt:
        return _accept(database, bell, settings, _spooled(payload), clock.now(), said_at=since)

    return spool.send(settings, accept)


def _spooled(payload: str) -> Run:
    try:
        return unpack(payload)
    except ValueError:  # its message quotes what was said
        raise InvalidRun("the file holds no run: it was changed or damaged") from None


def _accept(
    database: Database, bell: Bell, settings: Settings, run: Run, started: datetime, *, said_at: datetime | None = None
) -> Receipt:
    if run.outcome is None:
        return _accept_one(database, bell, settings, run, _work(run), started)
    made = []
    for each in by_owner(database, run, run.outcome):
        work = _work(each, next_delivery(database, each, each.outcome or run.outcome, said_at=said_at))
        made.append(_accept_one(database, bell, settings, each, work, started))
    return replace(made[0], counts=_counts(run))


def _accept_one(database: Database, bell: Bell, settings: Settings, run: Run, work: Work, started: datetime) -> Receipt:
    _require_room(database, settings, work)
    with database.transaction(Role.APP, work.tenant_id, [run.owner]) as session:
        accepted = inbox.insert(session, _delivery(run, work.inbox_id, settings))
        if run.room_id is not None and run.outcome is None:
            _enter(session, run, run.room_id, work)
        receipt = _receipt(run, work, started, accepted)
        if not accepted.repeated:
            receipts.write(session, receipt)
    if accepted.waits_at is not None:
        bell.ring(accepted.waits_at, work)
    return receipt


def _require_room(database: Database, settings: Settings, work: Work) -> None:
    """Refuse what would make a full inbox fuller; what is in it already is answered as ever."""
    try:
        pressure.require_room(database, settings, work.tenant_id)
    except InboxFull:
        if not inbox.is_known(database, work):
            raise


def _spool(settings: Settings, run: Run, started: datetime, error: Exception) -> Receipt:
    work = _work(run)
    path = spool.put(settings, work.inbox_id, pack(run))
    return Receipt(
        tenant_id=work.tenant_id,
        owner=work.owner,
        run_id=run.run_id,
        subject=work.inbox_id,
        stage=Stage.OBSERVE,
        outcome=Outcome.SPOOLED,
        reason=f"kept in {path} until it can be accepted: {error}",
        counts=_counts(run),
        started_at=started,
        finished_at=clock.now(),
        warnings=_warnings(run),
    )


def _counts(run: Run) -> dict[str, int]:
    if run.outcome is not None:
        return {"used": len(run.outcome.used), "misled": len(run.outcome.misled)}
    return {"messages": len(run.messages), "redacted": run.redacted}


def _work(run: Run, inbox_id: UUID | None = None) -> Work:
    return Work(tenant_id=run.scope.tenant_id, owner=run.owner, inbox_id=inbox_id or _delivery_id(run))


def _warnings(run: Run) -> tuple[str, ...]:
    return tuple(f"{message.message_id}: {warning}" for message in run.messages for warning in message.warnings)


def _enter(session: Session, run: Run, room_id: str, work: Work) -> None:
    """Make the run's participants those of its room; who may add to a room is who takes part in it."""
    session = also(session, run.participants)
    user_id = run.scope.user_id
    if not run.scope.is_tenant_wide and not participants.may_write(session, room_id, user_id, inbox_id=work.inbox_id):
        raise InvalidScope(
            f"user {user_id!r} takes no part in room {room_id!r}: a run of somebody who does must name them among its "
            "participants first",
            room_id=room_id,
            user_id=user_id,
        )
    participants.join(session, room_id, run.participants)


def pack(run: Run) -> str:
    """A run as a payload of the inbox; `unpack` is its inverse."""
    return _RUN.dump_json(run, exclude_defaults=True).decode()


def unpack(payload: str) -> Run:
    """The run that a payload of the inbox holds."""
    return _RUN.validate_json(payload)


def _delivery(run: Run, inbox_id: UUID, settings: Settings) -> inbox.Delivery:
    return inbox.Delivery(
        inbox_id=inbox_id,
        run_id=run.run_id,
        digests={message.message_id: message.digest for message in run.messages},
        payload=pack(run),
        cited=frozenset(each for message in run.messages if message.record for each in message.record.evidence),
        stated=_stated(run, settings),
    )


def _stated(run: Run, settings: Settings) -> dict[str, str]:
    """What the records of a run state.

    Raises:
        ConflictingMessage: two of them state one thing otherwise, for the same time.
    """
    stated: dict[str, str] = {}
    for message in run.messages:
        if message.record is not None:
            schema = registered.schemas(settings).find(message.record.schema_name)
            for name, digest in stated_fields(message.record, message.occurred_at, schema).items():
                if stated.setdefault(name, digest) != digest:
                    raise inbox.stated_otherwise(run.run_id, name)
    return stated


def _delivery_id(run: Run) -> UUID:
    if run.outcome is not None:
        return delivery_id(run, run.outcome)
    keys = hashlib.sha256("\x1f".join(map(_key, run.messages)).encode()).hexdigest()
    return uuid5(NAMESPACE, f"delivery\x1f{run.scope.tenant_id}\x1f{run.owner}\x1f{run.run_id}\x1f{keys}")


def _key(message: Message) -> str:
    return f"{message.message_id}\x1e{message.digest}"


def _receipt(run: Run, work: Work, started: datetime, accepted: inbox.Accepted) -> Receipt:
    return Receipt(
        tenant_id=work.tenant_id,
        owner=work.owner,
        run_id=run.run_id,
        subject=work.inbox_id,
        stage=Stage.OBSERVE,
        outcome=Outcome.ACCEPTED,
        reason="accepted before; this is the first receipt" if accepted.repeated else "accepted",
        counts=_counts(run),
        started_at=min(started, accepted.at),
        finished_at=accepted.at,
        warnings=_warnings(run),
        repeated=accepted.repeated,
    )
