"""Dates that a query names outright, as a window of time. Pure.

Read are a day (`2031-06-02`, `8 May 2023`, `May 8-10, 2023`, `2023年5月8日`), a month (`May 2023`, `2023-05`) and a
year (`in 2023`). Left alone are numbers whose order is a matter of country (`8.5.2023`, `05/08/2023`), days that do not
exist, and what has only one end (`since May 2023`, `before 2022`).
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final

from shared.contract.errors import InvalidInput
from shared.language.text import MAX_QUERY_CHARS

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH: Final = (
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_TO: Final = r"\s*(?:[-–—]|\bto\b|\band\b|\bor\b|\bthrough\b)\s*"  # noqa: RUF001 - dashes that people type
_YEAR: Final = r"[12]\d{3}(?![^\W_]|[-/.,:]\d)"
_DAYS: Final = rf"(?<![\w.,/-])\d{{1,2}}(?:st|nd|rd|th)?\b(?:{_TO}\d{{1,2}}(?:st|nd|rd|th)?\b)?"
_ONE_END: Final = (
    r"\b(?:before|after|since|until|till|by|than|prior to|as of)\s+(?:(?:the|end|start|of|in|on|about|early|late)\s+)*"
)
_NOT_A_YEAR: Final = r"(?!\s*(?:%|words?\b|tokens?\b|characters?\b|steps?\b|pieces?\b|people\b|dollars?\b|euros?\b))"
_DATE: Final = re.compile(
    rf"(?P<one_end>{_ONE_END})?(?:"
    rf"(?P<numbers>(?<![\w./-])[12]\d{{3}}(?:-\d\d(?!-)|(?P<sign>[-/])\d{{1,2}}(?P=sign)\d{{1,2}})(?![^\WT]|[-/.]\d)"
    rf"|[12]\d{{3}}\s*年(?:\s*\d{{1,2}}\s*月(?:\s*\d{{1,2}}\s*日)?)?)"
    rf"|(?P<days>{_DAYS}\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}|{_MONTH}\s+(?:the\s+)?{_DAYS},?\s+{_YEAR})"
    rf"|(?P<months>{_MONTH}(?:{_TO}{_MONTH})?,?\s+(?:of\s+)?{_YEAR})"
    rf"|(?P<years>\b(?:in|during|throughout|year|between|from)\s+{_YEAR}(?:{_TO}{_YEAR})?{_NOT_A_YEAR})"
    r")",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A time that a query asks about."""

    start: datetime  # UTC, inclusive
    end: datetime  # UTC, exclusive
    matched: str  # the words of the query it was read from


def window(query: str, now: datetime, zone: tzinfo | None = None) -> Window | None:
    """The days a query names, from the first named to the last; None where it names none outright.

    Days begin and end at midnight in `zone`; without one, in the zone of `now`, the asker's present.

    Raises:
        InvalidInput: `now` is naive and there is no zone.
    """
    zone = zone or now.tzinfo
    if zone is None:
        raise InvalidInput(f"now must carry a time zone, got {now.isoformat()}", now=now)
    found = [(match, days) for match in _DATE.finditer(query[:MAX_QUERY_CHARS]) if (days := _days(match))]
    if not found:
        return None
    matched = query[found[0][0].start() : found[-1][0].end()]
    first, last = min(days[0] for _, days in found), max(days[1] for _, days in found)
    return Window(start=_midnight(first, zone), end=_midnight(last + timedelta(days=1), zone), matched=matched)


def _midnight(day: date, zone: tzinfo) -> datetime:
    return datetime.combine(day, time(), zone).astimezone(UTC)


def _days(match: re.Match[str]) -> tuple[date, date] | None:
    """The first and the last day of one date, or None if there is no such day or only one end is named."""
    if match["one_end"]:
        return None
    form = match.lastgroup or ""
    numbers = [int(number) for number in re.findall(r"\d+", match[form])]
    months = [_MONTHS.index(name[:3].lower()) + 1 for name in re.findall(_MONTH, match[form], re.IGNORECASE)]
    try:
        if form == "numbers":
            first, last = _within(*numbers), _within(*numbers)
        elif form == "days":
            *days, year = numbers
            first, last = _within(year, months[0], days[0]), _within(year, months[0], days[-1])
        elif form == "months":
            first, last = _within(numbers[0], months[0]), _within(numbers[0], months[-1])
        else:
            first, last = _within(numbers[0]), _within(numbers[-1])
    except ValueError:
        return None
    return (first[0], last[1]) if first[0] <= last[1] else None


def _within(year: int, month: int | None = None, day: int | None = None) -> tuple[date, date]:
    """The first and the last day of a year, a month or a day; ValueError if there is none."""
    if month is None:
        return date(year, 1, 1), date(year, 12, 31)
    if day is None:
        return date(year, month, 1), date(year, month, monthrange(year, month)[1])
    return date(year, month, day), date(year, month, day)
