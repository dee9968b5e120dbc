"""Figures out of what was answered. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from bench import metrics
from bench.corpus import count_remarks
from bench.metrics import ALL, Estimate
from bench.quality import CHANNELS_ALONE, WHOLE

if TYPE_CHECKING:
    from bench.corpus import Corpus
    from bench.quality import Answered, Outcome

Level = Literal["turn", "session"]
LEVELS: Final[tuple[Level, ...]] = ("turn", "session")
Measure = Callable[[Sequence[str], Collection[str]], float]
MEASURES: Final[Mapping[str, Measure]] = {
    "r@5": partial(metrics.recall_at, k=5),
    "r@10": partial(metrics.recall_at, k=10),
    "r@20": partial(metrics.recall_at, k=20),
    "all@5": partial(metrics.all_at, k=5),
    "all@10": partial(metrics.all_at, k=10),
    "nDCG@10": partial(metrics.ndcg_at, k=10),
    "MRR": metrics.reciprocal_rank,
}
GAINS: Final[tuple[tuple[Level, str], ...]] = (("turn", "r@10"), ("session", "all@5"))

ByMeasure = Mapping[str, Estimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantiles:
    """How a measured quantity is spread."""

    p50: float
    p95: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """How much better the whole of recall is than another system, on the same questions."""

    system: str
    level: Level
    measure: str
    difference: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Behind:
    """An overall figure on which a channel alone is better than the whole of recall."""

    channel: str
    level: Level
    measure: str
    whole: float
    alone: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """All figures of one corpus."""

    corpus: str
    conversations: int
    turns: int
    questions: int
    answerable: int
    remarks: Mapping[str, int]
    """What the loader mended and left out, and how often."""
    ranking: Mapping[Level, Mapping[str, Mapping[str, ByMeasure]]]
    """By level, kind of question (`ALL` first), system and measure."""
    gains: tuple[Gain, ...]
    behind: tuple[Behind, ...]
    supported: Mapping[str, Estimate]
    """Share of verdicts that are not `unknown`, of `answerable` and of `unanswerable` questions."""
    timings_ms: Mapping[str, Quantiles]
    tokens: Quantiles
    degraded: int
    """Of the questions, those whose bundle lacked something: their verdict and timings count all the same."""
    feeding_s: float


def figures(corpus: Corpus, answered: Answered) -> Quality:
    """Work out every figure.

    Raises:
        InvalidInput: no question was answerable.
    """
    fed = {outcome.question.conversation_id for outcome in answered.outcomes}
    conversations = [each for each in corpus.conversations if each.id in fed]
    values = _values(corpus, answered.outcomes)
    kinds = [outcome.question.kind for outcome in answered.outcomes if outcome.question.answerable]
    ranking = {level: _ranking(kinds, values[level]) for level in LEVELS}
    return Quality(
        corpus=corpus.name,
        conversations=len(conversations),
        turns=sum(len(each.turns) for each in conversations),
        questions=len(answered.outcomes),
        answerable=len(kinds),
        remarks=dict(count_remarks(corpus.remarks)),
        ranking=ranking,
        gains=tuple(_gains(values)),
        behind=tuple(_behind({level: ranking[level][ALL] for level in LEVELS})),
        supported=dict(_supported(answered.outcomes)),
        timings_ms=_timings(answered.outcomes),
        tokens=quantiles([outcome.tokens for outcome in answered.outcomes]),
        degraded=sum(outcome.degraded for outcome in answered.outcomes),
        feeding_s=answered.feeding_s,
    )


def quantiles(values: Sequence[float]) -> Quantiles:
    """Median and 95th percentile of at least one value."""
    p50, p95 = np.quantile(values, (0.5, 0.95))
    return Quantiles(p50=float(p50), p95=float(p95), n=len(values))


_Values = Mapping[str, Mapping[str, list[float]]]
"""By system and measure, one for each answerable question, in their order."""


def _values(corpus: Corpus, outcomes: Iterable[Outcome]) -> Mapping[Level, _Values]:
    sessions = {each.id: {turn.id: turn.session_id for turn in each.turns} for each in corpus.conversations}
    found: dict[Level, dict[str, dict[str, list[float]]]] = {level: {} for level in LEVELS}
    for outcome in outcomes:
        session_of = sessions[outcome.question.conversation_id]
        for system, ranked in outcome.ranked.items():
            turns = (ranked, outcome.question.gold_turn_ids)
            whole_sessions = (metrics.distinct(session_of[each] for each in ranked), outcome.question.gold_session_ids)
            for level, (ids, gold) in zip(LEVELS, (turns, whole_sessions), strict=True):
                of_system = found[level].setdefault(system, {name: [] for name in MEASURES})
                for name, measure in MEASURES.items():
                    of_system[name].append(measure(ids, gold))
    return found


def _ranking(kinds: Sequence[str], values: _Values) -> Mapping[str, Mapping[str, ByMeasure]]:
    ranking: dict[str, dict[str, dict[str, Estimate]]] = {}
    for system, by_measure in values.items():
        for measure, each in by_measure.items():
            for kind, estimate in metrics.by_kind(zip(kinds, each, strict=True)).items():
                ranking.setdefault(kind, {}).setdefault(system, {})[measure] = estimate
    return ranking


def _gains(values: Mapping[Level, _Values]) -> Iterable[Gain]:
    for level, measure in GAINS:
        for system in (name for name in values[level] if name != WHOLE):
            difference = metrics.paired_difference(values[level][WHOLE][measure], values[level][system][measure])
            yield Gain(system=system, level=level, measure=measure, difference=difference)


def _behind(overall: Mapping[Level, Mapping[str, ByMeasure]]) -> Iterable[Behind]:
    for level, by_system in overall.items():
        for channel in CHANNELS_ALONE:
            for measure in MEASURES:
                whole, alone = by_system[WHOLE][measure].mean, by_system[channel][measure].mean
                if alone > whole:
                    yield Behind(channel=channel, level=level, measure=measure, whole=whole, alone=alone)


def _supported(outcomes: Sequence[Outcome]) -> Iterable[tuple[str, Estimate]]:
    for name, answerable in (("answerable", True), ("unanswerable", False)):
        verdicts = [float(each.supported) for each in outcomes if each.question.answerable is answerable]
        if verdicts:
            yield name, metrics.estimate(verdicts)


def _timings(outcomes: Sequence[Outcome]) -> dict[str, Quantiles]:
    steps = dict.fromkeys(step for outcome in outcomes for step in outcome.timings_ms)
    return {step: quantiles([each.timings_ms[step] for each in outcomes if step in each.timings_ms]) for step in steps}
