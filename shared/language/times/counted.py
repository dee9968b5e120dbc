"""What is counted: weeks of a month from either end, and Mondays or summers from today back. Pure.

As in `meanings`, of which these are a part.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from shared.language.times.meanings import amount, months_and_year, months_without_year, which
from shared.language.times.spans import Span, a_day, moved
from shared.language.times.words import COUNT

_NTH: Final = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3}


def nth_of(words: str, today: date) -> Span | None:
    """`the second week of June`: the 8th to the 14th, `the second last` the same from the end.

    A weekend is known by its Saturday.
    """
    rest = re.split(r"\b(?:of|in)\s+", words, maxsplit=1)[1]
    month = months_and_year(rest, today) if re.search(r"\d", rest) else months_without_year(rest, today)
    told = re.split(r"[\s-]+", re.split(r"\b(?:of|in)\s", words, maxsplit=1)[0])
    nth, from_end = next((_NTH[word] for word in told if word in _NTH), 0), "last" in told or "penultimate" in told
    if "penultimate" in told or "but" in told:
        nth = 1
    if "weekend" in told:
        saturday = moved(month.first, (5 - month.first.weekday()) % 7 + 7 * nth, "day")
        if from_end:
            saturday = moved(month.last, -((month.last.weekday() - 5) % 7) - 7 * nth, "day")
        return Span(saturday, moved(saturday, 1, "day"))
    first = moved(month.last, -6 - 7 * nth, "day") if from_end else moved(month.first, 7 * nth, "day")
    return Span(first, moved(first, 6, "day"))


def nth_back(words: str, today: date) -> Span | None:
    """`three Mondays ago`: the third of those that are over, from today back."""
    counted, what = re.fullmatch(rf"({COUNT})\s+(\S+)\s+ago", words).groups()  # type: ignore[union-attr]
    name = what.removesuffix("es") if what == "christmases" else what.removesuffix("s") if what != "christmas" else what
    back = amount(counted)[0] - 1
    last = which(f"last {name}", today)
    if last is None:
        return None
    if name.endswith("day"):
        return a_day(moved(last.first, -back, "week"))
    return Span(moved(last.first, -back, "year"), moved(last.last, -back, "year"))
