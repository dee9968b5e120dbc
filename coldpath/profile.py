"""profile: the view of what is held of each subject, brought up to the end of every stream, or built anew.

A portion is one transaction under the stream's lock and the shared lock on the view, and the rows say how far a stream
has come: whoever is killed goes on from there, what two workers take in is taken in once, and nothing that is forgotten
meanwhile is written again. A pass writes only blocks that an operation has touched since the last one. Nobody waits for
it: whoever reads a profile folds what came since.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from coldpath.reindex import Heard, Pass, Rebuilt, counted, open_build, require_kept, switch, unheard
from shared.contract.scope import TENANT_OWNER
from shared.store import generations, ledger, profiles, streams
from shared.store.db import Database, Role, Session
from shared.store.generations import Build
from shared.store.streams import Reach
from shared.work.passes import Job

PORTION: Final = 2_000
"""Changes taken in by one transaction, of a stream of no more than eight times as many memories."""
_LARGEST_PORTION: Final = 20_000
_PORTIONS: Final = 8
"""A block is worked out anew by each portion that touches it, 0.2 ms a memory: more portions would be more of that."""
_REBUILDS: Final = "rebuilds"


def profile_on(database: Database, job: Job, heard: Heard = unheard) -> bool:
    """Go on with a tenant's pass: bring the live view up to date, or build it anew; returns whether it is finished."""
    tenant_id = job.held.tenant_id
    if is_rebuilding(job.counts):
        return counted(job, heard, partial(rebuild, database, tenant_id))
    going = Pass(report=lambda done, total: _told(job, heard, done, total), stop=lambda: job.time_is_up)
    finished = refresh(database, tenant_id, going)
    job.count(memories=going.worked)
    return finished


def is_rebuilding(counts: Mapping[str, int]) -> bool:
    """Whether a pass, by its counts, builds the view anew."""
    return bool(counts.get(_REBUILDS))


def refresh(database: Database, tenant_id: str, going: Pass) -> bool:
    """Bring a tenant's live view up to where each stream ends by now; False if told to stop before.

    Raises:
        DatabaseUnavailable: what was committed stays; call again.
        NotFound: another generation has become live meanwhile; call again.
    """
    with database.transaction(Role.WORKER, tenant_id, [TENANT_OWNER]) as session:
        live = generations.writing(session, "profile").live
    behind = streams.behind_profile(database, tenant_id, live.generation)
    going.total = _left(behind)
    return all(catch_up(database, tenant_id, live, each, going) for each in behind)


def rebuild_on(database: Database, job: Job, heard: Heard = unheard) -> bool:
    """As `profile_on`, of a pass that builds the view anew; one that was left unfinished ends as it was begun."""
    if job.held.attempt == 1:
        job.count(**{_REBUILDS: 1})
        with database.transaction(Role.WORKER, job.held.tenant_id, [TENANT_OWNER]) as session:
            job.keep_within(session)
    return profile_on(database, job, heard)


def rebuild(database: Database, tenant_id: str, going: Pass) -> Rebuilt:
    """Build a tenant's profile view anew from its memories and switch to it, or go on with the build under way.

    Raises:
        DatabaseUnavailable: what was committed stays; call again.
        NotFound: another build took this one's place meanwhile.
    """
    build = open_build(database, tenant_id, "profile")
    behind = streams.behind_profile(database, tenant_id, build.generation)
    going.total = _left(behind)
    while behind or not switch(database, tenant_id, build, "profile", partial(_is_caught_up, build), going):
        for each in behind:
            if not catch_up(database, tenant_id, build, each, going):
                return Rebuilt(view="profile", generation=build.generation, worked=going.worked, finished=False)
        behind = streams.trailing_profile(database, tenant_id, build.generation)
    return Rebuilt(view="profile", generation=build.generation, worked=going.worked, finished=True)


def catch_up(database: Database, tenant_id: str, build: Build, reach: Reach, going: Pass) -> bool:
    """Take in an owner's stream to where it ended when it was looked at; False if told to stop before.

    What came since is for the next pass: a stream that is always written to would hold up all others.
    """
    sequence = reach.sequence
    while sequence < reach.last_sequence:
        if going.stop():
            return False
        # As the eraser: a block of which nothing is left is taken away.
        with database.transaction(Role.ERASER, tenant_id, [reach.owner]) as session:
            before, sequence, taken_in = _take_in(session, build)
        going.step(sequence - before, taken_in=taken_in)
    return True


def _take_in(session: Session, build: Build) -> tuple[int, int, int]:
    """Enter the next portion; returns from which event it went to which, and how many memories had changed."""
    require_kept(generations.writing(session, "profile"), build)
    head = ledger.lock(session, session.owner)
    after = profiles.positions(session).get(build.generation, 0)
    if after >= head.sequence:
        return after, after, 0
    if not streams.has_memories(session):  # erased meanwhile
        return after, head.sequence, 0
    limit = min(_LARGEST_PORTION, max(PORTION, head.doc // _PORTIONS))
    until, taken_in = profiles.enter_next(session, build.generation, after=after, end=head.sequence, limit=limit)
    return after, until, taken_in


def _is_caught_up(build: Build, session: Session) -> bool:
    return not streams.trailing_profile(session, session.tenant_id, build.generation)


def _left(behind: list[Reach]) -> int:
    return sum(each.last_sequence - each.sequence for each in behind)


def _told(job: Job, heard: Heard, done: int, total: int) -> None:
    job.progress(done, total)
    heard(done, total)
