"""anticipate: what somebody is likely to ask next is put together ahead of time, and gone when any fact of it is."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from functools import partial
from typing import Final

from coldpath.proposals import Propose, Proposed
from shared import clock
from shared.belief import anticipating
from shared.belief.anticipating import Ahead, Bounds, anticipations
from shared.contract.records import MemoryVersion
from shared.settings import Settings
from shared.store import memories
from shared.store.ahead import sources_of
from shared.store.db import Session

MOST_LOOKED_AT: Final = 20_000
"""Episodes and beliefs of a stream that are looked at, the newest of each: some 40 MB."""


def by(settings: Settings) -> Propose:
    """The job, by the settings."""
    return partial(propose, Bounds(most=settings.anticipate_most, ahead=timedelta(days=settings.anticipate_days)))


def is_wanted(settings: Settings) -> bool:
    """Whether anything is to be worked out; what there is ends by itself."""
    return settings.anticipate_most > 0


def propose(bounds: Bounds, session: Session) -> Proposed:
    """What is to be held ahead of time in the stream of the session's owner, and what of it no more."""
    beliefs = memories.beliefs(session, keyed=True, limit=MOST_LOOKED_AT)
    episodes = memories.episodes(session, limit=MOST_LOOKED_AT) if bounds.most else []
    found = anticipations(episodes, beliefs, _ahead(session, beliefs), bounds, at=clock.now())
    return Proposed(proposals=list(found))


def _ahead(session: Session, beliefs: Iterable[MemoryVersion]) -> list[Ahead]:
    made = sources_of(session, beliefs, {anticipating.REASON})
    return [Ahead(memory=each, sources=made[each.memory_id]) for each in beliefs if each.memory_id in made]
