"""The days that a statement names, counted from the day on which it was said. Pure.

Unlike a query's times (`shared.language.time_expressions`) they may lie ahead, and the tense decides where the words
do not: `on Friday` is the next one in a plan and the latest in a report. Weeks begin on Monday: `next Tuesday` is the
Tuesday of the next week.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final

from shared.language.statements.days import MEANINGS, MONTH, SEASON, SURE_WEEKDAY, UNIT, WEEKDAY
from shared.language.times.spans import Span, a_week, season, unit_of
from shared.language.times.words import COUNT, HOLIDAY


class Bound(StrEnum):
    """What a time is to what is said."""

    AT = "at"
    SINCE = "since"
    UNTIL = "until"


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """A time in a text."""

    start: int
    """Of the words, with what leads to them; `end` is exclusive."""
    end: int
    days: Span
    bound: Bound
    written: str
    """The same without a reckoning from today: `on 2031-05-23`, `since 2030-05`."""

    @property
    def day(self) -> date | None:
        """The one day that it is, where it is one."""
        return self.days.first if self.days.first == self.days.last else None


_YEAR: Final = r"(?:(?:19|20)\d\d\b(?!\s*(?:%|dollars|euros|pounds|people|steps|words|km|miles))|['\u2019]\d\d\b)"
_DAY: Final = r"\d{1,2}(?:st|nd|rd|th)?\b"
_LEAD: Final = (
    r"(?P<lead>ever since|since|until|till|through|by|before|after|around|from|starting(?: on| from| in)?"
    r"|beginning(?: on| in)?|as of|effective|on|in|at|over|during|back in|early in|early|late|for)"
)
_RULES: Final = {
    "iso": r"\b\d{4}-\d\d-\d\d\b",
    "full": rf"(?:{WEEKDAY},?\s+)?(?:the\s+)?(?:\b{_DAY}\s+(?:of\s+)?{MONTH}|{MONTH}\s+(?:the\s+)?{_DAY})"
    rf"(?!\s*%)(?:,?\s+{_YEAR})?",
    "ending": rf"(?:(?<=until\s)|(?<=until\sthe\s)|(?<=till\s)|(?<=till\sthe\s)|(?<=through\s)|(?<=through\sthe\s))"
    rf"(?:end\s+of\s+(?:(?:the|this|next)\s+)?|late\s+|early\s+|mid[\s-])"
    rf"(?:{MONTH}(?:,?\s+{_YEAR})?|{_YEAR}|week\b|month\b|year\b)",
    "month_year": rf"{MONTH},?\s+(?:of\s+)?{_YEAR}",
    "season_year": rf"(?:the\s+)?{SEASON}\s+(?:of\s+)?{_YEAR}",
    "ago": rf"\b(?:about\s+|like\s+|just\s+|over\s+|almost\s+)?{COUNT}\s+{UNIT}\s+(?:ago|back)\b",
    "ahead": rf"(?<=in\s){COUNT}\s+{UNIT}(?:\s+time)?(?!\s+(?:ago|back))|\b{COUNT}\s+{UNIT}\s+from\s+(?:now|today)\b",
    "lasting": rf"(?<=for\s)(?:about\s+|around\s+|over\s+|almost\s+|nearly\s+)?"
    rf"(?:(?:the\s+)?(?:last|past)\s+)?{COUNT}\s+{UNIT}(?:\s+now)?",
    "near": r"\b(?:the\s+)?day\s+(?:before\s+yesterday|after\s+tomorrow)\b|\b(?:yesterday|today|tonight|tomorrow)\b"
    r"(?:\s+(?:morning|afternoon|evening|night)\b)?|\blast\s+night\b|\bthis\s+(?:morning|afternoon|evening)\b",
    "week_on": rf"\ba\s+week\s+(?:on|from|this|next)\s+{SURE_WEEKDAY}|\b{SURE_WEEKDAY}\s+week\b",
    "range": rf"\b\d{{1,2}}\s?(?:-|\u2013|to)\s?\d{{1,2}}(?:st|nd|rd|th)?\s+{MONTH}",
    "which": rf"\b(?P<which>(?:the\s+)?following|last|next|this(?:\s+(?:past|coming))?|coming)\s+"
    rf"(?P<unit>week(?:end)?\b|month\b|year\b|quarter\b|{SEASON}|{MONTH}(?!\s+\d)|{WEEKDAY}|{HOLIDAY})",
    "weekday": rf"(?<=\bon\s){WEEKDAY}|(?<=\bsince\s){WEEKDAY}|(?<=\buntil\s){WEEKDAY}|(?<=\bby\s){WEEKDAY}"
    rf"|(?<=\bfrom\s){WEEKDAY}|(?<=\bto\s){SURE_WEEKDAY}|{SURE_WEEKDAY}",
    "ordinal": r"(?:(?<=the\s)|(?<=\bon\s))\d{1,2}(?:st|nd|rd|th)\b",
    "month": rf"(?<=\bin\s){MONTH}|(?<=\bsince\s){MONTH}|(?<=\buntil\s){MONTH}|(?<=\bby\s){MONTH}"
    rf"|(?<=\bfrom\s){MONTH}|(?<=\bearly\s){MONTH}|(?<=\blate\s){MONTH}|(?<=starting\s){MONTH}",
    "year": rf"(?<=\bin\s){_YEAR}|(?<=\bsince\s){_YEAR}|(?<=\buntil\s){_YEAR}|(?<=\bfrom\s){_YEAR}",
    "holiday": rf"(?<=\bat\s){HOLIDAY}|(?<=\bon\s){HOLIDAY}|(?<=\bfor\s){HOLIDAY}|(?<=\bsince\s){HOLIDAY}",
}
_ANY: Final = re.compile(
    rf"(?<![\w-])(?:\b{_LEAD}\s+)?(?:the\s+)?(?:{'|'.join(f'(?P<r_{name}>{rule})' for name, rule in _RULES.items())})",
    re.IGNORECASE,
)
_HINT: Final = re.compile(
    r"\d|day\b|night\b|\b(?:ago|back|last|next|this|tomorrow|morning|evening|afternoon|for|in|since|until|by|at|from|on"
    r"|starting|early|late)\b|" + MONTH,
    re.IGNORECASE,
)


def dates_in(text: str, said_on: date, *, ahead: bool = True) -> list[When]:
    """The times of a text, in order; without `ahead` those that the words leave open lie behind."""
    if _HINT.search(text) is None:
        return []
    found = (_read(match, said_on, ahead=ahead) for match in _ANY.finditer(text))
    return [when for when in found if when is not None]


def _read(match: re.Match[str], said_on: date, *, ahead: bool) -> When | None:
    rule = next(name for name in _RULES if match[f"r_{name}"] is not None)
    words, lead = (" ".join((match[name] or "").lower().split()) for name in (f"r_{rule}", "lead"))
    try:
        days = MEANINGS[rule](words, said_on, ahead)
    except (ValueError, OverflowError, AttributeError, IndexError):
        return None
    if days is None:
        return None
    bound = _bound(lead, lasting=rule == "lasting")
    written = f"{_LEADS.get(bound, '')}{_named(days)}" if bound is not Bound.AT else _at(days, lead)
    return When(start=match.start(), end=match.end(), days=days, bound=bound, written=written)


_SINCE: Final = ("since", "from", "starting", "beginning", "as of", "effective", "ever since")
_LEADS: Final = {Bound.SINCE: "since ", Bound.UNTIL: "until "}


def _bound(lead: str, *, lasting: bool) -> Bound:
    if lasting or lead.startswith(_SINCE):
        return Bound.SINCE
    return Bound.UNTIL if lead in {"until", "till", "through"} else Bound.AT


def _at(days: Span, lead: str) -> str:
    if lead in {"by", "before", "after", "around"}:
        return f"{lead} {_named(days)}"
    return f"{'on' if days.first == days.last else 'in'} {_named(days)}"


def _named(days: Span) -> str:
    """Days as they are written whoever reads them."""
    first, last = days
    if first == last:
        return first.isoformat()
    if days == unit_of("year", first):
        return f"{first:%Y}"
    if days == unit_of("month", first):
        return f"{first:%Y-%m}"
    if days == a_week(first):
        return f"the week of {first.isoformat()}"
    for name in ("spring", "summer", "autumn", "winter"):
        if days == season(name, first.year):
            return f"the {name} of {first:%Y}"
    return f"{first.isoformat()} to {last.isoformat()}"
