"""Counters, in the process's default Prometheus registry: an exporter that the process has shows them too."""

from __future__ import annotations

from typing import Final

from prometheus_client import Counter, Histogram

RINGS_LOST: Final = Counter("daybook_rings_lost", "Rings that did not reach the broker; the sweep finds their work.")
STAGE_SECONDS: Final = Histogram("daybook_stage_seconds", "Seconds that a stage took.", ["stage", "outcome"])
CHANNEL_FAILURES: Final = Counter("daybook_channel_failures", "Recall channels that failed.", ["channel", "reason"])
