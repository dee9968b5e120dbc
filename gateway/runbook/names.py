"""Names of files and folders that any file system takes, whatever the ids they stand for: pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

_LONGEST_SLUG: Final = 40
_LEAST_DIGITS: Final = 4
_OTHERS: Final = re.compile(r"[^a-z0-9]+")


def names(ids: Sequence[str]) -> Iterator[str]:
    """A name for each of some ids, in their order: a number, then what of the id is plain letters and digits.

    No two are the same, on a file system that ignores case too; none holds a dot, begins with one, or is a word that a
    file system keeps for itself.
    """
    digits = max(_LEAST_DIGITS, len(str(len(ids))))
    for number, each in enumerate(ids, 1):
        slug = _slug(each)
        yield f"{number:0{digits}d}-{slug}" if slug else f"{number:0{digits}d}"


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text[: 4 * _LONGEST_SLUG]).encode("ascii", "ignore").decode().lower()
    return _OTHERS.sub("-", plain).strip("-")[:_LONGEST_SLUG].strip("-")
