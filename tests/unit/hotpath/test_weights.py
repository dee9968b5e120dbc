"""The shipped weights."""

import math
import tomllib
from dataclasses import fields

from hotpath import _reading, weights


def shipped() -> dict[str, dict[str, float]]:
    with weights.FILE.open("rb") as file:
        return tomllib.load(file)


def test_the_code_reads_what_the_file_holds() -> None:
    held = shipped()
    assert held["fusion"] == {name: getattr(weights.DEFAULT, name) for name in held["fusion"]}
    assert held["rerank"] == {each.name: getattr(weights.RERANK, each.name) for each in fields(weights.Rerank)}
    assert held["premise"] == {"elsewhere": weights.ELSEWHERE}


def test_every_weight_of_fusion_is_finite_and_takes_nothing_away() -> None:
    held = shipped()["fusion"]
    assert set(held) == {each.name for each in fields(weights.Weights)} - {"date", "graph"}
    assert all(math.isfinite(weight) and weight > 0 for weight in held.values())


def test_the_second_reading_moves_hits_and_does_not_replace_their_score() -> None:
    held = shipped()["rerank"]
    assert all(math.isfinite(weight) for weight in held.values())
    assert sum(map(abs, held.values())) < 1


def test_the_table_is_in_the_order_of_the_features() -> None:
    assert tuple(each.name for each in fields(weights.Rerank)) == _reading.FEATURES


def test_the_file_says_what_each_was_fitted_on() -> None:
    said = shipped()["fitted_on"]
    assert set(said) == {"fusion", "rerank", "premise"}
    assert not any("LoCoMo" in str(what) for what in said.values())
