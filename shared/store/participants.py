"""Who takes part in which room. The one writer of `participant`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from shared.contract.scope import Owner
from shared.store.db import Session
from shared.store.queries import queries

_SQL: Final = queries("participants")


def join(session: Session, room_id: str, user_ids: Sequence[str]) -> None:
    """Enter users as participants of a room; those who are stay as they are.

    The session must be of the participants as well as of the room: each row is its participant's.
    """
    session.execute_many(_SQL["join"], [{"room_id": room_id, "user_id": Owner(each)} for each in user_ids])
