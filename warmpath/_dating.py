"""Times in a model's entries: read by code, and no word left that counts from a day nobody remembers. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final

from shared.contract.candidates import Line

_EARLIEST_YEAR: Final = 1850
_LATEST_YEAR: Final = 2200
_WRITTEN: Final = re.compile(
    r"(?P<year>\d{4})(?:-(?P<month>\d{2})(?:-(?P<day>\d{2})(?:[T ](?P<time>\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?)"
    r"(?P<zone>Z|[+-]\d{2}:?\d{2})?)?)?)?",
    re.ASCII,
)
_UNIT: Final = r"(?:morning|afternoon|evening|night|weekend|week|month|year|quarter|spring|summer|autumn|fall|winter)"
_WEEKDAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_COUNT: Final = r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|a few|several|a couple of)"
_RELATIVE: Final = re.compile(
    r"\b(?:the day (?:before yesterday|after tomorrow)|yesterday|today|tonight|tomorrow"
    rf"|(?:last|next|this(?: past| coming)?|coming) (?:{_UNIT}|{_WEEKDAY})"
    rf"|{_COUNT} (?:day|week|month|year)s? (?:ago|from now))\b",
    re.IGNORECASE,
)
_MONTH: Final = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DAY_DATE: Final = (
    r"\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}月\d{1,2}日|\d{1,2}월 ?\d{1,2}일"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}|{_MONTH} \d{{1,2}}(?!\d)"
)
_LONG_DATE: Final = rf"(?:1[89]|2[01])\d{{2}}(?:-\d{{2}})?|{_MONTH} \d{{4}}|\d{{4}}年(?:\d{{1,2}}月)?"
_BESIDE: Final = r"[\s,;(\u2013-]*(?:(?:which|that) (?:was|is)|i\.e\.|on|in|of)?[\s,(]*"
"""What may stand between words that count from a day and the date that they come to: `yesterday (2031-05-22)`."""
_OF_A_DAY: Final = re.compile(r"day|night|morning|afternoon|evening|weekend|week", re.IGNORECASE)
_WRITTEN_DAY: Final = re.compile(_DAY_DATE, re.IGNORECASE)
_WRITTEN_LONG: Final = re.compile(rf"{_DAY_DATE}|{_LONG_DATE}", re.IGNORECASE)
DAYS_AWAY: Final = {
    "de": {"vorgestern": -2, "gestern": -1, "heute": 0, "übermorgen": 2},
    "nl": {"eergisteren": -2, "gisteren": -1, "vandaag": 0, "overmorgen": 2},
    "sv": {"igår": -1, "idag": 0, "imorgon": 1},
    "fr": {"avant-hier": -2, "hier": -1, "aujourd'hui": 0, "aujourd’hui": 0, "après-demain": 2, "demain": 1},  # noqa: RUF001
    "es": {"anteayer": -2, "ayer": -1, "hoy": 0},
    "pt": {"anteontem": -2, "ontem": -1, "hoje": 0, "amanhã": 1},
    "it": {"ieri": -1, "oggi": 0, "dopodomani": 2, "domani": 1},
    "pl": {"przedwczoraj": -2, "wczoraj": -1, "dzisiaj": 0, "dziś": 0, "pojutrze": 2, "jutro": 1},
    "ru": {"позавчера": -2, "вчера": -1, "сегодня": 0, "послезавтра": 2, "завтра": 1},
    "uk": {"позавчора": -2, "вчора": -1, "сьогодні": 0, "післязавтра": 2, "завтра": 1},
    "ja": {"一昨日": -2, "昨日": -1, "今日": 0, "明後日": 2, "明日": 1},
    "zh": {"前天": -2, "昨天": -1, "今天": 0, "后天": 2, "明天": 1},
    "ko": {"그저께": -2, "어제": -1, "오늘": 0, "모레": 2, "내일": 1},
}
"""Words that count from the day of speaking, by language; not those that mean something else too (`mañana`)."""
_SPACELESS: Final = frozenset({"ja", "zh", "ko"})


class Undated(ValueError):
    """A text counts from the day of speaking, and that day is not known."""


def read_time(written: str, zone: tzinfo) -> datetime:
    """An instant in UTC of a date or time in ISO 8601; the first of it, where it is a day, a month or a year.

    Without an offset it is in `zone`.

    Raises:
        ValueError: it is no such time, or of no year that a memory speaks of.
    """
    match = _WRITTEN.fullmatch(written.strip())
    if match is None:
        raise ValueError(f"{written[:40]!r} is not YYYY, YYYY-MM, YYYY-MM-DD or a time in ISO 8601")
    day = date(int(match["year"]), int(match["month"] or 1), int(match["day"] or 1))
    if not _EARLIEST_YEAR <= day.year <= _LATEST_YEAR:
        raise ValueError(f"{written[:40]!r} is of no year that anybody speaks of")
    at = datetime.fromisoformat(f"{day.isoformat()}T{match['time'] or '00:00'}{match['zone'] or ''}")
    return (at if at.tzinfo else at.replace(tzinfo=zone)).astimezone(UTC)


def read_end(written: str, zone: tzinfo, begins: datetime | None) -> datetime:
    """As `read_time`; but an end that holds the beginning, or is the very day of it, is the end of that day or year.

    `since: 2019, until: 2019` is the year 2019, and not no time at all.

    Raises:
        ValueError: as `read_time`.
    """
    at = read_time(written, zone)
    match = _WRITTEN.fullmatch(written.strip())
    if begins is None or at > begins or match is None or match["time"]:
        return at
    over = _after(date(int(match["year"]), int(match["month"] or 1), int(match["day"] or 1)), match)
    end = datetime(over.year, over.month, over.day, tzinfo=zone).astimezone(UTC)
    return end if end > begins else at


def _after(first: date, written: re.Match[str]) -> date:
    """The day behind a day, a month or a year that begins on `first`."""
    if written["day"]:
        return first + timedelta(days=1)
    if written["month"]:
        return (first.replace(day=28) + timedelta(days=4)).replace(day=1)
    return first.replace(year=first.year + 1)


def dated(text: str, cited: Sequence[Line], language: str | None) -> str:
    """The text with a date for each word that counts from the day of speaking, where it does not give one beside it.

    Counted is from the last cited line that uses the same words, else from the last one whose day is known.

    Raises:
        Undated: no line's day is known, or the words are of no rule.
    """
    elsewhere = DAYS_AWAY.get((language or "").partition("-")[0].lower())
    if elsewhere:
        return _dated_elsewhere(text, cited, elsewhere, spaceless=(language or "")[:2].lower() in _SPACELESS)
    for match in reversed(list(_bare(text))):
        text = _replaced(text, match, _day_of(match[0], cited))
    return text


def _replaced(text: str, words: re.Match[str], said_on: date) -> str:
    # Beside the rules, whose patterns take a while to compile and are seldom needed here.
    from shared.language.statements.dates import dates_in

    times = dates_in(text, said_on)
    found = next((each for each in times if each.start < words.end() and words.start() < each.end), None)
    if found is None:
        raise Undated(words[0])
    written = found.written if found.start else found.written[:1].upper() + found.written[1:]
    return f"{text[: found.start]}{written}{text[found.end :]}"


def _bare(text: str) -> Iterator[re.Match[str]]:
    """Words that count from the day of speaking; with a capital within a sentence they are a name (`USA Today`)."""
    for match in _RELATIVE.finditer(text):
        before = text[: match.start()].rstrip()
        begins = match[0][0].islower() or not before or before[-1] in ".!?"
        if begins and not _is_dated(text, match):
            yield match


def _is_dated(text: str, words: re.Match[str]) -> bool:
    """Whether the date that words come to stands beside them; a year beside `yesterday` is none."""
    date_of = _WRITTEN_DAY if _OF_A_DAY.search(words[0]) else _WRITTEN_LONG
    behind = re.compile(rf"{_BESIDE}(?:{date_of.pattern})", re.IGNORECASE).match(text, words.end())
    before = re.compile(rf"(?:{date_of.pattern}){_BESIDE}$", re.IGNORECASE).search(text[: words.start()])
    return behind is not None or before is not None


def _dated_elsewhere(text: str, cited: Sequence[Line], away: dict[str, int], *, spaceless: bool) -> str:
    if _WRITTEN_DAY.search(text):
        return text
    for word, days in away.items():
        pattern = re.escape(word) if spaceless else rf"(?<!\w){re.escape(word)}(?!\w)"
        match = re.search(pattern, text, re.IGNORECASE)
        if match is not None:
            day = _day_of(match[0], cited) + timedelta(days=days)
            return f"{text[: match.end()]} ({day.isoformat()}){text[match.end() :]}"
    return text


def _day_of(words: str, cited: Sequence[Line]) -> date:
    known = [line for line in cited if line.said_at is not None]
    alike = [line for line in known if words.casefold() in line.text.casefold()]
    for line in reversed(alike or known):
        if line.said_at is not None:
            return line.said_at.date()
    raise Undated(words)
