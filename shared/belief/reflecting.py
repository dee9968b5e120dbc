"""Questions that somebody wants answered for as long as they stand, and what is held that answers them. Pure, no model.

An answer is the facts that speak of the question, word for word, as one inference that cites them: so what contradicts
something else is said beside it, and nothing is new. It ends as soon as any of its facts does. It is worked out anew
from what is held: an answer that is still the same stays, and one that is another, or ends elsewhen, replaces it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final

from shared.belief.anticipating import Ahead, Facts, is_ground, put_together
from shared.contract.operations import ClosePayload
from shared.contract.proposals import Proposal
from shared.contract.records import MemoryVersion, Operation
from shared.language.text import terms

REASON: Final = "reflected"
_FEWEST_FACTS: Final = 2


def reflections(
    questions: Iterable[str], beliefs: Iterable[MemoryVersion], filed: Collection[Ahead], *, at: datetime
) -> Iterator[Proposal]:
    """What is to be filed as answers to some questions, and which former answers are to be held no more.

    `beliefs` are what is held in words of its own, in any order, `filed` the answers among them. What one fact alone
    answers is not filed: it stands for itself. On what it comes to it proposes nothing.
    """
    facts = sorted((each for each in beliefs if is_ground(each, at)), key=lambda each: each.doc)
    wanted = {(tuple(fact.memory_id for fact in each), _end(each)): each for each in _answers(questions, facts)}
    for former in sorted(filed, key=lambda each: each.memory.doc):
        if wanted.pop((former.sources, former.memory.valid_to), None) is None:
            memory = former.memory
            closing = ClosePayload(op=Operation.EXPIRE, reason="answer_changed", memory=memory.memory_id)
            yield Proposal(operation=closing, read={memory.memory_id: memory.version})
    for (_, until), sources in wanted.items():
        yield put_together(REASON, sources, until=until)


def _end(facts: Iterable[MemoryVersion]) -> datetime | None:
    """When the first of some facts ends; None where none is known to."""
    return min((fact.valid_to for fact in facts if fact.valid_to is not None), default=None)


def _answers(questions: Iterable[str], facts: Sequence[MemoryVersion]) -> Iterator[tuple[MemoryVersion, ...]]:
    """Of each question, and of each agent's facts and trust apart, those that speak of it."""
    known = Facts(facts)
    apart: dict[object, MemoryVersion] = {(fact.agent_id, fact.trust): fact for fact in facts}
    for question in questions:
        for like in apart.values():
            found = known.speaking_of(frozenset(terms(question)), like)
            if len(found) >= _FEWEST_FACTS:
                yield found
