"""Whole days of the calendar: weeks, months, seasons, years, and counting from a day. Pure.

Weeks begin on Monday. Seasons are the northern ones in whole months, and a winter is of the year in which it begins:
the winter of 2022 ends in February 2023.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta
from typing import Final, NamedTuple

_DAYS: Final = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14}
_MONTHS: Final = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_HALF_DAYS: Final = {
    "day": 0,
    "week": 3,
    "weekend": 3,
    "fortnight": 3,
    "month": 15,
    "quarter": 45,
    "year": 183,
    "decade": 1826,
}
_SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}

FAR_AWAY: Final = date(1970, 1, 1)
"""Nothing is remembered from before: machines' time begins here."""


class Span(NamedTuple):
    """The days from the first to the last, both included."""

    first: date
    last: date


def a_day(at: date) -> Span:
    """That day alone."""
    return Span(at, at)


def a_week(at: date) -> Span:
    """The week that a day is in."""
    monday = at - timedelta(days=at.weekday())
    return Span(monday, monday + timedelta(days=6))


def a_weekend(at: date) -> Span:
    """Saturday and Sunday of the week that a day is in."""
    _, sunday = a_week(at)
    return Span(sunday - timedelta(days=1), sunday)


def months(year: int, month: int, count: int = 1) -> Span:
    """So many months from one on.

    Raises:
        ValueError: there is no such year or month.
    """
    last = moved(date(year, month, 1), count - 1, "month")
    return Span(date(year, month, 1), last.replace(day=monthrange(last.year, last.month)[1]))


def years(year: int, count: int = 1) -> Span:
    """So many years from one on.

    Raises:
        ValueError: there is no such year.
    """
    return Span(date(year, 1, 1), date(year + count - 1, 12, 31))


def season(name: str, year: int) -> Span:
    """A season by its English name.

    Raises:
        ValueError: there is no such year.
    """
    return months(year, _SEASONS[name], 3)


def unit_of(unit: str, at: date) -> Span:
    """The week, weekend, month, quarter, year or season (by its name) that a day is in.

    A season that the day is not in is that of the day's year.
    """
    if unit == "day":
        return a_day(at)
    if unit in {"week", "weekend"}:
        return a_week(at) if unit == "week" else a_weekend(at)
    if unit == "month":
        return months(at.year, at.month)
    if unit == "quarter":
        return months(at.year, (at.month - 1) // 3 * 3 + 1, 3)
    if unit == "year":
        return years(at.year)
    return season(unit, at.year - 1 if unit == "winter" and at.month <= 2 else at.year)  # noqa: PLR2004 - February


def moved(at: date, count: int, unit: str) -> date:
    """The day that lies so many units later, earlier where below 0; the last of a month where that one is shorter.

    Raises:
        ValueError, OverflowError: there is no such day.
    """
    if unit in _DAYS:
        return at + timedelta(days=count * _DAYS[unit])
    year, month = divmod(at.year * 12 + at.month - 1 + count * _MONTHS[unit], 12)
    first = date(year, month + 1, 1)
    return first.replace(day=min(at.day, monthrange(first.year, first.month)[1]))


def around(at: date, unit: str, slack: int = 0) -> Span:
    """A day that was told in whole units, as exactly as that is: half a unit to each side, and `slack` units more."""
    aside = timedelta(days=_HALF_DAYS[unit])
    return Span(moved(at, -slack, unit) - aside, moved(at, slack, unit) + aside)


def part(span: Span, which: str) -> Span:
    """The `early`, `mid` or `late` third of some days; of fewer than three, all."""
    days = (span.last - span.first).days + 1
    third = timedelta(days=days // 3)
    if not third:
        return span
    if which == "early":
        return Span(span.first, span.first + third - timedelta(days=1))
    if which == "late":
        return Span(span.last - third + timedelta(days=1), span.last)
    return Span(span.first + third, span.last - third)
