"""Verdicts are right or wrong by whether there is an answer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.progress import Progress

from bench.embedders import Remembering
from bench.quality import answer
from bench.verdicts import ELSEWHERE, verdicts
from shared.contract.bundle import Verdict
from shared.testing import HashEmbedder


@pytest.fixture
def answered(two, product):
    return answer(two, product, Remembering(HashEmbedder()), Progress(disable=True))


def test_each_kind_of_question_has_a_row_with_every_verdict(answered) -> None:
    rows = {row.kind: row for row in verdicts(answered).rows}
    assert list(rows) == ["multi-hop", "single-hop", "adversarial", ELSEWHERE]
    assert rows["single-hop"].counts == {"supported": 2, **dict.fromkeys(set(Verdict) - {"supported"}, 0)}
    assert [row.right.mean for row in rows.values()] == [0, 1, 1, pytest.approx(1 / 3)]


def test_balanced_accuracy_is_the_mean_of_both_shares(answered) -> None:
    accuracy = verdicts(answered).accuracy
    assert accuracy["adversarial"].mean == pytest.approx((2 / 3 + 1) / 2)
    assert (accuracy[ELSEWHERE].mean, accuracy[ELSEWHERE].n) == (pytest.approx((2 / 3 + 1 / 3) / 2), 6)


def test_what_is_stale_or_contradicts_itself_is_an_answer_and_a_false_premise_is_none(answered) -> None:
    def right(verdict: Verdict) -> float:
        outcomes = tuple(replace(each, verdict=verdict) for each in answered.outcomes if each.question.answerable)
        return verdicts(replace(answered, outcomes=outcomes, elsewhere=())).rows[0].right.mean

    assert {verdict.value: right(verdict) for verdict in Verdict} == {
        "supported": 1,
        "conflicting": 1,
        "stale": 1,
        "premise_unsupported": 0,
        "unknown": 0,
    }


@pytest.mark.parametrize(
    ("kinds", "name"), [("ab", "without an answer"), (["single-hop"], "without an answer"), ("a", "a")]
)
def test_unanswerable_questions_of_many_kinds_or_of_the_answerables_are_taken_together(answered, kinds, name) -> None:
    answerable = tuple(each for each in answered.outcomes if each.question.answerable)
    others = tuple(
        replace(each, question=replace(each.question, kind=kind, answerable=False))
        for each, kind in zip(answerable, kinds, strict=False)
    )
    rows = verdicts(replace(answered, outcomes=(*answerable, *others), elsewhere=())).rows
    assert [(row.kind, row.right.n) for row in rows if not row.answerable] == [(name, len(kinds))]


def test_where_every_question_has_an_answer_there_is_no_accuracy(answered) -> None:
    answerable = tuple(each for each in answered.outcomes if each.question.answerable)
    assert verdicts(replace(answered, outcomes=answerable, elsewhere=())).accuracy == {}
