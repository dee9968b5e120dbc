"""What beat starts, how often, and why so often."""

from __future__ import annotations

from dataclasses import dataclass

from shared.settings import Settings
from shared.work.queues import SWEEP, VERIFY


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the schedule."""

    task: str
    every_s: float
    reason: str


def schedule(settings: Settings) -> tuple[Entry, ...]:
    """The schedule, by the settings."""
    return (
        Entry(
            task=SWEEP,
            every_s=settings.sweep_every_s,
            reason="A run whose first ring got lost waits this long; finding nothing costs an index look-up a stage.",
        ),
        Entry(
            task=VERIFY,
            every_s=settings.verify_every_s,
            reason="Damage is found while backups from before it exist; a sample costs milliseconds a stream.",
        ),
    )
