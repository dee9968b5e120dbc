"""reindex: views built anew, words and names, each beside the live one, which serves until the new one is whole.

A build is opened, filled in portions and switched to. A portion is one transaction under the stream's lock and the
shared lock on the view, and the rows say how far it has come, so a builder that is killed goes on from there. Writers
write the new generation too once it has caught up with their stream: what comes in meanwhile is entered by one of the
two, and what is forgotten is taken out of both. The switch is one statement, made when nothing is missing and nobody
writes; the job's pass ends with that of its last view, and knows of the others, so whoever is killed after one does not
do it again.

A portion needs no fence of its job's: whoever enters it, at whatever time, it is entered once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from coldpath._views import VIEWS, settled
from shared.contract.errors import Misconfigured, NotFound
from shared.contract.scope import TENANT_OWNER, Owner
from shared.store import generations, graph, ledger, postings, profiles, streams, vectors
from shared.store.db import Database, Role, Session
from shared.store.generations import Build, Generations, View
from shared.store.streams import Numbered, Position
from shared.work.passes import Job

PORTION: Final = 500
"""Memories taken in by one transaction, of a stream of no more than twenty times as many."""
_LARGEST_PORTION: Final = 5_000
_PORTIONS: Final = 20
_DROPPED_AT_A_TIME: Final = 5_000
_HELD_BY: Final = {"sparse": postings, "dense": vectors, "graph": graph, "profile": profiles}
"""By view, who writes it."""

Heard = Callable[[int, int], None]
"""Takes how many memories are done and how many there are."""


def unheard(_done: int, _total: int) -> None:
    """Where nobody watches."""


def _unbound(_session: Session) -> None:
    """Where nothing has to happen together with the switch."""


@dataclass(slots=True, kw_only=True)
class Pass:
    """One pass over a view: tells how far it is, and may be told to stop between two portions."""

    report: Heard = unheard
    stop: Callable[[], bool] = lambda: False
    ended: Callable[[Session], None] = _unbound
    """Called in the transaction of the switch: what must be so if, and only if, the new generation is live."""
    done: int = 0
    total: int = 0
    worked: int = field(default=0, init=False)
    """Memories that this pass took in itself."""

    def step(self, memories_done: int, *, taken_in: int) -> None:
        """Count a portion; numbers whose memory is held no longer are done, and not taken in."""
        self.done += memories_done
        self.worked += taken_in
        self.report(self.done, max(self.total, self.done))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """How a pass ended."""

    view: View
    generation: int
    """The one that was built."""
    worked: int
    """Memories that this pass took in."""
    finished: bool
    """Whether it has become live; otherwise another pass goes on from where this one stopped."""


def reindex(database: Database, tenant_id: str, going: Pass, view: Numbered = "sparse") -> Rebuilt:
    """Build a tenant's view anew from its memories and switch to it, or go on with the build under way.

    Raises:
        DatabaseUnavailable: what was committed stays; call again.
        NotFound: another build took this one's place meanwhile.
    """
    build = open_build(database, tenant_id, view)
    behind = streams.behind(database, tenant_id, build.generation, view)
    going.total = streams.numbered(database, tenant_id)
    going.done = going.total - sum(each.last_doc - each.doc for each in behind)
    while behind or not switch(database, tenant_id, build, view, partial(_is_caught_up, view, build), going):
        for position in behind:
            if not _catch_up(database, tenant_id, view, build, position, going):
                return Rebuilt(view=view, generation=build.generation, worked=going.worked, finished=False)
        behind = streams.trailing(database, tenant_id, build.generation, view)
    return Rebuilt(view=view, generation=build.generation, worked=going.worked, finished=True)


def carry_on(database: Database, job: Job, heard: Heard = unheard, views: Sequence[Numbered] = VIEWS) -> bool:
    """`reindex` of several views, one after the other, as a job's slice; returns whether all are finished.

    A pass that was begun before goes on with the views that it is of, whatever `views` are (`coldpath._views`). A view
    that an earlier slice of the pass has switched is not built again. What was taken in is counted as `memories` of the
    first view, and under their names of the others.
    """
    views = settled(database, job, views)
    for view in views:
        rebuild = partial(reindex, database, job.held.tenant_id, view=view)
        taken_in = "memories" if view == views[0] else view
        switched = None if view == views[-1] else f"{view}_switched"
        if switched and job.counts.get(switched):
            continue
        if not counted(job, heard, rebuild, taken_in=taken_in, switched=switched):
            return False
    return True


def name_on(database: Database, job: Job) -> bool:
    """Enter the names that the live graph view lacks, as a job's slice; returns whether none is lacking.

    Runs that are indexed enter them; this is for streams that were there before the view was, and rest.
    """
    tenant_id = job.held.tenant_id
    with database.transaction(Role.WORKER, tenant_id, [TENANT_OWNER]) as session:
        live = generations.writing(session, "graph").live
    going = Pass(stop=lambda: job.time_is_up)
    behind = streams.behind(database, tenant_id, live.generation, "graph")
    finished = all(_catch_up(database, tenant_id, "graph", live, position, going) for position in behind)
    if going.worked:
        job.count(named=going.worked)
    return finished


def counted(
    job: Job,
    heard: Heard,
    rebuild: Callable[[Pass], Rebuilt],
    *,
    taken_in: str = "memories",
    switched: str | None = None,
) -> bool:
    """Let a rebuilding go on until the slice is over; its progress and counts are the job's, which ends with a switch.

    Where others are to come after it, the switch is counted as `switched` instead.

    Raises:
        LeaseLost: somebody has taken the job over; there was no switch.
    """

    def report(done: int, total: int) -> None:
        job.progress(done, total)
        heard(done, total)

    def ended(session: Session) -> None:
        job.count(**{taken_in: going.worked})
        if switched is None:
            job.finish_within(session)
        else:
            job.count(**{switched: 1})
            job.keep_within(session)

    before = job.counts.get(taken_in, 0)
    going = Pass(report=report, stop=lambda: job.time_is_up, ended=ended)
    rebuilt = rebuild(going)
    job.counts[taken_in] = before + rebuilt.worked
    return rebuilt.finished


def open_build(
    database: Database, tenant_id: str, view: View, *, model_id: str | None = None, replacing: bool = True
) -> Build:
    """The build that is under way, or a new one; rows of generations that are kept no longer are dropped.

    Raises:
        ModelMismatch: see `generations.open_build`.
    """
    with database.transaction(Role.WORKER, tenant_id, [TENANT_OWNER]) as session:
        build = generations.open_build(session, view, model_id=model_id, replacing=replacing)
    drop(database, tenant_id, view)
    return build


def switch(
    database: Database, tenant_id: str, build: Build, view: View, is_whole: Callable[[Session], bool], going: Pass
) -> bool:
    """Make the build live if nothing is missing from it; nobody writes the view while that is found out.

    True too if somebody else has, whatever is live since. A process needs no second connection for it.

    Raises:
        NotFound: it was given up for another.
    """
    with database.transaction(Role.WORKER, tenant_id, [TENANT_OWNER]) as session:
        generations.alone(session, view)
        if require_kept(generations.of(session, view), build).building != build:
            return True
        if not is_whole(session):
            return False
        generations.switch(session, view)
        going.ended(session)
    return True


def require_kept(found: Generations | None, build: Build) -> Generations:
    """Make sure that a generation is still written, live or not.

    Raises:
        NotFound: it was given up for another.
    """
    if found is None or build not in found.kept:
        msg = f"generation {build.generation} is being built no longer: another build took its place; start again"
        raise NotFound(msg, generation=build.generation)
    return found


def go_back(database: Database, tenant_id: str, view: View) -> Generations:
    """Make the generation before the live one live again; the two change places.

    Of the dense view, vectors may be missing: those of what came in while another model was live. Words find it, and
    `coldpath.reembed.fill` makes them. What the graph view lacks, whoever indexes next enters.

    Raises:
        NotFound: there is none.
        Misconfigured: it has not taken in everything that came since; build the view anew instead.
    """
    with database.transaction(Role.WORKER, tenant_id, [TENANT_OWNER]) as session:
        now = generations.go_back(session, view)
        if view == "sparse" and not _is_caught_up("sparse", now.live, session):
            msg = f"generation {now.live.generation} lacks memories that came after it: run `daybook reindex` instead"
            raise Misconfigured(msg)
    return now


def drop(database: Database, tenant_id: str, view: View) -> int:
    """Take away the rows of generations that are kept no longer, portion by portion; returns how many went."""
    left_over = streams.left_over(database, tenant_id, view)
    return sum(_drop(database, tenant_id, view, owner, generation) for owner, generation in left_over)


def _drop(database: Database, tenant_id: str, view: View, owner: Owner, generation: int) -> int:
    """Take away an owner's rows of one generation. Held so, no build can be opened that it might be mistaken for."""
    remove = _HELD_BY[view].drop
    gone, last = 0, _DROPPED_AT_A_TIME
    while last == _DROPPED_AT_A_TIME:
        with database.transaction(Role.ERASER, tenant_id, [owner]) as session:
            if generation in {each.generation for each in generations.writing(session, view).kept}:
                return gone
            ledger.lock(session, owner)
            last = remove(session, generation, limit=_DROPPED_AT_A_TIME)
            gone += last
    return gone


def _is_caught_up(view: Numbered, build: Build, session: Session) -> bool:
    return not streams.trailing(session, session.tenant_id, build.generation, view)


def _catch_up(
    database: Database, tenant_id: str, view: Numbered, build: Build, position: Position, going: Pass
) -> bool:
    """Take in an owner's memories to the last; False if told to stop before."""
    doc, last_doc = position.doc, position.last_doc
    while doc < last_doc:
        if going.stop():
            return False
        with database.transaction(Role.WORKER, tenant_id, [position.owner]) as session:
            before, doc, last_doc, taken_in = _take_in(session, position.owner, view, build)
        going.step(doc - before, taken_in=taken_in)
    return True


def _take_in(session: Session, owner: Owner, view: Numbered, build: Build) -> tuple[int, int, int, int]:
    """Enter the next portion; returns from which number it went to which, the last one, and how many memories it was.

    Once that is the last one, writers enter what follows.
    """
    store = {"sparse": postings, "graph": graph}[view]
    require_kept(generations.writing(session, view), build)
    head = ledger.lock(session, owner)
    after = store.positions(session).get(build.generation, 0)
    until = min(after + _portion(head.doc), head.doc)
    taken_in = store.enter_next(session, [build.generation], after=after, until=until) if until > after else 0
    return after, until, head.doc, taken_in


def _portion(docs: int) -> int:
    """Memories of an owner taken in at a time: a twentieth, within bounds, so that no block is written too often.

    A killed builder loses as much, and whoever writes to the stream waits for as much: about a second for the largest.
    """
    return min(_LARGEST_PORTION, max(PORTION, docs // _PORTIONS))
