"""How a stage is done: claimed, carried out once, receipted, and handed on.

The state of a run's work stands in its inbox row. A claim counts an attempt and takes a lease; the stage's own
transaction holds its effect, its receipt and the step to the following stage, so a stage that is delivered twice, or
whose worker dies anywhere, has one effect.

A ring says that a run waits, and is answered by doing what is next, which may be another's. No work is forgotten over
that: a run that was rung for and is not taken is rung for again, and whoever was at a stream rings for what came to it
meanwhile, whose rings found him there. What a failure or a lost ring leaves is the sweep's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final
from uuid import UUID

from shared import clock, metrics
from shared.contract.errors import DaybookError, LeaseLost, Misconfigured, Permanent
from shared.contract.receipts import Outcome, Receipt, Stage, Work
from shared.log import logger
from shared.store import inbox, receipts
from shared.store.allowance import Allowance
from shared.store.db import Database, Role, Row, Session
from shared.store.inbox import Claim
from shared.work.queues import FOLLOWING
from warmpath._extractors import by_rules, no_model
from warmpath._holding import noted

if TYPE_CHECKING:
    from shared.contract.candidates import Extractor
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
    rules: Callable[[], Extractor] = by_rules
    """Gives the extractor that needs no language model; loads what it needs at the first call."""
    model: Callable[[Allowance], Extractor | None] = no_model
    """Gives the extractor that asks a language model within an allowance; None where none is to be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a stage did with a run."""

    run_id: str
    outcome: Outcome
    reason: str
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A stage that is done with a run."""

    inbox_id: UUID
    result: Result
    following: Stage | None
    """The stage that waits for it now; None where it was the last."""


StageFunction = Callable[[Services, Claim], Sequence[Done]]
"""Carries a stage out on runs of one stream in one transaction of its own, each ended by `finish`.

What had been done meanwhile, or is somebody else's, is left out.
"""


def perform(services: Services, stage: Stage, function: StageFunction, work: Work) -> Result | None:
    """Do one stage of one run if it waits and nobody is at it, and ring for the following one.

    A run that fails is tried again later, with a pause that doubles, and parked after `task_attempts` or at once where
    trying again cannot help.

    Raises:
        Retryable, or whatever the stage raised: noted on the run where Postgres could be reached.
    """
    claim = inbox.claim(services.database, work, stage, lease=_lease(services))
    if claim is None:
        return None
    with noted(services.settings, claim):
        done = _carry_out(services, function, claim)
    return done[0].result if done else None


def serve(services: Services, stage: Stage, function: StageFunction, hint: Work) -> list[Result]:
    """Do what is next at a stage, whoever's that is; tenants take turns.

    Runs of one stream that are next to each other are done together. If something fails them, each of them is tried
    alone, and then as by `perform`.

    Raises:
        Retryable, or whatever the stage raised: noted on the runs where Postgres could be reached.
    """
    claim = inbox.claim_burst(services.database, hint, stage, lease=_lease(services))
    if claim is None:
        return []
    if claim.passes_over:
        services.bell.ring(stage, hint)
    try:
        with noted(services.settings, claim):
            return [each.result for each in _carry_out(services, function, claim)]
    finally:
        _ring_for_the_rest(services, claim)


def transaction(services: Services, claim: Claim) -> AbstractContextManager[Session]:
    """A worker's transaction on the stream that was claimed. The server ends it with the lease, if not before.

    Raises:
        LeaseLost: the lease is over; nothing was begun.
    """
    if claim.lease.left_ms() <= 0:
        raise LeaseLost
    return services.database.transaction(Role.WORKER, claim.tenant_id, [claim.owner], timeout_ms=claim.left_ms)


def finish(
    session: Session, claim: Claim, row: Row, result: Result, started: datetime, *, then: Stage | None = None
) -> Done:
    """Write the stage's receipt for a run and step on, in the stage's own transaction.

    `then` is the stage to go to; by default the one that follows.
    """
    following = then or FOLLOWING[claim.stage]
    receipts.write(session, _receipt(claim, row["inbox_id"], result, started))
    inbox.advance(session, row["inbox_id"], following)
    return Done(inbox_id=row["inbox_id"], result=result, following=following)


def _lease(services: Services) -> timedelta:
    return timedelta(seconds=services.settings.task_deadline_s)


def _carry_out(services: Services, function: StageFunction, claim: Claim) -> Sequence[Done]:
    most = services.settings.task_attempts
    if claim.attempt > most:
        _park(services, claim, f"given up after {most} attempts")
        return ()
    began_s = clock.monotonic_s()
    try:
        done = function(services, claim)
    except Exception as error:
        _fail(services, claim, error)
        raise
    _report(claim.stage, done, clock.monotonic_s() - began_s)
    for following, first in _first_at_each(done).items():
        services.bell.ring(following, _work(claim, first))
    return done


def _first_at_each(done: Sequence[Done]) -> dict[Stage, UUID]:
    """Of each stage that runs wait at now, the first of them: whoever serves it rings for the next of the stream."""
    return {each.following: each.inbox_id for each in reversed(done) if each.following is not None}


def _ring_for_the_rest(services: Services, claim: Claim) -> None:
    """Ring for what of the stream still waits at the stage: rings that found somebody at it were not kept."""
    try:
        rest = inbox.next_of_stream(services.database, claim.tenant_id, claim.owner, claim.stage)
    except DaybookError as unreachable:
        _LOG.warning("%s rest=unknown: %s; the sweep will find it", claim.stage, unreachable)
        return
    if rest:
        services.bell.ring(claim.stage, rest)


def _work(claim: Claim, inbox_id: UUID) -> Work:
    return Work(tenant_id=claim.tenant_id, owner=claim.owner, inbox_id=inbox_id)


def _receipt(claim: Claim, inbox_id: UUID, result: Result, started: datetime) -> Receipt:
    return Receipt(
        tenant_id=claim.tenant_id,
        owner=claim.owner,
        run_id=result.run_id,
        subject=inbox_id,
        stage=claim.stage,
        outcome=result.outcome,
        reason=result.reason,
        counts=result.counts,
        started_at=started,
        finished_at=clock.now(),
    )


def _report(stage: Stage, done: Sequence[Done], seconds: float) -> None:
    """Count each run with its share of the time that all took."""
    for each in done:
        share_s, result = seconds / len(done), each.result
        metrics.STAGE_SECONDS.labels(stage=stage, outcome=result.outcome).observe(share_s)
        _LOG.info(
            "%s run=%s outcome=%s counts=%s seconds=%.3f", stage, result.run_id, result.outcome, result.counts, share_s
        )


def _fail(services: Services, claim: Claim, error: Exception) -> None:
    """Note a failure. Of several runs it cannot be said whose it is: each is tried alone, at once."""
    name = error.code if isinstance(error, DaybookError) else type(error).__name__
    if len(claim.inbox_ids) > 1:
        _give_back(services, claim, name, timedelta(0))
    elif _is_for_good(error) or claim.attempt >= services.settings.task_attempts:
        _park(services, claim, f"{name}: {error}" if isinstance(error, DaybookError) else name)
    else:
        _give_back(services, claim, name, timedelta(seconds=min(2**claim.attempt, _LONGEST_PAUSE_S)))


def _is_for_good(error: Exception) -> bool:
    """Whether trying again cannot help. What is not set up as it must be is no fault of the run, and may be mended."""
    return isinstance(error, Permanent) and not isinstance(error, Misconfigured)


def _give_back(services: Services, claim: Claim, error: str, after: timedelta) -> None:
    try:
        with transaction(services, claim) as session:
            own = inbox.give_back(session, claim, error=error, after=after)
    except DaybookError as unreachable:
        _LOG.warning("give_back %s %s: %s; the lease will run out", claim.stage, claim.inbox_ids, unreachable)
        return
    if not own:
        _LOG.warning("%s %s failed with %s after the lease had run out", claim.stage, claim.inbox_ids, error)


def _park(services: Services, claim: Claim, reason: str) -> None:
    try:
        with transaction(services, claim) as session:
            parked = [_park_row(session, claim, row, reason) for row in inbox.take(session, claim)]
    except DaybookError as unreachable:
        _LOG.warning("park %s %s: %s; the lease will run out", claim.stage, claim.inbox_ids, unreachable)
        return
    for run_id in parked:
        metrics.STAGE_SECONDS.labels(stage=claim.stage, outcome=Outcome.FAILED).observe(0)
        _LOG.error("%s run=%s parked: %s", claim.stage, run_id, reason)


def _park_row(session: Session, claim: Claim, row: Row, reason: str) -> str:
    before = row["last_error"] or ""
    inbox.park(session, row["inbox_id"], error=f"{reason}; {before}" if before else reason)
    result = Result(run_id=row["run_id"], outcome=Outcome.FAILED, reason=reason, counts={"attempts": row["attempts"]})
    receipts.write(session, _receipt(claim, row["inbox_id"], result, clock.now()))
    return str(row["run_id"])
