"""The Celery app of the cold path: one task a job, each with a queue of its own."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Final

from celery import Celery

from coldpath import reembed, reindex
from coldpath._job import Job, JobFunction, Outcome, Report, carry_out, carry_out_for_each_tenant
from coldpath._pruning import prune
from coldpath.evaluate import evaluate_on
from coldpath.graph import regroup_on
from coldpath.profile import profile_on
from coldpath.replay import replay_sample
from coldpath.tenants import with_work
from coldpath.tidying import TIDIERS, tidy_on
from coldpath.verify import verify_sample
from shared import clock
from shared.accept.configured import require_configured
from shared.accept.policies import policies
from shared.contract.errors import BrokerUnavailable, ViewsDiffer
from shared.contract.scope import SYSTEM_TENANT
from shared.embedded import endpoints, open_database
from shared.log import logger, write_to_stderr
from shared.models import embedder
from shared.settings import settings
from shared.store import jobs
from shared.store.db import forget_pools
from shared.work.broker import before_work, make_app, send, task
from shared.work.doorbell import ring_life_s
from shared.work.queues import (
    EVALUATE,
    EVERY_TENANT,
    FILL,
    GRAPH,
    PROFILE,
    QUEUES,
    REEMBED,
    REINDEX,
    REPLAY,
    RESUME,
    VERIFY,
)

_LOG: Final = logger(__name__)
_MOST_RESUMED: Final = 100

app: Final[Celery] = make_app("coldpath", settings(), lambda: endpoints(settings()).redis_url)


def _verify(job: Job) -> bool:
    return verify_sample(open_database(settings()), settings().verify_sample, job)


def _reindex(job: Job) -> bool:
    return reindex.carry_on(open_database(settings()), job)


def _reembed(job: Job) -> bool:
    return reembed.carry_on(open_database(settings()), embedder(settings()), job)


def _fill(job: Job) -> bool:
    named = reindex.name_on(open_database(settings()), job)
    return reembed.fill_on(open_database(settings()), embedder(settings()), job, deferring=True) and named


def _replay(job: Job) -> bool:
    found = replay_sample(open_database(settings()), settings().replay_sample, lambda: job.time_is_up)
    unlike = sum(not each.is_equal for each in found.compared)
    job.count(streams=len(found.compared), unlike=unlike, left_out=found.left_out)
    if unlike:
        where = "`daybook replay --verify` says where, `daybook replay` writes them anew"
        raise ViewsDiffer(f"{unlike} of {len(found.compared)} streams: {where}")
    return True


def _evaluate(job: Job) -> bool:
    return evaluate_on(open_database(settings()), settings(), policies(settings()).gates.gates, job)


def _graph(job: Job) -> bool:
    return regroup_on(open_database(settings()), job)


def _tidy(job: Job) -> bool:
    return tidy_on(open_database(settings()), settings(), job)


def _profile(job: Job) -> bool:
    return profile_on(open_database(settings()), job)


JOBS: Final[dict[str, JobFunction]] = {
    VERIFY: _verify,
    REINDEX: _reindex,
    REEMBED: _reembed,
    FILL: _fill,
    REPLAY: _replay,
    PROFILE: _profile,
    EVALUATE: _evaluate,
    GRAPH: _graph,
    **dict.fromkeys(TIDIERS, _tidy),
}
"""What each job's task carries out."""


def _job_task(name: str, function: JobFunction) -> None:
    @task(name)
    def do(tenant_id: str, every_s: str | None = None, at_s: str = "0", spread_s: str = "0") -> None:
        """Without a period: go on with the tenant's unfinished pass, if it has one."""
        report = _call(name, function, tenant_id, every_s, at_s, spread_s)
        if report.outcome is Outcome.UNFINISHED:
            ring(name, tenant_id, *([every_s, at_s, spread_s] if every_s else []))


def _call(
    name: str, function: JobFunction, tenant_id: str, every_s: str | None, at_s: str = "0", spread_s: str = "0"
) -> Report:
    call = partial(carry_out, open_database(settings()), settings(), name, tenant_id, function)
    if every_s is None:
        return call(resume=True)
    slot = clock.slot_of(clock.now(), float(every_s), float(at_s))
    if tenant_id == EVERY_TENANT:
        database = open_database(settings())
        among = with_work(database, name)
        spread = timedelta(seconds=float(spread_s))
        return carry_out_for_each_tenant(database, settings(), name, function, slot=slot, spread=spread, among=among)
    return call(slot=slot)


def ring(name: str, *arguments: str) -> None:
    """Tell whoever works for a job's queue that something waits there; `resume` makes up for a ring that is lost."""
    try:
        send(app, name, *arguments, expires_s=ring_life_s(settings()))
    except BrokerUnavailable as error:
        _LOG.warning("ring job=%s: %s; it will be resumed", name, error)


@task(RESUME)
def _resume() -> None:
    """Ring for passes that somebody left: whoever was rung for them is dead, or the ring was lost.

    Afterwards what is too old goes: however much that is, and whether it can be done, nobody waits for it.
    """
    since = timedelta(seconds=settings().job_lease_s / 2)
    lapsed = jobs.lapsed(open_database(settings()), since=since, limit=_MOST_RESUMED)
    for tenant_id, name in lapsed:
        if name in QUEUES:
            ring(name, tenant_id)
    jobs.note(open_database(settings()), SYSTEM_TENANT, RESUME, {"lapsed": len(lapsed)})
    prune(open_database(settings()), settings())


for _name, _function in JOBS.items():
    _job_task(_name, _function)


def _check() -> None:
    """Refuse to start on a database that this code does not fit, or with policies that are none, rather than later."""
    write_to_stderr(settings().log_level)
    require_configured(settings())
    open_database(settings()).check()
    forget_pools()  # the pool's children make their own


before_work(_check)
