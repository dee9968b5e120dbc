"""A job that proposes, stream by stream of a tenant, as slices of a pass."""

from __future__ import annotations

from uuid import UUID

from coldpath._job import Job
from coldpath.proposals import Propose, Tidying, tidy
from shared.store import streams
from shared.store.db import Database


def tidy_on(database: Database, job: Job, propose: Propose) -> bool:
    """Go on with a tenant's pass; returns whether every stream has had its turn.

    Streams come in order, and a slice that begins anew passes over those that nothing is new in. All that a pass
    changes is one batch, which bears the pass's id.
    """
    tidying = Tidying(job=job.held.name, propose=propose, batch_id=batch_of(job), fence=job.fence)
    owners = streams.with_memories(database, job.held.tenant_id)
    for place, (owner, _) in enumerate(owners, 1):
        if job.time_is_up:
            return False
        done = tidy(database, job.held.tenant_id, owner, tidying)
        job.count(accepted=len(done.accepted), refused=len(done.refused))
        job.progress(place, len(owners))
    return True


def batch_of(job: Job) -> UUID:
    """The id of what a pass changes."""
    return job.held.job_id
