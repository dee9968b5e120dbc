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
from bench.systems import OUT_OF_FOLD, WHOLE, Group, variants
from bench.verdicts import Verdicts, verdicts

if TYPE_CHECKING:
    from bench.corpus import Corpus, Remark
    from bench.quality import Answered, Content, Outcome

Level = Literal["turn", "session"]
LEVELS: Final[tuple[Level, ...]] = ("turn", "session")
Measure = Callable[[Sequence[str], Collection[str]], float]
CURVE: Final = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50)
"""Where the curves of recall@k are taken."""
MEASURES: Final[Mapping[str, Measure]] = {
    **{f"r@{k}": partial(metrics.recall_at, k=k) for k in CURVE},
    "all@5": partial(metrics.all_at, k=5),
    "all@10": partial(metrics.all_at, k=10),
    "nDCG@10": partial(metrics.ndcg_at, k=10),
    "MRR": metrics.reciprocal_rank,
}
GAINS: Final[tuple[tuple[Level, str], ...]] = (("turn", "r@5"), ("turn", "r@10"), ("session", "all@5"))
LOSSES: Final = ("r@10", "all@10", "nDCG@10")
"""Of turns: on what an ablation is judged."""

TABLED: Final = ("r@2", "r@5", "r@10", "r@20", "all@5", "all@10", "nDCG@10", "MRR")
"""What tables show; curves show more."""
TOKENS_OF_TEN: Final = "tokens of the ten best hits as rendered"
IN_BUNDLE: Final[Mapping[str, Callable[[Content], float]]] = {
    "all gold turns are in the text": lambda each: each.shown.whole,
    "the same, without the turns around hits": lambda each: each.shown.whole_by_hits,
    "the same, with every near-twin shown": lambda each: each.with_twins.whole,
    "gold turns that are in the text": lambda each: each.shown.gold,
    "items that are gold": lambda each: each.shown.density,
    "tokens that are of gold turns": lambda each: each.shown.token_density,
    TOKENS_OF_TEN: lambda each: each.tokens_of_ten,
}
"""What is measured of the bundles of answerable questions."""
_ALONE: Final = tuple(each.name for each in variants() if each.group == "channel alone")
_CHANGED: Final = frozenset(each.name for each in variants() if each.name not in {WHOLE, *_ALONE})

ByMeasure = Mapping[str, Estimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantiles:
    """How a measured quantity is spread."""

    p50: float
    p95: float
    n: int
    p50_interval: tuple[float, float] | None = None
    """95 % bootstrap, as is the other; None where none was asked for."""
    p95_interval: tuple[float, float] | None = None


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
class Ablation:
    """What recall loses or gains where one thing is otherwise, on the same questions, ranked by turns."""

    name: str
    group: Group
    against: str
    """The variant that it differs from in that one thing."""
    changed: int
    """Of the questions, those that are ranked otherwise."""
    figures: ByMeasure
    differences: ByMeasure
    """Less those of `against`, on `LOSSES`."""


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
    left_out: Mapping[str, str]
    """The questions that were left out, each with the reason."""
    best: str
    """The system that stands for recall: out of fold, where the shipped weights were fitted on this corpus."""
    ranking: Mapping[Level, Mapping[str, Mapping[str, ByMeasure]]]
    """By level, kind of question (`ALL` first), system and measure."""
    gains: tuple[Gain, ...]
    behind: tuple[Behind, ...]
    ablations: tuple[Ablation, ...]
    bundle: ByMeasure
    """Of the bundles of answerable questions, shares, and `TOKENS_OF_TEN` in tokens."""
    verdicts: Verdicts
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
    values = scores(corpus, answered.outcomes)
    kinds = [outcome.question.kind for outcome in answered.outcomes if outcome.question.answerable]
    ranking = {level: _ranking(kinds, values[level]) for level in LEVELS}
    best = OUT_OF_FOLD if OUT_OF_FOLD in values["turn"] else WHOLE
    return Quality(
        corpus=corpus.name,
        conversations=len(conversations),
        turns=sum(len(each.turns) for each in conversations),
        questions=len(answered.outcomes),
        answerable=len(kinds),
        remarks=dict(count_remarks(corpus.remarks)),
        left_out=_left_out(corpus.remarks),
        best=best,
        ranking=ranking,
        gains=tuple(gains(values, best)),
        behind=tuple(_behind({level: ranking[level][ALL] for level in LEVELS})),
        ablations=tuple(_ablations(values["turn"], answered.outcomes)),
        bundle=_bundle([each.content for each in answered.outcomes if each.content is not None]),
        verdicts=verdicts(answered),
        timings_ms=_timings(answered.outcomes),
        tokens=quantiles([outcome.tokens for outcome in answered.outcomes], intervals=True),
        degraded=sum(outcome.degraded for outcome in answered.outcomes),
        feeding_s=answered.feeding_s,
    )


def _left_out(remarks: Iterable[Remark]) -> dict[str, str]:
    return {remark.subject: remark.rule for remark in remarks if remark.kind == "left out"}


def quantiles(values: Sequence[float], *, intervals: bool = False) -> Quantiles:
    """Median and 95th percentile of at least one value."""
    p50, p95 = np.quantile(values, (0.5, 0.95))
    return Quantiles(
        p50=float(p50),
        p95=float(p95),
        n=len(values),
        p50_interval=metrics.quantile_interval(values, 0.5) if intervals else None,
        p95_interval=metrics.quantile_interval(values, 0.95) if intervals else None,
    )


Scores = Mapping[str, Mapping[str, list[float]]]
"""By system and measure, one for each answerable question, in their order."""


def scores(corpus: Corpus, outcomes: Iterable[Outcome]) -> Mapping[Level, Scores]:
    """What each system scored on each answerable question."""
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


def _ranking(kinds: Sequence[str], values: Scores) -> Mapping[str, Mapping[str, ByMeasure]]:
    ranking: dict[str, dict[str, dict[str, Estimate]]] = {}
    for system, by_measure in values.items():
        if system in _CHANGED:
            continue
        for measure, each in by_measure.items():
            for kind, estimate in metrics.by_kind(zip(kinds, each, strict=True)).items():
                ranking.setdefault(kind, {}).setdefault(system, {})[measure] = estimate
    return ranking


def gains(values: Mapping[Level, Scores], best: str) -> Iterable[Gain]:
    """How much better `best` is than every system that is not recall, and than its channels alone."""
    for system in (name for name in values["turn"] if name not in {*_CHANGED, WHOLE, OUT_OF_FOLD}):
        for level, measure in GAINS:
            difference = metrics.paired_difference(values[level][best][measure], values[level][system][measure])
            yield Gain(system=system, level=level, measure=measure, difference=difference)


def _behind(overall: Mapping[Level, Mapping[str, ByMeasure]]) -> Iterable[Behind]:
    for level, by_system in overall.items():
        for channel in _ALONE:
            for measure in TABLED:
                whole, alone = by_system[WHOLE][measure].mean, by_system[channel][measure].mean
                if alone > whole:
                    yield Behind(channel=channel, level=level, measure=measure, whole=whole, alone=alone)


def _ablations(values: Scores, outcomes: Sequence[Outcome]) -> Iterable[Ablation]:
    ranked = [outcome.ranked for outcome in outcomes if outcome.ranked]
    for variant in (each for each in variants() if each.name in _CHANGED):
        mine, other = values[variant.name], values[variant.against]
        yield Ablation(
            name=variant.name,
            group=variant.group,
            against=variant.against,
            changed=sum(each[variant.name] != each[variant.against] for each in ranked),
            figures={name: metrics.estimate(mine[name]) for name in LOSSES},
            differences={name: metrics.paired_difference(mine[name], other[name]) for name in LOSSES},
        )


def _bundle(contents: Sequence[Content]) -> ByMeasure:
    return {name: metrics.estimate([measure(each) for each in contents]) for name, measure in IN_BUNDLE.items()}


def _timings(outcomes: Sequence[Outcome]) -> dict[str, Quantiles]:
    steps = dict.fromkeys(step for outcome in outcomes for step in outcome.timings_ms)
    return {
        step: quantiles([each.timings_ms[step] for each in outcomes if step in each.timings_ms], intervals=True)
        for step in steps
    }
