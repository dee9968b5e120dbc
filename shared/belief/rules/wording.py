"""The words of a text as the gate compares them. Pure; no function here raises on any text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from shared.language.characters import FOLD
from shared.language.name_keys import CASELESS
from shared.language.text import terms

_OWNING: Final = re.compile(r"(?<=\w)['\u2019]s\b")
_APART: Final = re.compile(r"[\W_]+")
_SPACE: Final = re.compile(r"\s+")
_APOSTROPHES: Final = str.maketrans(dict.fromkeys("\u2018\u2019\u02bc\u0060\u00b4", "'"))
_END: Final = ".!\u3002\uff01 "
_SHORTEST_STEM: Final = 4
_ENDING_CHARS: Final = 2
"""How much of a word an ending may change: `Oskar` is said by `Oskars`, `Varna` by `Varną`."""


def tidy(text: str) -> str:
    """A text by which the same sentence is known again: case, width, spaces and the full stop do not matter."""
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_APOSTROPHES)
    return _SPACE.sub(" ", folded).strip().rstrip(_END)


def words(text: str) -> list[str]:
    """The words of a text in order, folded, without possessive endings; nothing is stemmed or dropped."""
    folded = unicodedata.normalize("NFKC", _OWNING.sub("", text)).casefold().translate(FOLD).replace("'", "")
    return [word for word in _APART.split(folded) if word]


def content(text: str) -> frozenset[str]:
    """The terms of a text: what is left without words that say nothing by themselves."""
    return frozenset(terms(text))


def holds_run(found: Sequence[str], run: Sequence[str]) -> bool:
    """Whether some words stand next to each other, in order, among others."""
    return bool(run) and any(list(found[at : at + len(run)]) == list(run) for at in range(len(found) - len(run) + 1))


def shingles(texts: Iterable[str], length: int) -> frozenset[str]:
    """Every run of `length` words of some texts; empty for a text with fewer."""
    return frozenset(
        " ".join(found[at : at + length])
        for text in texts
        for found in [words(text)]
        for at in range(_runs(found, length))
    )


def _runs(found: Sequence[str], length: int) -> int:
    return max(0, len(found) - length + 1)


class Said:
    """What a text says, to be asked for single words."""

    def __init__(self, text: str) -> None:
        self.words: frozenset[str] = frozenset(words(text))
        self.terms: frozenset[str] = content(text)

    def holds(self, word: str) -> bool:
        """Whether the text says a word, in whatever inflection. A number is said as it is or not at all."""
        if word in self.words or word in self.terms:
            return True
        if CASELESS.search(word):
            return any(word in said for said in self.words)
        stem = word[: max(_SHORTEST_STEM, len(word) - _ENDING_CHARS)]
        if len(word) < _SHORTEST_STEM or not word.isalpha():
            return False
        return any(said.startswith(stem) and len(said) - len(stem) <= 2 * _ENDING_CHARS for said in self.words)

    def holds_any(self, wanted: AbstractSet[str]) -> bool:
        """Whether it says one word of some at least."""
        return any(map(self.holds, wanted))
