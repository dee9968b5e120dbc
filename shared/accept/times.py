"""One rule for the times that callers write on messages. Pure.

- An aware datetime, or an ISO 8601 text with an offset or `Z` (or ` UTC`), is that instant.
- Without a zone it is read in the setting `naive_timezone` (an hour that occurs twice is the first), with a warning.
- A number, or a text of nine digits or more, counts from 1970-01-01T00:00Z: seconds below 10^11, milliseconds below
  10^14, then microseconds and nanoseconds. Numbers below 10^8 are refused as counters, so that what is read as seconds
  and what is read as milliseconds agree on every instant: from 1973-03-03 on. Write older times as ISO 8601.
- A date alone is that day, from midnight in `naive_timezone`, with the precision `day`.
- Earlier than 1900-01-01, or later than now plus the setting `future_tolerance_s`, is not believed; nor is what
  does not exist (`2031-02-30`), is no time (`soon`, `True`) or has another type: the time is unknown, with a warning.
- Absent or blank is unknown. The clock never stands in for a time.

What the caller wrote is kept beside the result (`original_at`), whatever became of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final

from shared.accept.scrub import scrub
from shared.contract.events import Precision
from shared.language.text import normalise

EARLIEST: Final = datetime(1900, 1, 1, tzinfo=UTC)
"""A message dated before this is not believed."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LEAST_NUMBER: Final = 1e8
_UNITS: Final = ((1e11, 1), (1e14, 1_000), (1e17, 1_000_000), (1e20, 1_000_000_000))
"""Below which number a second has how many of the unit."""
_NUMBER: Final = re.compile(r"\d{9,20}(?:\.\d{1,9})?", re.ASCII)
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d|\d{8}|\d{4}-?W\d\d-?\d", re.ASCII)
_WEEK: Final = re.compile(r"\d{4}-?W\d\d", re.ASCII)
# From where spaces begin: tried from each of many, it would take the square of them.
_UTC: Final = re.compile(r"(?<!\s)\s*(?:UTC|GMT|Z)$", re.IGNORECASE)
_OFFSET: Final = re.compile(r"(?<!\s)\s+(?=[+-]\d\d(?::?\d\d)?$)", re.ASCII)
_SHOWN_CHARS: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRule:
    """What reading a time depends on."""

    naive_zone: tzinfo
    latest: datetime
    """Aware; what is later is not believed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    """A time as it is stored."""

    at: datetime | None = None
    """Aware, in UTC; None when it is not known."""
    precision: Precision = Precision.UNKNOWN
    original: str | None = None
    """What the caller wrote, cleaned, its first 64 characters."""
    warning: str | None = None


def dated(value: object, rule: TimeRule) -> Dated:
    """Read a time by the rule above; never raises."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return Dated()
    shown = _shown(value)
    try:
        at, precision, doubt = _read(value, rule.naive_zone)
        _check_believable(at, rule.latest)
    except (ValueError, OverflowError) as error:
        return Dated(original=shown, warning=f"time {shown!r} {_reason(error)}; stored without a time")
    return Dated(at=at, precision=precision, original=shown, warning=f"time {shown!r} {doubt}" if doubt else None)


class _UnbelievableError(ValueError):
    """Its message is written to follow the time it speaks of."""


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, _UnbelievableError) else "is no time in ISO 8601 that exists"


def _shown(value: object) -> str:
    text = (
        value.isoformat() if isinstance(value, date) else str(value) if isinstance(value, str | float) else repr(value)
    )
    return scrub(normalise(text[:_SHOWN_CHARS])[0]).text


def _read(value: object, zone: tzinfo) -> tuple[datetime, Precision, str | None]:
    if isinstance(value, str):
        return _read_text(value.strip(), zone)
    if isinstance(value, datetime):
        return _read_datetime(value, zone)
    if isinstance(value, date):
        return _midnight(value, zone), Precision.DAY, None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _read_number(value), Precision.INSTANT, None
    raise _UnbelievableError(f"is a {type(value).__name__}, not a time")


def _read_text(text: str, zone: tzinfo) -> tuple[datetime, Precision, str | None]:
    if _NUMBER.fullmatch(text):
        return _read_number(float(text) if "." in text else int(text)), Precision.INSTANT, None
    if _DATE.fullmatch(text):
        return _midnight(date.fromisoformat(text), zone), Precision.DAY, None
    if _WEEK.fullmatch(text):  # the standard library would take its Monday
        raise _UnbelievableError("is a week, not a day")
    return _read_datetime(datetime.fromisoformat(_OFFSET.sub("", _UTC.sub("+00:00", text))), zone)


def _read_datetime(value: datetime, zone: tzinfo) -> tuple[datetime, Precision, str | None]:
    if value.utcoffset() is not None:
        return value.astimezone(UTC), Precision.INSTANT, None
    return value.replace(tzinfo=zone).astimezone(UTC), Precision.INSTANT, f"has no zone; read as {zone}"


def _midnight(day: date, zone: tzinfo) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC)


def _read_number(value: float) -> datetime:
    if not value >= _LEAST_NUMBER:  # not a number fails this too
        raise _UnbelievableError("is too small a number for a time: it reads as a counter")
    for limit, per_second in _UNITS:
        if value < limit:
            whole, rest = divmod(value, per_second)
            return _EPOCH + timedelta(seconds=whole, microseconds=rest * 1_000_000 / per_second)
    raise _UnbelievableError("is too large a number for a time")


def _check_believable(at: datetime, latest: datetime) -> None:
    if at < EARLIEST:
        raise _UnbelievableError(f"is before {EARLIEST:%Y-%m-%d}")
    if at > latest:
        raise _UnbelievableError(f"is in the future, after {latest:%Y-%m-%dT%H:%MZ}")
