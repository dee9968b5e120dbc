"""graph: the names of a stream that are spoken of together are grouped anew, where anything has happened in it.

Groups are worked out from the mentions of the graph view, on what is open, without a lock, and put in the place of
those before in one transaction. They are a function of what is held up to an event, which is kept beside them: `replay`
compares them as long as nothing has come since, and what comes since has them made anew by the next pass.

What is forgotten meanwhile is written by nobody: a name goes out of its group with the last memory that mentions it,
and a pass that had read it before leaves it out when it writes.
"""

from __future__ import annotations

from dataclasses import replace

from coldpath.tidying import owners_of
from shared.belief.communities import communities
from shared.contract.scope import Owner
from shared.store import communities as groups
from shared.store import generations, ledger, streams
from shared.store.db import Database, Role
from shared.work.passes import Job


def regroup_on(database: Database, job: Job) -> bool:
    """Go on with a tenant's pass; returns whether every stream has had its turn."""
    owners = owners_of(database, job.held.tenant_id)
    for place, owner in enumerate(owners, 1):
        if job.time_is_up:
            return False
        job.count(regrouped=regroup(database, job.held.tenant_id, owner))
        job.progress(place, len(owners))
    return True


def regroup(database: Database, tenant_id: str, owner: Owner) -> bool:
    """Group the names of a stream anew; returns whether there was anything to do.

    Raises:
        DatabaseUnavailable: what was there is there still.
    """
    with database.transaction(Role.READER, tenant_id, [owner], read_only=True) as widened:
        session = replace(widened, owners=(owner,))
        now = groups.as_it_stands(session)
        if now is None or groups.made_of(session) == now:
            return False
        mentions = groups.mentions(session, generation=now.generation, doc=now.doc)
        found = communities(mentions, groups.held(session, doc=now.doc))
    with database.transaction(Role.ERASER, tenant_id, [owner]) as session:
        generations.writing(session, "graph")
        ledger.lock(session, owner)
        if not streams.has_memories(session):  # erased meanwhile
            return False
        groups.write(session, found, now)
    return True
