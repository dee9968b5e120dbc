"""Importance and its band, as laws: bounded, rising in each part, neutral where nothing is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotpath.layers.scoring import NEUTRAL, Floats, Part, Scoring, boost, frequency, importance, multiplier, recency
from shared.contract.errors import Misconfigured
from shared.settings import Settings, load

UNKNOWN = math.nan
PARTS: tuple[Part, ...] = ("relevance", "recency", "frequency", "explicit")

shares = st.floats(0, 1)
perhaps = st.one_of(shares, st.just(UNKNOWN))
known = st.fixed_dictionaries(dict.fromkeys(PARTS, perhaps))
scorings = st.builds(
    Scoring,
    relevance=shares,
    recency=shares,
    frequency=shares,
    explicit=shares,
    half_life_days=st.floats(0.1, 1000),
    least=st.floats(0.05, 1),
    most=st.floats(1, 5),
)


def arrays(values: dict[Part, float]) -> dict[Part, Floats]:
    return {name: np.array([value]) for name, value in values.items()}


def of(scoring: Scoring, values: dict[Part, float]) -> float:
    return float(importance(scoring, arrays(values))[0])


@given(scorings, known)
def test_importance_lies_between_0_and_1_and_its_multiplier_within_the_band(
    scoring: Scoring, values: dict[Part, float]
) -> None:
    found = of(scoring, values)
    assert 0 <= found <= 1 + 1e-12
    times = float(multiplier(scoring, np.array([found]))[0])
    assert scoring.least <= times <= scoring.most
    assert (times <= 1) if found <= NEUTRAL else (times >= 1)


@given(scorings, known, st.sampled_from(PARTS), shares, shares)
def test_a_greater_part_never_makes_a_memory_less_important(
    scoring: Scoring, values: dict[Part, float], part: Part, one: float, other: float
) -> None:
    less, more = sorted((one, other))
    assert of(scoring, {**values, part: less}) <= of(scoring, {**values, part: more}) + 1e-12


@given(scorings)
def test_of_what_nothing_is_known_the_score_stays_as_it_is(scoring: Scoring) -> None:
    nothing = dict.fromkeys(PARTS, UNKNOWN)
    assert of(scoring, nothing) == NEUTRAL
    assert multiplier(scoring, importance(scoring, arrays(nothing))) == [1.0]


def test_what_is_not_known_takes_no_part() -> None:
    assert of(Scoring(), {"relevance": 0.8, "recency": UNKNOWN, "frequency": 0.4, "explicit": UNKNOWN}) == (
        pytest.approx((0.30 * 0.8 + 0.20 * 0.4) / 0.50)
    )
    assert of(Scoring(), dict.fromkeys(PARTS, 0.7)) == pytest.approx(0.7)


def test_the_weight_of_an_apps_own_word_which_recall_never_has_falls_to_the_other_parts() -> None:
    without = Scoring(explicit=0.0)
    for parts in ({"relevance": 0.8, "recency": 0.3, "frequency": 0.4}, {"relevance": 0.2, "recency": 0.9}):
        values: dict[Part, float] = {name: parts[name] for name in PARTS if name in parts}
        assert of(Scoring(), values) == of(without, values)
    assert of(Scoring(), {"relevance": 1.0, "recency": 0.0, "frequency": 0.0}) == pytest.approx(0.4)
    assert of(Scoring(), {"relevance": 0.0, "explicit": 1.0}) == pytest.approx(0.25 / 0.55), "the formula has it"


def test_there_is_no_setting_that_changes_nothing() -> None:
    names = {name.removeprefix("importance_") for name in Settings.model_fields if name.startswith("importance_")}
    assert names == {"relevance", "recency", "frequency", "explicit", "half_life_days", "least", "most"}


@given(st.floats(0, 3650), st.floats(0.1, 1000))
def test_newness_halves_after_each_half_life(age_days: float, half_life_days: float) -> None:
    now, later = recency(np.array([age_days, age_days + half_life_days]), half_life_days)
    assert later == pytest.approx(now / 2)


def test_a_memory_of_now_or_of_what_lies_ahead_is_wholly_new() -> None:
    assert recency(np.array([0.0, -3.0, 7.0, 14.0]), 7.0).tolist() == [1.0, 1.0, 0.5, 0.25]


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_frequency_rises_with_each_use_falls_with_each_that_misled_and_has_no_end(used: int, misled: int) -> None:
    counts = np.array([[used, misled], [used + 1, misled], [used, misled + 1]], float)
    here, more, less = frequency(counts[:, 0], counts[:, 1])
    assert 0 < less < here < more < 1
    assert (here == NEUTRAL) == (used == misled)


@given(scorings, known, st.integers(0, 50), st.integers(0, 50))
def test_reports_move_a_score_the_way_they_point_within_the_band_and_no_report_moves_none(
    scoring: Scoring, values: dict[Part, float], used: int, misled: int
) -> None:
    others: dict[Part, Floats] = {name: value for name, value in arrays(values).items() if name != "frequency"}
    told = float(boost(scoring, others, {"frequency": frequency(np.array([used * 1.0]), np.array([misled * 1.0]))})[0])
    assert scoring.least <= told <= scoring.most
    assert (told >= 1 - 1e-12) if used >= misled else (told <= 1 + 1e-12)
    assert boost(scoring, others, {"frequency": np.array([UNKNOWN])}).tolist() == [1.0]


def test_by_default_one_use_lifts_a_memory_a_little_and_many_lift_it_by_no_more_than_a_seventh() -> None:
    others: dict[Part, Floats] = {"relevance": np.full(4, 0.5), "recency": np.full(4, 0.5)}
    reported = frequency(np.array([0.0, 1, 1000, 0]), np.array([0.0, 0, 0, 1000]))
    told = boost(Scoring(), others, {"frequency": reported})
    assert told == pytest.approx([1.0, 1.0333, 1.133, 0.8138], abs=1e-3)


@given(scorings, known, st.floats(0, 1))
def test_an_apps_word_moves_a_score_the_way_it_points_within_the_band(
    scoring: Scoring, values: dict[Part, float], explicit: float
) -> None:
    others: dict[Part, Floats] = {name: value for name, value in arrays(values).items() if name != "explicit"}
    told = float(boost(scoring, others, {"explicit": np.array([explicit])})[0])
    assert scoring.least <= told <= scoring.most
    assert (told >= 1 - 1e-12) if explicit >= NEUTRAL else (told <= 1 + 1e-12)
    assert boost(scoring, others, {"explicit": np.array([NEUTRAL])}).tolist() == [1.0]


def test_the_settings_are_those_of_the_scoring() -> None:
    assert Scoring.of(load()) == Scoring()
    set_so = load(
        importance_relevance=0,
        importance_recency=1,
        importance_explicit=0.5,
        importance_half_life_days=30,
        importance_least=0.9,
        importance_most=1,
    )
    assert Scoring.of(set_so) == Scoring(relevance=0, recency=1, explicit=0.5, half_life_days=30, least=0.9, most=1)


@pytest.mark.parametrize(
    "wrong",
    [
        {"importance_relevance": -0.1},
        {"importance_half_life_days": 0},
        {"importance_least": 0},
        {"importance_least": 1.1},
        {"importance_most": 0.9},
        dict.fromkeys(["importance_relevance", "importance_recency", "importance_frequency"], 0),
    ],
)
def test_settings_that_would_weigh_nothing_or_turn_the_band_round_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(Misconfigured, match="IMPORTANCE"):
        load(**wrong)
