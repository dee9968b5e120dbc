"""Runs through all stages but index, by processes of their own."""

from __future__ import annotations

import pytest
from rich.progress import Progress

from bench import stages
from bench.place import Place
from gateway.demo.corpus import SHIPPED
from gateway.demo.files import read
from shared.contract.errors import Permanent
from shared.contract.receipts import Stage


def test_each_stage_is_measured_on_runs_of_a_real_conversation(where: Place) -> None:
    measured = stages.measure(where, Progress(disable=True), rooms=2, runs=2, rounds=2, warm_up=1)
    (ratio,) = measured.ratios
    assert (ratio.bound, ratio.at_least, ratio.unit) == (1.4, True, "runs/s")
    assert ratio.value > 0
    assert ratio.measured.n == ratio.against.n == 2
    assert list(measured.costs) == [Stage.APPEND, Stage.GATE, Stage.EXTRACT, Stage.RESOLVE]
    assert all(cost.n == 8 and 0 < cost.mean_ms <= 2 * cost.p95_ms for cost in measured.costs.values())
    assert measured.candidates > 0


def test_more_runs_than_the_conversation_has_are_refused_and_not_said_again(where: Place) -> None:
    with pytest.raises(Permanent, match="measure less"):
        stages.measure(where, Progress(disable=True), rooms=1, runs=1_000, rounds=1, warm_up=0)


def test_what_is_said_is_a_conversation_in_order_and_labelled_runs_in_turn() -> None:
    corpus, runs = read(SHIPPED, questions=1), stages.said()
    texts = [message["text"] for run in runs[::2] for message in run]
    assert texts == [message.text for session in corpus.sessions for message in session.messages][: len(texts)]
    assert len(runs) >= stages.RUNS * (stages.ROUNDS + stages.WARM_UP)
    assert max(map(len, runs[::2])) == stages.MESSAGES
    assert any("moved to" in message["text"] for run in runs[1::2] for message in run)
