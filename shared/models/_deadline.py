"""Runs a coroutine for a caller that must have its thread back in time, whatever the coroutine waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from threading import Thread
from typing import Any, Final, TypeVar

T = TypeVar("T")

GRACE_S: Final = 0.25
"""What a cancelled coroutine may take to close its connections before the caller goes on without it."""


class DeadlinePassed(Exception):
    """It was not done in time."""


def within(deadline_s: float, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """What the coroutine that `work` makes returns or raises, at most `deadline_s` + GRACE_S seconds from now.

    It runs on an event loop of its own, on a thread of its own: the caller may itself be on a running loop, and a look
    up of a name, which nothing can cancel, must not hold it. A thread that is left behind ends with what it waits for.

    Raises:
        DeadlinePassed: the time is up. The coroutine has been cancelled.
    """
    outcome: Future[T] = Future()
    Thread(target=_run, args=(deadline_s, work, outcome), name="llm", daemon=True).start()
    try:
        return outcome.result(timeout=deadline_s + GRACE_S)
    except TimeoutError:
        raise DeadlinePassed from None


def _run(deadline_s: float, work: Callable[[], Coroutine[Any, Any, T]], outcome: Future[T]) -> None:
    async def timed() -> None:
        # The outcome is told from within the loop: its end waits for threads that look up names.
        try:
            async with asyncio.timeout(deadline_s):
                result = await work()
        except BaseException as error:  # noqa: BLE001 - the caller raises it on its own thread
            outcome.set_exception(error)
        else:
            outcome.set_result(result)

    asyncio.run(timed())
