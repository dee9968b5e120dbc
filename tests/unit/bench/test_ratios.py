"""Ratios and the bounds they are held to."""

from __future__ import annotations

import pytest

from bench.figures import quantiles
from bench.ratios import Ratio, n_log_n


def test_ten_times_as_many_may_take_ten_times_as_long_and_a_quarter_more() -> None:
    assert n_log_n(10_000, 100_000) == pytest.approx(12.5)


def test_the_quantile_that_is_asked_for_is_compared() -> None:
    measured, against = quantiles([1.0] * 90 + [30.0] * 10), quantiles([1.0] * 90 + [10.0] * 10)
    medians = Ratio(name="r", measured=measured, against=against, bound=2)
    assert (medians.value, medians.holds) == (1, True)
    tails = Ratio(name="r", measured=measured, against=against, bound=2, at="p95")
    assert (tails.value, tails.holds) == (3, False)
