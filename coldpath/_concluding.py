"""What consolidate asks its model: what follows from several memories of one agent together; and what it answered."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from coldpath._answered import CONCLUDING, answers, has_more
from coldpath._consulting import Matter, Preparing, Shown
from coldpath._made import REASONS, made_of
from coldpath._turns import next_turn
from shared.belief.concluding import MOST_SHOWN, Answer, Concluded, concluded, showable
from shared.belief.grounding import lines
from shared.contract.events import Event
from shared.contract.records import MemoryVersion
from shared.store import memories
from shared.store.db import Session
from shared.work.queues import CONSOLIDATE

ENOUGH_NEW: Final = 10
"""Memories that nobody was asked about: fewer show no pattern, and cost as much to ask about."""
_SOONEST: Final = timedelta(hours=20)
"""A nightly pass that comes earlier than the last one did still asks."""
_MOST_LOOKED_AT: Final = 2_000


def stated(session: Session) -> list[MemoryVersion]:
    """What was said, and what is believed but was not concluded before, as far as a model may be shown it."""
    beliefs = memories.beliefs(session, keyed=True, limit=_MOST_LOOKED_AT)
    made = made_of(session, beliefs, REASONS)
    said = memories.episodes(session, limit=_MOST_LOOKED_AT)
    return [each for each in (*said, *beliefs) if each.memory_id not in made and showable(each)]


def concluded_by_model(
    session: Session,
    after: int,
    held: Mapping[UUID, MemoryVersion],
    beliefs: Collection[MemoryVersion],
    drawn: Iterable[Collection[UUID]],
) -> Concluded:
    """What the answers come to that were stored behind a sequence, on what is held by now."""
    found = Concluded()
    grounds = [*drawn]
    for answer in answers(session, CONCLUDING, after=after):
        each = concluded(answer.entries, answer.shown(held), beliefs, grounds)
        grounds += [proposal.read.keys() for proposal in each.proposals]
        found = Concluded(
            proposals=(*found.proposals, *each.proposals),
            questions=(*found.questions, *each.questions),
            rejected=found.rejected + each.rejected,
        )
    return found


def _shows(_of: Preparing, session: Session, asked: Sequence[Event]) -> list[Shown]:
    return next_turn(asked, stated(session), lines, enough=ENOUGH_NEW, most=MOST_SHOWN)


MATTER: Final = Matter(
    job=CONSOLIDATE,
    kinds=CONCLUDING,
    schema=Answer,
    is_wanted=lambda settings: settings.consolidation_by_model,
    may_have_more=lambda _session, asked, last_doc: has_more(asked, last_doc, ENOUGH_NEW),
    shows=_shows,
    soonest=_SOONEST,
)
