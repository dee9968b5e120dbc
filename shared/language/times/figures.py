"""Days and years that are told in words, put into figures. Pure."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from shared.language.times.meanings import amount
from shared.language.times.words import COUNT, MONTH, ORDINALS, RELATIVE_YEAR, WORDED_DAY

_TOLD_DAY: Final = re.compile(rf"{WORDED_DAY}(?=\s+of\s+{MONTH})|(?<=\sthe\s){WORDED_DAY}(?=,?\s|$)")
_TOLD_YEAR: Final = re.compile(RELATIVE_YEAR)
_COUNTED: Final = re.compile(rf"({COUNT})\s+years?\s+ago")
_FROM_NOW: Final = {"this": 0, "next": 1, "coming": 1}


def in_figures(words: str, today: date) -> str:
    """`first of may` as `1th of may`; `may of last year` and `last year in may` with the year's number at the end."""
    if told := _TOLD_YEAR.search(words):
        rest = f"{words[: told.start()]}{words[told.end() :]}".strip(" ,")
        words = f"{rest} {_year(told[0], today):04d}"
    return _TOLD_DAY.sub(lambda day: f"{ORDINALS.index('-'.join(day[0].split())) + 1}th", words)


def _year(words: str, today: date) -> int:
    if counted := _COUNTED.search(words):
        return today.year - amount(counted[1])[0]
    if "before" in words:
        return today.year - 2
    return today.year + _FROM_NOW.get(words.removeprefix("the").split()[0], -1)
