"""What is said of a memory beside its text: who, when, and whatever is out of the ordinary. Pure.

The ordinary is said once, in the guard line of a block: an episode, as evidence, from the one who speaks. A label names
the speaker and what differs from that.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from typing import Final, Protocol

UNKNOWN_DAY: Final = "time unknown"
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MOST_DAYS_NAMED: Final = 2


class Labelled(Protocol):
    """A memory, as far as its label tells of it."""

    @property
    def speaker(self) -> str | None:
        """Who said it; None for what several said."""

    @property
    def kind(self) -> str:
        """See `shared.contract.records.Kind`."""

    @property
    def epistemic_type(self) -> str:
        """See `shared.contract.records.EpistemicType`."""

    @property
    def origin(self) -> str:
        """See `shared.contract.trust.Origin`."""

    @property
    def fresh(self) -> bool:
        """Whether it is still on its way into the ledger."""

    @property
    def until(self) -> datetime | None:
        """When it ended in the world; None where it holds."""


def label(memory: Labelled, day: str | None, also_at: Sequence[datetime | None] = (), *, zone: tzinfo = UTC) -> str:
    """Speaker, the day unless it is None, and what is not as the guard line says. `also_at`: when else it was said."""
    return f"{speaker_of(memory)}{f', {day}' if day else ''}{marks_of(memory, also_at, zone)}"


def speaker_of(memory: Labelled) -> str:
    """Who said it."""
    return memory.speaker or "several"


def marks_of(memory: Labelled, also_at: Sequence[datetime | None], zone: tzinfo) -> str:
    """What is out of the ordinary, each with a comma before it."""
    marks: list[str] = []
    if memory.kind != "episodic" or memory.epistemic_type != "evidence":
        marks.append(f", {memory.kind} {memory.epistemic_type}")
    if memory.origin not in {"user", memory.speaker}:
        marks.append(f", from {memory.origin}")
    if memory.fresh:
        marks.append(", not yet processed")
    if memory.until is not None:
        marks.append(f", until {date(memory.until, zone)}")
    if also_at:
        marks.append(f", {_repeats(also_at, zone)}")
    return "".join(marks)


def day_of(at: datetime | None, zone: tzinfo) -> str:
    """The day on which something was said, as a label gives it: `Tue 4 Mar 2031`."""
    if at is None:
        return UNKNOWN_DAY
    local = _local(at, zone)
    return f"{_DAYS[local.weekday()]} {_written(local.year, local.month, local.day)}"


def date(at: datetime, zone: tzinfo = UTC) -> str:
    """A date as people write it: `4 Mar 2031`."""
    local = _local(at, zone)
    return _written(local.year, local.month, local.day)


@lru_cache(maxsize=4096)
def _written(year: int, month: int, day: int) -> str:
    return f"{day} {_MONTHS[month - 1]} {year:04d}"


def _local(at: datetime, zone: tzinfo) -> datetime:
    try:
        return at.astimezone(zone)
    except OverflowError:  # at either end of what a datetime can be
        return at


def _repeats(also_at: Sequence[datetime | None], zone: tzinfo) -> str:
    days = list(dict.fromkeys(date(at, zone) for at in sorted(filter(None, also_at))))
    times = f"said {len(also_at) + 1} times"
    if not days:
        return times
    if len(days) > _MOST_DAYS_NAMED:
        return f"{times}, also {days[0]} to {days[-1]}"
    return f"also {days[0]}" if len(also_at) == 1 else f"{times}, also {' and '.join(days)}"
