"""Whether two sentences are the same word for word but for one thing that tells them apart, and what that is. Pure.

It is for what is decided by words alone, so it is narrow. `wording` takes "in" and "on" for one, and a claim is read
out of what stands around it; here every word counts, and all that differs is one number, date, name or denial.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from shared.belief._telling import DATES, NUMBERS, folded
from shared.language.names import names_in

Differs = Literal["numbers", "dates", "names", "negations"]

_EDGES: Final = "\"'.,;:!?()\u201c\u201d\u2018\u2019"
_COUNTED: Final = re.compile(r"\d+(?:[.,:/]\d+)*")
_DENIALS: Final = frozenset({"not", "never", "no"})
"""What denies all of it: whoever `hardly` eats meat does eat some."""


def apart_in(first: str, second: str) -> tuple[Differs, str, str] | None:
    """What differs, and what each text has there; None where more does, or nothing.

    Case and signs at the edges of words count for nothing; of a denial that one text lacks, its side is blank.
    """
    one, other = _words(first), _words(second)
    before = _shared([each for each, _ in one], [each for each, _ in other])
    one, other = one[before:], other[before:]
    behind = _shared([each for each, _ in reversed(one)], [each for each, _ in reversed(other)])
    one, other = one[: len(one) - behind], other[: len(other) - behind]
    plain, others = [each for each, _ in one], [each for each, _ in other]
    if _is_denied(plain, others) or _is_denied(others, plain):
        return "negations", " ".join(plain), " ".join(others)
    if not plain or not others:
        return None
    if len({_sign(each) for each in (*plain, *others)}) == 1 and "#" in _sign(plain[0]):
        return "numbers", " ".join(plain), " ".join(others)
    if all(each in DATES or _sign(each) == "#" for each in (*plain, *others)):
        return "dates", " ".join(plain), " ".join(others)
    if _named(first, one) and _named(second, other):
        return "names", " ".join(plain), " ".join(others)
    return None


def _words(text: str) -> list[tuple[str, str]]:
    """Each word as it is compared, and as it is written."""
    written = [each.strip(_EDGES) for each in text.replace("\u2019", "'").split()]
    return [(folded(each), each) for each in written if each]


def _shared(one: list[str], other: list[str]) -> int:
    """How many words two lists begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (mine, its) in pairs if mine != its), min(len(one), len(other)))


def _is_denied(plain: list[str], denied: list[str]) -> bool:
    if not plain:
        return len(denied) == 1 and denied[0] in _DENIALS
    return len(plain) == len(denied) == 1 and denied[0] == f"{plain[0]}n't"


def _sign(word: str) -> str:
    return "#" if word in NUMBERS else _COUNTED.sub("#", word)


def _named(text: str, words: list[tuple[str, str]]) -> bool:
    known = {part.strip(_EDGES) for name in names_in(text) for part in name.shown.split()}
    return all(written in known and written[0].isupper() for _, written in words)
