"""Characters that show nothing: two texts that differ in them alone look the same, and are meant the same."""

from __future__ import annotations

import re
from typing import Any, Final

_UNSEEN: Final = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
"""Not those that join or part letters and pictures (U+200C, U+200D): words and emoji are spelt with them."""
_JOINERS: Final = str.maketrans("", "", "\u200c\u200d")
_TWO_POINTS: Final = re.compile(r"(?<!\.)\.\.$")


def without_invisible(text: str) -> str:
    """A text as it shows: spaces without width, marks of direction and tags are gone, words and emoji stay spelt."""
    return text if text.isascii() else _UNSEEN.sub("", text)


def shown_sentence(text: Any) -> Any:
    """The same of a sentence, whose point stood behind such a character and was set once more; all else as it is."""
    if not isinstance(text, str):
        return text
    shown = without_invisible(text)
    return text if shown == text else _TWO_POINTS.sub(".", shown.strip())


def shows(text: str) -> bool:
    """Whether there is anything to see of a text but space."""
    return bool(without_invisible(text).translate(_JOINERS).strip())
