"""When two texts that cannot be keyed say the same thing again. One rule, for the gate and for consolidation.

Never where a number, a date, a name or a negation differs: "the gate code is 4417" and "the gate code is 4471" share
nearly all their words and nearly all their meaning, and are two facts. They are compared in the order they stand in,
so "Tove called Oskar" is not "Oskar called Tove". Where vectors are at hand, these must be nearly equal besides; where
not, no word that carries meaning may be exchanged for another, and hardly any added.

It errs on one side. A twin that is missed costs a line; two facts that are taken for one cost a fact.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Final

from shared.belief._telling import DATES, MEANING_LITTLE, NEGATED_WITHIN, NEGATIONS, NUMBERS, folded
from shared.language.names import names_in

LEAST_COSINE: Final = 0.97
"""Of the vectors of two texts that say the same."""
LEAST_OVERLAP: Final = 0.9
"""Of their words, as the share that both have, where there are no vectors."""

_NUMBER: Final = re.compile(r"(?<![\w.])[+\-\u2212]?\d+(?:[.,:/\-]\d+)*%?|\d+(?:[.,:/\-]\d+)*%?")
_GROUPED: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_WORD: Final = re.compile(r"[^\W_]+(?:['\-][^\W_]+)*")
_CONTRACTED: Final = re.compile(r"n't$")
_DIGITS: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Telling:
    """What of a text must be equal in another that says the same: each in order, but the negations, which are counted.

    Dates are told by their words; their digits are among the numbers.
    """

    numbers: tuple[str, ...]
    dates: tuple[str, ...]
    names: tuple[str, ...]
    negations: int


def says_the_same(first: str, second: str, *, cosine: float | None = None) -> bool:
    """Whether one text says no more and no less than the other; `cosine` is that of their vectors, by one model."""
    if telling(first) != telling(second):
        return False
    if cosine is not None:
        return cosine >= LEAST_COSINE
    return overlaps(meaning(first), meaning(second))


def told_apart_by(first: str, second: str) -> str | None:
    """By which of the fields of `Telling` two texts differ that are worded alike else.

    None where they say the same, differ in more than one of them, or in any other word.
    """
    one, other = telling(first), telling(second)
    differing = [each.name for each in fields(Telling) if getattr(one, each.name) != getattr(other, each.name)]
    return differing[0] if len(differing) == 1 and wording(first) == wording(second) else None


@lru_cache(maxsize=4096)
def wording(text: str) -> tuple[str, ...]:
    """How a text is worded: its words that carry meaning, in order, with one sign for each that tells it from others.

    `#` stands for a number, `@` for a date, `^` for a name of whatever length; negations are left out.
    """
    named = {word for name in names_in(text) for word in _WORD.findall(folded(name.shown))}
    signs = [
        _sign(word, named) for word in _WORD.findall(folded(text)) if not (word in MEANING_LITTLE or _negates(word))
    ]
    return tuple(sign for place, sign in enumerate(signs) if sign != "^" or signs[place - 1 : place] != ["^"])


def bare(text: str) -> tuple[str, ...]:
    """The words that two texts of one `wording` share, without the looking for names that that takes.

    Those that are neither capitalised nor a number, a date or a negation, in order. It is for not comparing what cannot
    be alike: cheap (some 20 microseconds a sentence), and where case differs it tells apart what `wording` does not.
    """
    words = _WORD.findall(unicodedata.normalize("NFKC", text).replace("\u2019", "'"))
    return tuple(word for word in words if word[0].islower() and not _is_masked(word))


def _is_masked(word: str) -> bool:
    plain = folded(word)
    return plain in MEANING_LITTLE or plain in NUMBERS or plain in DATES or _negates(plain)


def _sign(word: str, named: set[str]) -> str:
    if word in NUMBERS or word.isdigit():
        return "#"
    if word in DATES:
        return "@"
    return "^" if word in named else _DIGITS.sub("#", word)


@lru_cache(maxsize=4096)
def telling(text: str) -> Telling:
    """What tells a text from others that are worded as it is. Linear in the text; never raises."""
    plain = folded(text)
    words = _WORD.findall(plain)
    digits = [(match.start(), _GROUPED.sub("", match.group())) for match in _NUMBER.finditer(plain)]
    spelt = [(match.start(), NUMBERS[match.group()]) for match in _WORD.finditer(plain) if match.group() in NUMBERS]
    spelt += [(at, f"{unicodedata.numeric(sign):g}") for at, sign in enumerate(plain) if _is_numeral(sign)]
    return Telling(
        numbers=tuple(number for _, number in sorted([*digits, *spelt])),
        dates=tuple(word for word in words if word in DATES),
        names=tuple(name.key for name in names_in(text)),
        negations=sum(map(_negates, words)) + len(NEGATED_WITHIN.findall(plain)),
    )


def _is_numeral(sign: str) -> bool:
    """Whether a character is a number without being a digit, as in Chinese."""
    return not sign.isdigit() and sign.isnumeric()


def _negates(word: str) -> bool:
    return word in NEGATIONS or _CONTRACTED.search(word) is not None


def meaning(text: str) -> list[str]:
    """The words that a text must share with one that says the same, in order; numbers and negations are compared apart.

    Two texts of which `telling` is equal say the same by their words where these overlap.
    """
    words = _WORD.findall(folded(text))
    return [
        word for word in words if not (word in MEANING_LITTLE or word in NUMBERS or word.isdigit() or _negates(word))
    ]


def overlaps(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether of two lists of words one has all of the other's, in their order, and hardly any between them."""
    few, many = sorted((first, second), key=len)
    if not few or len(few) < LEAST_OVERLAP * len(many):
        return False
    rest = iter(many)
    return all(word in rest for word in few)
