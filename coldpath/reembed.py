"""reembed: the dense view built anew, of the configured model, and vectors made for memories that have none.

Vectors of two models are never compared: a build of another model lies beside the live one until it is whole. What the
live generation holds of the same model is taken over; only the rest is embedded, outside any transaction.

While another model is built, what comes in gets a vector of the live one. So a build goes in laps: each makes the
vectors of what existed when it began, and is followed by another for as long as they get shorter. Then the build
becomes live, and what came in during the last lap, which words find, is given its vectors.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from coldpath.reindex import Heard, Pass, Rebuilt, counted, open_build, require_kept, switch, unheard
from shared.contract.errors import ModelMismatch
from shared.contract.scope import TENANT_OWNER, Owner
from shared.log import logger
from shared.store import generations, ledger, streams, vectors
from shared.store.db import Database, Role, Session
from shared.store.generations import Build
from shared.work.passes import Job

if TYPE_CHECKING:
    from shared.models.embedding import Embedder

_LOG: Final = logger(__name__)
PORTION: Final = 500
"""Vectors taken over by one transaction."""
BATCH: Final = 64
"""Texts embedded between two looks at whether to stop."""
_OWNERS_AT_A_TIME: Final = 100


def reembed(database: Database, embedder: Embedder, tenant_id: str, going: Pass, *, replacing: bool = True) -> Rebuilt:
    """Build a tenant's dense view anew with vectors of `embedder`, or go on with the build under way, and switch to it.

    A build of another model is given up for it, unless it may not be `replacing` one. The switch waits for what existed
    when the last lap began, and of that for no memory that has no vector in the live generation either.

    Raises:
        DatabaseUnavailable: what was committed stays; call again.
        ModelMismatch: a build of another model is under way, and not to be given up.
        NotFound: another build took this one's place meanwhile.
    """
    build = open_build(database, tenant_id, "dense", model_id=embedder.model.key, replacing=replacing)
    going.done, going.total = streams.with_vectors(database, tenant_id, build.generation)
    finished = _laps(database, embedder, tenant_id, build, going)
    if finished:
        switch(database, tenant_id, build, "dense", _always, going)
        _fill(database, embedder, tenant_id, build, going)
    return Rebuilt(view="dense", generation=build.generation, worked=going.worked, finished=finished)


def _laps(database: Database, embedder: Embedder, tenant_id: str, build: Build, going: Pass) -> bool:
    """Go lap by lap until the build holds what existed when the last one began, and laps shrink by half no more.

    False if told to stop before. It ends under any load: what comes in during a lap is none of its own.
    """
    lap, shorter = dict(streams.with_memories(database, tenant_id)), math.inf
    while lap:
        before = going.worked
        for owner, newest in lap.items():
            builder = _Builder(database, embedder, tenant_id, owner, build, going)
            if not (builder.take_over() and builder.embed_lacking(newest)):
                return False
        made = going.worked - before
        newest_of = dict(streams.with_memories(database, tenant_id))
        trailing = _trailing(database, tenant_id, build)
        missed = [owner for owner, doc in trailing.items() if doc <= lap.get(owner, 0)]
        if made >= shorter and not (missed and made):
            return True
        lap, shorter = {owner: newest_of.get(owner, doc) for owner, doc in trailing.items()}, made / 2
    return True


def _always(_session: Session) -> bool:
    """Where nothing is looked at while all writers wait: what a lap made is in the build for as long as it is kept."""
    return True


def fill(database: Database, embedder: Embedder, tenant_id: str, going: Pass) -> Rebuilt:
    """Make vectors for the memories that have none in the live generation.

    Raises:
        ModelMismatch: the live one is of another model than `embedder`.
    """
    with database.transaction(Role.WORKER, tenant_id, [TENANT_OWNER]) as session:
        live = generations.writing_dense(session, embedder.model.key)[0]
    build = Build(generation=live, model_id=embedder.model.key)
    going.total = sum(lacking for _, lacking in streams.lacking_vectors(database, tenant_id, live))
    finished = _fill(database, embedder, tenant_id, build, going)
    return Rebuilt(view="dense", generation=live, worked=going.worked, finished=finished)


def carry_on(
    database: Database, embedder: Embedder, job: Job, heard: Heard = unheard, *, replacing: bool = False
) -> bool:
    """`reembed` as a job's slice; returns whether it is finished.

    A worker goes on with what an operator began, and gives up no build of another model than its own.
    """
    return counted(job, heard, partial(reembed, database, embedder, job.held.tenant_id, replacing=replacing))


def fill_on(
    database: Database, embedder: Embedder, job: Job, heard: Heard = unheard, *, deferring: bool = False
) -> bool:
    """`fill` as a job's slice; returns whether it is finished.

    With `deferring`, a tenant whose vectors are of another model is no failure: what it lacks is counted as `deferred`,
    as the index stage does, and left to `reembed`.
    """
    tenant_id = job.held.tenant_id
    try:
        return counted(job, heard, partial(fill, database, embedder, tenant_id))
    except ModelMismatch as error:
        if not deferring:
            raise
        deferred = _lacking_in_live(database, tenant_id)
        job.count(deferred=deferred)
        _LOG.warning("fill tenant=%s deferred=%d: %s", tenant_id, deferred, error)
        return True


def _lacking_in_live(database: Database, tenant_id: str) -> int:
    with database.transaction(Role.WORKER, tenant_id, [TENANT_OWNER]) as session:
        live = generations.live(session, "dense")
        found = streams.lacking_vectors(session, tenant_id, live.generation) if live else []
    return sum(lacking for _, lacking in found)


def _fill(database: Database, embedder: Embedder, tenant_id: str, build: Build, going: Pass) -> bool:
    """Embed what a generation lacks now, by the counters; False if told to stop before the last."""
    newest = dict(streams.with_memories(database, tenant_id))
    return all(
        _Builder(database, embedder, tenant_id, owner, build, going).embed_lacking(newest.get(owner, 0))
        for owner, _ in streams.lacking_vectors(database, tenant_id, build.generation)
    )


def _trailing(database: Database, tenant_id: str, build: Build) -> Mapping[Owner, int]:
    """The owners of whom a memory has a vector in the live generation and none in the build; by the rows.

    Each with the lowest number of such a memory.
    """
    found: dict[Owner, int] = {}
    for owners in _portions([owner for owner, _ in streams.with_memories(database, tenant_id)]):
        with database.transaction(Role.WORKER, tenant_id, owners) as session:
            live = generations.live(session, "dense")
            found |= vectors.trailing(session, build.generation, live.generation) if live else {}
    return found


def _portions(owners: Sequence[Owner]) -> Iterator[Sequence[Owner]]:
    return (owners[start : start + _OWNERS_AT_A_TIME] for start in range(0, len(owners), _OWNERS_AT_A_TIME))


class _Builder:
    """Fills one generation with one owner's vectors."""

    def __init__(
        self, database: Database, embedder: Embedder, tenant_id: str, owner: Owner, build: Build, going: Pass
    ) -> None:
        self._transaction = partial(database.transaction, Role.WORKER, tenant_id, [owner])
        self._embedder = embedder
        self._owner = owner
        self._build = build
        self._going = going

    def take_over(self) -> bool:
        """Take over what the live generation has of the same model; False if told to stop before the last."""
        after, last_doc = 0, 1
        while after < last_doc:
            if self._going.stop():
                return False
            with self._transaction() as session:
                source = self._source(session)
                if source is None:
                    return True
                last_doc = ledger.lock(session, self._owner).doc
                written = vectors.copy(
                    session,
                    self._embedder.model.key,
                    source=source,
                    into=self._build.generation,
                    after=after,
                    until=after + PORTION,
                )
            self._going.step(written, taken_in=written)
            after += PORTION
        return True

    def _source(self, session: Session) -> int | None:
        """The live generation, if it has vectors of the same model that the build might lack."""
        found = require_kept(generations.writing(session, "dense"), self._build)
        counted = vectors.counted(session)
        live, build = (counted.get(each, 0) for each in (found.live.generation, self._build.generation))
        same = found.live.model_id == self._build.model_id and found.live != self._build
        return found.live.generation if same and build < live else None

    def embed_lacking(self, newest: int) -> bool:
        """Embed what has no vector in the generation, up to a number; False if told to stop before the last."""
        model_id, after = self._embedder.model.key, 0
        while not self._going.stop():
            with self._transaction() as session:
                rows = vectors.lacking(session, self._build.generation, model_id, after=after, limit=BATCH)
            if not rows or rows[0]["doc"] > newest:
                return True
            made = vectors.embedded(rows, self._embedder.encode_documents([row["text"] for row in rows]))
            written = self._store(made)
            self._going.step(written, taken_in=written)
            after = rows[-1]["doc"]
        return False

    def _store(self, made: Sequence[vectors.MemoryVector]) -> int:
        """Store vectors in the generation, and in the others of its model that are kept; returns how many are new."""
        model_id, own = self._embedder.model.key, self._build.generation
        with self._transaction() as session:
            kept = require_kept(generations.writing(session, "dense"), self._build).kept
            ledger.lock(session, self._owner)
            beside = [each.generation for each in kept if each.model_id == model_id and each.generation != own]
            vectors.insert(session, model_id, made, beside)
            return vectors.insert(session, model_id, made, [own])
