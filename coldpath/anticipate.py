"""anticipate: what somebody is likely to ask next is put together ahead of time, and gone when any fact of it is.

A model may say what else is likely: it is asked before (`_foretelling`), and `propose` reads what it has answered.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import timedelta
from functools import partial
from typing import Final
from uuid import UUID

from coldpath._foretelling import foretold_by_model
from coldpath.proposals import Propose, Proposed
from shared import clock
from shared.belief import anticipating, foretelling
from shared.belief.anticipating import Ahead, Bounds, anticipations
from shared.belief.foretelling import Foretold
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
    ahead, at = _ahead(session, beliefs), clock.now()
    stated = _without(beliefs, {each.memory.memory_id for each in ahead})
    by_model = foretold_by_model(session, episodes, stated, at) if bounds.most else Foretold()
    found = anticipations(episodes, beliefs, ahead, bounds, at=at, foretold=by_model.likely)
    return Proposed(proposals=list(found), passed_over=by_model.rejected)


def _without(beliefs: Iterable[MemoryVersion], left_out: Collection[UUID]) -> list[MemoryVersion]:
    return [each for each in beliefs if each.memory_id not in left_out]


def _ahead(session: Session, beliefs: Iterable[MemoryVersion]) -> list[Ahead]:
    made = sources_of(session, beliefs, {anticipating.REASON, foretelling.REASON})
    return [Ahead(memory=each, sources=made[each.memory_id]) for each in beliefs if each.memory_id in made]
