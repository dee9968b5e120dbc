"""The dense view: one vector a memory. The one writer of `memory_vector`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector
from psycopg import sql

from shared.store.db import Row, Session
from shared.store.keys import Ints, docs_of, places_of
from shared.store.queries import queries

_SQL: Final = queries("vectors")

_EF_SEARCH: Final = 200
"""At 100,000 memories and k = 100: 100 found .92, 200 .95, 400 all of the true nearest, for half a millisecond each."""

Vector = NDArray[np.float32]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryVector:
    """A vector about to be stored."""

    doc: int
    session_doc: int
    """Number of its session's first memory."""
    memory_id: UUID
    version: int
    kind: str
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
        """The cosine of each of `keys`; NaN where it has none or is of another session."""
        if not len(self.keys):
            return np.full(len(keys), np.nan)
        places = self._places(keys)
        known = (self.keys[places] == keys) & (self.sessions[places] == sessions)
        return np.where(known, self.cosines[places], np.nan)

    def _places(self, keys: Ints) -> NDArray[np.intp]:
        return np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)

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


def insert(session: Session, model_id: str, vectors: Iterable[MemoryVector]) -> None:
    """Store vectors of the session's owner; one that is there already stays."""
    session.execute_many(
        _SQL["insert"],
        [
            {
                "model_id": model_id,
                "doc": each.doc,
                "session_doc": each.session_doc,
                "memory_id": each.memory_id,
                "version": each.version,
                "kind": each.kind,
                "text_hash": each.text_hash,
                "embedding": HalfVector(each.embedding),
            }
            for each in vectors
        ],
    )


def nearest(session: Session, model_id: str, query: Vector, *, limit: int, approximate: bool) -> Nearness:
    """The `limit` open memories nearest to a unit vector, by key.

    Exact unless `approximate`, which walks the HNSW index of the model and is for large scopes only: in a small one
    beside a large one it finds little (docs/why.md, "Exact or HNSW").
    """
    parameters = {"model_id": model_id, "query": HalfVector(query), "limit": limit}
    if not approximate:
        return _nearness(session.columns(_SQL["nearest"], **parameters))
    session.execute(_SQL["walk_on"], ef_search=str(_EF_SEARCH))
    statement = sql.SQL(_SQL["nearest_approximate"]).format(dimension=sql.Literal(len(query)))
    found = _nearness(session.columns(statement, **parameters))
    session.execute(_SQL["walk_off"])
    return found


def cosines(session: Session, model_id: str, query: Vector, keys: Ints) -> Nearness:
    """How near each of `keys` is that has a vector of the model."""
    columns = session.columns(
        _SQL["cosines"],
        model_id=model_id,
        query=HalfVector(query),
        places=places_of(keys).tolist(),
        docs=docs_of(keys).tolist(),
    )
    return _nearness(columns)


def _nearness(columns: Sequence[Sequence[float]]) -> Nearness:
    keys, cosine, sessions = columns
    order = np.argsort(np.array(keys, np.int64))
    return Nearness(
        keys=np.array(keys, np.int64)[order],
        cosines=np.array(cosine, np.float64)[order],
        sessions=np.array(sessions, np.int64)[order],
    )
