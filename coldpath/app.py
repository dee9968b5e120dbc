"""The Celery app of the cold path: one task a job, each with a queue of its own."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from celery import Celery

from coldpath import reembed, reindex
from coldpath._pruning import prune
from coldpath.evaluate import evaluate_on
from coldpath.graph import regroup_on
from coldpath.profile import profile_on
from coldpath.replay import replay_sample
from coldpath.tenants import with_work
from coldpath.tidying import TIDIERS, tidy_on
from coldpath.verify import verify_sample
from shared.accept.configured import require_configured
from shared.accept.policies import policies
from shared.contract.scope import SYSTEM_TENANT
from shared.embedded import endpoints, open_database
from shared.log import write_to_stderr
from shared.models import embedder
from shared.settings import settings
from shared.store import jobs
from shared.store.db import forget_pools
from shared.work.broker import before_work, make_app, task
from shared.work.job_tasks import Place, declare, ring
from shared.work.passes import Job, JobFunction
from shared.work.queues import (
    EVALUATE,
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
    return replay_sample(open_database(settings()), settings().replay_sample, job)


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


PLACE: Final = Place(app=app, settings=settings, database=lambda: open_database(settings()), among=with_work)


@task(RESUME)
def _resume() -> None:
    """Ring for passes that somebody left: whoever was rung for them is dead, or the ring was lost.

    Afterwards what is too old goes: however much that is, and whether it can be done, nobody waits for it.
    """
    since = timedelta(seconds=settings().job_lease_s / 2)
    lapsed = jobs.lapsed(open_database(settings()), since=since, limit=_MOST_RESUMED)
    for tenant_id, name in lapsed:
        if name in QUEUES:
            ring(PLACE, name, tenant_id)
    jobs.note(open_database(settings()), SYSTEM_TENANT, RESUME, {"lapsed": len(lapsed)})
    prune(open_database(settings()), settings())


for _name, _function in JOBS.items():
    declare(PLACE, _name, _function)


def _check() -> None:
    """Refuse to start on a database that this code does not fit, or with policies that are none, rather than later."""
    write_to_stderr(settings().log_level)
    require_configured(settings())
    open_database(settings()).check()
    forget_pools()  # the pool's children make their own


before_work(_check)
