"""How long the server is waited for: measured, and bounded."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Final, TypeVar

from shared import clock

SHARE_OF_CONNECTING: Final = 0.6
"""What the wait for a connection may take of the time left."""
SHARE_OF_PART: Final = 0.4
"""What one part of a transaction may take of the time left, as one channel of recall: of five that hang one after the
other, the last still has a twentieth of the whole, and as much is left to answer with what was found."""
_SLACK: Final = 4 / 3
"""How much more than what is allowed the bound in force may be before it is set anew: a round trip that a quick
transaction never makes."""
_UNKNOWN_MS: Final = sys.maxsize

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
    part_at_s: float | None = None

    @classmethod
    def within(cls, timeout_ms: int) -> Deadline:
        """`timeout_ms` from now."""
        return cls(clock.monotonic_s() + timeout_ms / 1000)

    def left_ms(self) -> float:
        """Milliseconds to go; below 0 when it has passed."""
        return (self.at_s - clock.monotonic_s()) * 1000

    @contextmanager
    def part(self) -> Iterator[None]:
        """A part of the transaction: all statements of the block together may take their share of what is left."""
        self.part_at_s = clock.monotonic_s() + self.left_ms() * SHARE_OF_PART / 1000
        try:
            yield
        finally:
            self.part_at_s = None

    def bound(self) -> str:
        """A new bound for the next statement, as the server takes it: at least 1, for it reads 0 as none."""
        self.statement_ms = max(1, round(self._allowed_ms()))
        return str(self.statement_ms)

    def forget_bound(self) -> None:
        """Have the next statement bounded anew: the server has gone back behind where it was told the last bound."""
        self.statement_ms = _UNKNOWN_MS

    @property
    def is_loose(self) -> bool:
        """Whether so much time has gone that the bound in force is above what the next statement may take."""
        return self.statement_ms > max(1.0, self._allowed_ms() * _SLACK)

    def _allowed_ms(self) -> float:
        of_whole_ms = self.left_ms() * SHARE_OF_PART
        if self.part_at_s is None:
            return of_whole_ms
        return min(of_whole_ms, (self.part_at_s - clock.monotonic_s()) * 1000)

    def wait_s(self, longest_s: float) -> float:
        """How long a connection may be waited for, at most `longest_s`."""
        return min(longest_s, max(0.001, self.left_ms() * SHARE_OF_CONNECTING / 1000))
