"""What is done when, what became of it, and what is late."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from shared import clock

if TYPE_CHECKING:
    from schedules.table import Entry
    from shared.settings import Settings
    from shared.store.db import Database
    from shared.store.holdings import Holding

_MOST_COUNTED: Final = 10_000
"""Tenants that are counted as due; more are shown as this many."""
_MOST_HELD: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduled:
    """One line of the schedule, as it stands."""

    job: str
    every_s: float
    at_hour: int | None
    """In UTC, of what is done daily."""
    spread_s: float
    whose: str
    reason: str
    slot: datetime
    """When the slot that is now began."""
    next_at: datetime
    """When the next one begins."""
    ended_at: datetime | None
    """When the newest pass ended, scheduled or by hand."""
    outcome: str | None
    """Of that pass: `done` or `failed`; None where there was none."""
    error: str | None
    """Why one of this slot's passes failed, of whatever tenant, or that one did."""
    done: int
    """Passes of this slot, by what became of them."""
    failed: int
    running: int
    due: int | None
    """Tenants whose pass of this slot is nobody's yet; None where no pass is kept."""
    held: tuple[Holding, ...]
    """Passes that somebody is at, those that are held the longest first; some, where there are many."""
    lag_s: float | None
    """Since when the slot is late: seconds since the last of those that are due should have begun; 0 where none is."""

    @property
    def is_ill(self) -> bool:
        """Whether a pass of this slot failed, of whatever tenant, or the newest one did."""
        return self.failed > 0 or self.outcome == "failed"


def schedule(database: Database, settings: Settings) -> list[Scheduled]:
    """The schedule by the settings of this process, in the table's order. Starts and changes nothing."""
    from schedules.table import schedule as entries

    now = clock.now()
    return [_standing(database, entry, now) for entry in entries(settings)]


def _standing(database: Database, entry: Entry, now: datetime) -> Scheduled:
    from schedules.table import DAY_S, Whose
    from shared.store import holdings, jobs

    slot = entry.slot_at(now)
    became, last = jobs.slot_of(database, entry.task, slot), jobs.last(database, entry.task)
    due = {Whose.NOBODY: None, Whose.SYSTEM: int(not became.started)}.get(entry.whose, 0)
    if entry.whose is Whose.TENANT:
        due = _due(database, entry, slot, now)
    late_s = max(0.0, (now - slot).total_seconds() - entry.spread_s)
    return Scheduled(
        job=entry.task,
        every_s=entry.every_s,
        at_hour=entry.hour if entry.every_s == DAY_S else None,
        spread_s=entry.spread_s,
        whose=entry.whose.value,
        reason=entry.reason,
        slot=slot,
        next_at=slot + timedelta(seconds=entry.every_s),
        ended_at=last.finished_at if last else None,
        outcome=last.state if last else None,
        error=became.error or (last.last_error if last else None),
        done=became.done,
        failed=became.failed,
        running=became.running,
        due=due,
        held=tuple(holdings.held(database, name=entry.task, limit=_MOST_HELD)),
        lag_s=None if due is None else late_s if due else 0.0,
    )


def _due(database: Database, entry: Entry, slot: datetime, now: datetime) -> int:
    """How many tenants' pass of the slot is nobody's yet."""
    from coldpath.tenants import with_work
    from shared.store import jobs

    spread, among = timedelta(seconds=entry.spread_s), with_work(database, entry.task)
    return len(jobs.due(database, entry.task, slot, now=now, spread=spread, limit=_MOST_COUNTED, among=among))
