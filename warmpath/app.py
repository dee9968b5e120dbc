"""The Celery app of the warm path: one task a stage, each with a queue of its own."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import lru_cache
from typing import Final
from uuid import UUID

from celery import Celery

from shared.accept.configured import require_configured
from shared.contract.errors import DaybookError
from shared.contract.receipts import Stage, Work
from shared.contract.scope import Owner
from shared.embedded import endpoints
from shared.log import write_to_stderr
from shared.settings import settings
from shared.store.db import forget_pools
from shared.work.broker import before_exit, before_work, make_app, task
from shared.work.doorbell import Doorbell
from shared.work.job_tasks import Place, declare
from shared.work.passes import Job
from shared.work.queues import REDERIVE, SWEEP
from warmpath import index, rederive, sweep
from warmpath._door import services
from warmpath._holding import give_back_of_the_dead
from warmpath._policies import care
from warmpath._stages import STAGES
from warmpath._work import Services, serve

LONGEST_SLICE_S: Final = 5.0
"""Of a job, between two stages of runs that have just ended."""

app: Final[Celery] = make_app("warmpath", settings(), lambda: endpoints(settings()).redis_url)


@lru_cache(maxsize=1)
def _services(_pid: int) -> Services:
    made = services(settings())
    with suppress(DaybookError):  # the sweep does so too, of its machine
        give_back_of_the_dead(made.database, made.settings)
    return made


def _mine() -> Services:
    """The services of this process: a pool's child makes its own, whatever its parent had."""
    return _services(os.getpid())


def _stage_task(stage: Stage) -> None:
    @task(stage.value)
    def do(tenant_id: str, owner: str, inbox_id: str) -> None:
        work = Work(tenant_id=tenant_id, owner=Owner(owner), inbox_id=UUID(inbox_id))
        serve(_mine(), stage, STAGES[stage], work)


for _stage in STAGES:
    _stage_task(_stage)


def _rederive(job: Job) -> bool:
    return rederive.check_sample(_mine(), settings().rederive_sample, job)


_PLACE: Final = Place(app=app, settings=settings, database=lambda: _mine().database, longest_slice_s=LONGEST_SLICE_S)
declare(_PLACE, REDERIVE, _rederive)


@task(SWEEP)
def _sweep() -> None:
    sweep.run(_mine())


def _check() -> None:
    """Refuse to start on a database that this code does not fit, or misconfigured, rather than fail at each task."""
    write_to_stderr(settings().log_level)
    require_configured(settings())
    database = _mine().database
    database.check()
    care(settings())
    index.warn_of_other_models(_mine())
    forget_pools()  # the pool's children make their own
    _services.cache_clear()


def _finish() -> None:
    """Let the last rings be sent: their thread ends with the process, and the sweep would find the work later."""
    bell = _mine().bell if _services.cache_info().currsize else None
    if isinstance(bell, Doorbell):
        bell.drain(2 * settings().broker_timeout_s)


before_work(_check)
before_exit(_finish)
