"""Finds the JSON that stands in a text. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

_JSON: Final = json.JSONDecoder()
_BEGINS: Final = re.compile(r'^[ \t>]*([{\["])', re.MULTILINE)
_CONTAINERS: Final = ("{", "[")
_MOST: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A JSON object or array, or a JSON string that holds the text of one."""

    start: int
    end: int
    value: Any


def documents(text: str) -> Iterator[Document]:
    """The JSON documents that begin a line of a text, quoted or not, in order; eight places are tried at most."""
    end = 0
    for begins, _ in zip(_BEGINS.finditer(text), range(_MOST), strict=False):
        start = begins.start(1)
        if start < end:
            continue
        try:
            value, stop = _JSON.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if not isinstance(value, str) or holds_document(value):
            end = stop
            yield Document(start=start, end=end, value=value)


def holds_document(text: str) -> bool:
    """Whether a string may be the text of a JSON object or array."""
    return text.lstrip().startswith(_CONTAINERS)
