"""Rank metrics against hand-worked figures, and the laws they keep."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import metrics
from shared.contract.errors import InvalidInput

IDS = st.lists(st.sampled_from("abcdefghij"), unique=True)
GOLD = st.sets(st.sampled_from("abcdefghij"), min_size=1)
CUT = st.integers(min_value=1, max_value=12)


def test_recall_is_the_share_of_gold_within_the_cut() -> None:
    assert metrics.recall_at(["x", "a", "b", "y"], ["a", "b", "c"], 2) == pytest.approx(1 / 3)
    assert metrics.recall_at(["x", "a", "b", "y"], ["a", "b", "c"], 3) == pytest.approx(2 / 3)


def test_gold_named_twice_counts_once() -> None:
    assert metrics.recall_at(["a"], ["a", "a", "b"], 1) == pytest.approx(1 / 2)


def test_all_needs_every_gold_id_and_any_needs_one() -> None:
    ranked, gold = ["a", "x", "b"], ["a", "b"]
    assert (metrics.all_at(ranked, gold, 2), metrics.all_at(ranked, gold, 3)) == (0, 1)
    assert (metrics.any_at(ranked, gold, 1), metrics.any_at(ranked, ["b"], 2)) == (1, 0)


def test_ndcg_discounts_by_the_logarithm_of_the_rank() -> None:
    ideal = 1 + 1 / math.log2(3)
    gained = 1 / math.log2(3) + 1 / math.log2(5)
    assert metrics.ndcg_at(["x", "a", "y", "b"], ["a", "b"], 10) == pytest.approx(gained / ideal)


def test_ndcg_is_one_when_the_cut_is_full_of_gold() -> None:
    assert metrics.ndcg_at(["a", "b"], ["a", "b", "c"], 2) == pytest.approx(1)


def test_reciprocal_rank_is_of_the_first_gold_id() -> None:
    assert metrics.reciprocal_rank(["x", "y", "b", "a"], ["a", "b"]) == pytest.approx(1 / 3)
    assert metrics.reciprocal_rank(["x"], ["a"]) == 0


@given(ranked=IDS, gold=GOLD, k=CUT)
def test_every_metric_lies_between_none_and_one(ranked: list[str], gold: set[str], k: int) -> None:
    for metric in (metrics.recall_at, metrics.all_at, metrics.any_at, metrics.ndcg_at):
        assert 0 <= metric(ranked, gold, k) <= 1 + 1e-12
    assert 0 <= metrics.reciprocal_rank(ranked, gold) <= 1


@given(ranked=IDS, gold=GOLD, k=CUT)
def test_all_is_never_above_recall_nor_recall_above_any(ranked: list[str], gold: set[str], k: int) -> None:
    recall = metrics.recall_at(ranked, gold, k)
    assert metrics.all_at(ranked, gold, k) <= recall <= metrics.any_at(ranked, gold, k)


@given(rest=IDS, gold=GOLD, k=CUT)
def test_gold_first_is_the_best_there_is(rest: list[str], gold: set[str], k: int) -> None:
    ranked = metrics.distinct([*sorted(gold), *rest])
    assert metrics.ndcg_at(ranked, gold, k) == pytest.approx(1)
    assert metrics.recall_at(ranked, gold, k) == pytest.approx(min(k, len(gold)) / len(gold))


def test_distinct_keeps_the_first_place_of_each_id() -> None:
    assert metrics.distinct(["b", "a", "b", "c", "a"]) == ["b", "a", "c"]


def test_a_ranking_with_an_id_twice_is_refused() -> None:
    with pytest.raises(InvalidInput, match="twice"):
        metrics.recall_at(["a", "a"], ["a"], 2)


def test_a_question_without_gold_is_refused() -> None:
    with pytest.raises(InvalidInput, match="without gold"):
        metrics.reciprocal_rank(["a"], [])


def test_an_estimate_brackets_its_mean_and_counts_its_values() -> None:
    found = metrics.estimate([0.0, 1.0] * 50)
    assert (found.mean, found.n) == (0.5, 100)
    assert 0.38 < found.low < 0.42
    assert 0.58 < found.high < 0.62


def test_an_estimate_is_the_same_every_time() -> None:
    values = [math.sqrt(i) % 1 for i in range(200)]
    assert metrics.estimate(values) == metrics.estimate(values)
    assert metrics.estimate(values) != metrics.estimate(values, seed=1)


def test_the_interval_of_equal_values_is_a_point() -> None:
    found = metrics.estimate([0.75] * 8)
    assert (found.low, found.mean, found.high) == (0.75, 0.75, 0.75)


def test_an_estimate_prints_in_per_cent() -> None:
    assert metrics.estimate([0.75] * 8).per_cent() == "75.0 [75.0, 75.0] n=8"


def test_no_values_have_no_estimate() -> None:
    with pytest.raises(InvalidInput, match="no values"):
        metrics.estimate([])


def test_a_steady_small_gain_is_seen_only_when_paired() -> None:
    theirs = [i / 100 for i in range(100)]
    ours = [value + 0.01 for value in theirs]
    assert metrics.estimate(ours).low < metrics.estimate(theirs).high
    assert metrics.paired_difference(ours, theirs).low == pytest.approx(0.01)


def test_pairs_of_different_number_are_refused() -> None:
    with pytest.raises(InvalidInput, match="2 and 1"):
        metrics.paired_difference([1.0, 0.0], [1.0])


def test_kinds_are_averaged_apart_and_together() -> None:
    found = metrics.by_kind([("temporal", 1.0), ("single-hop", 0.0), ("temporal", 0.5)])
    assert list(found) == [metrics.ALL, "single-hop", "temporal"]
    assert [(one.mean, one.n) for one in found.values()] == [(0.5, 3), (0.0, 1), (0.75, 2)]


def test_balanced_accuracy_weighs_both_classes_alike_whatever_their_sizes() -> None:
    found = metrics.balanced([1.0] * 90, [0.0] * 5 + [1.0] * 5)
    assert (found.mean, found.n) == (0.75, 100)
    assert 0.5 < found.low < 0.75 < found.high < 1


def test_balanced_accuracy_of_one_class_is_refused() -> None:
    with pytest.raises(InvalidInput, match="two classes"):
        metrics.balanced([1.0], [])


def test_the_interval_of_a_quantile_holds_it_and_is_the_same_at_each_run() -> None:
    values = [float(value) for value in range(101)]
    low, high = metrics.quantile_interval(values, 0.5)
    assert 30 < low < 50 < high < 70
    assert metrics.quantile_interval(values, 0.5) == (low, high)
    assert metrics.quantile_interval([3.0], 0.95) == (3.0, 3.0)
