"""A text as a reader sees it, so that no disguise of a label or a key hides it; places lead back to the original. Pure.

pass<U+200B>word: x        invisible characters are left out
ｐａｓｓｗｏｒｄ: x         letters of full width, or of a mathematical alphabet, are the plain ones
p a s s w o r d: x         letters set apart are brought together
раssword: x                Cyrillic letters within a Latin word are the Latin ones that they look like
"""

# ruff: noqa: RUF001, RUF002 - that is the point

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f"
    "\ufeff\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)
_WIDE: Final = re.compile("[\uff10-\uff19\uff1d\uff21-\uff3a\uff41-\uff5a\u24b6-\u24e9\U0001d400-\U0001d7ff]")
_MIXED: Final = re.compile("[A-Za-z][аеорсухіѕАЕОРСУХІЅ]|[аеорсухіѕАЕОРСУХІЅ][A-Za-z]")
_CYRILLIC: Final = str.maketrans("аеорсухіѕАЕОРСУХІЅ", "aeopcyxisAEOPCYXIS")
_APART: Final = re.compile(r"(?<![^\s\"'(*_|])[^\W\d_](?:([ .\-_*\u00a0])[^\W\d_])(?:\1[^\W\d_]){1,14}(?!\1?\w)")
_LABELS: Final = re.compile(
    r"p[a@]ssw[o0]rd|passwort|passcode|passphrase|pwd|kennwort|wachtwoord|contraseña|motdepasse|senha|пароль|hasło|pin|"
    r"secret|token|apikey|seedphrase|password[a-z]?|pass",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A text without its disguise."""

    text: str
    places: Sequence[int] | None
    """For each character its place in the original, and that one's length at the end; None: the texts are equal."""

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original that a span of this text stands for."""
        if self.places is None:
            return start, end
        return self.places[start], self.places[end - 1] + 1 if end > start else self.places[start]


def seen(text: str) -> Seen:
    """The text as it is seen. Linear; a text in ASCII whose letters stand together comes back at once."""
    plain = text.isascii() or not (_INVISIBLE.search(text) or _WIDE.search(text) or _MIXED.search(text))
    apart = [match for match in _APART.finditer(text if plain else _INVISIBLE.sub("", text)) if _is_label(match[0])]
    if plain and not apart:
        return Seen(text=text, places=None)
    pairs = [(place, char) for place, char in enumerate(text) if not _INVISIBLE.match(char)]
    shown = "".join(unicodedata.normalize("NFKC", char) if _WIDE.match(char) else char for _, char in pairs)
    places = [place for place, _ in pairs]
    if len(shown) != len(places):  # none of these is more than one letter
        return Seen(text=text, places=None)
    shown = _one_script(shown)
    return _together(shown, [*places, len(text)])


def _is_label(apart: str) -> bool:
    return _LABELS.fullmatch(re.sub(r"[\W_]", "", apart)) is not None


def _one_script(text: str) -> str:
    if not _MIXED.search(text):
        return text
    return re.sub(r"\w+", lambda word: word[0].translate(_CYRILLIC) if _MIXED.search(word[0]) else word[0], text)


def _together(text: str, places: list[int]) -> Seen:
    kept: list[str] = []
    left: list[int] = []
    at = 0
    for match in _APART.finditer(text):
        if not _is_label(match[0]):
            continue
        kept.append(text[at : match.start()])
        left += places[at : match.start()]
        letters = [(place, char) for place, char in enumerate(match[0], match.start()) if char.isalpha()]
        kept += [char for _, char in letters]
        left += [places[place] for place, _ in letters]
        at = match.end()
    return Seen(text="".join([*kept, text[at:]]), places=[*left, *places[at:]])
