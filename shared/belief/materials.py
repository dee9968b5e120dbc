"""What is held on a question that stands, rung by rung, as a model is to be shown it. Pure, no model.

Pages say what facts say, and are no rung of their own here. What was concluded is shown as what it was made of, so that
no answer rests on an answer. Then come the facts, those first that the rules would answer with, then what people said,
but for what they asked. All of it of one agent, a person's own, of now, and nothing delicate.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from shared.belief.anticipating import Facts, asks, is_ground
from shared.belief.concluding import showable
from shared.contract.records import EpistemicType, MemoryVersion
from shared.contract.trust import TRUST, Origin
from shared.language.text import terms

MOST_OF_A_RUNG: Final = 12
"""Facts, and messages, beside what the rules answer a question with."""
_FEWEST: Final = 2
"""What one memory alone answers stands for itself."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A question of one agent's memory."""

    question: str
    agent_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What an agent's memory has on a question."""

    turn: Turn
    facts: tuple[MemoryVersion, ...]
    """Those that speak of it: what the rules answer it with."""
    shown: tuple[MemoryVersion, ...]
    """What a model is to answer it from: what is believed before what was said, each in order of its number."""


class Grounds:
    """What may be shown of one stream, by the words that it has."""

    def __init__(
        self,
        beliefs: Iterable[MemoryVersion],
        said: Iterable[MemoryVersion],
        made_of: Mapping[UUID, Collection[UUID]],
        *,
        at: datetime,
    ) -> None:
        """`made_of` are the sources of those of the beliefs that were concluded from others."""
        held = sorted((each for each in beliefs if each.trust >= TRUST[Origin.USER]), key=lambda each: each.doc)
        self._facts = Facts([each for each in held if is_ground(each, at) and each.memory_id not in made_of])
        self._said = Facts([each for each in said if showable(each) and not asks(each.text)])
        self._concluded = Facts([each for each in held if each.memory_id in made_of])
        self._made_of = made_of
        self.held = {each.memory_id: each for each in (*self._facts.all, *self._said.all)}
        """All that may be shown, and cited."""

    def on(self, question: str) -> Iterator[Material]:
        """What each agent's memory has on a question, where it is enough to be put together."""
        words = frozenset(terms(question))
        for like in {(each.agent_id, each.trust): each for each in self.held.values()}.values():
            rules = self._facts.speaking_of(words, like)
            shown = _in_order((*rules, *self._behind(words, like), *self._near(words, like)))
            if len(shown) >= _FEWEST:
                yield Material(turn=Turn(question, like.agent_id), facts=rules, shown=shown)

    def _behind(self, words: Collection[str], like: MemoryVersion) -> Iterator[MemoryVersion]:
        """What conclusions that speak of it were made of."""
        for each in self._concluded.nearest(words, like, MOST_OF_A_RUNG):
            sources = (self.held.get(source) for source in self._made_of[each.memory_id])
            yield from [source for source in sources if source and source.trust == like.trust]

    def _near(self, words: Collection[str], like: MemoryVersion) -> Iterator[MemoryVersion]:
        yield from self._facts.nearest(words, like, MOST_OF_A_RUNG)
        yield from self._said.nearest(words, like, MOST_OF_A_RUNG)


def _in_order(memories: Iterable[MemoryVersion]) -> tuple[MemoryVersion, ...]:
    each_once = {each.memory_id: each for each in memories}.values()
    return tuple(sorted(each_once, key=lambda each: (each.epistemic_type is EpistemicType.EVIDENCE, each.doc)))
