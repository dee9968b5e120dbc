"""Laws of the breakers: what opens one, what does not, and how it comes to close."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotpath import _breaker
from hotpath._breaker import (
    CLOSED,
    FAILURES,
    FIRST_PAUSE_S,
    LONGEST_PAUSE_S,
    PATIENCE_S,
    Breakers,
    State,
    breakers,
    counts,
    failed,
    tried,
)
from shared.contract.errors import DatabaseUnavailable, ModelMismatch
from shared.contract.scope import Scope
from shared.settings import load
from shared.store.connecting import Late

gaps = st.floats(min_value=0.001, max_value=100.0)


def after_failures(number: int, *, gap_s: float = 1.0) -> tuple[State, float]:
    """A state after some tries, each of which began after the one before it had failed; and when that is."""
    state, now_s = CLOSED, 0.0
    for _ in range(number):
        state, now_s = failed(state, began_s=now_s, now_s=now_s + gap_s), now_s + gap_s
    return state, now_s


@given(gap_s=gaps)
def test_one_opens_after_so_many_failures_in_a_row_and_not_before(gap_s: float) -> None:
    almost, now_s = after_failures(FAILURES - 1, gap_s=gap_s)
    assert almost.admits(now_s)
    opened, now_s = after_failures(FAILURES, gap_s=gap_s)
    assert not opened.admits(now_s)
    assert not opened.admits(now_s + FIRST_PAUSE_S * 0.99)
    assert opened.admits(now_s + FIRST_PAUSE_S)


@given(number=st.integers(1, 50), length_s=gaps)
def test_tries_that_ran_side_by_side_have_failed_once(number: int, length_s: float) -> None:
    state = CLOSED
    for each in range(number):
        state = failed(state, began_s=0.0, now_s=length_s + each)
    assert (state.failures, state.open_until_s) == (1, None)


@given(trials=st.integers(1, 12), gap_s=gaps)
def test_each_trial_that_fails_doubles_the_pause_up_to_the_longest(trials: int, gap_s: float) -> None:
    state, now_s = after_failures(FAILURES)
    for number in range(trials):
        pause_s = min(FIRST_PAUSE_S * 2**number, LONGEST_PAUSE_S)
        assert state.pause_s == pause_s
        now_s += pause_s
        assert state.admits(now_s)
        state = tried(state, now_s)
        assert not state.admits(now_s), "one trial at a time"
        state, now_s = failed(state, began_s=now_s, now_s=now_s + gap_s), now_s + gap_s
    assert state.pause_s == min(FIRST_PAUSE_S * 2**trials, LONGEST_PAUSE_S)


def test_a_trial_of_which_nothing_is_heard_is_made_again_after_another_pause() -> None:
    opened, now_s = after_failures(FAILURES)
    waiting = tried(opened, now_s + FIRST_PAUSE_S)
    assert not waiting.admits(now_s + 1.5 * FIRST_PAUSE_S)
    assert waiting.admits(now_s + 2 * FIRST_PAUSE_S)


def test_what_began_before_it_opened_does_not_prolong_it() -> None:
    opened, now_s = after_failures(FAILURES)
    assert failed(opened, began_s=now_s - 0.5, now_s=now_s + 5) == opened


ERROR = ConnectionResetError("gone")
REFUSED = ("dense",)


def open_one() -> Breakers:
    made = Breakers()
    for _ in range(FAILURES):
        made.failed("dense", ERROR, began_s=float("inf"))
    return made


def test_an_open_one_refuses_its_channel_and_no_other_and_a_success_closes_it() -> None:
    made = open_one()
    assert made.refused(["sparse", "dense", "fresh"]) == REFUSED
    made.succeeded("dense")
    assert made.refused(["sparse", "dense", "fresh"]) == ()


def test_a_success_in_between_begins_the_count_anew() -> None:
    made = Breakers()
    for _ in range(FAILURES - 1):
        made.failed("dense", ERROR, began_s=float("inf"))
    made.succeeded("dense")
    for _ in range(FAILURES - 1):
        made.failed("dense", ERROR, began_s=float("inf"))
    assert made.refused(REFUSED) == ()


def test_of_many_that_ask_when_the_pause_is_over_one_is_let_through(monkeypatch: pytest.MonkeyPatch) -> None:
    made = open_one()
    later = _breaker.clock.monotonic_s() + FIRST_PAUSE_S
    monkeypatch.setattr(_breaker.clock, "monotonic_s", lambda: later)
    together, answers = threading.Barrier(16), []

    def ask() -> None:
        together.wait()
        answers.append(made.refused(REFUSED))

    threads = [threading.Thread(target=ask) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [(), *[REFUSED] * 15]


@pytest.mark.parametrize(
    ("error", "took_s"),
    [
        (psycopg.errors.QueryCanceled(), PATIENCE_S),
        (TimeoutError(), PATIENCE_S),
        (DatabaseUnavailable(), PATIENCE_S),
        (psycopg.errors.AdminShutdown(), 0.0),
        (ConnectionRefusedError(), 0.0),
        (MemoryError(), 0.0),
    ],
)
def test_the_server_the_machine_and_time_count(error: Exception, took_s: float) -> None:
    assert counts(error, took_s)


@pytest.mark.parametrize(
    ("error", "took_s"),
    [
        (psycopg.errors.QueryCanceled(), PATIENCE_S / 2),
        (TimeoutError(), 0.001),
        (DatabaseUnavailable(), 0.001),
        (psycopg.errors.DivisionByZero(), 9.0),
        (ModelMismatch(), 9.0),
        (KeyError("payload"), 9.0),
        (ValueError("vectors of 16 numbers"), 9.0),
    ],
)
def test_haste_and_what_a_scope_holds_do_not(error: Exception, took_s: float) -> None:
    assert not counts(error, took_s)


def unanswered(error: Exception) -> DatabaseUnavailable:
    made = DatabaseUnavailable("Postgres did not answer")
    made.__cause__ = error
    return made


@pytest.mark.parametrize("error", [psycopg.errors.QueryCanceled(), Late()])
def test_a_statement_that_was_ended_for_its_time_says_nothing_of_the_server(error: Exception) -> None:
    assert not counts(unanswered(error), 9.0)
    assert counts(unanswered(psycopg.OperationalError("it was silent until the deadline")), 9.0)


SCOPES = [Scope(tenant_id="acme", user_id=f"user-{number}") for number in range(5)]
SLOW = psycopg.errors.QueryCanceled()


def are_late(made: Breakers, *numbers: int) -> None:
    """The scopes of some numbers have had a time-out, one after the other."""
    for number in numbers:
        made.of(SCOPES[number]).failed("sparse", SLOW, began_s=float("inf"))


def rests(made: Breakers) -> list[int]:
    """The numbers of the scopes for which the channel rests."""
    return [number for number, each in enumerate(SCOPES) if made.of(each).refused(["sparse"])]


@pytest.fixture
def _all_have_waited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_breaker, "PATIENCE_S", float("-inf"))


@pytest.mark.usefixtures("_all_have_waited")
@given(number=st.integers(FAILURES, 20))
def test_time_outs_of_one_scope_rest_its_channel_and_nobody_elses(number: int) -> None:
    made = Breakers()
    are_late(made, *[0] * number)
    assert rests(made) == [0]


@pytest.mark.usefixtures("_all_have_waited")
def test_time_outs_of_several_scopes_in_a_row_rest_the_channel_for_all() -> None:
    made = Breakers()
    are_late(made, *[0, 1] * FAILURES)
    assert rests(made) == [0, 1]
    are_late(made, 2)
    assert rests(made) == [0, 1, 2, 3, 4]
    made.of(SCOPES[4]).succeeded("sparse")
    assert rests(made) == [0, 1], "whose own are slow still"


@pytest.mark.usefixtures("_all_have_waited")
def test_another_scopes_success_in_between_begins_the_count_of_scopes_anew() -> None:
    made = Breakers()
    are_late(made, 0, 1)
    made.of(SCOPES[4]).succeeded("sparse")
    are_late(made, 2, 3)
    assert rests(made) == []


def test_what_is_no_time_out_counts_for_all_whosever_it_was() -> None:
    made = Breakers()
    for _ in range(FAILURES):
        made.of(SCOPES[0]).failed("sparse", ERROR, began_s=float("inf"))
    assert rests(made) == [0, 1, 2, 3, 4]


@pytest.mark.usefixtures("_all_have_waited")
def test_of_scopes_that_fail_no_more_is_held_than_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_breaker, "MOST_HELD", 3)
    made = Breakers()
    are_late(made, 0, 1, 2, 3, 4)
    assert len(made._states) == 3


def test_each_database_and_model_has_its_own_and_a_child_begins_anew(tmp_path: Path) -> None:
    here = load(data_dir=tmp_path / "a")
    assert breakers(here) is breakers(load(data_dir=tmp_path / "a", recall_deadline_ms=7))
    assert breakers(here) is not breakers(load(data_dir=tmp_path / "b"))
    assert breakers(here) is not breakers(load(data_dir=tmp_path / "a", embedding_model="other"))
    for _ in range(FAILURES):
        breakers(here).failed("dense", ERROR, began_s=float("inf"))
    child = os.fork()
    if child == 0:
        os._exit(len(breakers(here).refused(REFUSED)))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert breakers(here).refused(REFUSED) == REFUSED
