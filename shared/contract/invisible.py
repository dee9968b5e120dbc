"""Characters that show nothing: two texts that differ in them alone look the same, and are meant the same."""

from __future__ import annotations

import re
from typing import Any, Final

_UNSEEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\U000e0000-\U000e007f]"
)
"""Not those that join or part letters and pictures (U+200C, U+200D): words and emoji are spelt with them."""

_SHAPED: Final = (
    "\u0600-\u077f\u07c0-\u07ff\u0840-\u0dff\u0f00-\u109f\u1780-\u18af\u1b00-\u1bbf\ua840-\ua8ff\ua980-\ua9df"
    "\uaae0-\uaaff\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00011000-\U0001173f\U0001e900-\U0001e95f"
)
"""Scripts whose letters take another shape before a joiner: Arabic and its kin, those of India and South East Asia."""
_PICTURES: Final = "\u2190-\u21ff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_STRAY: Final = re.compile(
    rf"(?<![{_SHAPED}{_PICTURES}\ufe0f\u20e3])[\u200c\u200d]|(?<=[{_PICTURES}\ufe0f\u20e3])[\u200c\u200d](?![{_PICTURES}])"
)
"""A joiner that joins nothing: after no letter of such a script, and not between two pictures."""
_JOINERS: Final = str.maketrans("", "", "\u200c\u200d")
_TWO_POINTS: Final = re.compile(r"(?<!\.)\.\.$")


def without_invisible(text: str) -> str:
    """A text as it shows: spaces without width, marks of direction, tags and joiners of nothing are gone.

    Words of all scripts and sequences of emoji stay spelt. Doing it twice changes nothing more.
    """
    return text if text.isascii() else _STRAY.sub("", _UNSEEN.sub("", text))


def shown_sentence(text: Any) -> Any:
    """The same of a sentence, whose point stood behind such a character and was set once more; all else as it is."""
    if not isinstance(text, str):
        return text
    shown = without_invisible(text)
    return text if shown == text else _TWO_POINTS.sub(".", shown.strip())


def shows(text: str) -> bool:
    """Whether there is anything to see of a text but space."""
    return bool(without_invisible(text).translate(_JOINERS).strip())
