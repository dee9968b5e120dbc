"""When a failed call to a provider is tried again: by what failed, and by the time that is left."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import SystemRandom
from typing import Final, TypeVar

from shared.clock import monotonic_s

T = TypeVar("T")

MOST_ATTEMPTS: Final = 4
MOST_ANSWERS: Final = 2
"""Attempts that are answered with something that is no answer: each of them may have been paid for."""
FIRST_WAIT_S: Final = 0.5
LONGEST_WAIT_S: Final = 8.0
_CHANCE: Final = SystemRandom()


@dataclass(slots=True, kw_only=True)
class Passing(Exception):
    """A failure that may pass.

    `asked_s` is how long the provider asked to be left alone, where it did.
    """

    what: str
    """For a person; nothing that a provider said."""
    asked_s: float | None = None
    is_answered: bool = False
    """Whether something came that may have been paid for."""


class NoTimeLeft(Exception):
    """The last of the failures that passed, with nothing left to try again in."""

    def __init__(self, last: Passing, attempts: int, answers: int) -> None:
        super().__init__(last.what)
        self.last = last
        self.attempts = attempts
        self.answers = answers
        """How many of the attempts were answered with what is no answer."""


async def retrying(call: Callable[[], Awaitable[T]], *, until_s: float) -> T:
    """What `call` gives, tried again after each `Passing`, at most MOST_ATTEMPTS times and never past `until_s`.

    What is answered, and is no answer, is asked for MOST_ANSWERS times.

    `until_s` is an instant of `monotonic_s`. A wait that would end past it is not begun: the caller has its time back.

    Raises:
        NoTimeLeft: with the last failure.
    """
    answers = 0
    for attempt in range(1, MOST_ATTEMPTS + 1):
        try:
            return await call()
        except Passing as failure:
            answers += failure.is_answered
            is_last = attempt == MOST_ATTEMPTS or answers == MOST_ANSWERS
            pause_s = wait_s(attempt, failure.asked_s, chance=_CHANCE.random())
            if is_last or monotonic_s() + pause_s >= until_s:
                raise NoTimeLeft(failure, attempt, answers) from None
        await asyncio.sleep(pause_s)
    raise AssertionError  # the last attempt has returned or raised


def wait_s(attempt: int, asked_s: float | None, *, chance: float) -> float:
    """Seconds to wait after the `attempt`-th failure, from 1; `chance` in 0..1 spreads callers apart.

    What the provider asked for is kept, and up to a tenth added. Else the wait doubles from FIRST_WAIT_S up to
    LONGEST_WAIT_S, of which at least half is kept ("equal jitter", M. Brooker, Exponential Backoff And Jitter, 2015).
    """
    if asked_s is not None:
        return max(0.0, asked_s) * (1.0 + 0.1 * chance)
    return float(min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (attempt - 1)) * (0.5 + 0.5 * chance))
