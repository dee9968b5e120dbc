"""Counters, in the process's default Prometheus registry: an exporter that the process has shows them too."""

from __future__ import annotations

from typing import Final

from prometheus_client import Counter, Gauge, Histogram

RINGS_LOST: Final = Counter("daybook_rings_lost", "Rings that did not reach the broker; the sweep finds their work.")
STAGE_SECONDS: Final = Histogram("daybook_stage_seconds", "Seconds that a stage took.", ["stage", "outcome"])
RUNS_READ: Final = Counter("daybook_runs_read", "Runs that were read for candidates.", ["extractor", "status"])
CANDIDATES: Final = Counter("daybook_candidates", "Candidates that were decided on.", ["action", "rule"])
CANDIDATES_WAITING: Final = Gauge("daybook_candidates_waiting", "Candidates that wait, as last counted.", ["standing"])
PROPOSALS: Final = Counter("daybook_proposals", "Proposals of jobs, by what became of them.", ["job", "outcome"])
DIFFERENCES: Final = Counter("daybook_differences", "What scheduled checks found other than it must be.", ["check"])
GATES_TRIPPED: Final = Counter("daybook_gates_tripped", "Gates on metrics that tripped.", ["metric", "act"])
GATES: Final = Counter("daybook_gates", "How far streams came on their way to a job's model.", ["job", "gate"])
TURNS_DROPPED: Final = Counter("daybook_turns_dropped", "Recalls that were not logged.", ["reason"])
CHANNEL_FAILURES: Final = Counter("daybook_channel_failures", "Recall channels that failed.", ["channel", "reason"])
BREAKERS_OPENED: Final = Counter("daybook_breakers_opened", "Rests given to a channel of recall.", ["channel"])
RECALLS_CACHED: Final = Counter("daybook_recalls_cached", "Recalls that were answered from the cache.")
