"""Figures against hand-worked ones."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.progress import Progress

from bench.embedders import Remembering
from bench.figures import Quality, figures, quantiles
from bench.metrics import ALL
from bench.quality import WHOLE, answer
from shared.testing import HashEmbedder


def measured(corpus, product) -> Quality:
    return figures(corpus, answer(corpus, product, Remembering(HashEmbedder()), Progress(disable=True)))


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
    product.memory.rankings[frozenset({"dense"})] = ["b1", "a1", "b2"]
    worse = [each for each in measured(corpus, product).behind if each.measure == "MRR"]
    assert [(each.channel, each.level) for each in worse] == [("recall, dense alone", "turn")]
    assert worse[0].alone == pytest.approx(3 / 4)


def test_the_gain_over_a_system_is_paired(quality) -> None:
    gain = next(each for each in quality.gains if (each.system, each.level) == ("recall, dense alone", "turn"))
    assert (gain.measure, gain.difference.mean, gain.difference.n) == ("r@10", 1, 2)


def test_verdicts_are_counted_apart_for_questions_without_an_answer(quality) -> None:
    assert quality.supported["answerable"].mean == 1 / 2
    assert quality.supported["unanswerable"].mean == 0


def test_a_corpus_without_unanswerable_questions_has_one_share_of_verdicts(corpus, product) -> None:
    answerable = replace(corpus, questions=corpus.questions[:2])
    assert set(measured(answerable, product).supported) == {"answerable"}


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
