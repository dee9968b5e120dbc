"""evaluate: how a tenant's memory does, counted anew by day, and what its gates say to that.

A metric that nobody acts on changes nothing, so a gate that trips does something, writes an event into the tenant's
audit stream, and takes it back once its metric is well again. What it cannot know it does not judge.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Final

from shared import clock, metrics
from shared.belief.measuring import Judged, State, judged
from shared.contract.events import EventClass, NewEvent
from shared.contract.measures import Act, Gate
from shared.contract.scope import AUDIT_OWNER, Owner
from shared.log import logger
from shared.store import holds, ledger, measures, streams
from shared.store.db import Role
from shared.store.measures import begin_of
from shared.work import passes
from shared.work.passes import Job
from shared.work.queues import REINDEX

if TYPE_CHECKING:
    from shared.settings import Settings
    from shared.store.db import Database, Session

_LOG: Final = logger(__name__)
KIND: Final = "gate"
"""Of the audit event that says what a gate did."""


def window(settings: Settings, today: date) -> tuple[date, date]:
    """The days that metrics are of, both included."""
    return today - timedelta(days=settings.evaluate_days - 1), today


def evaluate_on(database: Database, settings: Settings, gates: Iterable[Gate], job: Job) -> bool:
    """Go on with a tenant's pass: count every stream's days, then judge and act; False while streams are left."""
    tenant_id, now = job.held.tenant_id, clock.now()
    owners = [owner for owner, _ in streams.with_memories(database, tenant_id)]
    for place, owner in enumerate(owners[job.counts.get("streams", 0) :], 1):
        if job.time_is_up:
            return False
        _count(database, settings, tenant_id, owner, now, job)
        job.count(streams=1)
        job.progress(place, len(owners))
    found = look(database, settings, gates, tenant_id)
    tripped = act(database, settings, tenant_id, found, job)
    job.count(tripped=len(tripped))
    return True


def look(database: Database, settings: Settings, gates: Iterable[Gate], tenant_id: str) -> tuple[Judged, ...]:
    """How a tenant's gates stand by what was counted last. Nothing is counted, and nothing done."""
    return judged(gates, measures.totals(database, tenant_id, *window(settings, clock.now().date())))


def _count(database: Database, settings: Settings, tenant_id: str, owner: Owner, now: datetime, job: Job) -> None:
    """Count one stream's days: read beside everybody, written in one short transaction."""
    since = begin_of(window(settings, now.date())[0])
    with database.transaction(Role.READER, tenant_id, [owner], read_only=True) as session:
        seen = (ledger.end_of(session, owner) or {"last_sequence": 0})["last_sequence"]
        counts = measures.count(session, since, now)
    with database.transaction(Role.WORKER, tenant_id, [owner]) as session:
        job.fence(session)
        ledger.lock(session, owner)
        measures.replace(session, counts, since, seen=seen)


def act(
    database: Database, settings: Settings, tenant_id: str, found: Sequence[Judged], job: Job | None = None
) -> list[Judged]:
    """Do what tripped gates ask for and take back what they no longer do; returns those that tripped just now.

    A gate whose metric cannot be judged stays as it was: what is not measured is not well.
    """
    if any(each.state is State.TRIPPED and each.gate.act is Act.REINDEX for each in found):
        _reindex(database, settings, tenant_id)
    with database.transaction(Role.WORKER, tenant_id, [AUDIT_OWNER]) as session:
        if job:
            job.fence(session)
        tripped = [each for each in found if each.state is State.TRIPPED and _set(session, each)]
        well = [each for each in found if each.state is State.PASSES and _let_go(session, each)]
        if tripped or well:
            _write_down(session, [*tripped, *well])
    for each in tripped:
        metrics.GATES_TRIPPED.labels(metric=each.gate.metric, act=each.gate.act.value).inc()
        _LOG.error("evaluate gate=%s act=%s: %s", each.gate.metric, each.gate.act, each.gate.says)
    return tripped


def _reindex(database: Database, settings: Settings, tenant_id: str) -> None:
    """Have the views built anew unless that was asked for since the gate tripped: before the gate is noted as tripped,
    so that whoever is killed between the two asks once more, and not never.
    """
    with database.transaction(Role.READER, tenant_id, [AUDIT_OWNER], read_only=True) as session:
        if not any(each.act is Act.REINDEX for each in holds.of(session)):
            passes.request(database, settings, REINDEX, tenant_id)


def _set(session: Session, each: Judged) -> bool:
    assert each.measured.value is not None, "a gate without a value is not tripped"
    return holds.put(session, each.gate.act, each.gate.metric, each.measured.value, clock.now())


def _let_go(session: Session, each: Judged) -> bool:
    return bool(holds.let_go(session, clock.now(), act=each.gate.act, metric=each.gate.metric))


def _write_down(session: Session, changed: Sequence[Judged]) -> None:
    events = [
        NewEvent(
            event_class=EventClass.AUDIT,
            kind=KIND,
            payload={
                "metric": each.gate.metric,
                "act": each.gate.act.value,
                "state": each.state.value,
                "value": each.measured.value,
                "counted": each.measured.counted,
            },
        )
        for each in changed
    ]
    _, head = ledger.append(session, ledger.lock(session, AUDIT_OWNER), events)
    ledger.advance(session, head)


def release(database: Database, tenant_id: str, *, by: str) -> list[holds.Hold]:
    """Let go, at a person's word, of all that gates have set for a tenant; they are set again if they trip again.

    Returns what it was; nothing is written where there was none.
    """
    with database.transaction(Role.WORKER, tenant_id, [AUDIT_OWNER]) as session:
        gone = holds.let_go(session, clock.now())
        if gone:
            payload = {"released": [each.metric for each in gone], "by": by}
            event = NewEvent(event_class=EventClass.AUDIT, kind=KIND, payload=payload)
            _, head = ledger.append(session, ledger.lock(session, AUDIT_OWNER), [event])
            ledger.advance(session, head)
    return gone
