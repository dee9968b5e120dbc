"""The dense view: one vector a memory. The one writer of `memory_vector`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector
from psycopg import sql

from shared.contract.scope import Owner
from shared.store import generations
from shared.store.db import Query, Row, Session
from shared.store.keys import Ints
from shared.store.queries import queries

_SQL: Final = queries("vectors")

COLD: Final = "cold:"
"""Before the model's id of what is in the cold tier."""

_READ_AT_ONCE: Final = 500
"""Vectors: as they are read each takes 12 kB, of which one and a half are kept."""
_BESIDE_AT_ONCE: Final = 10
"""Memories whose neighbours one statement looks for: a second or so of many."""
_EF_SEARCH: Final = 200
"""At 100,000 memories and k = 100: 100 found .92, 200 .95, 400 all of the true nearest, for half a millisecond each."""

_PACKED: Final = np.dtype([("key", ">i8"), ("cosine", ">f8"), ("session", ">i8")])
"""One row of what `nearest` and `cosines` select: as many numbers in rows of their own took 0.2 ms to read."""

Vector = NDArray[np.float32]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryVector:
    """A vector about to be stored."""

    memory_id: UUID
    version: int
    text_hash: bytes
    """SHA-256 of the text that was embedded: what the vector is a cache of."""
    embedding: Vector
    """(dimension,) float32, unit length."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Nearness:
    """How near some memories are to a query: parallel arrays, sorted by key."""

    keys: Ints
    """See `shared.store.keys`."""
    cosines: Floats
    sessions: Ints
    """Number of each one's session's first memory."""

    def has(self, keys: Ints) -> NDArray[np.bool_]:
        """Whether each of `keys` is among these."""
        if not len(self.keys):
            return np.zeros(len(keys), np.bool_)
        present: NDArray[np.bool_] = self.keys[self._places(keys)] == keys
        return present

    def of(self, keys: Ints, sessions: Ints) -> Floats:
        """The cosine of each of `keys`; NaN where it has none or is of another session. In the shape of `keys`."""
        if not len(self.keys):
            return np.full(keys.shape, np.nan)
        places = self._places(keys)
        known = (self.keys[places] == keys) & (self.sessions[places] == sessions)
        return np.where(known, self.cosines[places], np.nan)

    def _places(self, keys: Ints) -> NDArray[np.intp]:
        return np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)

    def best(self, limit: int) -> Nearness:
        """The `limit` nearest of them."""
        if len(self.keys) <= limit:
            return self
        chosen = np.sort(np.argpartition(-self.cosines, limit)[:limit])
        return Nearness(keys=self.keys[chosen], cosines=self.cosines[chosen], sessions=self.sessions[chosen])

    def joined(self, other: Nearness) -> Nearness:
        """Both; they have no key in common."""
        keys = np.concatenate([self.keys, other.keys])
        order = np.argsort(keys)
        return Nearness(
            keys=keys[order],
            cosines=np.concatenate([self.cosines, other.cosines])[order],
            sessions=np.concatenate([self.sessions, other.sessions])[order],
        )


NOTHING_NEAR: Final = Nearness(keys=np.empty(0, np.int64), cosines=np.empty(0), sessions=np.empty(0, np.int64))


def unembedded(session: Session, run_id: str, model_id: str) -> list[Row]:
    """The open memories of a run that have no vector of the model yet, in order, each with the text before it."""
    return session.rows(_SQL["unembedded"], run_id=run_id, model_id=model_id)


def lacking(session: Session, generation: int, model_id: str, *, after: int, limit: int) -> list[Row]:
    """The owner's next `limit` open memories behind number `after` that have no vector in a generation, in order."""
    return session.rows(_SQL["lacking"], generation=generation, model_id=model_id, after=after, limit=limit)


def embedded(rows: Sequence[Row], embeddings: NDArray[np.float32]) -> list[MemoryVector]:
    """The vectors of memories that `unembedded` or `lacking` gave, to be stored."""
    return [
        MemoryVector(
            memory_id=row["memory_id"],
            version=row["version"],
            text_hash=hashlib.sha256(row["text"].encode()).digest(),
            embedding=embedding,
        )
        for row, embedding in zip(rows, embeddings, strict=True)
    ]


def insert(session: Session, model_id: str, vectors: Sequence[MemoryVector], into: Sequence[int]) -> int:
    """Store vectors of the session's owner in the generations `into`; returns how many rows were written.

    One that is there already stays, and one whose memory is no longer held is passed over: it was forgotten while its
    text was being embedded. The caller holds the stream's lock and one on the view.
    """
    return sum(_insert(session, model_id, vectors, generation) for generation in into)


def _insert(session: Session, model_id: str, vectors: Sequence[MemoryVector], generation: int) -> int:
    written = session.execute_many(
        _SQL["insert"],
        [
            {
                "generation": generation,
                "model_id": model_id,
                "memory_id": each.memory_id,
                "version": each.version,
                "text_hash": each.text_hash,
                "embedding": HalfVector(each.embedding),
            }
            for each in vectors
        ],
    )
    session.execute(_SQL["count"], generation=generation, vectors=written)
    return written


def copy(session: Session, model_id: str, *, source: int, into: int, after: int, until: int) -> int:
    """Take the vectors of one model from one generation over into another, for numbers from behind `after` to `until`.

    Returns how many were written. Locks as for `insert`.
    """
    parameters = {"model_id": model_id, "source": source, "generation": into, "after": after, "until": until}
    written = session.execute(_SQL["copy"], **parameters).rowcount
    session.execute(_SQL["count"], generation=into, vectors=written)
    return written


def trailing(session: Session, generation: int, live: int) -> dict[Owner, int]:
    """Those of the session's owners of whom an open memory has a vector in generation `live`, and none in the other.

    Each with the lowest number of such a memory.
    """
    rows = session.rows(_SQL["trailing"], generation=generation, live=live)
    return {Owner(row["user_id"]): row["doc"] for row in rows}


def remove(session: Session, docs: Sequence[int]) -> int:
    """Take the vectors of numbered memories of the owner out of every generation; returns how many rows went.

    The caller holds the stream's lock.
    """
    return sum(row["vectors"] for row in session.rows(_SQL["remove"], docs=list(docs)))


def clear(session: Session) -> int:
    """Take every vector of the owner out of every generation; returns how many rows went."""
    gone = session.execute(_SQL["clear_vectors"]).rowcount
    session.execute(_SQL["clear_streams"])
    return gone


def drop(session: Session, generation: int, *, limit: int) -> int:
    """See `generations.drop`."""
    return generations.drop(session, (_SQL["drop_vectors"],), _SQL["drop_stream"], generation, limit=limit)


def relink(session: Session, docs: Sequence[int]) -> None:
    """Make the vectors of numbered memories of the owner those of their newest versions, open or closed.

    What is closed keeps its vector, and is found by it no more. Locks as for `remove`.
    """
    session.execute(_SQL["relink"], docs=list(docs))


def retier(session: Session, *, cold: Sequence[int] = (), hot: Sequence[int] = ()) -> None:
    """Take vectors of numbered memories of the owner out of the hot tier, or back into it, in every generation.

    What is in the cold one is found by no nearness, and counts for no generation; `cosines` knows it all the same. A
    build that is begun meanwhile does not take it over. Locks as for `remove`, and `relink` follows.
    """
    if cold:
        session.execute(_SQL["cool"], docs=list(cold))
    if hot:
        session.execute(_SQL["warm"], docs=list(hot))


def recount(session: Session) -> None:
    """Count the owner's vectors in each generation anew. Locks as for `remove`."""
    session.execute(_SQL["clear_streams"])
    session.execute(_SQL["recount"])


def numbered(session: Session, docs: Sequence[int]) -> dict[int, Vector]:
    """The live generation's vectors of those of some numbered memories of the owner that have one."""
    known: dict[int, Vector] = {}
    for start in range(0, len(docs), _READ_AT_ONCE):
        found, embeddings = session.columns(_SQL["numbered"], docs=list(docs[start : start + _READ_AT_ONCE]))
        known |= {doc: np.array(embedding, np.float32) for doc, embedding in zip(found, embeddings, strict=True)}
    return known


def having(session: Session, docs: Sequence[int]) -> set[int]:
    """Those of some numbered memories of the owner that have a vector in the live generation."""
    (found,) = session.columns(_SQL["having"], docs=list(docs))
    return set(found)


def beside(session: Session, docs: Sequence[int], *, limit: int) -> dict[int, list[int]]:
    """Of numbered memories that have a vector, the `limit` open semantic ones of the owner nearest to each, in order.

    Exact: for each it looks at all of the owner's semantic ones, some 60 ms where these are 50,000.
    """
    found: dict[int, list[int]] = {}
    for start in range(0, len(docs), _BESIDE_AT_ONCE):
        portion = list(docs[start : start + _BESIDE_AT_ONCE])
        for doc, other in zip(*session.columns(_SQL["beside"], docs=portion, limit=limit), strict=True):
            found.setdefault(doc, []).append(other)
    return found


def between(session: Session, pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], float]:
    """The cosine of each pair of numbered memories of the owner of which both have a vector in the live generation."""
    firsts, seconds = [first for first, _ in pairs], [second for _, second in pairs]
    ones, others, cosines = session.columns(_SQL["between"], firsts=firsts, seconds=seconds)
    return dict(zip(zip(ones, others, strict=True), cosines, strict=True))


def stored(session: Session) -> Iterator[Row]:
    """The keys of the owner's vectors in every generation, in order of their numbers; fetched in portions."""
    with session.connection.cursor(name="vectors_stored") as cursor:
        cursor.itersize = 5_000
        cursor.execute(_SQL["stored"], session.whose())
        yield from cursor


def counted(session: Session) -> dict[int, int]:
    """By generation: how many vectors the owner is said to have."""
    return {row["generation"]: row["vectors"] for row in session.rows(_SQL["counted"])}


def nearest(
    session: Session, model_id: str, query: Vector, *, limit: int, approximate: bool, cold: bool = False
) -> Nearness:
    """The `limit` open memories nearest to a unit vector, by key; with `cold` those in the cold tier too, if exact.

    Exact unless `approximate`, which walks the HNSW index of the model and is for large scopes only: in a small one
    beside a large one it finds little (docs/why.md, "Exact or HNSW").
    """
    parameters = {"query": HalfVector(query), "limit": limit}
    if not approximate:
        model_ids = [model_id, f"{COLD}{model_id}"] if cold else [model_id]
        return _nearness(session, _SQL["nearest"], model_ids=model_ids, **parameters)
    session.execute(_SQL["walk_on"], ef_search=str(_EF_SEARCH))
    statement = sql.SQL(_SQL["nearest_approximate"]).format(dimension=sql.Literal(len(query)))
    found = _nearness(session, statement, model_id=model_id, **parameters)
    session.execute(_SQL["walk_off"])
    return found


def cosines(session: Session, model_id: str, query: Vector, keys: Ints) -> Nearness:
    """How near each of `keys` is that has a vector of the model."""
    return _nearness(session, _SQL["cosines"], model_id=model_id, query=HalfVector(query), keys=keys.tolist())


def _nearness(session: Session, query: Query, /, **parameters: object) -> Nearness:
    ((packed,),) = session.columns(query, **parameters)
    found = np.frombuffer(packed or b"", _PACKED)
    return Nearness(
        keys=found["key"].astype(np.int64),
        cosines=found["cosine"].astype(np.float64),
        sessions=found["session"].astype(np.int64),
    )
