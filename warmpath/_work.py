"""How a stage is done: claimed, carried out once, receipted, and handed on.

The state of a run's work stands in its inbox row. A claim counts an attempt and takes a lease; the stage's own
transaction holds its effect, its receipt and the step to the following stage, so a stage that is delivered twice, or
whose worker dies anywhere, has one effect.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from shared import clock, metrics
from shared.contract.errors import DaybookError, Permanent
from shared.contract.receipts import Outcome, Receipt, Stage, Work
from shared.log import logger
from shared.store import inbox, receipts
from shared.store.db import Database, Role, Session
from shared.work.queues import FOLLOWING

if TYPE_CHECKING:
    from shared.models.embedding import Embedder
    from shared.settings import Settings
    from shared.work.doorbell import Bell

_LOG: Final = logger(__name__)
_LONGEST_PAUSE_S: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What the stages work with."""

    database: Database
    settings: Settings
    bell: Bell
    embedder: Callable[[], Embedder]
    """Gives the process's embedder; loads it at the first call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a stage did with a run."""

    run_id: str
    outcome: Outcome
    reason: str
    counts: Mapping[str, int]


StageFunction = Callable[[Services, Work, datetime], Result | None]
"""Carries a stage out in one transaction of its own, ended by `finish`; None if it had been done meanwhile."""


def perform(services: Services, stage: Stage, function: StageFunction, work: Work) -> Result | None:
    """Do one stage of one run if it waits and nobody is at it, and ring for the following one.

    A run that fails is tried again later, with a pause that doubles, and parked after `task_attempts` or at once where
    trying again cannot help.

    Raises:
        Retryable, or whatever the stage raised: noted on the run where Postgres could be reached.
    """
    lease = timedelta(seconds=services.settings.task_deadline_s)
    attempt = inbox.claim(services.database, work, stage, lease=lease)
    if attempt is None:
        return None
    if attempt > services.settings.task_attempts:
        _park(services, stage, work, attempt, f"given up after {attempt - 1} attempts")
        return None
    started = clock.now()
    try:
        result = function(services, work, started)
    except Permanent as error:
        _park(services, stage, work, attempt, f"{error.code}: {error}")
        raise
    except Exception as error:
        _give_back(services, stage, work, attempt, error)
        raise
    if result is None:
        return None
    _report(stage, result, started)
    following = FOLLOWING[stage]
    if following is not None:
        services.bell.ring(following, work)
    return result


def finish(session: Session, stage: Stage, work: Work, result: Result, started: datetime) -> Result:
    """Write the stage's receipt and step on, in the stage's own transaction."""
    receipts.write(session, _receipt(stage, work, result, started))
    inbox.advance(session, work, FOLLOWING[stage])
    return result


def _receipt(stage: Stage, work: Work, result: Result, started: datetime) -> Receipt:
    return Receipt(
        tenant_id=work.tenant_id,
        owner=work.owner,
        run_id=result.run_id,
        subject=work.inbox_id,
        stage=stage,
        outcome=result.outcome,
        reason=result.reason,
        counts=result.counts,
        started_at=started,
        finished_at=clock.now(),
    )


def _report(stage: Stage, result: Result, started: datetime) -> None:
    seconds = (clock.now() - started).total_seconds()
    metrics.STAGE_SECONDS.labels(stage=stage, outcome=result.outcome).observe(seconds)
    _LOG.info(
        "%s run=%s outcome=%s counts=%s seconds=%.3f", stage, result.run_id, result.outcome, result.counts, seconds
    )


def _park(services: Services, stage: Stage, work: Work, attempt: int, reason: str) -> None:
    with services.database.transaction(Role.WORKER, work.tenant_id, [work.owner]) as session:
        row = inbox.take(session, work, stage)
        if row is None or row["attempts"] != attempt:
            return  # the lease had run out, and the work is somebody else's
        given_up = row["last_error"] or ""
        inbox.park(session, work, error=f"{reason}; {given_up}" if given_up else reason)
        result = Result(
            run_id=row["run_id"], outcome=Outcome.FAILED, reason=reason, counts={"attempts": row["attempts"]}
        )
        receipts.write(session, _receipt(stage, work, result, clock.now()))
    metrics.STAGE_SECONDS.labels(stage=stage, outcome=Outcome.FAILED).observe(0)
    _LOG.error("%s run=%s parked: %s", stage, row["run_id"], reason)


def _give_back(services: Services, stage: Stage, work: Work, attempt: int, error: Exception) -> None:
    pause = timedelta(seconds=min(2**attempt, _LONGEST_PAUSE_S))
    name = error.code if isinstance(error, DaybookError) else type(error).__name__
    try:
        with services.database.transaction(Role.WORKER, work.tenant_id, [work.owner]) as session:
            own = inbox.give_back(session, work, stage, attempt=attempt, error=name, after=pause)
    except DaybookError as unreachable:
        _LOG.warning("give_back inbox=%s reason=%s; the lease will run out", work.inbox_id, unreachable)
        return
    if not own:
        _LOG.warning("%s inbox=%s failed with %s after its lease had run out", stage, work.inbox_id, name)
