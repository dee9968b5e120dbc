"""Each repair of LoCoMo's evidence strings, and that nothing else is repaired."""

from __future__ import annotations

import pytest

from bench.locomo_evidence import RULES, Rule, repair

TURNS = frozenset({"D1:5", "D8:6", "D9:17", "D11:26", "D30:5"})


@pytest.mark.parametrize(
    ("raw", "ids", "rule"),
    [
        ("D8:6; D9:17", ("D8:6", "D9:17"), "several ids in one string"),
        ("D8:6 D9:17 D1:5", ("D8:6", "D9:17", "D1:5"), "several ids in one string"),
        ("D8:6,D9:17", ("D8:6", "D9:17"), "several ids in one string"),
        ("D:11:26", ("D11:26",), "colon after the D"),
        ("D30:05", ("D30:5",), "zero-padded id"),
        ("D01:05", ("D1:5",), "zero-padded id"),
    ],
)
def test_a_known_slip_is_mended_and_reported(raw: str, ids: tuple[str, ...], rule: str) -> None:
    found, remarks = repair([raw], TURNS, "c/7")
    assert found == ids
    assert [(one.kind, one.subject, one.rule, one.detail) for one in remarks] == [("repaired", "c/7", rule, raw)]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_each_rules_example_needs_that_rule_alone(rule: Rule) -> None:
    applied = {other.name for other in RULES if list(other.mend(rule.example)) != [rule.example]}
    assert applied == {rule.name}


def test_two_slips_in_one_string_are_both_mended() -> None:
    found, remarks = repair(["D:11:26; D30:05"], TURNS, "c/7")
    assert found == ("D11:26", "D30:5")
    assert [one.rule for one in remarks] == [rule.name for rule in RULES]


def test_a_sound_id_passes_without_a_remark() -> None:
    assert repair(["D1:5"], TURNS, "c/7") == (("D1:5",), [])


def test_an_id_given_twice_counts_once() -> None:
    assert repair(["D1:5", "D01:5"], TURNS, "c/7")[0] == ("D1:5",)


@pytest.mark.parametrize("raw", ["D2:9", "D1:50"])
def test_an_id_of_no_turn_is_dropped(raw: str) -> None:
    found, remarks = repair([raw, "D1:5"], TURNS, "c/7")
    assert found == ("D1:5",)
    assert [(one.kind, one.rule) for one in remarks] == [("dropped", "evidence names no turn")]


@pytest.mark.parametrize("raw", ["D", "1:5", "D1-5", "see D1:5x"])
def test_what_is_no_id_is_never_guessed(raw: str) -> None:
    found, remarks = repair([raw], TURNS, "c/7")
    assert found == ()
    assert remarks[-1].rule == "evidence is not an id"


@pytest.mark.parametrize("raw", ["", " ; "])
def test_an_empty_string_gives_nothing(raw: str) -> None:
    assert repair([raw], TURNS, "c/7")[0] == ()
