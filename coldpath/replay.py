"""replay: what the ledger comes to, compared with the tables, or put in their place.

Folds the operations of a stream, from its first event, to memories: no model is called, no clock is read, nothing is
resolved anew. What they come to is kept in a file (`_shelf`), and compared and written as it goes by, in portions.
Memories, what they rest on, how they have fared, suppressed stretches, the sparse and the graph view are equal row for
row; vectors are a cache, and those that fit stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType
from typing import Final

from coldpath._comparing import Comparison, Difference, begun_in, compare, in_portions
from coldpath._comparing_graph import groups_of, mentioning_of
from coldpath._comparing_profile import blocks_of
from coldpath._shelf import Shelves, shelves
from shared.belief.fold import fold, shown
from shared.belief.state import State
from shared.contract.errors import LedgerDamaged, ViewsDiffer
from shared.contract.records import MemoryVersion, Span, Tier
from shared.contract.scope import Owner, stream_of
from shared.language.indexing import indexed_of
from shared.log import logger
from shared.store import (
    communities,
    generations,
    graph,
    ledger,
    links,
    memories,
    postings,
    profiles,
    streams,
    suppressions,
    uses,
    vectors,
)
from shared.store.db import Database, Role, Session
from shared.work.passes import Job
from shared.work.rounds import SEEN, next_streams, note

_LOG: Final = logger(__name__)
_PORTION: Final = 2_000
"""Versions written by one statement."""
LONGEST_SAMPLED: Final = 100_000
"""Events of a stream that a sample compares, in half a minute: a task that takes longer than its deadline is killed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What came of replaying one stream."""

    tenant_id: str
    owner: Owner
    memories: int
    """Memories that the ledger comes to, open or closed, that are not forgotten."""
    fingerprint: str
    """Of what the tables hold (`shared.belief.fold.fingerprint`); after a rebuild, of what they hold now."""
    expected_fingerprint: str
    """Of what the ledger comes to."""
    differences: tuple[Difference, ...] = ()
    """The first of what differs; after a rebuild, of what still does."""
    count: int = 0
    """How much differs."""
    mended: int = 0
    """How much differed before a rebuild."""
    damage: str | None = None
    """Why the ledger cannot be followed; nothing was compared or written then."""

    @property
    def is_equal(self) -> bool:
        """Whether the tables hold what the ledger comes to."""
        return not self.count and self.damage is None and self.fingerprint == self.expected_fingerprint


def replay(database: Database, tenant_id: str, owner: Owner, *, verify: bool) -> Replayed:
    """Compare a stream's tables with its ledger; without `verify`, write them anew too, in one transaction.

    A rebuild holds the stream's lock; a comparison holds none and sees one state.

    Raises:
        LedgerDamaged: an event cannot follow from those before it. Nothing was written.
        DatabaseUnavailable, ServiceFailed: nothing was written.
    """
    if verify:
        with database.transaction(Role.READER, tenant_id, [owner], read_only=True) as session, shelves() as kept:
            return _compared(replace(session, owners=(owner,)), kept)
    with database.transaction(Role.WORKER, tenant_id, [owner]) as session:
        generations.ensure(session, "memory", "sparse", "graph", "profile")
    with database.transaction(Role.ERASER, tenant_id, [owner]) as session, shelves() as kept:
        return _rebuilt(session, kept)


def replay_streams(
    database: Database,
    tenant_id: str | None,
    *,
    verify: bool,
    owner: str | None = None,
    after: tuple[str, str] = ("", ""),
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Iterator[Replayed]:
    """Replay the streams of a tenant (None: of all) one by one, in order of tenant and owner, from behind `after`.

    With `owner`, that one's alone.

    Each stream is a transaction of its own, so whoever is stopped goes on from the last one that was given back.
    `progress` takes events done and events in all. A damaged ledger is told of, and the others go on.
    """
    every = streams.of_tenant(database, tenant_id)
    found = sorted(each for each in every if each[:2] > after and owner in (None, each[1]))
    done, total = 0, sum(events for *_, events in found)
    progress(done, total)
    for tenant, of, events in found:
        yield _or_damage(database, tenant, of, verify=verify)
        done += events
        progress(done, total)


def replay_sample(database: Database, size: int, job: Job) -> bool:
    """Compare what was not equal, and the next `size` streams on the round, and say in the log where one is not.

    False if there was time for some of them only. Streams longer than `LONGEST_SAMPLED` are left to `daybook replay`.

    Raises:
        ViewsDiffer: the tables of a stream are not what its ledger comes to.
        LeaseLost: the job's pass is somebody else's by now.
    """
    for each in next_streams(database, job, size):
        if job.time_is_up:
            return False
        job.progress(job.counts.get(SEEN, 0), size)
        if each.events > LONGEST_SAMPLED and (each.place,) not in job.round.again:
            job.count(left_out=1)
            continue
        found = _or_damage(database, each.tenant_id, each.owner, verify=True)
        note(job, each.place, differs=not found.is_equal)
        for one in found.differences:
            _LOG.error("replay stream=%s %s %s %s", stream_of(each.owner), one.table, one.key, one.column)
    unlike = len(job.round.again)
    job.count(unlike=unlike)
    if unlike:
        many = "a stream is" if unlike == 1 else f"{unlike} streams are"
        where = "`daybook replay --verify` says where, `daybook replay` writes them anew"
        raise ViewsDiffer(f"the tables of {many} not what the ledger comes to: {where}")
    return True


def _or_damage(database: Database, tenant_id: str, owner: Owner, *, verify: bool) -> Replayed:
    try:
        return replay(database, tenant_id, owner, verify=verify)
    except LedgerDamaged as error:
        _LOG.error("replay stream=%s %s", stream_of(owner), error)
        return Replayed(
            tenant_id=tenant_id,
            owner=owner,
            memories=0,
            fingerprint="",
            expected_fingerprint="",
            damage=str(error),
        )


def _folded(session: Session, kept: Shelves) -> State:
    """What the owner's ledger comes to."""
    return replace(fold(ledger.read(session, session.owner), kept), outcomes=MappingProxyType({}))


def _compared(session: Session, kept: Shelves) -> Replayed:
    return _outcome(session, compare(session, _folded(session, kept)))


def _rebuilt(session: Session, kept: Shelves) -> Replayed:
    sparse = generations.writing(session, "sparse")
    if generations.of(session, "dense"):
        generations.writing(session, "dense")
    named = generations.writing(session, "graph")
    profiled = generations.writing(session, "profile")
    head = ledger.lock(session, session.owner)
    state = _folded(session, kept)
    before = compare(session, state)
    if head.doc != state.docs:
        ledger.advance(session, replace(head, doc=state.docs))
    _write_memories(session, state)
    _write_postings(session, state, [each.generation for each in sparse.kept])
    _write_names(session, state, [each.generation for each in named.kept])
    _write_groups(session, state)
    profiles.clear(session)
    profiles.enter_all(
        session, [each.generation for each in profiled.kept], blocks_of(session, state), until=head.sequence
    )
    vectors.remove(session, sorted(before.stray))
    vectors.retier(session, cold=sorted(before.cold), hot=sorted(before.loose - before.cold))
    vectors.relink(session, sorted(before.loose))
    vectors.recount(session)
    return replace(_outcome(session, compare(session, state)), mended=before.count)


def _write_memories(session: Session, state: State) -> None:
    memories.clear(session)
    suppressions.clear(session)
    links.clear(session)
    links.insert(session, state.links)
    versions = (version for versions in state.memories.values() for version in versions)
    while portion := list(islice(versions, _PORTION)):
        memories.insert(session, portion)
    by: dict[int, list[Span]] = {}
    for spans in state.suppressed.values():
        for span, sequence in spans.items():
            by.setdefault(sequence, []).append(span)
    for sequence, suppressed in sorted(by.items()):
        suppressions.write(session, suppressed, by=sequence)
    uses.clear(session)
    uses.put(session, state.uses.values())


def _write_postings(session: Session, state: State, into: list[int]) -> None:
    """Enter all words into every generation that is kept: a build has this stream behind it then."""
    postings.clear(session)
    begun = begun_in(state)
    for portion in in_portions(state):
        _enter(session, portion, into, begun)
    if state.docs:
        postings.enter(session, [], into, until=state.docs, sessions=0)


def _write_names(session: Session, state: State, into: list[int]) -> None:
    """Enter all names into every generation that is kept, as `_write_postings` does words."""
    graph.clear(session)
    for portion in in_portions(state):
        graph.enter(session, [mentioning_of(version) for version in portion], into, until=portion[-1].doc)
    if state.docs:
        graph.enter(session, [], into, until=state.docs)


def _write_groups(session: Session, state: State) -> None:
    """Group names anew, where they ever were grouped: what the tables came to before may have been wrong."""
    now = communities.as_it_stands(session)
    if now is not None and communities.made_of(session) is not None:
        communities.write(session, groups_of(state, session.owner, now.doc), now)


def _enter(session: Session, portion: Sequence[MemoryVersion], into: list[int], begun: dict[int, Tier]) -> None:
    """Enter the words of some memories; of the sessions that they begin each goes out of `begun`."""
    first = Counter(begun.pop(version.session_doc) for version in portion if version.session_doc in begun)
    words = [indexed_of(version) for version in portion]
    until = portion[-1].doc
    postings.enter(session, words, into, until=until, sessions=first[Tier.HOT], cold_sessions=first[Tier.COLD])


def _outcome(session: Session, found: Comparison) -> Replayed:
    return Replayed(
        tenant_id=session.tenant_id,
        owner=session.owner,
        memories=found.memories,
        fingerprint=shown(found.held),
        expected_fingerprint=shown(found.expected),
        differences=tuple(found.differences),
        count=found.count,
    )
