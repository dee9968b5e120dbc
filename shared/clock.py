"""The only place that reads the machine's clock."""

from __future__ import annotations

import time
from datetime import UTC, datetime


def now() -> datetime:
    """The present instant, aware, in UTC."""
    return datetime.now(UTC)


def monotonic_s() -> float:
    """Seconds from an arbitrary start that never run backwards; for measuring spans."""
    return time.perf_counter()
