"""sweep: finds work by its state in Postgres and rings for it again, whatever became of the first ring.

A stage may be dead for days while this runs four times a minute, so what it adds to a queue has four bounds: one run of
a stream is rung for, since whoever serves it rings for the next; a stream is rung for again only when its last ring has
had its time, or is lost; no more than so many of a stage at once; and none for a stage whose queue holds that many
already: they will be heard first.

Whatever a broker refuses or drops, work waits for some sweeps at most: a ring that is not in its queue has been heard,
and then the stream is its hearer's, or nobody ever will hear it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from shared.accept import spool
from shared.accept.accept import send_spooled
from shared.contract.errors import BrokerUnavailable, DaybookError
from shared.contract.receipts import Stage, Work
from shared.contract.scope import SYSTEM_TENANT
from shared.log import logger
from shared.store import inbox, jobs
from shared.work.doorbell import lost_after_s, ring_life_s
from shared.work.queues import SWEEP
from warmpath._holding import give_back_of_the_dead
from warmpath._overdue import let_go
from warmpath._stages import STAGES
from warmpath._work import Services

_LOG: Final = logger(__name__)
_MOST_OF_A_STAGE: Final = 500


def run(services: Services) -> int:
    """Ring for each stream with a run that nobody is at and nothing has happened to for a sweep's period; say how many.

    A run whose worker died, or that is to be tried again, is rung for as soon as its lease or its pause is over; where
    the worker was of this machine, that is now.

    Nothing is rung for, or marked so, while the broker does not answer: the next sweep finds it all.

    What has waited long enough for evidence, or for a person, is let go of.

    What agents on this machine have spooled is sent last: whatever is wrong with it, work is rung for.

    Raises:
        DatabaseUnavailable: Postgres does not answer.
    """
    give_back_of_the_dead(services.database, services.settings)
    rung = _ring(services)
    let_go(services.database)
    _send_spooled(services)
    return rung


def _ring(services: Services) -> int:
    try:
        queued = services.bell.waiting()
    except BrokerUnavailable as error:
        _LOG.warning("sweep rung=0: %s", error)
        return 0
    silent = [stage for stage in STAGES if not queued.get(stage, 0)]
    busy = [stage for stage in STAGES if 0 < queued.get(stage, 0) < _MOST_OF_A_STAGE]
    found = [
        *_mark(services, silent, again_after_s=lost_after_s(services.settings)),
        *_mark(services, busy, again_after_s=ring_life_s(services.settings)),
    ]
    for stage, work in found:
        services.bell.ring(stage, work)
    if found:
        _LOG.info("sweep rung=%d", len(found))
    jobs.note(services.database, SYSTEM_TENANT, SWEEP, {"rung": len(found)})
    return len(found)


def _mark(services: Services, stages: Sequence[Stage], *, again_after_s: float) -> list[tuple[Stage, Work]]:
    return inbox.mark_rung(
        services.database,
        stages,
        idle=timedelta(seconds=services.settings.sweep_every_s),
        again_after=timedelta(seconds=again_after_s),
        limit=_MOST_OF_A_STAGE,
    )


def _send_spooled(services: Services) -> None:
    """Have accepted what agents on this machine could not have accepted."""
    try:
        if spool.waiting(services.settings):
            send_spooled(services.database, services.bell, services.settings)
    except DaybookError as error:
        _LOG.warning("spool: %s; the next sweep tries again", error)
    except Exception as error:  # noqa: BLE001 - one machine's disk must not keep work from being found
        _LOG.error("spool: %s; the next sweep tries again", type(error).__name__)
