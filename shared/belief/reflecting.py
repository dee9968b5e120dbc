"""Questions that somebody wants answered for as long as they stand, and what is held that answers them. Pure, no model.

An answer is the facts that speak of the question, word for word, as one inference that cites them: so what contradicts
something else is said beside it, and nothing is new. Where a model has composed one (`composing`) with all of these
facts before its eyes, it is that. It ends as soon as any of what it cites does. It is worked out anew from what is
held: an answer that is still the same stays, and one that is another, or ends elsewhen, replaces it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from shared.belief.anticipating import Facts, is_ground, put_together
from shared.belief.composing import REASON as COMPOSED
from shared.belief.composing import Composed
from shared.belief.materials import Turn
from shared.contract.operations import ClosePayload
from shared.contract.proposals import Proposal
from shared.contract.records import MemoryVersion, Operation
from shared.language.text import terms

REASON: Final = "reflected"
_FEWEST: Final = 2
"""What one memory alone answers is not filed: it stands for itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filed:
    """An answer that is held."""

    memory: MemoryVersion
    sources: tuple[UUID, ...]
    reason: str = REASON


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """What is to be filed."""

    reason: str
    sources: tuple[MemoryVersion, ...]
    text: str | None = None

    @property
    def until(self) -> datetime | None:
        """When the first of what it cites ends; None where none is known to."""
        return min((each.valid_to for each in self.sources if each.valid_to is not None), default=None)

    @property
    def key(self) -> tuple[Any, ...]:
        """By which it is the same as a former one; what is word for word is what its sources are."""
        return self.reason, self.text, tuple(each.memory_id for each in self.sources), self.until


def reflections(
    questions: Iterable[str],
    beliefs: Iterable[MemoryVersion],
    filed: Collection[Filed],
    *,
    at: datetime,
    composed: Mapping[Turn, Composed] | None = None,
) -> Iterator[Proposal]:
    """What is to be filed as answers to some questions, and which former answers are to be held no more.

    `beliefs` are what is held in words of its own, in any order, `filed` the answers among them; `composed` is what
    stands of a model's answers. On what it comes to it proposes nothing.
    """
    facts = sorted((each for each in beliefs if is_ground(each, at)), key=lambda each: each.doc)
    wanted = {each.key: each for each in _answers(questions, facts, composed or {})}
    for former in sorted(filed, key=lambda each: each.memory.doc):
        memory = former.memory
        text = memory.text if former.reason == COMPOSED else None
        if wanted.pop((former.reason, text, former.sources, memory.valid_to), None) is None:
            closing = ClosePayload(op=Operation.EXPIRE, reason="answer_changed", memory=memory.memory_id)
            yield Proposal(operation=closing, read={memory.memory_id: memory.version})
    for each in wanted.values():
        yield put_together(each.reason, each.sources, until=each.until, text=each.text)


def _answers(
    questions: Iterable[str], facts: Sequence[MemoryVersion], composed: Mapping[Turn, Composed]
) -> Iterator[_Answer]:
    """Of each question, and of each agent's facts and trust apart, what was composed, else those that speak of it."""
    known = Facts(facts)
    apart: dict[object, MemoryVersion] = {(fact.agent_id, fact.trust): fact for fact in facts}
    for question in questions:
        own = {
            turn.agent_id: each for turn, each in composed.items() if turn.question == question and each.can_be_filed
        }
        yield from (_Answer(reason=COMPOSED, sources=each.sources, text=each.text) for each in own.values())
        answered = {(agent, each.sources[0].trust) for agent, each in own.items()}
        for whose in [each for each in apart if each not in answered]:
            found = known.speaking_of(frozenset(terms(question)), apart[whose])
            if len(found) >= _FEWEST:
                yield _Answer(reason=REASON, sources=found)
