"""What beat starts, how often or at which hour, and why then."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from shared.clock import slot_of
from shared.contract.scope import SYSTEM_TENANT
from shared.settings import Settings
from shared.work.queues import (
    ANTICIPATE,
    COMPRESS,
    CONSOLIDATE,
    DEDUPE,
    EVALUATE,
    EVERY_TENANT,
    FILL,
    GRAPH,
    LINK,
    PROFILE,
    PROMOTE,
    PRUNE,
    REDERIVE,
    REFLECT,
    REPLAY,
    RESUME,
    RETAIN,
    SUPERSEDE,
    SWEEP,
    VERIFY,
)

DAY_S: Final = 86_400.0
_HOUR_S: Final = 3_600.0
_SPREAD_S: Final = 1_800.0
"""Half an hour: tenants do not all come at the stroke of the hour, and are done long before the next nightly job's."""
_RING_AT_LEAST_EVERY_S: Final = 300.0
"""A slot that was missed, or whose worker died, waits no longer; a ring for one that was done costs a look-up."""


class Whose(StrEnum):
    """What has a pass in each slot."""

    NOBODY = "nobody"
    """No pass is kept: the task finds what to do by state, and finds nothing the second time."""
    SYSTEM = "system"
    """The installation: one pass goes over all tenants."""
    TENANT = "tenant"
    """Each tenant has a pass of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the schedule: a task, and the slots in each of which it has one effect."""

    task: str
    every_s: float = DAY_S
    """Length of a slot; slots are counted from midnight UTC."""
    hour: int = 0
    """The hour, in UTC, at which a daily slot begins."""
    spread_s: float = 0.0
    """Over how long from the slot's begin tenants come, each at a moment of its own."""
    whose: Whose
    reason: str

    def slot_at(self, now: datetime) -> datetime:
        """The begin of the slot that is at a moment."""
        return slot_of(now, self.every_s, self.hour * _HOUR_S)

    @property
    def ring_every_s(self) -> float:
        """How often beat rings: a slot may be rung for many times."""
        return min(self.every_s, _RING_AT_LEAST_EVERY_S)

    @property
    def arguments(self) -> tuple[str, ...]:
        """What the task is told: whose it is, and how to work out the slot."""
        if self.whose is Whose.NOBODY:
            return ()
        tenant_id = SYSTEM_TENANT if self.whose is Whose.SYSTEM else EVERY_TENANT
        return (tenant_id, str(self.every_s), str(self.hour * _HOUR_S), str(self.spread_s))


NIGHTLY: Final = (
    Entry(
        task=DEDUPE,
        hour=1,
        spread_s=_SPREAD_S,
        whose=Whose.TENANT,
        reason="What was said twice costs a recall a line until then; before the nightly check, which reads what "
        "is left. A stream that nothing is new in costs a look-up.",
    ),
    Entry(
        task=PROMOTE,
        hour=1,
        spread_s=_SPREAD_S,
        whose=Whose.TENANT,
        reason="What served is told by days of reports, so a day later is soon enough; a stream that nothing was "
        "reported in costs a look-up.",
    ),
    Entry(
        task=COMPRESS,
        hour=2,
        spread_s=_SPREAD_S,
        whose=Whose.TENANT,
        reason="What is half a year old can wait a day. After dedupe and promote, so that what is held twice is "
        "summarised once and what is of lasting use stays; before the nightly check, which reads what is left.",
    ),
    Entry(
        task=PROFILE,
        hour=2,
        spread_s=_SPREAD_S,
        whose=Whose.TENANT,
        reason="After dedupe, whose merges it shows, and before the nightly check, which compares it. Who reads "
        "a profile folds what came since, a day of it; a stream that nothing is new in costs a look-up.",
    ),
    Entry(
        task=SUPERSEDE,
        hour=2,
        spread_s=_SPREAD_S,
        whose=Whose.TENANT,
        reason="After dedupe, which leaves fewer to compare; until then two that contradict each other are both "
        "recalled. A stream that nothing is new in costs a look-up.",
    ),
    Entry(
        task=CONSOLIDATE,
        hour=4,
        spread_s=_SPREAD_S,
        whose=Whose.TENANT,
        reason="After supersede, so that nothing is concluded of what has ended; it takes days of sessions for "
        "anything to be said often, so once a day is soon enough.",
    ),
    Entry(
        task=LINK,
        hour=2,
        spread_s=_SPREAD_S,
        whose=Whose.TENANT,
        reason="After dedupe, so that what stands for others inherits their links the same night. Until then what "
        "is new is found by its own words.",
    ),
    Entry(
        task=PRUNE,
        hour=2,
        spread_s=_SPREAD_S,
        whose=Whose.TENANT,
        reason="After the jobs that say what is of use; by policy, and what is of little worth hangs on the day.",
    ),
    Entry(
        task=RETAIN,
        hour=2,
        spread_s=_SPREAD_S,
        whose=Whose.TENANT,
        reason="An end is a day, and the night's check comes after it; where no policy ends anything, no stream is "
        "looked at.",
    ),
    Entry(
        task=GRAPH,
        hour=2,
        spread_s=_SPREAD_S,
        whose=Whose.TENANT,
        reason="No recall waits for it: pages and people read it. Before the nightly check, which compares what it "
        "wrote; a stream that nothing has happened in costs a look-up.",
    ),
    Entry(
        task=REFLECT,
        hour=5,
        spread_s=_SPREAD_S,
        whose=Whose.TENANT,
        reason="After all that changes what is held; what an answer quotes and has changed since goes at once. A "
        "stream that nothing has happened in costs a look-up.",
    ),
    Entry(
        task=ANTICIPATE,
        hour=5,
        spread_s=_SPREAD_S,
        whose=Whose.TENANT,
        reason="After all that changes what is held, and before the day's first questions, which it is for; what "
        "is near hangs on the day. What it quotes and has changed since goes at once, not here.",
    ),
    Entry(
        task=EVALUATE,
        hour=5,
        spread_s=_SPREAD_S,
        whose=Whose.TENANT,
        reason="After all that the night changes, and before the day's first recalls: what is wrong by now is held "
        "back before anybody meets it.",
    ),
    Entry(
        task=REPLAY,
        hour=3,
        whose=Whose.SYSTEM,
        reason="Folding a long stream takes a minute of a processor, so at an hour when few agents run; a day "
        "later a difference is still small.",
    ),
    Entry(
        task=REDERIVE,
        hour=3,
        spread_s=_SPREAD_S,
        whose=Whose.TENANT,
        reason="Beside the comparison of what is written with the ledger, when few agents run: it takes some seconds "
        "at a time from the process that reads runs. Rules change with a deployment, so a day later is soon enough.",
    ),
)
"""What comes once a day, each after those whose work it reads."""


def schedule(settings: Settings) -> tuple[Entry, ...]:
    """The schedule, by the settings."""
    return (
        Entry(
            task=SWEEP,
            every_s=settings.sweep_every_s,
            whose=Whose.NOBODY,
            reason="A run whose first ring got lost waits this long; finding nothing costs an index look-up a stage.",
        ),
        Entry(
            task=RESUME,
            every_s=settings.job_lease_s,
            whose=Whose.NOBODY,
            reason="A job whose worker died is gone on with within two leases; finding nothing costs one look-up.",
        ),
        Entry(
            task=VERIFY,
            every_s=settings.verify_every_s,
            whose=Whose.SYSTEM,
            reason="Damage is found while backups from before it exist; a sample costs milliseconds a stream.",
        ),
        Entry(
            task=FILL,
            every_s=settings.fill_every_s,
            whose=Whose.TENANT,
            reason="A memory whose run met another model, or was given up, is found by words alone until then; the "
            "counters of all tenants are looked at once, and a tenant that lacks nothing has no pass.",
        ),
        *NIGHTLY,
    )
