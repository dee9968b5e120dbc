import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.models._per_process import PerProcess


def test_threads_that_ask_at_once_get_one_value_made_once() -> None:
    together = threading.Barrier(16)
    made: list[object] = []

    def make() -> object:
        made.append(object())
        return made[-1]

    value = PerProcess(make)

    def ask(_: int) -> object:
        together.wait()
        return value.get()

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(ask, range(16)))
    assert len(made) == 1
    assert all(answer is made[0] for answer in answers)


def test_nothing_is_made_before_it_is_asked_for() -> None:
    PerProcess(lambda: pytest.fail("made too early"))


def test_another_process_makes_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    value = PerProcess(object)
    first = value.get()
    monkeypatch.setattr("shared.models._per_process.os.getpid", lambda: -1)
    assert value.get() is not first
    assert value.get() is value.get()


def test_a_failure_is_raised_and_the_next_call_tries_again() -> None:
    attempts: list[str] = []

    def make() -> str:
        attempts.append("made")
        if len(attempts) == 1:
            raise OSError("disk")
        return attempts[-1]

    value = PerProcess(make)
    with pytest.raises(OSError, match="disk"):
        value.get()
    assert value.get() == "made"
