"""What is said of a memory beside its text: who, when, and whatever is out of the ordinary. Pure.

The ordinary is said once, in the guard line of a block: an episode, as evidence, from the one who speaks. A label names
the speaker and what differs from that. The name is what somebody called themselves: one that has more than the letters
of a name, so that it might be read as a day or a mark of ours, or that is a word by which we say whose words they are,
stands in quotation marks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from typing import Final, Protocol

from shared.contract.trust import Origin

UNKNOWN_DAY: Final = "time unknown"
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MOST_DAYS_NAMED: Final = 2
_SEVERAL: Final = "several"
_OURS: Final = frozenset({_SEVERAL, "system", "developer", "daybook"})
"""What a name alone would say of whose words they are, whoever they are from."""
_OTHERS: Final = frozenset({*Origin}) - {Origin.USER}
"""The same, where nothing else says that a user's words they are."""
_TELLING: Final = re.compile(
    "[,;:|<>{}\\[\\]\\\\\x00-\x1f\x7f-\x9f\u060c\u061b\u200b-\u200f\u2028-\u202f\u2060-\u206f\u3001\u3002\uff0c\uff1a\uff1b]"
)
"""What separates the parts of a label, here or in another script, or cannot be seen."""
_QUOTES: Final = re.compile('["\u201c-\u201f\u00ab\u00bb\uff02]')


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
    """Who said it; in quotation marks, of which it then has none within, where it might pass for words of ours."""
    if not memory.speaker:
        return _SEVERAL
    return _named(memory.speaker, memory.origin)


@lru_cache(maxsize=4096)
def _named(speaker: str, origin: str) -> str:
    low = speaker.strip().casefold()
    is_plain = not (_TELLING.search(speaker) or _QUOTES.search(speaker)) and speaker == speaker.strip()
    if is_plain and low not in _OURS and (origin != Origin.USER or low not in _OTHERS):
        return speaker
    within = _QUOTES.sub("'", speaker)
    return f'"{within}"'


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
