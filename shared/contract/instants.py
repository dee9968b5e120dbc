"""Instants that a caller asks by, checked at the door. Pure."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from shared.contract.errors import InvalidQuery

FIRST_INSTANT: Final = datetime(2, 1, 1, tzinfo=UTC)
LAST_INSTANT: Final = datetime(9998, 12, 31, tzinfo=UTC)
"""Earlier and later ones are taken for these."""

_LONGEST_SHOWN: Final = 80


def checked_instant(name: str, value: object) -> datetime | None:
    """An instant in UTC, or None; what lies at either end of what a datetime can be, a year from there.

    Nothing is remembered from so early or so late, and days, weeks and other zones can be counted from it.

    Raises:
        InvalidQuery: the argument `name` is no datetime, or has no time zone.
    """
    if value is None:
        return None
    if not isinstance(value, datetime) or value.utcoffset() is None:
        raise InvalidQuery(f"{name} must be a datetime with a time zone, not {shown(value)}")
    try:
        return min(max(value.astimezone(UTC), FIRST_INSTANT), LAST_INSTANT)
    except OverflowError:
        return FIRST_INSTANT if value.year < LAST_INSTANT.year else LAST_INSTANT


def shown(value: object) -> str:
    """A value as a message quotes it."""
    try:
        return repr(value)[:_LONGEST_SHOWN]
    except ValueError:  # a number of more digits than Python writes
        return "a larger one"
