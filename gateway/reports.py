"""What the gateway tells of the whole: values, made elsewhere, printed elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from shared.contract.receipts import Receipt, Stage
from shared.contract.scope import Owner

if TYPE_CHECKING:
    from gateway.processes import State
    from shared.store.jobs import Pass
    from shared.store.progress import Build, StageProgress, ViewProgress


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """The runs that are at one stage in one state."""

    stage: str
    """The stage to be done next, or `done`."""
    state: str
    """`waiting`, `parked` or `done`."""
    runs: int
    oldest: datetime
    """Since when the one that has been there longest has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the accepted runs have come."""

    backlog: tuple[Backlog, ...]

    @property
    def waiting(self) -> int:
        """Runs that some stage is still to be done for."""
        return self.of("waiting")

    @property
    def parked(self) -> int:
        """Runs that were given up, with the reason on their receipts."""
        return self.of("parked")

    @property
    def done(self) -> int:
        """Runs that went through all stages."""
        return self.of("done")

    @property
    def oldest(self) -> datetime | None:
        """Since when the run that has waited longest has; None where none waits."""
        return min((each.oldest for each in self.backlog if each.state == "waiting"), default=None)

    def of(self, state: str) -> int:
        """Runs in a state."""
        return sum(each.runs for each in self.backlog if each.state == state)

    def past(self, stage: Stage) -> int:
        """Runs that a stage has been done for."""
        order = [*Stage, "done"]
        return sum(each.runs for each in self.backlog if order.index(each.stage) > order.index(stage))


def progress_of(rows: Iterable[Mapping[str, Any]]) -> Progress:
    """Progress from the inbox's counts, in the order of the stages."""
    order = [*Stage, "done"]
    found = [
        Backlog(stage=row["stage"], state=row["state"], runs=row["runs"], oldest=row["oldest"])
        for row in sorted(rows, key=lambda row: (order.index(row["stage"]), row["state"]))
    ]
    return Progress(backlog=tuple(found))


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One delivery of a run, as it stands in the inbox."""

    subject: str
    owner: Owner
    stage: str
    state: str
    attempts: int
    last_error: str | None
    accepted_at: datetime
    changed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What was decided about one message."""

    message_id: str
    speaker: str | None
    stage: str
    action: str
    rule: str
    reason: str
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunHistory:
    """All that became of a run."""

    run_id: str
    deliveries: tuple[Delivery, ...]
    receipts: tuple[Receipt, ...]
    decisions: tuple[Judgement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceState:
    """Postgres or the broker."""

    name: str
    embedded: bool
    running: bool
    where: str
    """Host and port, without user or password."""
    pid: int | None = None
    since: datetime | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Liveness:
    """Whether work gets done: not whether processes are up."""

    healthy: bool
    reasons: tuple[str, ...]
    """Why not; empty where it is."""
    warnings: tuple[str, ...]
    """What somebody should see to, although work gets done."""
    period_s: float
    """How long work may wait that could be done."""
    lately_s: float
    """The span that `done` of each stage counts."""
    looked_at: datetime
    stages: tuple[StageProgress, ...] = ()
    jobs: tuple[Pass, ...] = ()
    """The newest pass of each job, and every other tenant's that is not as it should be."""
    views: tuple[ViewProgress, ...] = ()
    builds: tuple[Build, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """Everything at a glance."""

    data_dir: str
    services: tuple[ServiceState, ...]
    processes: tuple[State, ...]
    progress: Progress | None
    """None where the database could not be asked."""
    problem: str | None
    """Why not."""
    advice: tuple[str, ...] = ()
    """A line for each thing that somebody must see to: what died after `daybook up`, runs that were given up."""
    health: Liveness | None = None
    """Whether work gets done; None where the database could not be asked."""
    health_url: str | None = None
    """Where the process `health` answers, if it runs on this data folder."""


class Health(StrEnum):
    """How a check came out."""

    OK = "ok"
    WARN = "warn"
    """It works, and could be better."""
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at."""

    name: str
    health: Health
    found: str
    advice: str = ""
    """What to do; empty where all is well."""
