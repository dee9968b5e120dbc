"""Counting tokens for a budget: the port, and a default that needs no tokenizer and never counts too few.

The default adds up bounds, so that it holds for any text and not on average:

- A tokenizer that falls back to bytes spends at most one token a byte. Characters that cost every tokenizer
  measured less stand in `token_costs.txt`, with the most any of them spends.
- Byte pair encoding never leaves two tokens side by side that together are a token. So in a run of letters whose pairs
  are all tokens no two single letters stay apart: n characters are at most (2n + 1) / 3 tokens, and each other pair
  adds a third. WordPiece, which takes the longest piece there is, stays below that.
- A common English word that stands alone costs what `token_costs.txt` says: the most any tokenizer measured spends on
  it, in small letters after a space, or with a capital anywhere.

Measured on each entry: GPT-3.5 and 4 (cl100k), GPT-4o (o200k), Claude 2, Llama 2 and 3, Mistral (v1 and Tekken), Qwen 3
and 3.5, DeepSeek (32k, 100k and V3), GLM 4, MiniMax, and the WordPiece of MiniLM, whose words the list is made of.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Final, Protocol

_COSTS: Final = "token_costs.txt"
_WORD: Final = re.compile(r"(?: |(?<![^\W_]))[A-Za-z]{1,32}+(?![^\W_]|[\u0300-\u036f])")
"""A word by itself with the space before it: tokenizers start anew on both sides of it. A longer one is no word."""


_LONGEST_KNOWN: Final = 64
"""Characters of the longest piece of text whose cost is kept."""
_MOST_KNOWN: Final = 65_536


class TokenCounter(Protocol):
    """Counts what a text costs a model; figures that depend on it name it."""

    @property
    def name(self) -> str:
        """Names the counter and its version."""

    def count(self, text: str) -> int:
        """How many tokens the text is, 0 for none; without tokens that a model adds around it."""


class ConservativeCounter:
    """The default: as many as any tokenizer known or more, on any script; a quarter more than GPT-4's on chat."""

    name: Final = "conservative-v1"

    def count(self, text: str) -> int:
        """An upper bound of the tokens of the text, linear in its length; 0 for the empty text only."""
        if not text:
            return 0
        cost = _cost(text)
        if not text.isascii():  # some tokenizers compose or fold a text before they read it, which can make it longer
            for form in ("NFC", "NFKC"):
                if not unicodedata.is_normalized(form, text):
                    cost = max(cost, _cost(unicodedata.normalize(form, text)))
        return 1 + cost  # 1: some begin every text with a space


DEFAULT_COUNTER: Final = ConservativeCounter()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Costs:
    pairs: frozenset[str]  # two small letters that are one token everywhere
    characters: dict[int, str]  # for `str.translate`: a character to as many bytes as it costs tokens
    words: dict[str, tuple[int, int]]  # after a space; with a capital


@cache
def _costs() -> _Costs:
    sections: dict[str, list[str]] = defaultdict(list)
    section = ""
    for line in files(__package__).joinpath(_COSTS).read_text("utf-8").splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        else:
            sections[section] += line.split()
    words: dict[str, tuple[int, int]] = {}
    for name, entries in sections.items():
        if name.startswith("words "):
            spaced, capital = map(int, name.split()[1:])
            words |= dict.fromkeys(entries, (spaced, capital))
    return _Costs(pairs=frozenset(sections["pairs"]), characters=_cheap_characters(sections), words=words)


def _cheap_characters(sections: dict[str, list[str]]) -> dict[int, str]:
    cheap: dict[int, str] = {}
    for cost in (1, 2):
        for span in sections[f"characters {cost}"]:
            first, _, last = span.partition("-")
            cheap |= dict.fromkeys(range(int(first, 16), int(last or first, 16) + 1), "x" * cost)
    return cheap


def _cost(text: str) -> int:
    """Piece by piece, by lines and from one space to the next: no word goes over either, and most were met before."""
    lines = text.split("\n")
    return len(lines) - 1 + sum(map(_cost_of_line, filter(None, lines)))


def _cost_of_line(line: str) -> int:
    first, *others = line.split(" ")
    return _first[first] + sum(map(_after_space.__getitem__, others))


class _Known(dict[str, int]):
    """What pieces cost after `before`, that included; each is worked out when it is first met."""

    def __init__(self, before: str) -> None:
        super().__init__()
        self._before = before

    def __missing__(self, piece: str) -> int:
        cost = _spelled_out(self._before + piece)
        if len(piece) <= _LONGEST_KNOWN:
            if len(self) >= _MOST_KNOWN:
                self.clear()
            self[piece] = cost
        return cost


_first: Final = _Known("")
_after_space: Final = _Known(" ")


def _spelled_out(text: str) -> int:
    characters = len(text)
    if not text.isascii():
        characters = len(text.translate(_costs().characters).encode("utf-8", "surrogatepass"))
    return characters - sum(map(_saved, _WORD.findall(text)))


@lru_cache(maxsize=65_536)
def _saved(word: str) -> int:
    """How much less than its characters a word costs."""
    return len(word) - min(_bound(word), _listed_cost(word))


def _listed_cost(word: str) -> int:
    letters = word.lstrip(" ")
    costs = _costs().words.get(letters.lower())
    if costs is None or not letters[1:].islower():
        return len(word)
    spaced, capital = costs
    if letters[0].isupper():
        return capital
    return spaced if word[0] == " " else spaced + 1


def _bound(word: str) -> int:
    pairs = _costs().pairs
    others = sum(a + b not in pairs for a, b in pairwise(word.lstrip(" ")))  # a space pairs with every letter
    return (2 * len(word) + 1 + others) // 3
