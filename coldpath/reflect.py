"""reflect: questions that stand are answered from what is held, and the answer is filed, citing what it is made of."""

from __future__ import annotations

from typing import Final

from coldpath.proposals import Proposed
from shared import clock
from shared.belief import reflecting
from shared.belief.anticipating import Ahead
from shared.belief.reflecting import reflections
from shared.store import asked, memories
from shared.store.ahead import sources_of
from shared.store.db import Session

MOST_LOOKED_AT: Final = 20_000
"""Beliefs of a stream that are looked at, the newest: some 20 MB."""


def propose(session: Session) -> Proposed:
    """What is to be filed in the stream of the session's owner, and which former answers are to be held no more."""
    beliefs = memories.beliefs(session, keyed=True, limit=MOST_LOOKED_AT)
    made = sources_of(session, beliefs, {reflecting.REASON})
    questions = [each.question for each in asked.standing(session)]
    if not questions and not made:
        return Proposed()
    filed = [Ahead(memory=each, sources=made[each.memory_id]) for each in beliefs if each.memory_id in made]
    return Proposed(proposals=list(reflections(questions, beliefs, filed, at=clock.now())))
