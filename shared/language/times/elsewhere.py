"""Times in other languages than English, put into English words that `english` reads. Pure.

German, French, Spanish, Italian, Portuguese, Dutch, Russian, Arabic, Japanese, Chinese, Korean and Thai by a table
each: so that "vor zwei Wochen" means to the day what "two weeks ago" does. A day, month and year in 25 more languages
are read by dateparser, which is loaded at the first text that may hold one: that takes 0.1 to 0.4 s once in a process,
2 to 8 ms after.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from shared.language.times import spaceless, thai
from shared.language.times.books import (
    BOOKS,
    ENGLISH_MONTHS,
    ENGLISH_NUMBERS,
    ENGLISH_SEASONS,
    ENGLISH_UNITS,
    ENGLISH_WEEKDAYS,
    ENGLISH_YEARS,
    Phrase,
)

if TYPE_CHECKING:
    from dateparser.date import DateDataParser

_YEAR: Final = r"[12]\d{3}"
_DAY: Final = r"(?P<day>\d{1,2})"
_PLACES: Final = ("n", "unit", "day", "month", "year", "weekday", "season")
_WORD: Final = re.compile(r"[^\W\d_]+'?")
_COMMON_ENGLISH: Final = "the what when where who which how did do does i my is was were in and on of to a"
_ENGLISH: Final = frozenset(_COMMON_ENGLISH.split())
_MORE: Final = "pl cs sk hu ro bg uk el tr sv da nb fi hr sr sl lt lv et vi id he fa hi ca"
"""What dateparser is asked about. With all of its 200 languages, to find no date took twice as long."""
_ANY_DATE: Final = re.compile(
    r"(?<![\w./-])\d{1,2}[.ºª]?\s+(?:\w{1,5}\s+){0,2}[^\W\d_]{3,}\.?,?\s+(?:\w{1,4}\s+)?[12]\d{3}(?![\w]|[-/.]\d)"
)
"""A day, some words, a year."""


def may_hold(text: str) -> bool:
    """Whether it is worth to look for times in a text that has none in English."""
    return (
        spaceless.SPACELESS.search(text) is not None
        or thai.THAI.search(text) is not None
        or _languages(text)[:1] not in ([], ["en"])
    )


def phrases(text: str) -> list[Phrase]:
    """The times of a text that is in another language than English, in order."""
    if spaceless.SPACELESS.search(text):
        return sorted(spaceless.phrases(text))
    if thai.THAI.search(text):
        return list(thai.phrases(text))
    found = (list(_in(language, text)) for language in _languages(text) if language in BOOKS)
    return next(filter(None, found), [])


def a_date(text: str) -> Phrase | None:
    """A day of a month of a year, in a language that has no table here."""
    match = _ANY_DATE.search(text)
    if match is None or _languages(text)[:1] == ["en"]:
        return None
    try:
        at = _dateparser().get_date_data(match.group()).date_obj
    except (ValueError, OverflowError):
        return None
    return Phrase(match.start(), match.end(), f"{at:%Y-%m-%d}") if at else None


def _languages(text: str) -> list[str]:
    """The languages that some common words are of, `en` among them, by how many they are; of equals `en` last."""
    words = set(_WORD.findall(text.casefold()))
    counts = {name: len(words & common) for name, common in _common().items()}
    return sorted((name for name, count in counts.items() if count), key=lambda name: (-counts[name], name == "en"))


@lru_cache(maxsize=1)
def _common() -> dict[str, frozenset[str]]:
    return {"en": _ENGLISH} | {name: frozenset(book.common.split()) for name, book in BOOKS.items()}


def _in(language: str, text: str) -> Iterator[Phrase]:
    for match in _compiled(language).finditer(text):
        form = next(name for name, found in match.groupdict().items() if found is not None)
        english = _english(language, int(form[1:]), match.group())
        if english:
            yield Phrase(match.start(), match.end(), english)


@lru_cache(maxsize=len(BOOKS))
def _compiled(language: str) -> re.Pattern[str]:
    """All forms of a language, each in a group of its number."""
    unnamed = (re.sub(r"\(\?P<\w+>", "(?:", _pattern(language, form)) for form, _ in _forms(language))
    return re.compile(
        r"(?<!\w)(?:" + "|".join(f"(?P<f{n}>{each})" for n, each in enumerate(unnamed)) + r")(?!\w)", re.IGNORECASE
    )


def _forms(language: str) -> list[tuple[str, str]]:
    book = BOOKS[language]
    return [*sorted(book.said.items(), key=lambda said: -len(said[0])), *book.forms]


def _pattern(language: str, form: str) -> str:
    book = BOOKS[language]
    named = {"month": book.months, "weekday": book.weekdays, "unit": book.units, "season": book.seasons}
    for name, words in named.items():
        form = form.replace(f"{{{name}}}", f"(?P<{name}>{'|'.join(words.split())})")
    numbers = "|".join(book.numbers.split())
    return (
        form.replace("{n}", rf"(?P<n>\d{{1,3}}|{numbers})")
        .replace("{year}", rf"(?P<year>{_YEAR}|{'|'.join(book.years.split())})")
        .replace("{day}", _DAY)
    ).replace(" ", r"\s+")


def _english(language: str, form: int, words: str) -> str:
    pattern, english = _numbered(language)[form]
    found = pattern.fullmatch(words)
    assert found is not None
    parts = {name: _word(language, name, said) for name, said in found.groupdict().items() if said}
    one = next((parts[name] for name in ("unit", "month", "weekday", "season") if name in parts), "")
    return " ".join(english.replace("{}", one).format(**dict.fromkeys(_PLACES, "") | parts).split())


@lru_cache(maxsize=len(BOOKS))
def _numbered(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """The forms of a language with their parts named, and their English."""
    forms = _forms(language)
    return tuple((re.compile(_pattern(language, form), re.IGNORECASE), english) for form, english in forms)


def _word(language: str, name: str, said: str) -> str:
    """The English of one word."""
    book = BOOKS[language]
    tables = {
        "month": (book.months, ENGLISH_MONTHS), "weekday": (book.weekdays, ENGLISH_WEEKDAYS),
        "unit": (book.units, ENGLISH_UNITS),
        "season": (book.seasons, ENGLISH_SEASONS), "n": (book.numbers, ENGLISH_NUMBERS),
        "year": (book.years, ENGLISH_YEARS),
    }  # fmt: skip
    if name not in tables or said.isdigit():
        return said
    patterns, english = tables[name]
    return next(
        word
        for pattern, word in zip(patterns.split(), english, strict=True)
        if re.fullmatch(pattern, said, re.IGNORECASE)
    )


@lru_cache(maxsize=1)
def _dateparser() -> DateDataParser:
    from dateparser.date import DateDataParser

    return DateDataParser(
        languages=_MORE.split(), settings={"PARSERS": ["absolute-time"], "REQUIRE_PARTS": ["day", "month", "year"]}
    )
