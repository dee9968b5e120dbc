"""Profiles as they are read: the records of an owner, folded when they are asked for."""

from __future__ import annotations

from datetime import datetime

from shared.belief.profiles import Profile, profile
from shared.belief.schemas import Schemas
from shared.store import memories, uses
from shared.store.db import Session


def read(session: Session, schemas: Schemas, *, at: datetime, known_at: datetime | None = None) -> Profile:
    """The profile of the session's owner at a time of the world, as far as was known at `known_at` (None: now).

    How records have fared is counted from all that was reported by now.
    """
    held = memories.records(session)
    fared = {use.memory_id: use for use in uses.stored(session)} if held else {}
    return profile(held, schemas, at=at, known_at=known_at, uses=fared)
