"""How a job is done: begun once, kept alive, fenced, and finished, or left to whoever comes next.

The state of a pass stands in its `job` row. The worker that is at it renews its lease from a thread; one that is killed
or frozen does not, and another takes the pass over. Whatever a job writes, it writes behind `Job.fence`, so what wakes
up late has no effect. A long job works in slices: when `Job.time_is_up` it says that it is not finished, and is rung
again.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from shared import clock, metrics
from shared.contract.errors import DaybookError, LeaseLost, Permanent
from shared.log import logger
from shared.store import holdings, jobs
from shared.store.db import Database, Session
from shared.store.jobs import NOWHERE, Held, Round

if TYPE_CHECKING:
    from shared.settings import Settings

_LOG: Final = logger(__name__)
_LONGEST_PAUSE_S: Final = 300
_TENANTS_AT_A_TIME: Final = 100
_SHORTEST_TURN_S: Final = 1.0
"""So that a turn does more than begin and end."""


class Outcome(StrEnum):
    """How a call of a job ended."""

    DONE = "done"
    UNFINISHED = "unfinished"
    """Its time was up, and it has to be rung again."""
    SKIPPED = "skipped"
    """Somebody else is at it, has taken it over, or has done it."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What came of a call of a job."""

    outcome: Outcome
    counts: Mapping[str, int] = field(default_factory=dict)
    error: str | None = None
    """Of one that was skipped, who is at it."""


@dataclass(slots=True, kw_only=True)
class Job:
    """A pass as the function sees that carries it out."""

    held: Held
    counts: dict[str, int]
    """What was done, by the function's own words; kept from slice to slice, and on the pass when it has ended."""
    until_s: float
    """By `clock.monotonic_s`."""
    round: Round = NOWHERE
    """Where it is, if it goes round; kept from pass to pass, and by one that fails for good too."""
    done: int = 0
    total: int = 0
    lost: bool = False
    finished: bool = False
    heard: Callable[[int, int], None] | None = None
    """Told how far the pass has come, where somebody waits for it."""

    @property
    def time_is_up(self) -> bool:
        """Whether the slice is over: return False, and go on in the next one."""
        return clock.monotonic_s() >= self.until_s

    def progress(self, done: int, total: int) -> None:
        """Say how far the pass has come.

        Raises:
            LeaseLost: it is known to be ours no more.
        """
        self.done, self.total = done, total
        if self.heard is not None:
            self.heard(done, total)
        if self.lost:
            raise LeaseLost

    def count(self, **more: int) -> None:
        """Add to the counts."""
        for name, number in more.items():
            self.counts[name] = self.counts.get(name, 0) + number

    def fence(self, session: Session) -> None:
        """Call in each transaction that writes, before what it writes: see `jobs.fence`.

        Raises:
            LeaseLost: somebody has taken the pass over.
        """
        jobs.fence(session, self.held)

    def finish_within(self, session: Session) -> None:
        """Finish the pass in the transaction of its one and only effect.

        Raises:
            LeaseLost: somebody has taken the pass over.
        """
        jobs.finish_within(session, self.held, self.counts, at=self.round)
        self.finished = True

    def keep_within(self, session: Session) -> None:
        """Write the counts down in the transaction of one effect of several.

        Raises:
            LeaseLost: somebody has taken the pass over.
        """
        jobs.keep_within(session, self.held, self.counts, at=self.round)


JobFunction = Callable[[Job], bool]
"""Carries a job out, or goes on where it was left; returns whether it is finished."""


def carry_out(
    database: Database,
    settings: Settings,
    name: str,
    tenant_id: str,
    function: JobFunction,
    *,
    slot: datetime | None = None,
    resume: bool = False,
    until_s: float | None = None,
) -> Report:
    """Do a job for a tenant (`SYSTEM_TENANT`: over all of them), unless somebody is at it or its slot has been done.

    A pass that somebody left unfinished is gone on with first; with `resume`, no other is begun. The slice ends at
    `until_s`, by `clock.monotonic_s`: by default in half a task's deadline. A failed attempt is followed by others
    after pauses that double, up to `task_attempts`; where trying again cannot help, by none.

    Raises:
        What the function raised, if that is none of our errors; it is noted on the pass.
    """
    lease = timedelta(seconds=settings.job_lease_s)
    until_s = _end_of_slice(settings) if until_s is None else until_s
    held = jobs.begin(database, tenant_id, name, lease=lease, attempts=settings.task_attempts, slot=slot, resume=resume)
    if held is None:
        skipped = Report(outcome=Outcome.SKIPPED, error=at_it(database, name, tenant_id))
        return _reported(name, tenant_id, skipped, clock.now())
    report = _attempt(database, settings, held, function, until_s)
    if report.outcome is Outcome.DONE and slot is not None and held.slot != slot:  # that was an earlier one's rest
        return carry_out(database, settings, name, tenant_id, function, slot=slot, until_s=until_s)
    return report


def carry_out_for_each_tenant(
    database: Database,
    settings: Settings,
    name: str,
    function: JobFunction,
    *,
    slot: datetime,
    spread: timedelta = timedelta(0),
    among: Collection[str] | None = None,
    until_s: float | None = None,
) -> Report:
    """Do a job's slot for every tenant, until the time is up, as of `carry_out`; unfinished if some are still due.

    With `among`, for those of them alone. Tenants take turns: each has its share of the time, and who needs more comes
    again once all have had theirs, here or at the next ring. So a huge tenant delays the others by one share.
    """
    until_s = _end_of_slice(settings) if until_s is None else until_s
    counts: Counter[str] = Counter()
    waiting: set[str] = set()
    while clock.monotonic_s() < until_s:
        tenants = jobs.due(
            database, name, slot, now=clock.now(), spread=spread, limit=_TENANTS_AT_A_TIME, among=among, but=waiting
        )
        if not tenants:
            return Report(outcome=Outcome.UNFINISHED if waiting else Outcome.DONE, counts=dict(counts))
        for place, tenant_id in enumerate(tenants):
            now_s = clock.monotonic_s()
            turn_ends_s = now_s + max((until_s - now_s) / (len(tenants) - place), _SHORTEST_TURN_S)
            report = carry_out(database, settings, name, tenant_id, function, slot=slot, until_s=turn_ends_s)
            counts[report.outcome] += 1
            if report.outcome is Outcome.UNFINISHED and clock.monotonic_s() < turn_ends_s:
                waiting.add(tenant_id)  # it was not the time that it lacked
    return Report(outcome=Outcome.UNFINISHED, counts=dict(counts))


def at_it(database: Database, name: str, tenant_id: str) -> str | None:
    """Who is at a job of a tenant, as a sentence for people; None where nobody is."""
    return next((each.says for each in holdings.held(database, tenant_id=tenant_id, name=name)), None)


def request(database: Database, settings: Settings, name: str, tenant_id: str) -> bool:
    """Have a pass wait for whoever is rung for `name` and resumes it; False if there is an unfinished one already."""
    held = jobs.begin(
        database, tenant_id, name, lease=timedelta(seconds=settings.job_lease_s), attempts=settings.task_attempts
    )
    return held is not None and jobs.release(database, held, held.counts, 0, 0, at=held.round)


def _end_of_slice(settings: Settings) -> float:
    return clock.monotonic_s() + settings.task_deadline_s / 2


def _attempt(database: Database, settings: Settings, held: Held, function: JobFunction, until_s: float) -> Report:
    started = clock.now()
    job = Job(held=held, counts=dict(held.counts), until_s=until_s, round=held.round)
    try:
        with _kept_alive(database, job, settings.job_lease_s):
            finished = function(job)
        outcome = _settle(database, job, finished=finished)
        report = Report(outcome=outcome, counts=job.counts)
    except LeaseLost as error:
        report = Report(outcome=Outcome.SKIPPED, error=str(error))
    except DaybookError as error:
        _failed(database, job, f"{error.code}: {error}", settings, for_good=isinstance(error, Permanent))
        report = Report(outcome=Outcome.FAILED, counts=job.counts, error=f"{error.code}: {error}")
    except BaseException as error:
        _failed(database, job, type(error).__name__, settings)
        raise
    return _reported(held.name, held.tenant_id, report, started)


def _settle(database: Database, job: Job, *, finished: bool) -> Outcome:
    """Write down how the attempt ended."""
    if job.finished:
        return Outcome.DONE
    if finished:
        ours = jobs.finish(database, job.held, job.counts, at=job.round)
    else:
        ours = jobs.release(database, job.held, job.counts, job.done, job.total, at=job.round)
    if not ours:
        raise LeaseLost
    return Outcome.DONE if finished else Outcome.UNFINISHED


def _failed(database: Database, job: Job, error: str, settings: Settings, *, for_good: bool = False) -> None:
    held = job.held
    last = for_good or held.fruitless >= settings.task_attempts
    again_after = None if last else timedelta(seconds=min(2**held.fruitless, _LONGEST_PAUSE_S))
    kept = job.counts if last else None
    try:
        jobs.fail(database, held, error, again_after=again_after, counts=kept, at=job.round)
    except DaybookError as unreachable:
        _LOG.warning("fail job=%s tenant=%s: %s; the lease will run out", held.name, held.tenant_id, unreachable)


@contextmanager
def _kept_alive(database: Database, job: Job, lease_s: float) -> Iterator[None]:
    """Renew the lease from a thread of its own for the length of the block."""
    over = threading.Event()
    thread = threading.Thread(
        target=_renew, args=(database, job, lease_s, over), name=f"daybook-{job.held.name}", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _renew(database: Database, job: Job, lease_s: float, over: threading.Event) -> None:
    lease = timedelta(seconds=lease_s)
    while not over.wait(lease_s / 3):
        try:
            job.lost = not job.finished and not jobs.renew(database, job.held, lease, job.done, job.total)
        except DaybookError as error:
            _LOG.warning("renew job=%s tenant=%s: %s", job.held.name, job.held.tenant_id, error)
        if job.lost:
            return


def _reported(name: str, tenant_id: str, report: Report, started: datetime) -> Report:
    seconds = (clock.now() - started).total_seconds()
    metrics.STAGE_SECONDS.labels(stage=name, outcome=report.outcome).observe(seconds)
    log = _LOG.error if report.outcome is Outcome.FAILED else _LOG.info
    log(
        "%s tenant=%s outcome=%s counts=%s seconds=%.3f%s",
        *(name, tenant_id, report.outcome, report.counts, seconds, f" error={report.error}" if report.error else ""),
    )
    return report
