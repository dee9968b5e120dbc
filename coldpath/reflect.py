"""reflect: questions that stand are answered from what is held, and the answer is filed, citing what it is made of.

A model may compose it: it is asked before (`_composing`), and `propose` reads what it has answered.
"""

from __future__ import annotations

from collections.abc import Sequence

from coldpath._composing import MOST_LOOKED_AT, composed_by_model
from coldpath.proposals import Proposed
from shared import clock
from shared.belief import composing, reflecting
from shared.belief.reflecting import Filed, reflections
from shared.contract.records import EpistemicType, MemoryVersion
from shared.store import asked, memories
from shared.store.ahead import abstractions
from shared.store.db import Session


def propose(session: Session) -> Proposed:
    """What is to be filed in the stream of the session's owner, and which former answers are to be held no more."""
    beliefs = memories.beliefs(session, keyed=True, limit=MOST_LOOKED_AT)
    filed = _filed(session, beliefs)
    questions = [each.question for each in asked.standing(session)]
    if not questions and not filed:
        return Proposed()
    by_model = composed_by_model(session, beliefs)
    found = reflections(questions, beliefs, filed, at=clock.now(), composed=by_model.composed)
    return Proposed(proposals=list(found), passed_over=by_model.rejected)


def _filed(session: Session, beliefs: Sequence[MemoryVersion]) -> list[Filed]:
    inferred = {each.memory_id: each for each in beliefs if each.epistemic_type is EpistemicType.INFERENCE}
    made = abstractions(session, inferred, {reflecting.REASON, composing.REASON})
    return [
        Filed(memory=each, sources=made[memory].sources, reason=made[memory].reason)
        for memory, each in inferred.items()
        if memory in made
    ]
