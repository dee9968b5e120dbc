"""The dense view: one vector a memory. The one writer of `memory_vector`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector
from psycopg import sql

from shared.contract.scope import Owner
from shared.store.db import Row, Session
from shared.store.queries import queries

_SQL: Final = queries("vectors")

_EF_SEARCH: Final = 200
"""At 100,000 memories and k = 100: 100 found .92, 200 .95, 400 all of the true nearest, for half a millisecond each."""

Vector = NDArray[np.float32]


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


class Near(NamedTuple):
    """How near a memory is to a query."""

    cosine: float
    session_doc: int


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
                "embedding": HalfVector(each.embedding).to_text(),
            }
            for each in vectors
        ],
    )


def nearest(
    session: Session, model_id: str, query: Vector, *, limit: int, approximate: bool
) -> dict[tuple[Owner, int], Near]:
    """The `limit` open memories nearest to a unit vector, by owner and number; the nearest first.

    Exact unless `approximate`, which walks the HNSW index of the model and is for large scopes only: in a small one
    beside a large one it finds little (docs/why.md, "Exact or HNSW").
    """
    parameters = {"model_id": model_id, "query": HalfVector(query).to_text(), "limit": limit}
    if not approximate:
        rows = session.rows(_SQL["nearest"], **parameters)
    else:
        session.execute(_SQL["walk_on"], ef_search=str(_EF_SEARCH))
        statement = sql.SQL(_SQL["nearest_approximate"]).format(dimension=sql.Literal(len(query)))
        rows = session.rows(statement, **parameters)
        session.execute(_SQL["walk_off"])
    return _near(rows)


def cosines(
    session: Session, model_id: str, query: Vector, docs: Sequence[tuple[Owner, int]]
) -> dict[tuple[Owner, int], Near]:
    """How near each of `docs` is that has a vector of the model."""
    rows = session.rows(
        _SQL["cosines"],
        model_id=model_id,
        query=HalfVector(query).to_text(),
        doc_owners=[owner for owner, _ in docs],
        docs=[doc for _, doc in docs],
    )
    return _near(rows)


def _near(rows: Sequence[Row]) -> dict[tuple[Owner, int], Near]:
    return {(row["user_id"], row["doc"]): Near(row["cosine"], row["session_doc"]) for row in rows}
