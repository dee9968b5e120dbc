"""The times of a message, where `the 14th` is of the month that is spoken of, which the talk remembers."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from typing import Final

from shared.language.statements.dates import When, dates_in
from shared.language.statements.talk import Talk

_MONTH: Final = re.compile(r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\d{4}-", re.IGNORECASE)
_ORDINAL: Final = re.compile(r"(?:on )?the \d{1,2}(?:st|nd|rd|th)", re.IGNORECASE)


def times_ahead(text: str, said_on: date, talk: Talk) -> list[When]:
    """The times of a message; `the 14th` is of the month that is spoken of, where that has not passed."""
    found = dates_in(text, said_on)
    for when in found:
        if when.day and _MONTH.search(text[when.start : when.end]):
            talk.month = when.day.replace(day=1)
    if talk.month is None or talk.month < said_on.replace(day=1):
        return found
    month = talk.month
    return [
        _on(when, month) if when.day and _ORDINAL.fullmatch(text[when.start : when.end].strip()) else when
        for when in found
    ]


def _on(when: When, month: date) -> When:
    assert when.day is not None
    try:
        day = month.replace(day=when.day.day)
    except ValueError:
        return when
    return replace(
        when, days=type(when.days)(day, day), written=when.written.replace(when.day.isoformat(), day.isoformat())
    )
