"""Whether a day that a model worked out is the one that the words of its lines come to. Pure.

Only where code is sure of both: the lines have one word for a time, which can be counted in one way alone (`yesterday`,
`three days ago`, `vorgestern`), and the entry gives days of its own that nobody said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Final

from shared.contract.candidates import Line
from shared.language.guessing import language_of
from warmpath._dating import DAYS_AWAY

_WRITTEN: Final = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_SURE: Final = re.compile(
    r"\b(?:the day (?:before yesterday|after tomorrow)|yesterday|tomorrow|(?:\d+|two|three|four|five|six) days ago)\b",
    re.IGNORECASE,
)


def miscounted(text: str, times: Iterable[str | None], lines: Sequence[Line]) -> date | None:
    """The day that the lines come to, where an entry gives days and none is that; None where nothing can be held so.

    `times` are what the entry says of its beginning and end, as they are written.
    """
    told = {*_WRITTEN.findall(text), *(each for each in times if each and _WRITTEN.fullmatch(each))}
    said = " ".join(line.text for line in lines)
    if not told or any(day in said for day in told):
        return None
    counted = [day for line in lines for day in _counted(line)]
    if len(counted) != 1 or counted[0] is None or counted[0].isoformat() in told:
        return None
    return counted[0]


def _counted(line: Line) -> list[date | None]:
    """The times that a line gives; None for each that is written, or can be counted in several ways."""
    if line.said_at is None:
        return []
    said_on, language = line.said_at.date(), language_of(line.text)
    if language == "en":
        return _counted_in_english(line.text, said_on)
    has_more = re.search(r"\d", line.text) is not None
    away = (days for word, days in DAYS_AWAY.get(language or "", {}).items() if _is_in(word, line.text))
    return [said_on + timedelta(days=days) if days and not has_more else None for days in away]


def _is_in(word: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) is not None


def _counted_in_english(text: str, said_on: date) -> list[date | None]:
    from shared.language.statements.dates import dates_in

    return [
        when.day if _SURE.fullmatch(text[when.start : when.end].strip()) else None for when in dates_in(text, said_on)
    ]
