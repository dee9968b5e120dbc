"""Whether a text gives orders to whoever reads it. Pure."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from shared.belief.rules.orders import DISGUISED, ENGLISH, OTHERS

_ESCAPED_LINE_END: Final = re.compile(r"(?<!\\)\\+[nr]")
_INVISIBLE: Final = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\U000e0000-\U000e007f]")

_SET_APART: Final = re.compile(r"(?<!\w)\w(?:([ .*_-])\w){3,}(?!\w)")
_LEFT_APART: Final = re.compile(r"[ .*_-]")
_WRITTEN_OTHERWISE: Final = str.maketrans("013457@$|аеорсухіѕ", "oieastasiaeopcyxis")  # noqa: RUF001 - that is the point
"""Digits, signs and Cyrillic letters that stand for Latin ones."""


def gives_orders(text: str) -> bool:
    """Whether a text has the shape of an instruction to a model, in some fifteen languages.

    Seen through invisible characters and escapes; in English also where letters are set apart or written as digits.
    Linear in the text.
    """
    text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))
    text = _ESCAPED_LINE_END.sub("\n", text)  # as in the fields of a tool's JSON
    lowered = text.lower()
    for hints, pattern in (*ENGLISH, *OTHERS):
        if any(hint in lowered for hint in hints) and pattern.search(text):
            return True
    return len(DISGUISED.findall(_undisguised(lowered))) > len(DISGUISED.findall(lowered))


def _undisguised(lowered: str) -> str:
    """A text with its letters together and in one script; what it says beside that may be lost."""
    together = _SET_APART.sub(lambda match: _LEFT_APART.sub("", match[0]), lowered)
    return together.translate(_WRITTEN_OTHERWISE)
