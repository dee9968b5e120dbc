"""Health is progress: whether work gets done, judged by the state of work, whichever processes are up."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from gateway.reports import Liveness
from shared import clock, embedded
from shared.contract.errors import DaybookError
from shared.contract.scope import SYSTEM_TENANT
from shared.store import jobs, progress
from shared.store.db import database
from shared.work.queues import SWEEP

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from shared.settings import Settings
    from shared.store.jobs import Pass
    from shared.store.progress import Counts, StageProgress

LATELY_S: Final = 300.0
_SWEEPS: Final = 4


def health(settings: Settings) -> Liveness:
    """What waits, what was done lately, what became of each job, how far the views go, and whether that is well.

    A database that does not answer is ill health too, and no error. Starts nothing.
    """
    try:
        if settings.database_url is None and not _is_embedded_running(settings):
            return _unknown(settings, "the embedded Postgres does not run: `daybook up` starts it")
        opened = database(embedded.endpoints(settings, broker=False).database_url, settings)
        lately_s = max(LATELY_S, 2 * settings.health_period_s)
        counts = progress.look(opened, timedelta(seconds=lately_s))
        return judge(settings, counts, jobs.latest(opened), lately_s=lately_s)
    except DaybookError as error:
        return _unknown(settings, str(error))


def judge(settings: Settings, counts: Counts, passes: Sequence[Pass], *, lately_s: float = LATELY_S) -> Liveness:
    """The verdict on what was counted; pure."""
    period = timedelta(seconds=settings.health_period_s)
    reasons = [
        *_idle_stages(counts, period),
        *(_late_sweep(settings, counts, passes) if settings.mode == "workers" else ()),
        *(reason for each in passes if (reason := _why_ill(each, period))),
    ]
    return Liveness(
        healthy=not reasons,
        reasons=tuple(reasons),
        warnings=tuple(_warnings(settings, counts, passes)),
        period_s=settings.health_period_s,
        lately_s=lately_s,
        looked_at=counts.now,
        stages=counts.stages,
        jobs=tuple(_telling(passes, period)),
        views=counts.views,
        builds=counts.builds,
    )


def _is_embedded_running(settings: Settings) -> bool:
    return any(service.running for service in embedded.status(settings) if service.name == "postgres")


def _unknown(settings: Settings, reason: str) -> Liveness:
    return Liveness(
        healthy=False,
        reasons=(reason,),
        warnings=(),
        period_s=settings.health_period_s,
        lately_s=LATELY_S,
        looked_at=clock.now(),
    )


def _idle_stages(counts: Counts, period: timedelta) -> Iterator[str]:
    """Stages that could have done something for a whole period, and have done nothing in it."""
    for stage in counts.stages:
        since = stage.claimable_since
        if since is None or counts.now - since <= period or _was_active(stage, counts, period):
            continue
        waited = _seconds(counts.now - since)
        yield f"{stage.stage} has left work alone for {waited} and did none meanwhile: is its worker alive?"


def _was_active(stage: StageProgress, counts: Counts, period: timedelta) -> bool:
    return stage.active_at is not None and counts.now - stage.active_at <= period


def _late_sweep(settings: Settings, counts: Counts, passes: Iterable[Pass]) -> Iterator[str]:
    """The sweep's passes prove that beat rings and that a worker hears."""
    swept = _sweep(passes)
    if swept and counts.now - swept.changed_at > _SWEEPS * timedelta(seconds=settings.sweep_every_s):
        ago = _seconds(counts.now - swept.changed_at)
        yield f"the last sweep ended {ago} ago, of one every {settings.sweep_every_s:g} s: are beat and append alive?"


def _why_ill(each: Pass, period: timedelta) -> str | None:
    whose = "" if each.tenant_id == SYSTEM_TENANT else f" of tenant {each.tenant_id}"
    if each.state == "failed":
        return f"the job {each.name}{whose} failed after {each.attempts} attempts: {each.last_error}"
    if each.lapsed_at and each.looked_at - each.lapsed_at > period:
        ago = _seconds(each.looked_at - each.lapsed_at)
        return f"the job {each.name}{whose} was left unfinished {ago} ago, and nobody took it over"
    return None


def _warnings(settings: Settings, counts: Counts, passes: Iterable[Pass]) -> Iterator[str]:
    if counts.parked:
        parked = f"{counts.parked:,} {'run is' if counts.parked == 1 else 'runs are'} parked"
        yield f"{parked}: `daybook receipts` of the run says why; mend that, then set it waiting again (operations.md)"
    if settings.mode == "workers" and _sweep(passes) is None:
        yield "no sweep has ended yet: beat and append have just been started, or were never"


def _telling(passes: Iterable[Pass], period: timedelta) -> Iterator[Pass]:
    """Of each job the newest pass, and all that are under way or ill: there may be a pass for each tenant."""
    newest = {each.name: each for each in sorted(passes, key=lambda each: each.started_at)}
    for each in passes:
        if each is newest[each.name] or each.state == "running" or _why_ill(each, period):
            yield each


def _sweep(passes: Iterable[Pass]) -> Pass | None:
    return next((each for each in passes if (each.tenant_id, each.name) == (SYSTEM_TENANT, SWEEP)), None)


def _seconds(span: timedelta) -> str:
    return f"{span.total_seconds():.0f} s"
