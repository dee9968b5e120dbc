"""Reciprocal rank fusion."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from hotpath._rrf import K, reciprocal_ranks

scores = arrays.arrays(
    np.float64,
    st.tuples(st.integers(1, 4), st.integers(0, 12)),
    elements=st.one_of(st.floats(-1, 5, allow_nan=False), st.just(float("nan"))),
)


def test_each_ranking_gives_one_over_k_and_the_rank_of_the_most_there_can_be() -> None:
    parts = reciprocal_ranks(np.array([[3.0, 2.0, 1.0], [0.1, 0.3, 0.2]]))
    most = 2 / (K + 1)
    assert np.allclose(parts, [[1 / 61, 1 / 62, 1 / 63], [1 / 63, 1 / 61, 1 / 62]] / np.array(most))


def test_what_leads_every_ranking_scores_1() -> None:
    assert reciprocal_ranks(np.array([[2.0, 1.0], [9.0, 0.5]])).sum(axis=0)[0] == 1.0


def test_a_ranking_that_does_not_hold_a_candidate_gives_it_nothing() -> None:
    parts = reciprocal_ranks(np.array([[1.0, 0.0, -0.5, float("nan")]]))
    assert parts.tolist() == [[1.0, 0.0, 0.0, 0.0]]


def test_equal_scores_share_the_best_of_their_ranks() -> None:
    one, other, third = reciprocal_ranks(np.array([[1.0, 1.0, 0.5]]))[0]
    assert one == other > third
    assert third == pytest.approx((K + 1) / (K + 3))


@given(scores)
def test_sums_lie_between_0_and_1_and_no_better_score_of_a_ranking_gets_less(given_scores: np.ndarray) -> None:
    parts = reciprocal_ranks(given_scores)
    assert ((parts.sum(axis=0) >= 0) & (parts.sum(axis=0) <= 1 + 1e-12)).all()
    for part, row in zip(parts, given_scores, strict=True):
        held = [(score, share) for score, share in zip(row, part, strict=True) if score > 0]
        assert all(one[1] >= other[1] for one in held for other in held if one[0] > other[0])


# Powers of two: any other factor rounds, and what was told apart by the last digit is equal then.
@given(scores, st.sampled_from([2.0, 8.0, 1024.0]))
def test_only_the_order_of_scores_counts(given_scores: np.ndarray, factor: float) -> None:
    assert np.array_equal(reciprocal_ranks(given_scores), reciprocal_ranks(given_scores * factor))
