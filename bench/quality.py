"""Asks every question of a corpus of every system, conversation by conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol
from zoneinfo import ZoneInfo

from bench.baselines import Bm25Baseline, EmbedderBaseline, Ranker, RrfBaseline, with_date_and_speaker
from bench.bundles import Shown, shown, tokens_of_ranked
from bench.embedders import Remembering
from bench.product import DEPTH, Advance, Rankings
from bench.systems import OUT_OF_FOLD, WHOLE, Variant, variants
from shared import clock
from shared.settings import settings

if TYPE_CHECKING:
    from datetime import datetime

    from rich.progress import Progress

    from bench.corpus import Conversation, Corpus, Question, Turn
    from bench.unfitted import Unfitted
    from hotpath.recipes import Recipe
    from shared.contract.bundle import Bundle, Verdict

WARM_UP: Final = "What was said about it the last time?"
"""Asked of each memory first; not measured."""


class Asked(Protocol):
    """One conversation in a memory: what of `bench.product.Memory` is needed."""

    def rank(self, query: str, at: datetime | None = ..., variant: Variant | None = ...) -> Sequence[str]:
        """Distinct turn ids, best first."""

    def ask(self, query: str, at: datetime | None = ...) -> Bundle:
        """The bundle at the default budget."""

    def ask_for_ten(self, query: str, at: datetime | None = ...) -> Bundle:
        """The bundle of ten hits at most, with room for all."""

    def ask_with_twins(self, query: str, at: datetime | None = ...) -> Bundle:
        """The bundle at the default budget, near-twins shown each."""


class Fed(Protocol):
    """A memory that conversations can be fed to: what of `bench.product.Product` is needed."""

    def feed(self, conversation: Conversation, advance: Advance) -> Asked:
        """Take a conversation in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What an answerable question's bundle shows."""

    shown: Shown
    with_twins: Shown
    """The same where near-twins are not shown once for all."""
    tokens_of_ten: int
    """Of the ten best hits as rendered, without the turns around them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one question."""

    question: Question
    ranked: Mapping[str, tuple[str, ...]]
    """By system, `DEPTH` distinct turn ids at most, best first; empty where the question has no answer to be found."""
    content: Content | None
    """None where the question has no answer to be found."""
    verdict: Verdict
    degraded: bool
    tokens: int
    timings_ms: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What came of a corpus."""

    outcomes: tuple[Outcome, ...]
    elsewhere: tuple[Verdict, ...]
    """The verdicts on answerable questions that were put to another conversation of the corpus; none if it has one."""
    feeding_s: float
    """Time that all conversations together took to be observed, appended and indexed."""


def answer(
    corpus: Corpus,
    product: Fed,
    encoder: Remembering,
    progress: Progress,
    *,
    unfitted: Unfitted | None = None,
    recall_alone: bool = False,
) -> Answered:
    """Feed each conversation that is asked about, and ask; then put each question to the conversation before its own.

    `encoder` is the one the product indexes with. `unfitted` makes recipes whose weights were fitted without the
    questions that the shipped ones were fitted on; all questions are ranked by them too. With `recall_alone` nothing is
    ranked beside the whole of recall: neither baselines nor variants.
    """
    asked = _asked(corpus)
    fed = progress.add_task(f"{corpus.name}: turns fed", total=sum(len(each.turns) for each in asked))
    done = progress.add_task(f"{corpus.name}: questions asked", total=len(corpus.questions))
    outcomes: list[Outcome] = []
    asking: dict[str, _Asking] = {}
    feeding_s = 0.0
    for conversation, questions in asked.items():
        began = clock.monotonic_s()
        memory = product.feed(conversation, lambda turns: progress.advance(fed, turns))
        feeding_s += clock.monotonic_s() - began
        asking[conversation.id] = _Asking(conversation.turns, memory, None if recall_alone else encoder)
        for question in questions:
            outcomes.append(asking[conversation.id].outcome(question))
            progress.advance(done)
        encoder.forget()
    if unfitted is not None:
        recipes = unfitted(corpus, {name: each.memory for name, each in asking.items()}, progress)
        outcomes = [asking[each.question.conversation_id].out_of_fold(each, recipes) for each in outcomes]
    elsewhere = tuple(_elsewhere(list(asking.values()), asked.values(), progress, corpus.name))
    return Answered(outcomes=tuple(outcomes), elsewhere=elsewhere, feeding_s=feeding_s)


def _asked(corpus: Corpus) -> dict[Conversation, list[Question]]:
    """The conversations that are asked about, with their questions."""
    found: dict[str, list[Question]] = {}
    for question in corpus.questions:
        found.setdefault(question.conversation_id, []).append(question)
    return {each: found[each.id] for each in corpus.conversations if each.id in found}


def _elsewhere(
    asking: Sequence[_Asking], asked: Iterable[Sequence[Question]], progress: Progress, name: str
) -> Iterator[Verdict]:
    """The verdicts where nobody can know: each answerable question, put to the conversation before its own."""
    if len(asking) == 1:
        return
    put = [
        (asking[place - 1], question)
        for place, questions in enumerate(asked)
        for question in questions
        if question.answerable
    ]
    for one, question in progress.track(put, description=f"{name}: put elsewhere"):
        yield one.bundle(question).verdict


class _Asking:
    """One conversation, asked question by question; without an encoder, of recall alone."""

    def __init__(self, turns: Sequence[Turn], memory: Asked, encoder: Remembering | None) -> None:
        self.memory = memory
        self._last = max(turn.at for turn in turns)
        self._baselines = _baselines(turns, encoder) if encoder else {}
        self._variants = variants() if encoder else variants()[:1]
        memory.ask(WARM_UP)

    def bundle(self, question: Question) -> Bundle:
        """What an agent would be given."""
        return self.memory.ask(question.query, self._present(question))

    def outcome(self, question: Question) -> Outcome:
        """Ask one question of everybody."""
        bundle = self.bundle(question)  # first: nothing of it is remembered yet
        at = self._present(question)
        return Outcome(
            question=question,
            ranked=self._ranked(question, at) if question.answerable else {},
            content=self._content(question, at, bundle) if question.answerable else None,
            verdict=bundle.verdict,
            degraded=bool(bundle.degraded),
            tokens=bundle.tokens,
            timings_ms=bundle.timings_ms,
        )

    def out_of_fold(self, outcome: Outcome, recipes: Mapping[str, Recipe]) -> Outcome:
        """The outcome with a further ranking: by the question's recipe, or as shipped if nothing was fitted on it."""
        question = outcome.question
        if not question.answerable:
            return outcome
        recipe = recipes.get(question.id)
        if recipe is None:
            ranked = outcome.ranked[WHOLE]
        else:
            variant = Variant(name=OUT_OF_FOLD, group="out of fold", recipe=recipe)
            ranked = tuple(self.memory.rank(question.query, self._present(question), variant)[:DEPTH])
        return replace(outcome, ranked={**outcome.ranked, OUT_OF_FOLD: ranked})

    def _present(self, question: Question) -> datetime | None:
        """When it is asked: some histories hold sessions that are dated some hours after their question."""
        return max(question.asked_at, self._last) if question.asked_at else None

    def _ranked(self, question: Question, at: datetime | None) -> dict[str, tuple[str, ...]]:
        query = question.query
        rankings = Rankings(lambda variant: self.memory.rank(query, at, variant), query, at)
        found: dict[str, Sequence[str]] = {name: baseline.rank(query) for name, baseline in self._baselines.items()}
        found |= {variant.name: rankings.of(variant) for variant in self._variants}
        return {name: tuple(ranked[:DEPTH]) for name, ranked in found.items()}

    def _content(self, question: Question, at: datetime | None, bundle: Bundle) -> Content:
        gold = question.gold_turn_ids
        repeats = any(item.repeats for item in bundle.items)
        with_twins = self.memory.ask_with_twins(question.query, at) if repeats else bundle
        ten = self.memory.ask_for_ten(question.query, at)
        return Content(
            shown=shown(bundle, gold),
            with_twins=shown(with_twins, gold),
            tokens_of_ten=tokens_of_ranked(ten, ZoneInfo(settings().naive_timezone)),
        )


def _baselines(turns: Sequence[Turn], encoder: Remembering) -> dict[str, Ranker]:
    """The embedder reads date and speaker only where names tell speakers apart: to embed a text twice takes minutes."""
    words: dict[str, Ranker] = {
        "rank-bm25": Bm25Baseline(turns),
        "rank-bm25, date and speaker": Bm25Baseline(turns, with_date_and_speaker),
    }
    meaning: dict[str, Ranker] = {"bare embedder": EmbedderBaseline(turns, encoder)}
    if all(turn.speaker != turn.role for turn in turns) and len({turn.speaker for turn in turns}) > 1:
        meaning["bare embedder, date and speaker"] = EmbedderBaseline(turns, encoder, with_date_and_speaker)
    best = [list(each.values())[-1] for each in (words, meaning)]
    return {**words, **meaning, "RRF of BM25 and embedder": RrfBaseline(best)}
