"""What the file of a page is called: by its name, in any script, so that no two names share a file. Pure.

A letter or digit stands for itself where no file system takes it for another one; a space is `-`; anything else is its
code point between underscores, as `_2e_`. So a name can be read back, and names that differ in case, in form of
Unicode, or in nothing that shows give files that differ in the bytes of a-z, 0-9 and letters that are their own fold.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable
from enum import StrEnum
from typing import Final

LONGEST_BYTES: Final = 120
"""Of a name in a file's name; file systems take 255 of the whole, and a message id that holds it 200 characters."""
SUFFIX: Final = ".md"
_DIGEST_MARK: Final = "_sha256_"
_CODED: Final = re.compile(r"_(10[0-9a-f]{4}|[0-9a-f]{1,5})_")


class Sort(StrEnum):
    """What a page is about; its file's name begins so, and therefore is never a word that a system reserves."""

    ENTITY = "entity"
    TOPIC = "topic"
    NOTE = "note"
    """What somebody has written on a page of their own."""


def slug(sort: Sort, name: str) -> str:
    """The name of a page's file without its ending; another name gives another one, as far as SHA-256 tells them apart.

    At most 200 bytes, in Unicode's form NFKC, without anything that a shell, a URL's path or Markdown would read.
    """
    written = _encoded(name, _stands_for_itself)
    if unicodedata.normalize("NFKC", written) != written:
        written = _encoded(name, str.isascii)
    if len(written.encode()) > LONGEST_BYTES:
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
        written = _cut(written, LONGEST_BYTES - len(_DIGEST_MARK) - len(digest)) + _DIGEST_MARK + digest
    return f"{sort}-{written}"


def name_in(written: str) -> str | None:
    """The name that a slug was made from, as far as it is in it; None where the text is no slug of ours."""
    sort, _, rest = written.partition("-")
    if (
        sort not in Sort.__members__.values()
        or not rest
        or any(char not in "-_" and not char.isalnum() for char in rest)
    ):
        return None
    shown, mark, digest = rest.partition(_DIGEST_MARK)
    if mark:
        return (
            _decoded(shown) if re.fullmatch(r"[0-9a-f]{64}", digest) and len(rest.encode()) <= LONGEST_BYTES else None
        )
    name = _decoded(shown)
    return name if slug(Sort(sort), name) == written else None


def _encoded(name: str, keeps: Callable[[str], bool]) -> str:
    return "".join(
        "-" if char == " " else char if keeps(char) and _stands_for_itself(char) else f"_{ord(char):x}_"
        for char in name
    )


def _stands_for_itself(char: str) -> bool:
    """Whether no file system takes a letter or digit for another one: by case in either direction, or by its form."""
    if char.isascii():
        return char.isdigit() or "a" <= char <= "z"
    folded = char.casefold() == char and char.upper().casefold() == char
    return char.isalnum() and folded and unicodedata.normalize("NFKC", char) == char


def _decoded(written: str) -> str:
    return _CODED.sub(lambda found: chr(int(found[1], 16)), written.replace("-", " "))


def _cut(written: str, longest: int) -> str:
    """The beginning of a coded name, of whole characters and whole codes."""
    kept = written.encode()[:longest].decode(errors="ignore")
    return kept if kept.count("_") % 2 == 0 else kept[: kept.rindex("_")]
