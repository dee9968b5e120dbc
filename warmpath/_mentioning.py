"""Whether a text speaks of a thing by any of its names that code can see through. Pure.

Case, accents, English endings and numbers in words fold; in other languages a word may end as its grammar has it.
Nothing is known of what a name is in another script, or of what else it is called: then nobody can tell.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from shared.belief.predicates import object_key
from shared.language.guessing import language_of
from shared.language.text import terms

_IN_WORDS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBERS: Final = {word: str(number) for number, word in enumerate(_IN_WORDS, 1)}
_WORDS_OF_NUMBERS: Final = re.compile(rf"\b(?:{'|'.join(_IN_WORDS)})\b", re.IGNORECASE)
_DIGITS: Final = re.compile(r"\d+")
_OF_TIME: Final = re.compile(r"\d{4}-\d{2}|\d:\d{2}|\d\s?[ap]\.?m\b|\b(?:1[89]|20)\d{2}\b", re.IGNORECASE)
_SHORTEST: Final = 4
"""Letters that two forms of one word have in common at least."""
_LONGEST_ENDING: Final = 3


def mentions(text: str, what: str) -> bool | None:
    """Whether at least half of the words of `what` stand in a text; None where nobody can tell.

    That is so of what is written in another script than the text.
    """
    wanted = _parts(what)
    if not wanted:
        return object_key(what) in object_key(text) or None
    if scripts(what) and scripts(text).isdisjoint(scripts(what)):
        return None
    found = _parts(text)
    if language_of(text) == "en":
        hits = len(wanted & found)
    else:
        hits = sum(any(_is_a_form_of(each, other) for other in found) for each in wanted)
    return 2 * hits >= len(wanted)


def numbers_differ(one: str, other: str) -> bool:
    """Whether two texts both count or measure something, and no number of one is in the other; days are no numbers."""
    if _OF_TIME.search(one):
        return False
    first, second = _numbers(one), _numbers(other)
    return bool(first and second) and first.isdisjoint(second)


@lru_cache(maxsize=1_024)
def scripts(text: str) -> frozenset[str]:
    """The scripts that a text is written in, each by the first word of its letters' names: `LATIN`, `CJK`."""
    return frozenset(unicodedata.name(each, "?").split()[0] for each in set(text) if each.isalpha())


def _numbers(text: str) -> set[str]:
    plain = _WORDS_OF_NUMBERS.sub(lambda word: _NUMBERS[word[0].casefold()], text)
    return {number.lstrip("0") or "0" for number in _DIGITS.findall(plain)}


@lru_cache(maxsize=1_024)
def _parts(text: str) -> frozenset[str]:
    found = (_NUMBERS.get(term, term) for term in terms(text))
    return frozenset(each.lstrip("0") or "0" if each.isdecimal() else each for each in found)


def _is_a_form_of(one: str, other: str) -> bool:
    """Whether two words differ in their endings alone, as `Warna` and `Warnie` do."""
    if one == other:
        return True
    if len(one) < _SHORTEST or len(other) < _SHORTEST or not (one.isalpha() and other.isalpha()):
        return False
    same = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return same >= _SHORTEST and max(len(one), len(other)) - same <= _LONGEST_ENDING
