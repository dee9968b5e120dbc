"""Spellings of a name that are one slip away from it. Pure.

A slip is a letter too many, one too few, one for another, or two neighbours that have changed places (Damerau, "A
technique for computer detection and correction of spelling errors", 1964, who found four of five misspellings to be
one of these). All such spellings of a name are a few hundred, which the index of names is asked for at once; to read
all names of a scope and compare took longer the more there were.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

SHORTEST: Final = 5
"""Letters of a name, as written and as meant: shorter ones are one slip from too many others."""
LONGEST_CHARS: Final = 24
"""A longer name has no other spellings: there would be too many to look up, and it has words that are spelled right."""

_ALPHABETS: Final = (
    "abcdefghijklmnopqrstuvwxyz",
    "абвгдежзийклмнопрстуфхцчшщъыьэюя",
    "αβγδεζηθικλμνξοπρστυφχψω",
)


def spellings(key: str) -> list[str]:
    """All keys that are one slip away from a name's key and may be names, each once; none for what is short or long.

    What stands for a missing or a wrong letter is of the name's own alphabet, or one of its own letters where that is
    not among those known here.
    """
    if len(key) > LONGEST_CHARS or not _is_long(key):
        return []
    return [each for each in dict.fromkeys(_slips(key)) if each != key and _is_long(each) and each == each.strip()]


def _slips(key: str) -> Iterator[str]:
    letters = next((each for each in _ALPHABETS if key[0] in each), "".join(sorted(set(key) - {" "})))
    for at in range(len(key) + 1):
        before, after = key[:at], key[at:]
        yield from (before + letter + after for letter in letters)
        if after:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in letters)
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]


def _is_long(key: str) -> bool:
    return sum(map(str.isalpha, key)) >= SHORTEST
