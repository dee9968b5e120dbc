"""Jobs of the cold path, done to their end on one tenant."""

from __future__ import annotations

from gateway import tidying
from gateway.tidying import Tidied
from shared.contract.errors import Permanent
from shared.settings import Settings
from shared.store.db import Database


def tidied(database: Database, settings: Settings, tenant_id: str, job: str) -> Tidied:
    """Do a job that proposes to its end, on all streams of a tenant.

    Raises:
        Permanent: it was not done.
    """
    done = tidying.tidy(database, settings, tenant_id, job, lambda *_: None)
    if done.outcome != "done":
        raise Permanent(f"{job} on tenant {tenant_id} ended as {done.outcome}: {done.error}")
    return done
