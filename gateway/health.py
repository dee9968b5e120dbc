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
from shared.work.queues import REDERIVE, REEMBED, REINDEX, RESUME, SWEEP

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from shared.settings import Settings
    from shared.store.jobs import Pass
    from shared.store.progress import Counts, StageProgress

LATELY_S: Final = 300.0
_PERIODS: Final = 4
_REMEDIES: Final = {
    job: f"; nothing tries again by itself: with the cause mended, run `daybook {job} --tenant {{tenant_id}}`"
    for job in (REINDEX, REEMBED)
}
"""Of jobs that no schedule starts."""


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
        *_failing_stages(counts),
        *(_silent_workers(settings, counts, passes) if settings.mode == "workers" else ()),
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


def _failing_stages(counts: Counts) -> Iterator[str]:
    """Stages that gave up every run that they ended lately: it is hardly the runs' fault."""
    for stage in counts.stages:
        if stage.failed and not stage.done:
            failed = f"{stage.failed:,} in all"
            yield f"{stage.stage} has given up every run it ended lately, {failed}: see `daybook dead list`"


def _silent_workers(settings: Settings, counts: Counts, passes: Iterable[Pass]) -> Iterator[str]:
    """The passes of what is rung for all the time prove that beat rings and that their workers hear."""
    # What stands behind a slice of another job of its process waits for it.
    rung = (
        (SWEEP, settings.sweep_every_s, 0, "append"),
        (RESUME, settings.job_lease_s, settings.task_deadline_s, "quick"),
    )
    for name, every_s, behind_s, worker in rung:
        last = _last(passes, name)
        if last and counts.now - last.changed_at > timedelta(seconds=_PERIODS * every_s + behind_s):
            ago = _seconds(counts.now - last.changed_at)
            yield f"the last {name} ended {ago} ago, of one every {every_s:g} s: are beat and {worker} alive?"


def _why_ill(each: Pass, period: timedelta) -> str | None:
    whose = "" if each.tenant_id == SYSTEM_TENANT else f" of tenant {each.tenant_id}"
    if each.state == "failed":
        remedy = _REMEDIES.get(each.name, "").format(tenant_id=each.tenant_id)
        return f"the job {each.name}{whose} failed after {each.attempts} attempts: {each.last_error}{remedy}"
    if each.lapsed_at and each.looked_at - each.lapsed_at > period:
        ago = _seconds(each.looked_at - each.lapsed_at)
        return f"the job {each.name}{whose} was left unfinished {ago} ago, and nobody took it over"
    return None


def _warnings(settings: Settings, counts: Counts, passes: Sequence[Pass]) -> Iterator[str]:
    if counts.parked:
        parked = f"{counts.parked:,} {'run is' if counts.parked == 1 else 'runs are'} parked"
        yield f"{parked}: `daybook dead list` shows them; mend what they died of, then `daybook dead redrive`"
    if settings.mode == "workers" and _last(passes, SWEEP) is None:
        yield "no sweep has ended yet: beat and append have just been started, or were never"
    yield from older_readings(passes)


def older_readings(passes: Iterable[Pass]) -> Iterator[str]:
    """That the rules have changed since what a check has looked at was read: no ill, and worth reading anew."""
    looked = [each for each in passes if each.name == REDERIVE and each.counts.get("older")]
    if looked:
        older, whose = sum(each.counts["older"] for each in looked), len(looked)
        tenants = f"tenant {looked[0].tenant_id}" if whose == 1 else f"{whose:,} tenants"
        yield (
            f"older rules have read {older:,} of the readings that were looked at last, of {tenants}: "
            f"`daybook rederive --tenant {looked[0].tenant_id} --check` counts them all, and without --check, user by "
            "user, shows what reading anew would change"
        )


def _telling(passes: Iterable[Pass], period: timedelta) -> Iterator[Pass]:
    """Of each job the newest pass, and all that are under way or ill: there may be a pass for each tenant."""
    newest = {each.name: each for each in sorted(passes, key=lambda each: each.started_at)}
    for each in passes:
        if each is newest[each.name] or each.state == "running" or _why_ill(each, period):
            yield each


def _last(passes: Iterable[Pass], name: str) -> Pass | None:
    return next((each for each in passes if (each.tenant_id, each.name) == (SYSTEM_TENANT, name)), None)


def _seconds(span: timedelta) -> str:
    return f"{span.total_seconds():.0f} s"
