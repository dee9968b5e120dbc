"""Times that an English text names, as days: a table of how each is written and what it means. Pure.

Each has one meaning, whatever else it might have meant; `today` is the day of the one who asks.

- A month, a day of a month or a season without a year is the latest that has begun. `last` is the latest that is over:
  `last May`, said in May, is that of the year before. `this` is the one that goes on.
- `last week`, month or year is of the calendar. `the last week`, `the past two weeks` go back from today.
- `on Friday` and `last Friday` are the latest before today. `this Friday` is of this week.
- `this weekend` is that of this week, or on a Monday or Tuesday the one just over.
- `two weeks ago` is as exact as its unit: half a unit to each side, and `a few weeks ago` a unit more. Days are exact.
- `03/04/2023` is nothing, since countries differ; `25/12/2023` has one reading, and with dots the day comes first.
- `last year`, `two years ago` and the like beside a day, a month, a season or a holiday are that calendar year.
- Two digits are a year after an apostrophe alone: `May '22`, the latest such year that has begun.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from shared.language.times import counted, meanings
from shared.language.times.figures import in_figures
from shared.language.times.spans import Span
from shared.language.times.words import (
    ANY_SHORT_YEAR,
    ANY_YEAR,
    CALENDAR,
    COUNT,
    DAYS,
    HOLIDAY,
    MONTH,
    NOT_A_YEAR,
    ORDINAL,
    RELATIVE_YEAR,
    SEASON,
    SURE_MONTH,
    TO,
    UNIT,
    WEEKDAY,
    WORDED_DAY,
    YEAR,
)

_BARE: Final = r"(?(op)|(?(at)|(?(part)|(?!))))"
"""Before what is a time only behind a preposition."""


_IN_FIGURES: Final = frozenset({"days", "nth", "months", "bare_days", "season", "holiday_year"})
"""Rules whose days and years may be told in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    """One way to write a time."""

    written: str
    """A pattern, which may lean on the groups `op`, `at` and `part` that may stand before it."""
    means: Callable[[str, date], Span | None]
    """The days that the matched words mean, said on a day; ValueError or None where there are none."""


def days_of(rule: str, words: str, today: date) -> Span | None:
    """What words that match a rule mean; None where there are no such days, or none that have begun."""
    try:
        words = words.lower()
        found = RULES[rule].means(in_figures(words, today) if rule in _IN_FIGURES else words, today)
    except (ValueError, OverflowError):
        return None
    return found if found and found.first <= found.last and found.first <= today else None


RULES: Final[Mapping[str, _Rule]] = {
    "iso": _Rule(
        written=r"(?<![\w./-])[12]\d{3}(?:-\d\d(?!-)|(?:-\d{1,2}-|/\d{1,2}/)\d{1,2})(?![^\WT]|[-/.]\d)"
        r"|[12]\d{3}\s*年(?:\s*\d{1,2}\s*月(?:\s*\d{1,2}\s*日)?)?",
        means=meanings.iso,
    ),
    "numeric": _Rule(
        written=r"(?<![\w./-])(?:\d{1,2}\.\d{1,2}\.|\d{1,2}/\d{1,2}/|\d{1,2}-\d{1,2}-)[12]\d{3}(?![\w]|[-/.]\d)",
        means=meanings.numeric,
    ),
    "days": _Rule(
        written=rf"(?:{DAYS}\s+(?:of\s+)?|{WORDED_DAY}\s+of\s+){MONTH},?\s+(?:of\s+)?{ANY_YEAR}"
        rf"|{MONTH}\s+(?:(?:the\s+)?{DAYS}|the\s+{WORDED_DAY}),?\s+(?:of\s+)?{ANY_YEAR}",
        means=meanings.days_and_year,
    ),
    "nth": _Rule(
        written=r"(?:(?:(?:first|second|third|fourth|1st|2nd|3rd|4th)(?:[\s-]+(?:to[\s-]+)?last)?|penultimate|last)\s+"
        rf"week(?:end)?|last\s+week(?:end)?\s+but\s+one)\s+(?:of|in)\s+{MONTH}(?:,?\s+(?:of\s+)?{ANY_YEAR})?",
        means=counted.nth_of,
    ),
    "months": _Rule(
        written=rf"{MONTH}(?:{TO}{MONTH})?,?\s+(?:of\s+)?{ANY_SHORT_YEAR}"
        rf"|{RELATIVE_YEAR},?\s+(?:in|during)\s+{MONTH}(?:{TO}{MONTH})?",
        means=meanings.months_and_year,
    ),
    "bare_days": _Rule(
        written=rf"(?:{DAYS}\s+(?:of\s+)?|{WORDED_DAY}\s+of\s+){SURE_MONTH}"
        rf"|{SURE_MONTH}\s+(?:(?:the\s+)?{DAYS}|the\s+{WORDED_DAY})|{MONTH}\s+{ORDINAL}\b",
        means=meanings.days_without_year,
    ),
    "season": _Rule(written=rf"{SEASON}(?:\s+of)?,?\s+{ANY_SHORT_YEAR}", means=meanings.season_and_year),
    "holiday_year": _Rule(written=rf"{HOLIDAY},?\s+(?:of\s+)?{ANY_YEAR}", means=meanings.holiday),
    "quarter": _Rule(written=rf"\bq[1-4],?\s*(?:of\s+)?{YEAR}", means=meanings.quarter),
    "years": _Rule(written=rf"(?:\byear\s+|{_BARE}){YEAR}(?:{TO}{YEAR})?{NOT_A_YEAR}", means=meanings.named_years),
    "decade": _Rule(written=r"\b[12]\d{2}0s\b", means=meanings.decade),
    "near": _Rule(
        written=r"day\s+before\s+yesterday\b|\byesterday\b|\blast\s+night\b|\btoday\b|\btonight\b|other\s+day\b"
        r"|\bthis\s+(?:morning|afternoon|evening)\b",
        means=meanings.near_today,
    ),
    "nth_back": _Rule(
        written=rf"{COUNT}\s+(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:summer|winter|spring|autumn|fall)s?"
        r"|christmas(?:es)?|halloweens?)\s+ago\b",
        means=counted.nth_back,
    ),
    "ago": _Rule(written=rf"(?:{WEEKDAY}\s+)?{COUNT}\s+{UNIT}\s+ago\b", means=meanings.units_ago),
    "going_back": _Rule(
        written=rf"\b(?:past|last|previous)\s+{COUNT}\s+{UNIT}|(?:\bpast|(?<=the\s)last)\s+(?!weekend){UNIT}"
        r"|\b(?:last|previous)\s+fortnight\b",
        means=meanings.going_back,
    ),
    "which": _Rule(
        written=rf"\b(?:last|this\s+past|past|this|previous|next|coming)\s+"
        rf"(?:{CALENDAR}|{SEASON}|{MONTH}|{WEEKDAY}|{HOLIDAY})",
        means=meanings.which,
    ),
    "before_last": _Rule(
        written=rf"(?<=the\s)(?:{CALENDAR}|{SEASON}|{WEEKDAY}|{MONTH})\s+before\s+last\b",
        means=lambda words, today: meanings.before_last(f"the {words}", today),
    ),
    "bare_months": _Rule(written=rf"{_BARE}{MONTH}(?:{TO}{MONTH})?", means=meanings.months_without_year),
    "bare_season": _Rule(written=rf"{_BARE}{SEASON}", means=meanings.bare_season),
    "bare_weekday": _Rule(written=rf"(?(op)|(?<=\bon\s)){WEEKDAY}", means=meanings.bare_weekday),
    "day_of_month": _Rule(
        written=rf"(?(op)|(?<=\bon\sthe\s)){ORDINAL}\b(?:\s+of\s+(?:this|last)\s+month\b|(?=\s*(?:$|[?.!,])))",
        means=meanings.day_of_month,
    ),
    "bare_holiday": _Rule(written=rf"(?(op)|(?:(?<=\b(?:on|at)\s)|(?<=\bover\s))){HOLIDAY}", means=meanings.holiday),
}
"""By name, in the order in which they are tried; see the module for what each means."""
