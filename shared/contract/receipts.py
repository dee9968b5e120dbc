"""What became of a run, stage by stage. No work ends without one of these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from shared.contract.scope import Owner


class Stage(StrEnum):
    """The stages a run goes through, in order. A stage's file, queue, task, receipt and metric share its word."""

    OBSERVE = "observe"
    APPEND = "append"
    GATE = "gate"
    EXTRACT = "extract"
    RESOLVE = "resolve"
    INDEX = "index"


class Outcome(StrEnum):
    """How a stage ended."""

    ACCEPTED = "accepted"
    """It is in the inbox; nothing can be lost any more."""
    SPOOLED = "spooled"
    """It is on this machine's disk, and will be in the inbox when Postgres takes it."""
    STORED = "stored"
    IGNORED = "ignored"
    """Nothing of it was kept as a memory; the reason says why. The evidence is in the ledger all the same."""
    PASSED = "passed"
    EXTRACTED = "extracted"
    """Candidates were proposed; what became of each is resolve's to say."""
    NOTHING_FOUND = "nothing_found"
    """It was read, and holds nothing to propose."""
    REFUSED = "refused"
    """The model declined to read it; nothing that it said instead is kept as a memory."""
    INDEXED = "indexed"
    DEFERRED = "deferred"
    """Left to somebody else, who will make up for it; the reason says who, and what is missing until then."""
    FAILED = "failed"
    """Given up after the last attempt, or refused for good; the run is parked with its content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """One stage's outcome for one delivery of a run."""

    tenant_id: str
    owner: Owner
    run_id: str
    subject: UUID
    """The delivery: the same run with the same messages has the same subject however often it is sent."""
    stage: Stage
    outcome: Outcome
    reason: str
    counts: Mapping[str, int] = field(default_factory=dict)
    started_at: datetime
    finished_at: datetime
    warnings: tuple[str, ...] = ()
    """What the front door changed or doubted, message by message; on the receipt that `observe` returns."""
    repeated: bool = False
    """This delivery had been accepted before; the receipt is the first one's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A piece of work as a message carries it: ids alone."""

    tenant_id: str
    owner: Owner
    inbox_id: UUID
