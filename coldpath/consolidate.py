"""consolidate: what was said or done again and again becomes one memory that cites every time, and dies with them.

A model may say what else follows: it is asked before (`_concluding`), and `propose` reads what it has answered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Final
from uuid import UUID

from coldpath._concluding import concluded_by_model
from coldpath._made import Made, made_of, sources_of
from coldpath._runs import ran
from coldpath.proposals import Proposed
from coldpath.supersede import MOST_ASKED
from shared.belief import often, skills
from shared.belief.at_odds import Saying, at_odds
from shared.belief.concluding import Concluded
from shared.belief.lineage import undermined
from shared.contract.operations import AbstractPayload
from shared.contract.proposals import Proposal
from shared.contract.questions import Question
from shared.contract.records import MemoryVersion
from shared.store import batches, memories, reviews
from shared.store.db import Session
from shared.store.reviews import ReviewState
from shared.work.queues import CONSOLIDATE

MOST_LOOKED_AT: Final = 20_000
"""Episodes and beliefs of a stream that are looked at, the newest of each: some 40 MB."""
CONTRADICTS: Final = "contradicts"
"""Why a conclusion is passed over that another one, or what is held, is at odds with."""


def propose(session: Session) -> Proposed:
    """What is to be concluded in the stream of the session's owner, and what was and does not stand any more."""
    episodes = memories.episodes(session, limit=MOST_LOOKED_AT)
    beliefs = memories.beliefs(session, keyed=True, limit=MOST_LOOKED_AT)
    made = made_of(session, beliefs)
    denied = list(undermined([each for each in beliefs if each.memory_id in made], sources_of(session, made)))
    gone = {memory for each in denied for memory in each.read}
    standing = [each for each in beliefs if each.memory_id not in gone]
    learned = [each for each in standing if each.memory_id in made and made[each.memory_id].reason == skills.REASON]
    by_model = _by_model(session, episodes, standing, made)
    drawn = [*often.said_often(episodes, standing), *by_model.proposals]
    agreeing = _agreeing(drawn, episodes, standing)
    return Proposed(
        proposals=[*denied, *agreeing, *skills.skills(ran(session, episodes), learned)],
        questions=_to_ask(session, by_model.questions, standing),
        passed_over=by_model.rejected + Counter({CONTRADICTS: len(drawn) - len(agreeing)}),
    )


def _agreeing(
    drawn: Sequence[Proposal], episodes: Iterable[MemoryVersion], beliefs: Sequence[MemoryVersion]
) -> list[Proposal]:
    """Those of some conclusions that contradict neither one another nor what is held.

    Of what there is one at a time none is concluded, however often each was said: what was said last is not the more
    true for it, and what was said stays to be found.
    """
    of = {each.memory_id: each for each in chain(episodes, beliefs)}
    made = [each.operation for each in drawn if isinstance(each.operation, AbstractPayload)]
    odd = at_odds([Saying.of(of[each.sources[0]], each.entry.text) for each in made], beliefs)
    return [each for place, each in enumerate(drawn) if place not in odd]


def _by_model(
    session: Session, episodes: Sequence[MemoryVersion], beliefs: Sequence[MemoryVersion], made: Mapping[UUID, Made]
) -> Concluded:
    """What follows by the answers that no pass has looked at yet."""
    held = {each.memory_id: each for each in chain(episodes, beliefs)}
    drawn = [each.sources for each in made.values()]
    return concluded_by_model(session, batches.marked(session, CONSOLIDATE), held, beliefs, drawn)


def _to_ask(session: Session, questions: Sequence[Question], beliefs: Sequence[MemoryVersion]) -> Sequence[Question]:
    """As many as a person is still to be asked."""
    if not questions:
        return ()
    asked = reviews.questions(session)
    new = reviews.unasked(questions, asked, {each.memory_id: each.version for each in beliefs})
    return new[: max(0, MOST_ASKED - sum(each.state is ReviewState.OPEN for each in asked))]
