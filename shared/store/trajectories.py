"""What was said in a scope, whole and in order, for laying it out as files. Reads `memory`; writes nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from shared.contract.scope import Owner
from shared.store.db import Row, Session
from shared.store.queries import queries

_SQL: Final = queries("trajectories")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An open memory, whole."""

    memory_id: UUID
    owner: Owner
    doc: int
    """Its number within its stream."""
    text: str
    kind: str
    epistemic_type: str
    speaker: str | None
    role: str | None
    origin: str
    trust: int
    session_id: str | None
    run_id: str | None
    at: datetime | None
    """World time; None where it is not known."""
    ended_at: datetime | None
    """When it stopped being true, where it has."""


def newest(session: Session, *, most: int) -> Iterator[Told]:
    """The open memories of all owners that the session reads, the newest first, `most` of them at most.

    Fetched in portions, so whoever stops early has read little more.
    """
    with session.connection.cursor(name="trajectories_newest") as cursor:
        cursor.itersize = 2_000
        cursor.execute(_SQL["newest"], session.whose(most=most))
        yield from map(_told, cursor)


def counted(session: Session) -> int:
    """How many open memories there are of all owners that the session reads."""
    row = session.row(_SQL["counted"])
    return int(row["memories"]) if row else 0


def still_held(session: Session, memory_ids: Collection[UUID]) -> set[UUID]:
    """Those of the memories that are not forgotten, open or closed, and that the session may read."""
    return {row["memory_id"] for row in session.rows(_SQL["still_held"], memory_ids=list(memory_ids))}


def _told(row: Row) -> Told:
    return Told(
        memory_id=row["memory_id"],
        owner=Owner(row["user_id"]),
        doc=row["doc"],
        text=row["text"],
        kind=row["kind"],
        epistemic_type=row["epistemic_type"],
        speaker=row["speaker"],
        role=row["role"],
        origin=row["origin"],
        trust=row["trust"],
        session_id=row["session_id"],
        run_id=row["run_id"],
        at=row["valid_from"],
        ended_at=row["valid_to"],
    )
