"""What the words of a time mean, as days, counted from the day on which they are said. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

from shared.language.times.meanings import amount
from shared.language.times.spans import Span, a_day, a_week, a_weekend, months, moved, season, unit_of, years
from shared.language.times.words import COUNT, HOLIDAY, HOLIDAYS, MONTHS, SURE_MONTH, WEEKDAYS

_NUMBER_OF_DAYS_IN_A_WEEK: Final = 7
UNIT: Final = r"(?:days?|weeks?|weekends?|months?|years?|yrs?|decades?)\b"
WEEKDAY: Final = r"\b(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\b(?!')"
SURE_WEEKDAY: Final = r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b(?!')"
SEASON: Final = r"(?:spring|summer|autumn|fall|winter)\b"
MONTH: Final = SURE_MONTH.replace("(?-i:May)", "may").replace("(?-i:Mar(?:ch)?)", "mar(?:ch)?")


def _numbers(words: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", words)]


def _year_of(words: str, said_on: date) -> int:
    """The last number of the words as a year; `'98` is the last one that ends so."""
    year = _numbers(words)[-1]
    if year >= _FIRST_YEAR_IN_FULL:
        return year
    year += said_on.year // 100 * 100
    return year if year <= said_on.year + _YEARS_AHEAD else year - 100


_FIRST_YEAR_IN_FULL: Final = 100
_YEARS_AHEAD: Final = 10
"""`'31`, said in 2025, lies ahead, and `'40` behind."""


def _month_of(words: str) -> int:
    return MONTHS.index(re.search(MONTH, words)[0][:3]) + 1  # type: ignore[index]  # AttributeError is caught above


def _weekday_of(words: str) -> int:
    return WEEKDAYS.index(re.search(WEEKDAY, words)[0][:3])  # type: ignore[index]


def _iso(words: str, _: date, __: bool) -> Span:  # noqa: FBT001 - one signature for all
    return a_day(date.fromisoformat(words))


def _full(words: str, said_on: date, ahead: bool) -> Span:  # noqa: FBT001
    day, *rest = _numbers(words)
    month = _month_of(words)
    if rest:
        return a_day(date(_year_of(words, said_on), month, day))
    return a_day(_nearest(lambda year: date(year, month, day), said_on, ahead=ahead))


def _nearest(of_year: Callable[[int], date], said_on: date, *, ahead: bool) -> date:
    this = of_year(said_on.year)
    if ahead and this < said_on:
        return of_year(said_on.year + 1)
    return of_year(said_on.year - 1) if not ahead and this > said_on else this


def _month_year(words: str, said_on: date, _: bool) -> Span:  # noqa: FBT001
    return months(_year_of(words, said_on), _month_of(words))


def _ending(words: str, said_on: date, ahead: bool) -> Span:  # noqa: FBT001
    """The day up to which something is so that is so until the end of a month, or until late in it."""
    unit = words.rsplit(maxsplit=1)[-1]
    if unit in {"week", "month", "year"}:
        span = unit_of(unit, moved(said_on, "next" in words, unit))
    elif re.search(MONTH, words) is None:
        span = years(_year_of(words, said_on))
    else:
        span = _month_year(words, said_on, ahead) if _numbers(words) else _month(words, said_on, ahead)
    if words.startswith("early"):
        return a_day(span.first)
    return a_day(span.first.replace(day=15) if words.startswith("mid") else span.last)


def _season_year(words: str, said_on: date, _: bool) -> Span:  # noqa: FBT001
    name = re.search(SEASON, words)
    assert name is not None
    return season(name[0], _year_of(words, said_on))


def _counted(words: str) -> tuple[int, str]:
    found = re.search(rf"({COUNT})\s+({UNIT})", words)
    assert found is not None
    unit = found[2].rstrip("s").replace("yr", "year")
    if found[1].startswith("half"):
        return (6, "month") if unit == "year" else (2, "week")
    return amount(found[1])[0], unit


def _moved(words: str, said_on: date, sign: int) -> Span:
    """So many units away, as exactly as that is said: days and weeks to the day, else the month or the year."""
    count, unit = _counted(words)
    at = moved(said_on, sign * count, unit)
    if unit in {"day", "week"}:
        return a_day(at)
    return unit_of("year" if unit in {"year", "decade"} and count > 1 else "month", at)


def _near(words: str, said_on: date, _: bool) -> Span:  # noqa: FBT001
    away = 1 if "tomorrow" in words else -1 if "yesterday" in words or "last" in words else 0
    return a_day(said_on + timedelta(days=away * (2 if "day before" in words or "day after" in words else 1)))


def _which(words: str, said_on: date, ahead: bool) -> Span | None:  # noqa: FBT001
    which, _, unit = words.rpartition(" ")
    if re.search(HOLIDAY, words):
        found = re.search(HOLIDAY, words)
        assert found is not None
        unit, which = found[0], words[: found.start()].strip()
    which = " ".join(which.split())
    which = "next" if "following" in which else which
    sign = {"last": -1, "this past": -1, "next": 1, "coming": 1, "this coming": 1}.get(which, 0)
    if re.fullmatch(WEEKDAY, unit):
        return a_day(_which_weekday(_weekday_of(unit), said_on, which))
    if unit in {"week", "month", "year", "quarter"}:
        return unit_of(unit, moved(said_on, sign, unit))
    if unit == "weekend":
        return a_weekend(moved(said_on, sign, "week"))
    return _yearly(unit, said_on, sign, ahead=ahead)


def _which_weekday(weekday: int, said_on: date, which: str) -> date:
    monday = a_week(said_on).first
    if which == "next":
        return monday + timedelta(days=7 + weekday)
    if which in {"last", "this past"}:
        return said_on - timedelta(days=(said_on.weekday() - weekday - 1) % 7 + 1)
    return said_on + timedelta(days=(weekday - said_on.weekday()) % 7)


def _yearly(unit: str, said_on: date, sign: int, *, ahead: bool) -> Span:
    spans = [_of_year(unit, said_on.year + away) for away in (-1, 0, 1)]
    if sign < 0:
        return [span for span in spans if span.last < said_on][-1]
    if sign > 0:
        return next(span for span in spans if span.first > said_on)
    return spans[1] if ahead or spans[1].first <= said_on else spans[0]


def _of_year(unit: str, year: int) -> Span:
    if re.fullmatch(SEASON, unit):
        return season(unit, year)
    if re.fullmatch(MONTH, unit):
        return months(year, _month_of(unit))
    month, first, last = HOLIDAYS[unit.replace("christmas day", "christmas")]
    return Span(date(year, month, first), date(year, month, last))


def _weekday(words: str, said_on: date, ahead: bool) -> Span:  # noqa: FBT001
    weekday = _weekday_of(words)
    if ahead:
        return a_day(said_on + timedelta(days=(weekday - said_on.weekday() - 1) % _NUMBER_OF_DAYS_IN_A_WEEK + 1))
    return a_day(_which_weekday(weekday, said_on, "last"))


def _week_on(words: str, said_on: date, _: bool) -> Span:  # noqa: FBT001
    ahead = (_weekday_of(words) - said_on.weekday() - 1) % _NUMBER_OF_DAYS_IN_A_WEEK + 1
    return a_day(said_on + timedelta(days=ahead + _NUMBER_OF_DAYS_IN_A_WEEK))


def _range(words: str, said_on: date, ahead: bool) -> Span:  # noqa: FBT001
    first, last = _numbers(words)[:2]
    month = _month_of(words)
    end = _nearest(lambda year: date(year, month, last), said_on, ahead=ahead)
    return Span(end.replace(day=first), end)


def _ordinal(words: str, said_on: date, ahead: bool) -> Span:  # noqa: FBT001
    day = _numbers(words)[0]
    month = said_on.replace(day=1)
    if ahead and day < said_on.day:
        month = moved(month, 1, "month")
    if not ahead and day > said_on.day:
        month = moved(month, -1, "month")
    return a_day(month.replace(day=day))


def _month(words: str, said_on: date, ahead: bool) -> Span:  # noqa: FBT001
    month = _month_of(words)
    year = said_on.year
    if ahead and month < said_on.month:
        year += 1
    return months(year - (not ahead and month > said_on.month), month)


def _holiday(words: str, said_on: date, ahead: bool) -> Span:  # noqa: FBT001
    found = [_of_year(words, said_on.year + away) for away in (-1, 0, 1)]
    if ahead:
        return next(span for span in found if span.last >= said_on)
    return [span for span in found if span.first <= said_on][-1]


MEANINGS: Final[dict[str, Callable[[str, date, bool], Span | None]]] = {
    "iso": _iso,
    "full": _full,
    "ending": _ending,
    "month_year": _month_year,
    "season_year": _season_year,
    "ago": lambda words, said_on, _: _moved(words, said_on, -1),
    "ahead": lambda words, said_on, _: _moved(words, said_on, 1),
    "lasting": lambda words, said_on, _: _moved(words, said_on, -1),
    "near": _near,
    "week_on": _week_on,
    "range": _range,
    "which": _which,
    "weekday": _weekday,
    "ordinal": _ordinal,
    "month": _month,
    "year": lambda words, said_on, _: years(_year_of(words, said_on)),
    "holiday": _holiday,
}
