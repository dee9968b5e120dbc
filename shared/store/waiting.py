"""How long the server is waited for: measured, and bounded."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Final, TypeVar

from shared import clock

SHARE_OF_TIME_LEFT: Final = 0.6
"""What one statement may take: one that hangs leaves the others time to answer."""
_MOST_OF_TIME_LEFT: Final = 0.8
"""From which share of the time left on the bound is set anew: a round trip that a quick transaction never makes."""

Held = TypeVar("Held")


@dataclass(slots=True)
class Spent:
    """How long a session has waited for the server."""

    seconds: float = 0.0

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count what the block takes."""
        began = clock.monotonic_s()
        try:
            yield
        finally:
            self.seconds += clock.monotonic_s() - began

    @contextmanager
    def around(self, inner: AbstractContextManager[Held]) -> Iterator[Held]:
        """Enter and leave `inner`, counting both and not what happens between."""
        with self.counted():
            held = inner.__enter__()
        try:
            yield held
        except BaseException:
            with self.counted():
                swallowed = inner.__exit__(*sys.exc_info())
            if not swallowed:
                raise
        else:
            with self.counted():
                inner.__exit__(None, None, None)


@dataclass(slots=True)
class Deadline:
    """When a transaction must have answered, and how long its next statement may take on the server."""

    at_s: float
    statement_ms: int = 0

    @classmethod
    def within(cls, timeout_ms: int) -> Deadline:
        """`timeout_ms` from now."""
        return cls(clock.monotonic_s() + timeout_ms / 1000)

    def left_ms(self) -> float:
        """Milliseconds to go; below 0 when it has passed."""
        return (self.at_s - clock.monotonic_s()) * 1000

    def bound(self) -> str:
        """A new bound for the next statement, as the server takes it: at least 1, for it reads 0 as none."""
        self.statement_ms = max(1, round(self.left_ms() * SHARE_OF_TIME_LEFT))
        return str(self.statement_ms)

    @property
    def is_loose(self) -> bool:
        """Whether so much time has gone that a statement which takes all of its bound would come close to the end."""
        return self.statement_ms > max(1.0, self.left_ms() * _MOST_OF_TIME_LEFT)

    def wait_s(self, longest_s: float) -> float:
        """How long a connection may be waited for, at most `longest_s`."""
        return min(longest_s, max(0.001, self.left_ms() * SHARE_OF_TIME_LEFT / 1000))
