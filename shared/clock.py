"""The only place that reads the machine's clock, and what it is cut into."""

from __future__ import annotations

import time
from datetime import UTC, datetime


def now() -> datetime:
    """The present instant, aware, in UTC."""
    return datetime.now(UTC)


def monotonic_s() -> float:
    """Seconds from an arbitrary start that never run backwards; for measuring spans."""
    return time.perf_counter()


def slot_of(now: datetime, every_s: float, at_s: float = 0) -> datetime:
    """The begin of the slot that `now` is in: slots of `every_s` seconds, one of which begins at `at_s` UTC."""
    seconds = (now.timestamp() - at_s) // every_s * every_s + at_s
    return datetime.fromtimestamp(seconds, UTC)
