"""Metrics from counts, and gates on them."""

from __future__ import annotations

from collections import Counter

import pytest

from shared.belief.measuring import State, judged, measured
from shared.contract.errors import InvalidInput
from shared.contract.measures import GATES, METRICS, Act, Counted, Gate
from shared.store.measures import BY_COMMAND


def value(name: str, **counts: int) -> float | None:
    given = Counter({Counted(each): number for each, number in counts.items()})
    return {each.name: each.value for each in measured(given)}[name]


def test_where_nothing_was_counted_in_a_rate_has_no_value_and_a_count_is_nought() -> None:
    for each in measured({}):
        assert each.value == (None if each.is_rate else 0), each.name


def test_a_rate_of_nothing_is_nought_where_there_was_something() -> None:
    assert value("retrieval.misled_rate", reported_shown=10) == 0.0
    assert value("write.store_rate", ignored=3, stored=1) == 0.25
    assert value("write.precision", judged=4, proved=3) == 0.75


def test_everything_that_is_counted_is_in_a_metric() -> None:
    used = {name for metric in METRICS for name in (*metric.part, *metric.whole)}
    assert used == set(Counted)
    assert set(BY_COMMAND) < set(Counted)


def test_no_two_metrics_share_a_name_and_every_layer_has_some() -> None:
    names = [metric.name for metric in METRICS]
    assert len(set(names)) == len(names)
    assert {name.split(".")[0] for name in names} == {"write", "retrieval", "context", "outcome"}


def state(gate: Gate, **counts: int) -> State:
    (found,) = judged([gate], Counter({Counted(each): number for each, number in counts.items()}))
    return found.state


def test_a_gate_is_judged_where_there_is_enough_and_beyond_its_bound_alone() -> None:
    most = Gate(metric="retrieval.misled_rate", most=0.2, fewest=10, act=Act.NOTIFY, says="wrong")
    assert state(most) is State.UNKNOWN
    assert state(most, reported_shown=9, misled=9) is State.UNKNOWN
    assert state(most, reported_shown=10, misled=2) is State.PASSES
    assert state(most, reported_shown=10, misled=3) is State.TRIPPED
    least = Gate(metric="retrieval.contradiction_coverage", least=1.0, act=Act.RAISE_BUDGET, says="too little")
    assert state(least, conflicts=5, conflicts_shown=5) is State.PASSES
    assert state(least, conflicts=5, conflicts_shown=4) is State.TRIPPED
    assert state(least) is State.UNKNOWN


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"metric": "retrieval.mislead_rate"}, "no such metric"),
        ({"most": None}, "one of most and least"),
        ({"least": 0.5}, "one of most and least"),
        ({"fewest": 0}, "counts from 1"),
        ({"says": " "}, "blank"),
    ],
)
def test_a_gate_that_could_never_act_is_refused(wrong: dict[str, object], says: str) -> None:
    fits: dict[str, object] = {"metric": "retrieval.misled_rate", "most": 0.2, "act": Act.NOTIFY, "says": "wrong"}
    with pytest.raises(InvalidInput, match=says):
        Gate(**{**fits, **wrong})  # type: ignore[arg-type]


def test_the_built_in_gates_cover_every_act_but_the_one_that_takes_a_person() -> None:
    assert {gate.act for gate in GATES} == set(Act) - {Act.REVIEW}
