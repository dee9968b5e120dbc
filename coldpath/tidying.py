"""The jobs that propose, by name, and how one is carried out: stream by stream of a tenant, as slices of a pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from coldpath import consolidate, dedupe, link, promote, supersede
from coldpath._job import Job
from coldpath.proposals import Propose, Tidying, tidy
from shared.contract.scope import Owner
from shared.settings import Settings
from shared.store import streams
from shared.store.db import Database
from shared.work.queues import CONSOLIDATE, DEDUPE, LINK, PROMOTE, SUPERSEDE


@dataclass(frozen=True, slots=True, kw_only=True)
class Tidier:
    """A job that proposes."""

    looks: Callable[[Settings], Propose]
    """What it does in a stream, by the settings of the process."""
    by_time: bool = False
    """Whether what it finds hangs on the day too, so that it looks although nothing has happened in a stream."""


TIDIERS: Final[Mapping[str, Tidier]] = {
    DEDUPE: Tidier(looks=lambda _settings: dedupe.propose),
    PROMOTE: Tidier(looks=promote.by),
    SUPERSEDE: Tidier(looks=lambda _settings: supersede.propose),
    CONSOLIDATE: Tidier(looks=lambda _settings: consolidate.propose),
    LINK: Tidier(looks=lambda _settings: link.propose),
}
"""Each job that proposes, by the word that its task, queue, command and metric share."""


def tidying(settings: Settings, job: str, batch_id: UUID) -> Tidying:
    """A job as one pass does it; all that the pass changes is the batch."""
    tidier = TIDIERS[job]
    return Tidying(
        job=job,
        propose=tidier.looks(settings),
        batch_id=batch_id,
        by_time=tidier.by_time,
        review_days=settings.review_days,
    )


def owners_of(database: Database, tenant_id: str, user_id: str | None = None) -> list[Owner]:
    """Whose streams a job goes through, in order: all of a tenant that hold a memory, or the named user's alone."""
    owners = [owner for owner, _ in streams.with_memories(database, tenant_id)]
    return [owner for owner in owners if user_id is None or owner == user_id]


def tidy_on(database: Database, settings: Settings, job: Job) -> bool:
    """Go on with a tenant's pass; returns whether every stream has had its turn.

    Streams come in order, and a slice that begins anew passes over those that nothing is new in. All that a pass
    changes is one batch, which bears the pass's id.
    """
    doing = tidying(settings, job.held.name, batch_of(job)).fenced(job.fence)
    owners = owners_of(database, job.held.tenant_id)
    for place, owner in enumerate(owners, 1):
        if job.time_is_up:
            return False
        done = tidy(database, job.held.tenant_id, owner, doing)
        job.count(accepted=len(done.accepted), refused=len(done.refused), asked=len(done.questions))
        job.progress(place, len(owners))
    return True


def batch_of(job: Job) -> UUID:
    """The id of what a pass changes."""
    return job.held.job_id
