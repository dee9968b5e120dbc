"""A watch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from shared import clock

Result = TypeVar("Result")


def timed_ms(action: Callable[[], Result]) -> tuple[float, Result]:
    """How many milliseconds an action took, and what came of it."""
    began_s = clock.monotonic_s()
    result = action()
    return (clock.monotonic_s() - began_s) * 1000, result
