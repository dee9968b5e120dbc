"""Figures against hand-worked ones."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.progress import Progress

from bench.embedders import Remembering
from bench.figures import IN_BUNDLE, TOKENS_OF_TEN, Quality, figures, quantiles
from bench.metrics import ALL
from bench.quality import answer
from bench.systems import OUT_OF_FOLD, WHOLE
from hotpath.recipes import FAST
from shared.testing import HashEmbedder


def measured(corpus, product, **more) -> Quality:
    return figures(corpus, answer(corpus, product, Remembering(HashEmbedder()), Progress(disable=True), **more))


@pytest.fixture
def quality(corpus, product) -> Quality:
    return measured(corpus, product)


def test_a_figure_of_all_kinds_is_over_answerable_questions_alone(quality) -> None:
    reciprocal = quality.ranking["turn"][ALL][WHOLE]["MRR"]
    assert (reciprocal.mean, reciprocal.n) == (pytest.approx((1 / 3 + 1) / 2), 2)
    assert set(quality.ranking["turn"]) == {ALL, "single-hop", "multi-hop"}


def test_a_session_stands_where_its_first_turn_does(quality) -> None:
    by_kind = quality.ranking["session"]
    assert by_kind["multi-hop"][WHOLE]["MRR"].mean == 1
    assert by_kind["single-hop"][WHOLE]["MRR"].mean == 1 / 2
    assert by_kind["multi-hop"]["recall, sparse alone"]["MRR"].mean == 1 / 2


def test_what_a_channel_alone_does_better_is_told(corpus, product) -> None:
    assert measured(corpus, product).behind == ()
    product.memory.rankings["recall, dense alone"] = ["b1", "a1", "b2"]
    worse = [each for each in measured(corpus, product).behind if each.measure == "MRR"]
    assert [(each.channel, each.level) for each in worse] == [("recall, dense alone", "turn")]
    assert worse[0].alone == pytest.approx(3 / 4)


def test_the_gain_over_a_system_is_paired(quality) -> None:
    gains = {(gain.system, gain.level, gain.measure): gain.difference for gain in quality.gains}
    assert (gains["recall, dense alone", "turn", "r@10"].mean, gains["recall, dense alone", "turn", "r@10"].n) == (1, 2)
    assert {system for system, *_ in gains}.isdisjoint({WHOLE, "fast", "without sparse"})


def test_an_ablation_is_less_what_it_differs_from_in_one_thing(quality) -> None:
    ablations = {each.name: each for each in quality.ablations}
    lost = ablations["without sparse"]
    assert (lost.against, lost.changed) == (WHOLE, 2)
    assert lost.differences["r@10"].mean == pytest.approx((0 - 1 + 1 / 2 - 1) / 2)
    assert lost.figures["r@10"].mean == pytest.approx((0 + 1 / 2) / 2)
    assert (ablations["without date"].against, ablations["without date"].changed) == ("without rerank", 0)
    assert {"recall, sparse alone", WHOLE}.isdisjoint(ablations)


def test_ablations_are_no_rows_of_the_rankings(quality) -> None:
    assert "without sparse" not in quality.ranking["turn"][ALL]
    assert "fast" not in quality.ranking["turn"][ALL]


def test_bundles_are_measured_of_answerable_questions(quality) -> None:
    assert {found.n for found in quality.bundle.values()} == {2}
    assert list(quality.bundle) == list(IN_BUNDLE)
    assert quality.bundle["all gold turns are in the text"].mean == 1
    assert quality.bundle["the same, with every near-twin shown"].mean == 1 / 2
    assert quality.bundle["items that are gold"].mean == pytest.approx(1 / 3)
    assert quality.bundle[TOKENS_OF_TEN].mean > 50


def test_what_was_ranked_out_of_fold_stands_for_recall(corpus, product) -> None:
    fitted = measured(corpus, product, unfitted=lambda *_: {"q1": FAST, "q2": FAST})
    assert fitted.best == OUT_OF_FOLD
    assert OUT_OF_FOLD in fitted.ranking["turn"][ALL]
    assert OUT_OF_FOLD not in {gain.system for gain in fitted.gains}
    assert measured(corpus, product).best == WHOLE


def test_questions_that_were_left_out_are_named_with_the_reason(corpus, product) -> None:
    remark = replace(corpus.remarks[0], kind="left out", subject="q9", rule="no evidence")
    quality = measured(replace(corpus, remarks=(*corpus.remarks, remark)), product)
    assert quality.left_out == {"q9": "no evidence"}
    assert quality.remarks == {"repaired: zero-padded id": 1, "left out: no evidence": 1}


def test_timings_sizes_and_degraded_answers_are_over_every_question(corpus, product) -> None:
    product.memory.degraded = ("dense",)
    quality = measured(corpus, product)
    assert quality.degraded == quality.timings_ms["total"].n == quality.tokens.n == 3
    assert quality.timings_ms["search"].p50 == 2


def test_turns_that_were_not_fed_are_not_counted(quality) -> None:
    assert (quality.conversations, quality.turns, quality.questions, quality.answerable) == (1, 4, 3, 2)


def test_quantiles_are_the_median_and_the_ninety_fifth_percentile() -> None:
    spread = quantiles(list(range(101)))
    assert (spread.p50, spread.p95, spread.n) == (50, 95, 101)
