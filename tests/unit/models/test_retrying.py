import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.clock import monotonic_s
from shared.models._retrying import LONGEST_WAIT_S, MOST_ATTEMPTS, NoTimeLeft, Passing, retrying, wait_s

ATTEMPTS = st.integers(1, 20)
CHANCE = st.floats(0.0, 1.0)


@given(ATTEMPTS, CHANCE)
def test_a_wait_is_bounded_and_half_of_it_is_kept(attempt, chance):
    wait = wait_s(attempt, None, chance=chance)
    assert 0.25 <= wait <= LONGEST_WAIT_S
    assert wait >= wait_s(attempt, None, chance=1.0) / 2


@given(ATTEMPTS, CHANCE, st.floats(0.0, 10_000.0))
def test_what_a_provider_asks_for_is_kept_and_a_tenth_added_at_most(attempt, chance, asked_s):
    assert asked_s <= wait_s(attempt, asked_s, chance=chance) <= asked_s * 1.1 + 1e-6


def failing(times, *, asked_s=0.01):
    calls = []

    async def call():
        calls.append(monotonic_s())
        if len(calls) <= times:
            raise Passing(what="ailing", asked_s=asked_s)
        return "answer"

    return call, calls


def test_it_is_tried_again_until_it_answers():
    call, calls = failing(MOST_ATTEMPTS - 1)
    assert asyncio.run(retrying(call, until_s=monotonic_s() + 10.0)) == "answer"
    assert len(calls) == MOST_ATTEMPTS


def test_attempts_are_counted():
    call, calls = failing(100)
    with pytest.raises(NoTimeLeft) as caught:
        asyncio.run(retrying(call, until_s=monotonic_s() + 10.0))
    assert caught.value.attempts == len(calls) == MOST_ATTEMPTS
    assert caught.value.last.what == "ailing"


def test_no_wait_is_begun_that_would_end_too_late():
    call, calls = failing(100, asked_s=30.0)
    began = monotonic_s()
    with pytest.raises(NoTimeLeft):
        asyncio.run(retrying(call, until_s=began + 5.0))
    assert len(calls) == 1
    assert monotonic_s() - began < 1.0


def test_what_does_not_pass_is_not_tried_again():
    async def call():
        raise KeyError

    with pytest.raises(KeyError):
        asyncio.run(retrying(call, until_s=monotonic_s() + 5.0))
