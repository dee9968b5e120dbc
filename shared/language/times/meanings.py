"""What the English ways to write a time mean, as days: words and today to days. Pure.

Each function takes the matched words in small letters and the day on which they are said. ValueError, OverflowError and
None alike say that there are no such days. `english` says which words each is for, and what is decided.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

from shared.language.times.spans import (
    Span,
    a_day,
    a_week,
    a_weekend,
    around,
    months,
    moved,
    season,
    unit_of,
    years,
)
from shared.language.times.words import (
    COUNT,
    COUNTS,
    HOLIDAY,
    HOLIDAYS,
    MONTH,
    MONTHS,
    SEASON,
    UNIT,
    VAGUE,
    WEEKDAY,
    WEEKDAYS,
)


def amount(written: str) -> tuple[int, int]:
    """A count in words or digits, and how far it may be off."""
    words = written.lower().split()
    for word in words:
        if word in VAGUE:
            return VAGUE[word], 1
        if word.isdigit():
            return int(word), 0
        if word in COUNTS:
            return COUNTS.index(word), 0
    return 1, 0


def ago(counted: str, unit: str, from_day: date, sign: int = -1) -> Span:
    """The days that lie so many units before a day (after it, with a `sign` of 1), as exactly as that is said.

    Raises:
        ValueError, OverflowError: there are none.
    """
    unit = unit.lower().rstrip("s")
    count, slack = amount(counted)
    if unit in {"minute", "hour"}:
        hours = count if unit == "hour" else count // 60
        whole, more = divmod(hours, 24)
        ends = moved(from_day, sign * whole, "day"), moved(from_day, sign * (whole + (more > 0)), "day")
        return Span(min(ends), max(ends))
    if counted.lower().startswith("half"):
        count, unit = {"year": (6, "month"), "month": (2, "week")}.get(unit, (count, unit))
    return around(moved(from_day, sign * count, unit), unit, slack)


def _numbers(words: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", words)]


def _months_in(words: str) -> list[int]:
    return [MONTHS.index(name[:3]) + 1 for name in re.findall(MONTH, words)]


def _weekday(words: str) -> int:
    found = re.search(WEEKDAY, words)
    return WEEKDAYS.index(found[0][:3]) if found else 0


def _within(year: int, month: int | None = None, day: int | None = None) -> Span:
    """A year, a month or a day; ValueError if there is none."""
    if month is None:
        return years(year)
    return months(year, month) if day is None else a_day(date(year, month, day))


def _joined(first: Span, last: Span) -> Span:
    return Span(first.first, last.last)


def _full_year(written: str, today: date) -> int:
    if len(written) > 2:  # noqa: PLR2004 - digits
        return int(written)
    year = today.year // 100 * 100 + int(written)
    return year if year <= today.year else year - 100


def iso(words: str, _: date) -> Span:
    """`2031-06-02`, `2031-06`, `2031年6月2日`."""
    return _within(*_numbers(words.split("t", maxsplit=1)[0]))


def numeric(words: str, _: date) -> Span | None:
    """`25/12/2031`, `2.6.2031`; None where the order is a matter of country."""
    first, second, year = _numbers(words)
    if "." in words or first > 12:  # noqa: PLR2004 - months
        return _within(year, second, first)
    return _within(year, first, second) if second > 12 else None  # noqa: PLR2004 - months


def days_and_year(words: str, _: date) -> Span:
    """`8 May 2023`, `May 8-10, 2023`."""
    *days, year = _numbers(words)
    return _joined(_within(year, _months_in(words)[0], days[0]), _within(year, _months_in(words)[0], days[-1]))


def days_without_year(words: str, today: date) -> Span:
    """`8 May`: the latest that has begun."""
    month, days = _months_in(words)[0], _numbers(words)
    year = today.year if (month, days[0]) <= (today.month, today.day) else today.year - 1
    return _joined(_within(year, month, days[0]), _within(year, month, days[-1]))


def months_and_year(words: str, today: date) -> Span:
    """`May 2023`, `May to July 2023`, `May '23`."""
    year, found = _full_year(re.findall(r"\d+", words)[0], today), _months_in(words)
    return _joined(_within(year, found[0]), _within(year, found[-1]))


def months_without_year(words: str, today: date) -> Span:
    """`May`, `May and July`: the latest that has begun."""
    found = _months_in(words)
    year = today.year if found[0] <= today.month else today.year - 1
    return _joined(_within(year, found[0]), _within(year + (found[-1] < found[0]), found[-1]))


def season_and_year(words: str, today: date) -> Span:
    """`summer of 2022`."""
    year = _full_year(re.findall(r"\d+", words)[0], today)
    return season(words.split(maxsplit=1)[0], year)


def quarter(words: str, _: date) -> Span:
    """`Q2 2022`."""
    quarter, year = _numbers(words)
    return months(year, quarter * 3 - 2, 3)


def named_years(words: str, _: date) -> Span:
    """`2022`, `2021 to 2023`."""
    found = _numbers(words)
    return _joined(_within(found[0]), _within(found[-1]))


def decade(words: str, _: date) -> Span:
    """`1990s`."""
    return years(_numbers(words)[0], 10)


def near_today(words: str, today: date) -> Span:
    """`yesterday`, `last night`, `the other day`: the week before today."""
    if "other day" in words:
        return Span(moved(today, -7, "day"), moved(today, -1, "day"))
    back = 2 if "before" in words else int("yesterday" in words or "last" in words)
    return a_day(moved(today, -back, "day"))


def units_ago(words: str, today: date) -> Span:
    """`two weeks ago`, and `the Wednesday two weeks ago`: the nearest to then."""
    found = re.search(rf"({COUNT})\s+({UNIT})", words)
    assert found is not None
    span = ago(found[1], found[2], today)
    named = re.match(rf"(?:on\s+)?(?:the|a|an)?\s*({WEEKDAY})", words)
    if named is None:
        return span
    middle = span.first + (span.last - span.first) / 2
    off = (_weekday(named[1]) - middle.weekday() + 3) % 7 - 3
    return a_day(middle + timedelta(days=off))


def going_back(words: str, today: date) -> Span:
    """`past two weeks`: from then until today."""
    found = re.search(rf"\b(?:({COUNT})\s+)?({UNIT})$", words)
    assert found is not None
    count, slack = amount(found[1] or "a")
    unit = found[2].rstrip("s")
    if unit in {"minute", "hour"}:
        return ago(found[1] or "a", unit, today)
    return Span(moved(today, -count - slack, unit), today)


def which(words: str, today: date) -> Span | None:
    """`last`, `this` and `next` with a unit, a season, a month, a weekday or a holiday."""
    which, _, what = words.removeprefix("this past ").partition(" ")
    if words.startswith("this past "):
        which, what = "last", words.removeprefix("this past ").strip()
    if which in {"next", "coming"}:
        return None
    what = what.strip()
    if re.match(WEEKDAY, what):
        return _weekday_of(which, _weekday(what), today)
    if re.match(MONTH, what):
        return _yearly(lambda year: months(year, _months_in(what)[0]), which, today)
    if re.match(HOLIDAY, what):
        return _yearly(lambda year: _holiday_of(what, year), which, today)
    if re.match(SEASON, what):
        return _yearly(lambda year: season(what, year), which, today)
    return _unit(which, what, today)


def _weekday_of(which: str, weekday: int, today: date) -> Span:
    if which == "this":
        return a_day(moved(a_week(today).first, weekday, "day"))
    return a_day(moved(today, -((today.weekday() - weekday - 1) % 7 + 1), "day"))


def _yearly(of_year: Callable[[int], Span], which: str, today: date) -> Span | None:
    """Of what comes once a year the one of this year, or the latest that is over or (`begun`) that has begun."""
    spans = [of_year(today.year - back) for back in (0, 1, 2)]
    if which == "this":
        return next((each for each in spans[:2] if each.first <= today <= each.last), spans[0])
    if which == "begun":
        return next(each for each in spans if each.first <= today)
    return next(each for each in spans if each.last < today)


def _unit(which: str, unit: str, today: date) -> Span:
    if unit == "weekend" and which == "this" and today.weekday() < 2:  # noqa: PLR2004 - Monday and Tuesday
        return a_weekend(moved(today, -1, "week"))
    this = unit_of(unit, today)
    if which == "this":
        return this
    return unit_of(unit, moved(a_week(today).first if unit == "weekend" else this.first, -1, "day"))


def before_last(words: str, today: date) -> Span | None:
    """`week before last`."""
    what = words.split()[1]
    last = which(f"last {what}", today)
    return which(f"last {what}", last.first) if last else None


def bare_season(words: str, today: date) -> Span | None:
    """`summer`: the latest that has begun."""
    return _yearly(lambda year: season(words, year), "begun", today)


def bare_weekday(words: str, today: date) -> Span:
    """`Friday`: the latest before today."""
    return _weekday_of("last", _weekday(words), today)


def day_of_month(words: str, today: date) -> Span:
    """`15th`, `15th of last month`: the latest that has begun."""
    day = _numbers(words)[0]
    month = today if day <= today.day else unit_of("month", today).first - timedelta(days=1)
    if "last month" in words:
        month = unit_of("month", today).first - timedelta(days=1)
    return a_day(month.replace(day=day))


def _holiday_of(words: str, year: int) -> Span:
    month, first, last = HOLIDAYS[words.replace("christmas day", "christmas").strip()]
    return Span(date(year, month, first), date(year, month, last))


def holiday(words: str, today: date) -> Span | None:
    """`Halloween`, `Christmas 2022`: the latest that has begun."""
    if year := re.search(r"\d{4}", words):
        return _holiday_of(re.sub(r",?\s*(?:of\s+)?\d{4}", "", words), int(year[0]))
    return _yearly(lambda year: _holiday_of(words, year), "begun", today)
