"""What waits for a thread: no more than would be served, and nothing that was given up."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from hotpath._threads import WAITING_A_THREAD, Busy, Threads, within

WATCHDOG_S = 60


@pytest.fixture
def let_go() -> Iterator[threading.Event]:
    made = threading.Event()
    yield made
    made.set()


@pytest.fixture
def held(let_go: threading.Event) -> Threads:
    """One thread, which is at something that does not end before it is let go."""
    made, at_it = Threads(1, "test"), threading.Event()

    def work() -> bool:
        at_it.set()
        return let_go.wait(WATCHDOG_S)

    made.begin(work)
    assert at_it.wait(WATCHDOG_S)
    return made


def test_what_is_given_up_before_it_begins_is_never_done(held: Threads, let_go: threading.Event) -> None:
    done: list[str] = []
    with pytest.raises(TimeoutError):
        within(held.begin(lambda: done.append("given up")), 0.001)
    last = held.begin(lambda: done.append("waited for"))
    let_go.set()
    within(last, WATCHDOG_S)
    assert done == ["waited for"]


def test_no_more_wait_than_would_be_served_in_time(held: Threads) -> None:
    waiting = [held.begin(str) for _ in range(WAITING_A_THREAD)]
    with pytest.raises(Busy):
        held.begin(str)
    waiting[0].cancel()
    held.begin(str)


def test_what_is_done_makes_room(held: Threads, let_go: threading.Event) -> None:
    waiting = [held.begin(str) for _ in range(WAITING_A_THREAD)]
    let_go.set()
    assert [within(each, WATCHDOG_S) for each in waiting] == [""] * WAITING_A_THREAD
    assert within(held.begin(lambda: "more"), WATCHDOG_S) == "more"


def test_an_error_of_the_work_is_the_waiters() -> None:
    with pytest.raises(ZeroDivisionError):
        within(Threads(1, "test").begin(lambda: 1 // 0), WATCHDOG_S)
