"""The temporal channel: memories of the time that a query asks about, whatever their words.

"What did I do yesterday?" shares no word with what was done. The newest of the time are taken; which of them bear on
the query is for fusion to say.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from hotpath._plan import Plan
from shared.store import memories
from shared.store.db import Session
from shared.store.keys import Ints

_INSTANT: Final = timedelta(microseconds=1)


def search(session: Session, plan: Plan, *, as_of: datetime | None, known_at: datetime | None) -> Ints:
    """Keys of the newest memories within the window of a plan that asks this channel."""
    assert plan.window is not None
    end = plan.window.end if as_of is None else min(plan.window.end, as_of + _INSTANT)
    return memories.within(session, plan.window.start, end, limit=plan.channels["temporal"].limit, known_at=known_at)
