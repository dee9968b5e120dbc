"""What is around a name in the graph view, worked out as it is asked for. Reads only.

Nothing of it is stored: that two names are mentioned together is in the mentions already, and what is not stored cannot
be stale, nor outlive what is forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from shared.store.db import Session
from shared.store.queries import queries

_SQL: Final = queries("around_names")
MOST_MEMORIES: Final = 2_000
"""Memories of a name, the newest, that its neighbours are counted by."""
CITED: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A name of somebody's memories."""

    name: str
    memories: int
    """Open ones that mention it."""
    cited: Sequence[UUID]
    """The newest of them."""
    aliases: Sequence[str]
    """Other forms under which it is found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A name that is mentioned together with another."""

    name: str
    memories: int
    """How many mention both."""
    cited: Sequence[UUID]
    """The newest of those."""


def named(session: Session, name: str) -> Named | None:
    """What there is of a name, by its key, in the memories of the session's owner; None where none mentions it."""
    row = session.row(_SQL["named"], name=name, cited=CITED)
    return Named(**row) if row and row["memories"] else None


def neighbours(session: Session, name: str, *, limit: int) -> list[Neighbour]:
    """The names that are mentioned together with a name of the owner's, the closest first."""
    rows = session.rows(_SQL["neighbours"], name=name, cited=CITED, newest=MOST_MEMORIES, limit=limit)
    return [Neighbour(**row) for row in rows]


def names(session: Session) -> list[str]:
    """The keys of all names of the owner, in order."""
    (found,) = session.columns(_SQL["names"])
    return list(found)
