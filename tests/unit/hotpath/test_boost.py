"""What is known beside the query moves scores within bounds, and nothing where nothing is known."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotpath._boost import Boosting, boosting_by, factors
from hotpath.layers.scoring import Floats, Scoring
from shared.language.time_expressions import Order
from shared.settings import load
from shared.store.uses import NO_COUNTS, Counts

NOW = datetime(2026, 5, 3, 12, tzinfo=UTC)
BOOSTING = Boosting(scoring=Scoring(), now=NOW, confirmed=0.3, newest=0.2)

scores = st.lists(st.floats(0, 1), min_size=1, max_size=30)
orders = st.sampled_from([None, Order.EARLIEST, Order.LATEST])
whole = st.integers(0, 200)
reports = st.lists(st.tuples(st.integers(0, 40), whole, whole), max_size=10, unique_by=lambda each: each[0])


def counts(*fared: tuple[int, int, int]) -> Counts:
    keys, used, misled = np.array(fared, np.int64).reshape(-1, 3).T
    return Counts(keys=keys, used=used, misled=misled)


def ages(*days: float | None) -> list[datetime | None]:
    return [None if each is None else NOW - timedelta(days=each) for each in days]


def boosted(
    given: list[float],
    fared: Counts = NO_COUNTS,
    *,
    order: Order | None = None,
    times: list[datetime | None] | None = None,
    pieces: dict[int, int] | None = None,
) -> Floats:
    return factors(
        BOOSTING,
        order=order,
        keys=np.arange(len(given), dtype=np.int64),
        times=times or ages(*range(len(given))),
        fared=fared,
        pieces=pieces or {},
        scores=np.array(given),
    )


@given(scores)
def test_where_nothing_was_reported_and_no_latest_is_asked_for_each_score_stays_to_the_bit(given: list[float]) -> None:
    for order in (None, Order.EARLIEST):
        assert boosted(given, order=order).tolist() == [1.0] * len(given)


@given(scores, reports, orders)
def test_each_factor_is_bounded_and_candidates_that_nobody_spoke_of_differ_by_newness_alone(
    given: list[float], fared: list[tuple[int, int, int]], order: Order | None
) -> None:
    found = boosted(given, counts(*fared), order=order)
    assert found.shape == (len(given),)
    assert (found >= Scoring().least).all()
    assert (found <= Scoring().most * (1 + BOOSTING.newest)).all()
    spoken_of = {key for key, *_ in fared}
    others = [place for place in range(len(given)) if place not in spoken_of]
    assert found[others].tolist() == boosted(given, order=order)[others].tolist()


def test_of_equals_the_one_that_served_comes_first_and_the_one_that_misled_last() -> None:
    served, silent, wronged = boosted([0.5, 0.5, 0.5], counts((0, 1, 0), (2, 0, 1)))
    assert served > silent > wronged
    assert silent == 1.0
    assert boosted([0.5], counts((0, 3, 3))).tolist() == [1.0]


def test_what_was_reported_of_other_memories_counts_for_none() -> None:
    assert boosted([0.5, 0.4], counts((7, 9, 0))).tolist() == [1.0, 1.0]


def test_the_latest_are_preferred_by_their_place_in_time_whatever_the_days_between() -> None:
    for days in ((0, 1, 2), (0, 1000, 2000), (3000, 3000.5, 3001)):
        found = boosted([0.5] * 3, order=Order.LATEST, times=ages(*days))
        assert found == pytest.approx([1.2, 1.1, 1.0])


def test_of_one_moment_or_of_no_time_none_is_newer() -> None:
    assert boosted([0.5] * 3, order=Order.LATEST, times=ages(4, 4, None)).tolist() == [1.0] * 3
    assert boosted([0.5] * 3, order=Order.LATEST, times=ages(4, None, 1)) == pytest.approx([1.0, 1.0, 1.2])


def test_a_memory_of_no_known_time_is_boosted_by_what_was_reported_of_it() -> None:
    [found] = boosted([0.5], counts((0, 5, 0)), times=ages(None))
    assert 1.0 < found <= Scoring().most


def test_the_settings_say_how_much() -> None:
    configured = load(newest_boost=0, confirmed_boost=0, importance_most=1, importance_least=1)
    boosting = boosting_by(configured, now=NOW)
    assert (boosting.newest, boosting.confirmed) == (0, 0)
    assert (boosting.scoring.most, boosting.now) == (1, NOW)
    found = factors(
        boosting,
        order=Order.LATEST,
        keys=np.arange(2, dtype=np.int64),
        times=ages(1, 2),
        fared=counts((0, 9, 0)),
        pieces={0: 4},
        scores=np.array([0.5, 0.5]),
    )
    assert found.tolist() == [1.0, 1.0]


def test_more_independent_evidence_counts_for_more_up_to_a_bound() -> None:
    found = boosted([0.5] * 4, pieces={1: 2, 2: 3, 3: 1_000_000})
    assert found == pytest.approx([1.0, 1.15, 1.2, 1.3], abs=1e-6)
    assert boosted([0.5] * 2, pieces={7: 9}).tolist() == [1.0, 1.0]
    assert boosted([0.5], pieces={0: 0}).tolist() == [1.0]
