"""Which characters belong together in a term, and what each one folds to.

The sets are written as the inside of a regular expression's brackets.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

HAN: Final = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
)
HIRAGANA: Final = "\u3041-\u3096\u309d-\u309f\u30fc\U0001b001-\U0001b11f"
KATAKANA: Final = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
HANGUL: Final = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"
CLUSTERED: Final = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf"
    "\u1000-\u109f\ua9e0-\ua9fe\uaa60-\uaa7f\u1780-\u17d3\u17d7\u17dc\u17dd"
)
"""Thai, Lao, Myanmar, Khmer: no spaces between words, and signs that lean on the letter before them."""

CLUSTER_SIGNS: Final = "".join(
    sign
    for first, last in ((0x0E01, 0x0ECE), (0x1000, 0x109F), (0x1780, 0x17DD), (0xA9E0, 0xAA7F))
    for sign in map(chr, range(first, last + 1))
    if unicodedata.category(sign)[0] == "M"
)
"""Vowel signs and tone marks of the clustered scripts."""

EMOJI: Final = "\u2600-\u27bf\U0001f000-\U0001faff"

KEPT_PUNCTUATION: Final = ".@&'+-%_#"
"""What may join the parts of a term; all other punctuation only separates."""

_PICTURE: Final = re.compile(f"[{EMOJI}]")
_MOST_FOLDS_KEPT: Final = 20_000
_APOSTROPHES: Final = "\u2018\u2019\u201b\u02bb\u02bc\u02b9\u0060\u00b4\u05f3\uff07"
_HYPHENS: Final = "\u2010\u2011"
_INVISIBLE_LETTERS: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800\ufffd")
_UNDECOMPOSED: Final = dict(
    zip("łøđħŧŋðþæœıƒĸŀə", ("l", "o", "d", "h", "t", "n", "d", "th", "ae", "oe", "i", "f", "k", "l", "e"), strict=True)
)
_ACCENTED_SCRIPTS: Final = ("LATIN ", "GREEK ", "ARABIC ", "HEBREW ", "CYRILLIC SMALL LETTER IO")
_ACCENTS: Final = (
    (0x0300, 0x036F), (0x0591, 0x05C7), (0x0610, 0x061A), (0x064B, 0x065F), (0x0670, 0x0670), (0x06D6, 0x06ED),
    (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE00, 0xFE0F), (0xFE20, 0xFE2F), (0xE0100, 0xE01EF),
)  # fmt: skip


class _Fold(dict[int, str]):
    """A table for `str.translate` that works out a character when it first meets it."""

    def __missing__(self, code: int) -> str:
        folded = _fold(chr(code))
        if len(self) < _MOST_FOLDS_KEPT:  # a hostile text may hold every character there is
            self[code] = folded
        return folded


FOLD: Final = _Fold()
"""From a case-folded NFKC character to what a term keeps of it: letters, digits, joining punctuation, or a space."""


def carries_meaning(character: str) -> bool:
    """Whether a message of this one character says something: a letter, a digit, an emoji or other picture."""
    if character in _INVISIBLE_LETTERS:
        return False
    category = unicodedata.category(character)
    return category[0] in "LN" or category in {"So", "Sc", "Cn", "Co"}


def _fold(character: str) -> str:
    category = unicodedata.category(character)
    if category[0] == "L":
        return _fold_letter(character)
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category[0] == "N":
        return character
    if category[0] == "M":
        return "" if _is_accent(ord(character)) else character
    return _fold_sign(character, category)


def _fold_letter(character: str) -> str:
    if character in _APOSTROPHES:
        return "'"
    if character == "\u0640":  # the Arabic stretching line
        return ""
    if character in _UNDECOMPOSED:
        return _UNDECOMPOSED[character]
    if not unicodedata.name(character, "").startswith(_ACCENTED_SCRIPTS):
        return character
    bare = "".join(part for part in unicodedata.normalize("NFD", character) if not _is_accent(ord(part)))
    return "".join(_UNDECOMPOSED.get(part, part) for part in bare)


def _fold_sign(character: str, category: str) -> str:
    if character in KEPT_PUNCTUATION:
        return character
    if character in _APOSTROPHES:
        return "'"
    if character in _HYPHENS:
        return "-"
    if character == "\0" or (category == "Cf" and character != "\u200b"):
        return ""
    if category == "So" and _PICTURE.match(character):
        return character
    return " "


def _is_accent(code: int) -> bool:
    return any(first <= code <= last for first, last in _ACCENTS)
