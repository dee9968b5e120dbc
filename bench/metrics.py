"""Rank metrics over distinct ids, and figures with their number of questions and interval. Pure.

`ranked` is best first and holds no id twice (`distinct` sees to it); `gold` is not empty. Relevance
is binary.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from shared.contract.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

ALL: Final = "all"
"""The kind that stands for every question together."""

Id = TypeVar("Id", bound=Hashable)

LEVEL: Final = 0.95
RESAMPLES: Final = 2000
_DRAWN_AT_ONCE: Final = 100_000


def distinct(ids: Iterable[Id]) -> list[Id]:
    """The ids in order, each where it comes first: a ranking of sessions out of one of turns."""
    return list(dict.fromkeys(ids))


def recall_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """The share of gold among the first k."""
    _check(ranked, gold)
    return len(set(gold).intersection(ranked[:k])) / len(set(gold))


def all_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """1 if every gold id is among the first k, else 0."""
    _check(ranked, gold)
    return float(set(gold).issubset(ranked[:k]))


def any_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """1 if some gold id is among the first k, else 0."""
    _check(ranked, gold)
    return float(not set(gold).isdisjoint(ranked[:k]))


def ndcg_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Normalised discounted cumulative gain of the first k (Järvelin and Kekäläinen 2002)."""
    _check(ranked, gold)
    wanted = set(gold)
    gain = sum(_discount(rank) for rank, one in enumerate(ranked[:k], start=1) if one in wanted)
    return gain / sum(_discount(rank) for rank in range(1, min(k, len(wanted)) + 1))


def reciprocal_rank(ranked: Sequence[str], gold: Collection[str]) -> float:
    """1 / rank of the first gold id, 0 if none is ranked; its mean over questions is the MRR."""
    _check(ranked, gold)
    wanted = set(gold)
    return next((1 / rank for rank, one in enumerate(ranked, start=1) if one in wanted), 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean over questions with its bootstrap interval. Shares, not per cent."""

    mean: float
    low: float
    high: float
    n: int

    def per_cent(self) -> str:
        """As tables print it: mean, interval, number of questions."""
        low, high = 100 * self.low, 100 * self.high
        return f"{100 * self.mean:.1f} [{low:.1f}, {high:.1f}] n={self.n}"


def estimate(values: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """The mean of values with its 95 % bootstrap interval.

    Percentile method (Efron and Tibshirani 1993, 13.3). Same values and seed, same interval.

    Raises:
        InvalidInput: there are no values.
    """
    if not values:
        msg = "no values to average; check that the set holds answerable questions of this kind"
        raise InvalidInput(msg)
    sample = np.asarray(values, dtype=np.float64)
    means = _resampled_means(sample, resamples, np.random.default_rng(seed))
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(mean=float(sample.mean()), low=float(low), high=float(high), n=len(sample))


def paired_difference(
    ours: Sequence[float], theirs: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """How much better ours is than theirs, the values of the same questions in the same order.

    An interval wholly above 0 says that the gain is not this sample's luck.

    Raises:
        InvalidInput: there are no values, or not equally many.
    """
    if len(ours) != len(theirs):
        sizes = f"{len(ours)} and {len(theirs)}"
        msg = f"paired values differ in number ({sizes}); score the same questions"
        raise InvalidInput(msg)
    differences = [mine - other for mine, other in zip(ours, theirs, strict=True)]
    return estimate(differences, resamples=resamples, seed=seed)


def quantile_interval(
    values: Sequence[float], quantile: float, *, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[float, float]:
    """The 95 % bootstrap interval of a quantile of at least one value."""
    sample = np.asarray(values, dtype=np.float64)
    random = np.random.default_rng(seed)
    drawn = [np.quantile(sample[rows], quantile, axis=1) for rows in _drawn(len(sample), resamples, random)]
    low, high = np.quantile(np.concatenate(drawn), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def balanced(
    right: Sequence[float], also_right: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """Balanced accuracy: the mean of two classes' shares of right answers, each class resampled by itself.

    Raises:
        InvalidInput: a class is empty.
    """
    if not right or not also_right:
        msg = "balanced accuracy is of two classes; one of them holds no question"
        raise InvalidInput(msg)
    classes = [np.asarray(values, dtype=np.float64) for values in (right, also_right)]
    random = np.random.default_rng(seed)
    means = sum(_resampled_means(values, resamples, random) for values in classes) / 2
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    mean = sum(float(values.mean()) for values in classes) / 2
    return Estimate(mean=mean, low=float(low), high=float(high), n=sum(map(len, classes)))


def by_kind(values: Iterable[tuple[str, float]]) -> Mapping[str, Estimate]:
    """(kind, value) of each question -> the estimate of `ALL`, then of each kind by name.

    Raises:
        InvalidInput: there are no values.
    """
    groups: defaultdict[str, list[float]] = defaultdict(list)
    for kind, value in values:
        groups[ALL].append(value)
        groups[kind].append(value)
    return {kind: estimate(groups[kind]) for kind in (ALL, *sorted(groups.keys() - {ALL}))}


def _resampled_means(sample: NDArray[np.float64], resamples: int, random: np.random.Generator) -> NDArray[np.float64]:
    """Mean of each resample."""
    return np.concatenate([sample[rows].mean(axis=1) for rows in _drawn(len(sample), resamples, random)])


def _drawn(size: int, resamples: int, random: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Places of each resample, a row each; some at a time, for a table of all would take hundreds of megabytes."""
    rows = max(1, _DRAWN_AT_ONCE // size)
    for done in range(0, resamples, rows):
        yield random.integers(0, size, (min(rows, resamples - done), size))


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def _check(ranked: Sequence[str], gold: Collection[str]) -> None:
    if not gold:
        msg = "a question without gold has no rank metric; leave it out"
        raise InvalidInput(msg)
    if len(set(ranked)) < len(ranked):
        msg = "the ranking holds an id twice, so one find could count as two; pass it to distinct()"
        raise InvalidInput(msg)
