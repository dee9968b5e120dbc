"""What anticipate asks its model: what somebody will ask next, and what is known of it; and what it has answered."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import Final

from coldpath._answered import FORETELLING, answers, has_more
from coldpath._concluding import stated
from coldpath._consulting import Matter, Preparing, Shown
from coldpath._turns import next_turn
from shared.belief.anticipating import asks
from shared.belief.concluding import showable
from shared.belief.foretelling import MOST_SHOWN, Answer, Foretold, Told, foretold
from shared.belief.grounding import lines
from shared.contract.events import Event
from shared.contract.records import EpistemicType, MemoryVersion
from shared.store import batches
from shared.store.db import Session
from shared.work.queues import ANTICIPATE

ENOUGH_NEW: Final = 5
"""Questions and beliefs that nobody was asked about: with fewer, what is likely is what was likely before."""
_SOONEST: Final = timedelta(hours=20)
"""A nightly pass that comes earlier than the last one did still asks."""


def foretold_by_model(
    session: Session, episodes: Collection[MemoryVersion], beliefs: Collection[MemoryVersion], at: datetime
) -> Foretold:
    """What the stored answers come to on what is held by now; what was passed over before is not counted again."""
    held = {each.memory_id: each for each in chain(episodes, beliefs) if showable(each)}
    seen = batches.marked(session, ANTICIPATE)
    told = [
        Told(entries=each.entries, shown=each.shown(held, as_it_was=False), at=each.at, is_new=each.sequence > seen)
        for each in answers(session, FORETELLING)
    ]
    return foretold(told, beliefs, at=at)


def _shows(_of: Preparing, session: Session, asked: Sequence[Event]) -> list[Shown]:
    """Of what somebody asked, and of what is believed of them, the newest."""
    found = (each for each in stated(session) if _is_of_use(each))
    return next_turn(asked, found, lines, enough=ENOUGH_NEW, most=MOST_SHOWN)


def _is_of_use(each: MemoryVersion) -> bool:
    """What was said and is no question is in what is believed, where it is worth it."""
    return asks(each.text) if each.epistemic_type is EpistemicType.EVIDENCE else each.schema_name is None


MATTER: Final = Matter(
    job=ANTICIPATE,
    kinds=FORETELLING,
    schema=Answer,
    is_wanted=lambda settings: settings.anticipation_by_model and settings.anticipate_most > 0,
    may_have_more=lambda _session, asked, last_doc: has_more(asked, last_doc, ENOUGH_NEW),
    shows=_shows,
    soonest=_SOONEST,
)
