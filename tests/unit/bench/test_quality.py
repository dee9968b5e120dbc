"""Every question is asked of every system."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.progress import Progress

from bench.embedders import Remembering
from bench.product import Rankings
from bench.quality import WARM_UP, Answered, answer
from bench.systems import OUT_OF_FOLD, WHOLE, variants
from hotpath.recipes import FAST
from shared.contract.bundle import Verdict
from shared.testing import HashEmbedder


@pytest.fixture
def progress():
    return Progress(disable=True)


def asked(corpus, product, progress, **more) -> Answered:
    return answer(corpus, product, Remembering(HashEmbedder()), progress, **more)


@pytest.fixture
def answered(corpus, product, progress) -> Answered:
    return asked(corpus, product, progress)


def test_a_conversation_that_nobody_asks_about_is_not_fed(answered, product) -> None:
    assert product.fed == ["c"]


def test_baselines_and_every_variant_rank_the_same_question(answered) -> None:
    ranked = answered.outcomes[0].ranked
    assert set(ranked) > {*(variant.name for variant in variants()), "rank-bm25", "bare embedder"}
    assert ranked["rank-bm25"][0] == "a1"
    assert ranked["bare embedder"][0] == "a1"
    assert ranked[WHOLE] == ("b1", "b2", "a1")
    assert ranked["recall, dense alone"] == ("a2",)


def test_variants_that_plan_alike_are_asked_for_once(answered, product) -> None:
    questions = sum(outcome.question.answerable for outcome in answered.outcomes)
    assert product.memory.ranked.count(WHOLE) == questions
    assert product.memory.ranked.count("without temporal") == 0, "no question names a time"
    assert product.memory.ranked.count("without sparse") == questions


def test_what_plans_otherwise_is_asked_for_by_itself() -> None:
    asked_for: list[str] = []

    def rank(variant):
        asked_for.append(variant.name)
        return [variant.name]

    at = datetime(2023, 6, 9, tzinfo=UTC)
    rankings = Rankings(rank, "What did Ines plant in May 2023?", at)
    by_name = {variant.name: rankings.of(variant) for variant in variants()}
    assert by_name["without temporal"] == ["without temporal"]
    assert by_name["fast"] == ["fast"]
    assert len(asked_for) == len(set(asked_for))


def test_an_unanswerable_question_gives_a_verdict_and_nothing_else(answered) -> None:
    unanswerable = answered.outcomes[2]
    assert (unanswerable.ranked, unanswerable.content) == ({}, None)
    assert unanswerable.verdict is Verdict.UNKNOWN


def test_what_warms_the_caches_is_no_question_and_is_not_measured(answered, product, corpus) -> None:
    queries = [query for query, _ in product.memory.asked]
    assert queries == [WARM_UP, *(question.query for question in corpus.questions)]
    assert len(answered.outcomes) == len(corpus.questions)


def test_a_bundle_is_held_against_the_gold_of_its_question(answered) -> None:
    first, second = (answered.outcomes[place].content for place in (0, 1))
    assert (first.shown.whole, first.shown.gold_items) == (True, 1)
    assert (second.shown.whole, second.with_twins.whole) == (True, False), "the repeat is shown for all"
    assert first.tokens_of_ten < first.shown.tokens, "a turn around a hit is none of the ten"


def test_each_answerable_question_is_put_to_the_conversation_before_its_own(two, product, progress) -> None:
    found = asked(two, product, progress)
    assert found.elsewhere == (Verdict.SUPPORTED, Verdict.UNKNOWN, Verdict.SUPPORTED)
    assert asked(replace(two, questions=two.questions[:3]), product, progress).elsewhere == ()


def test_a_dated_question_is_asked_then_or_once_the_history_is_over(two, product, progress) -> None:
    asked(two, product, progress)
    over = max(turn.at for turn in two.conversations[0].turns)
    presents = [at for query, at in product.memory.asked if query == two.questions[3].query]
    assert presents == [None, over, None, over], "here and elsewhere, of two questions with the same words"
    later = replace(two.questions[3], asked_at=datetime(2024, 1, 1, tzinfo=UTC))
    product.memory.asked.clear()
    asked(replace(two, questions=(later,)), product, progress)
    assert product.memory.asked[-1] == (later.query, later.asked_at)


def test_questions_that_were_fitted_on_are_ranked_by_what_was_fitted_without_them(corpus, product, progress) -> None:
    product.memory.rankings[OUT_OF_FOLD] = ["a1"]
    known = []

    def unfitted(of, memories, _progress):
        known.append((of.name, memories))
        return {"q1": FAST}

    first, second, third = asked(corpus, product, progress, unfitted=unfitted).outcomes
    assert known == [("Made-up", {"c": product.memory})]
    assert first.ranked[OUT_OF_FOLD] == ("a1",)
    assert second.ranked[OUT_OF_FOLD] == second.ranked[WHOLE], "nothing was fitted on it"
    assert OUT_OF_FOLD not in third.ranked


@pytest.mark.parametrize("speaker", ["user", "reader"])
def test_the_embedder_reads_no_speaker_where_that_tells_nobody_apart(corpus, product, progress, speaker) -> None:
    said = corpus.conversations[0]
    turns = tuple(replace(turn, speaker=speaker) for turn in said.turns)
    outcome = asked(replace(corpus, conversations=(replace(said, turns=turns),)), product, progress).outcomes[0]
    assert "bare embedder" in outcome.ranked
    assert "bare embedder, date and speaker" not in outcome.ranked
