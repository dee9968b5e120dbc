"""Ties from one memory to another: what superseded, absorbed, was made from or has to do with what.

The one writer of `memory_link`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from shared.contract.records import Link
from shared.contract.relations import ABSTRACTS
from shared.store.columns import portions
from shared.store.db import Row, Session
from shared.store.keys import Ints
from shared.store.queries import queries

_SQL: Final = queries("links")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Beside:
    """Memories and what they are linked to: parallel arrays."""

    keys: Ints
    """See `shared.store.keys`."""
    others: Ints
    sessions: Ints
    """Number of the session of each of `others`."""
    scores: NDArray[np.float64]


NOTHING_BESIDE: Final = Beside(
    keys=np.empty(0, np.int64), others=np.empty(0, np.int64), sessions=np.empty(0, np.int64), scores=np.empty(0)
)


def insert(session: Session, links: Iterable[Link]) -> None:
    """Write new ties between memories of the session's owner. The caller holds the stream's lock."""
    for columns in portions(asdict(link) for link in links):
        session.execute(_SQL["insert"], **columns)


def stored(session: Session) -> list[Link]:
    """All ties of the owner's memories, in order of the operations that made them."""
    return [_link(row) for row in session.rows(_SQL["stored"])]


def of(session: Session, memory_ids: Collection[UUID]) -> list[Link]:
    """The ties that begin or end at some memories, of whichever of the session's owners, in that order."""
    return [_link(row) for row in session.rows(_SQL["of"], memory_ids=list(memory_ids))]


def numbered(session: Session, sequences: Collection[int]) -> list[Link]:
    """The owner's ties that some operations made, in order."""
    return [_link(row) for row in session.rows(_SQL["numbered"], sequences=list(sequences))]


def drawn_from(session: Session, sequences: Collection[int]) -> list[Link]:
    """The owner's links that were drawn from those of some operations, and from these in turn; in order."""
    return [_link(row) for row in session.rows(_SQL["drawn_from"], sequences=list(sequences))]


def absorbing(session: Session) -> list[Link]:
    """The owner's ties from memories to those that were merged into them, in order."""
    return [_link(row) for row in session.rows(_SQL["absorbing"])]


def made_from(session: Session, made: Collection[UUID]) -> dict[UUID, set[UUID]]:
    """Of those of some memories that were made from others, these others."""
    found: dict[UUID, set[UUID]] = {}
    for tie in of(session, made) if made else ():
        if tie.relation == ABSTRACTS and tie.source in made:
            found.setdefault(tie.source, set()).add(tie.target)
    return found


def newest(session: Session, *, limit: int) -> list[Link]:
    """The open links that jobs have made between memories of the owner, the newest first."""
    return [_link(row) for row in session.rows(_SQL["newest"], limit=limit)]


def beside(session: Session, keys: Ints, *, limit: int, without: Collection[str] = ()) -> Beside:
    """What is linked to some memories, both open: of each the `limit` surest; links that jobs have made alone.

    None by one of the relations `without`.
    """
    found, others, sessions, scores = session.columns(
        _SQL["beside"], keys=keys.tolist(), limit=limit, without=[*without]
    )
    return Beside(
        keys=np.array(found, np.int64),
        others=np.array(others, np.int64),
        sessions=np.array(sessions, np.int64),
        scores=np.array(scores, np.float64),
    )


def close(session: Session, closed: Iterable[Link]) -> None:
    """Write down by what ties of the owner have been closed. The caller holds the stream's lock."""
    for columns in portions({"opened_by": link.opened_by, "closed_by": link.closed_by} for link in closed):
        session.execute(_SQL["close"], **columns)


def remove(session: Session, memory_ids: Collection[UUID]) -> int:
    """Take away the ties of some of the owner's memories; for the eraser. Returns how many went."""
    return session.execute(_SQL["remove"], memory_ids=list(memory_ids)).rowcount


def clear(session: Session) -> int:
    """Take away all ties of the owner's memories; for the eraser. Returns how many went."""
    return session.execute(_SQL["clear"]).rowcount


def _link(row: Row) -> Link:
    return Link(**row)
