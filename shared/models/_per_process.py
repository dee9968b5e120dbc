"""A value that each process makes for itself."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class PerProcess(Generic[T]):
    """Makes a value once in each process, on first use, whichever thread asks first.

    A child made by fork inherits its parent's values without the threads behind them, so it makes its own. The lock is
    found by process too: one that another thread held at the moment of the fork would stay locked in the child.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: dict[int, T] = {}
        self._locks: dict[int, threading.Lock] = {}

    def get(self) -> T:
        """This process's value. Raises what making it raises; the next call tries again."""
        pid = os.getpid()
        if pid not in self._made:
            with self._locks.setdefault(pid, threading.Lock()):
                if pid not in self._made:
                    self._made[pid] = self._make()
        return self._made[pid]
