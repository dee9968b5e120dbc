"""Who takes part in which room. The one writer of `participant`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final
from uuid import UUID

from shared.contract.scope import Owner
from shared.store.db import Session
from shared.store.queries import queries

_SQL: Final = queries("participants")


def may_write(session: Session, room_id: str, user_id: str, *, inbox_id: UUID) -> bool:
    """Whether a user may write into a room: one that nobody has written into before, or one they take part in.

    The session must be of the room and of the user; the delivery `inbox_id` itself does not count as writing before.
    """
    row = session.row(_SQL["standing"], room_id=room_id, user_id=user_id, inbox_id=inbox_id)
    return row is not None and (row["takes_part"] or not row["is_known"])


def join(session: Session, room_id: str, user_ids: Sequence[str]) -> None:
    """Enter users as participants of a room; those who are stay as they are.

    The session must be of the participants as well as of the room: each row is its participant's.
    """
    session.execute_many(_SQL["join"], [{"room_id": room_id, "user_id": Owner(each)} for each in user_ids])


def rooms_of(session: Session) -> list[str]:
    """The ids of the rooms that the session's owner takes part in, in order."""
    return [row["room_id"] for row in session.rows(_SQL["rooms_of"])]


def among(session: Session, room_id: str, user_ids: Collection[str]) -> set[str]:
    """Those of some users who take part in a room. The session must be of all of them."""
    rows = session.rows(_SQL["among"], room_id=room_id, user_ids=list(user_ids))
    return {row["user_id"] for row in rows}


def clear(session: Session) -> int:
    """Take the session's owner out of every room; for the eraser. Returns of how many."""
    return session.execute(_SQL["clear"]).rowcount
