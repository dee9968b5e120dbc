"""Ties from one memory to another: what superseded, absorbed, was made from or has to do with what.

The one writer of `memory_link`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import asdict
from typing import Final
from uuid import UUID

from shared.contract.records import Link
from shared.store.columns import portions
from shared.store.db import Row, Session
from shared.store.queries import queries

_SQL: Final = queries("links")


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


def newest(session: Session, *, limit: int) -> list[Link]:
    """The open links that jobs have made between memories of the owner, the newest first."""
    return [_link(row) for row in session.rows(_SQL["newest"], limit=limit)]


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
