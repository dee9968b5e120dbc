"""The answer to a question that a model composed out of numbered memories: checked sentence by sentence. Pure.

Each sentence names the lines that it follows from (`grounding`), and is dropped where it does not: what no line says,
what has a number, name or date of its own, what denies or affirms otherwise. What was asked is no ground for an answer.
The sentences that are left are one text that cites all of their lines; where none is left, nobody has composed
anything. It is judged anew at each pass, on what is held by then.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from shared.belief.anticipating import asks, put_together
from shared.belief.at_odds import texts_at_odds
from shared.belief.grounding import adds, lines, named_by, ungrounded
from shared.belief.rules.instructions import gives_orders
from shared.belief.rules.sensitivity import classes_of
from shared.belief.similarity import says_the_same
from shared.belief.validating import refused
from shared.contract.records import MemoryVersion

REASON: Final = "composed"
MOST_SENTENCES: Final = 8
_FEWEST: Final = 2
_MOST_CHARS: Final = 300


class Entry(BaseModel):
    """One sentence of an answer, as a model gives it."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=False)

    text: Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"\S", max_length=_MOST_CHARS)]
    lines: Annotated[tuple[Annotated[int, Field(strict=True)], ...], Field(min_length=1)]


class Answer(BaseModel):
    """What is asked for."""

    facts: list[Entry]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence that follows from what it cites."""

    text: str
    sources: tuple[MemoryVersion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """What an answer comes to."""

    sentences: tuple[Sentence, ...] = ()
    rejected: Counter[str] = field(default_factory=Counter)
    """How many sentences were dropped, by why."""

    @property
    def can_be_filed(self) -> bool:
        """Whether it is made of more than one memory: what one says stands for itself."""
        return len(self.sources) >= _FEWEST

    @property
    def text(self) -> str:
        """The sentences, one after the other."""
        return " ".join(each.text for each in self.sentences)

    @property
    def sources(self) -> tuple[MemoryVersion, ...]:
        """All that they cite, each once, in order of their numbers."""
        cited = {each.memory_id: each for sentence in self.sentences for each in sentence.sources}
        return tuple(sorted(cited.values(), key=lambda each: each.doc))


def told(question: str, shown: Sequence[MemoryVersion]) -> str:
    """A question and the memories to answer it from, as a model is shown them."""
    return f"{json.dumps({'question': question}, ensure_ascii=False)}\n{lines(shown)}"


def composed(
    question: str, entries: Sequence[Any], shown: Sequence[MemoryVersion | None], held: Collection[MemoryVersion]
) -> Composed:
    """The sentences of an answer that stand, on what was `shown` by number and is held in words of its own.

    None has a word of the question alone: a question is taken back, and its words go.
    """
    found: list[Sentence] = []
    rejected = Counter({"too_many": max(0, len(entries) - MOST_SENTENCES)})
    for raw in entries[:MOST_SENTENCES]:
        each = _sentence(question, raw, shown, found)
        if isinstance(each, str):
            rejected[each] += 1
        else:
            found.append(each)
    odd = texts_at_odds([(each.sources[0], each.text) for each in found], held)
    rejected["contradicts"] += len(odd)
    kept = Composed(sentences=tuple(each for place, each in enumerate(found) if place not in odd))
    refusal = _refused(kept)
    if refusal:
        rejected[refusal] += len(kept.sentences)
    return Composed(sentences=() if refusal else kept.sentences, rejected=+rejected)


def _refused(whole: Composed) -> str | None:
    """Why what is left cannot be held as one memory; None too where it need not be, since it rests on one line."""
    if not whole.can_be_filed:
        return None
    proposal = put_together(REASON, whole.sources, text=whole.text)
    return refused(proposal, {each.memory_id: each for each in whole.sources})


def _sentence(
    question: str, raw: Any, shown: Sequence[MemoryVersion | None], before: Sequence[Sentence]
) -> Sentence | str:
    """The sentence of one entry, or in a word why it is dropped."""
    try:
        entry = Entry.model_validate(raw)
    except ValidationError:
        return "bad_entry"
    sources = named_by(entry.lines, shown)
    if isinstance(sources, str):
        return sources
    fault = _fault(question, entry.text, sources, shown)
    if fault is None and any(says_the_same(each.text, entry.text) for each in before):
        return "said_already"
    return fault or Sentence(text=entry.text, sources=tuple(sources))


def _fault(
    question: str, text: str, sources: Sequence[MemoryVersion], shown: Sequence[MemoryVersion | None]
) -> str | None:
    if any(asks(each.text) for each in sources):
        return "states_nothing"
    if gives_orders(text):
        return "orders"
    if not {each for source in sources for each in classes_of(source.text, holds_secret=False)}.issuperset(
        classes_of(text, holds_secret=False)
    ):
        return "delicate"
    if adds(text, sources):
        return "added"
    return ungrounded(text, sources, shown, is_answer=True, asked=question)
