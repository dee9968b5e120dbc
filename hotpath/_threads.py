"""Threads for models: a few that work, and no more that wait than would be served in time.

Nothing can interrupt a model, so what was begun goes on; what has not begun is dropped when nobody waits for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, TypeVar

Result = TypeVar("Result")

WAITING_A_THREAD: Final = 4
"""How many may wait for each of the threads: beyond that a model is so slow, or so much is asked, that the last would
be out of time."""


class Busy(TimeoutError):
    """So many wait already that this one would be out of time."""


class Threads:
    """At most so many threads of one process, begun when they are needed. Safe with threads."""

    def __init__(self, most: int, name: str) -> None:
        self._most_waiting = most * WAITING_A_THREAD
        self._executor = ThreadPoolExecutor(most, thread_name_prefix=name)
        self._waiting: set[Future[Any]] = set()
        self._lock = threading.Lock()

    def begin(self, work: Callable[[], Result]) -> Future[Result]:
        """Have something done; whoever gives it up cancels it.

        Raises:
            Busy: too many wait.
            RuntimeError: no thread can be had: the process ends, or has as many as it may have.
        """
        with self._lock:
            self._waiting = {each for each in self._waiting if not (each.running() or each.done())}
            if len(self._waiting) >= self._most_waiting:
                raise Busy(f"{len(self._waiting)} wait already")
            future = self._executor.submit(work)
            self._waiting.add(future)
        return future


def within(future: Future[Result], timeout_s: float) -> Result:
    """What comes of a piece of work in time; it is cancelled where it does not come.

    Raises:
        TimeoutError: it does not. Besides, whatever the work raises.
    """
    try:
        return future.result(timeout=max(0.0, timeout_s))
    finally:
        future.cancel()
