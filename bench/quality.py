"""Asks every question of a corpus of every system, conversation by conversation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from bench.baselines import Bm25Baseline, EmbedderBaseline, Ranker, RrfBaseline, with_date_and_speaker
from bench.embedders import Remembering
from bench.product import DEPTH, Advance
from shared import clock
from shared.contract.bundle import Verdict

if TYPE_CHECKING:
    from rich.progress import Progress

    from bench.corpus import Conversation, Corpus, Question, Turn
    from shared.contract.bundle import Bundle

WHOLE: Final = "recall"
CHANNELS_ALONE: Final = {"recall, sparse alone": "sparse", "recall, dense alone": "dense"}

Rank = Callable[[str], Sequence[str]]
"""A query to distinct turn ids, best first."""


class Asked(Protocol):
    """One conversation in a memory: what of `bench.product.Memory` is needed."""

    def rank(self, query: str, channels: frozenset[str] = ...) -> Sequence[str]:
        """Distinct turn ids, best first."""

    def ask(self, query: str) -> Bundle:
        """The bundle at the default budget."""


class Fed(Protocol):
    """A memory that conversations can be fed to: what of `bench.product.Product` is needed."""

    def feed(self, conversation: Conversation, advance: Advance) -> Asked:
        """Take a conversation in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one question."""

    question: Question
    ranked: Mapping[str, tuple[str, ...]]
    """By system, `DEPTH` distinct turn ids at most, best first; empty where the question has no answer to be found."""
    supported: bool
    degraded: bool
    tokens: int
    timings_ms: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What came of a corpus."""

    outcomes: tuple[Outcome, ...]
    feeding_s: float
    """Time that all conversations together took to be observed, appended and indexed."""


def answer(corpus: Corpus, product: Fed, encoder: Remembering, progress: Progress) -> Answered:
    """Feed each conversation that is asked about, and ask. `encoder` is the one the product indexes with."""
    by_conversation: dict[str, list[Question]] = {}
    for question in corpus.questions:
        by_conversation.setdefault(question.conversation_id, []).append(question)
    conversations = [each for each in corpus.conversations if each.id in by_conversation]
    fed = progress.add_task(f"{corpus.name}: turns fed", total=sum(len(each.turns) for each in conversations))
    asked = progress.add_task(f"{corpus.name}: questions asked", total=len(corpus.questions))
    outcomes: list[Outcome] = []
    feeding_s = 0.0
    for conversation in conversations:
        began = clock.monotonic_s()
        memory = product.feed(conversation, lambda turns: progress.advance(fed, turns))
        feeding_s += clock.monotonic_s() - began
        systems = _systems(conversation.turns, memory, encoder)
        memory.ask(by_conversation[conversation.id][0].query)  # warms plans and caches; not measured
        for question in by_conversation[conversation.id]:
            outcomes.append(_outcome(question, systems, memory.ask(question.query)))
            progress.advance(asked)
        encoder.forget()
    return Answered(outcomes=tuple(outcomes), feeding_s=feeding_s)


def _systems(turns: Sequence[Turn], memory: Asked, encoder: Remembering) -> dict[str, Rank]:
    baselines = _baselines(turns, encoder)
    return {
        **{name: baseline.rank for name, baseline in baselines.items()},
        **{name: _alone(memory, channel) for name, channel in CHANNELS_ALONE.items()},
        WHOLE: memory.rank,
    }


def _baselines(turns: Sequence[Turn], encoder: Remembering) -> dict[str, Ranker]:
    """The embedder reads date and speaker only where speakers have names: to embed a text twice takes minutes."""
    words: dict[str, Ranker] = {
        "rank-bm25": Bm25Baseline(turns),
        "rank-bm25, date and speaker": Bm25Baseline(turns, with_date_and_speaker),
    }
    meaning: dict[str, Ranker] = {"bare embedder": EmbedderBaseline(turns, encoder)}
    if all(turn.speaker != turn.role for turn in turns):
        meaning["bare embedder, date and speaker"] = EmbedderBaseline(turns, encoder, with_date_and_speaker)
    best = [list(each.values())[-1] for each in (words, meaning)]
    return {**words, **meaning, "RRF of BM25 and embedder": RrfBaseline(best)}


def _alone(memory: Asked, channel: str) -> Rank:
    return lambda query: memory.rank(query, frozenset({channel}))


def _outcome(question: Question, systems: Mapping[str, Rank], bundle: Bundle) -> Outcome:
    ranked = (
        {name: tuple(rank(question.query)[:DEPTH]) for name, rank in systems.items()} if question.answerable else {}
    )
    return Outcome(
        question=question,
        ranked=ranked,
        supported=bundle.verdict is not Verdict.UNKNOWN,
        degraded=bool(bundle.degraded),
        tokens=bundle.tokens,
        timings_ms=bundle.timings_ms,
    )
