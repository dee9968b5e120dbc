"""How a deadline is shared out: no part takes more than its share, and what is quick is not told its bound twice."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.store import waiting
from shared.store.waiting import SHARE_OF_PART, Deadline

timeouts = st.integers(50, 60_000)


@pytest.fixture(autouse=True)
def watch(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    made = SimpleNamespace(s=1_000.0)
    monkeypatch.setattr(waiting, "clock", SimpleNamespace(monotonic_s=lambda: made.s))
    return made


def test_channels_that_take_all_they_may_leave_the_next_ones_theirs(watch: SimpleNamespace) -> None:
    deadline, began_s = Deadline.within(2_000), watch.s
    bounds = []
    for _ in range(5):
        with deadline.part():
            bounds.append(int(deadline.bound()))
            watch.s += bounds[-1] / 1000
    assert bounds == [800, 480, 288, 173, 104]
    assert (watch.s - began_s) * 1000 < 2_000 * 0.93


def test_statements_of_one_part_share_what_it_has(watch: SimpleNamespace) -> None:
    deadline = Deadline.within(2_000)
    with deadline.part():
        first = int(deadline.bound())
        watch.s += 0.5 * first / 1000
        assert deadline.is_loose
        assert int(deadline.bound()) == pytest.approx(0.5 * first, abs=1)
        watch.s += first / 1000
        assert int(deadline.bound()) == 1, "0 would be no bound"
    assert int(deadline.bound()) == pytest.approx(SHARE_OF_PART * deadline.left_ms(), abs=1)


def test_a_quick_transaction_is_bounded_once(watch: SimpleNamespace) -> None:
    deadline = Deadline.within(2_000)
    deadline.bound()
    for _ in range(8):
        with deadline.part():
            watch.s += 0.02
            assert not deadline.is_loose
    deadline.forget_bound()
    assert deadline.is_loose


@given(timeout_ms=timeouts, spent=st.floats(0, 3), longest_s=st.floats(0.1, 10))
def test_no_wait_is_longer_than_what_is_left_nor_none(timeout_ms: int, spent: float, longest_s: float) -> None:
    deadline = Deadline(at_s=1_000.0 + (1 - spent) * timeout_ms / 1000)
    wait_s = deadline.wait_s(longest_s)
    assert 0 < wait_s <= max(0.001, min(longest_s, deadline.left_ms() / 1000))
    assert 1 <= int(deadline.bound()) <= max(1, round(deadline.left_ms() * SHARE_OF_PART))
