"""What is left of a message out of which recalled memories were cut. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Any, Final

from shared.contract.events import Message
from shared.language.documents import documents, holds_document
from shared.language.text import is_blank

_FIELD: Final = re.compile(r"[\w.$\-]{1,40}")
"""A key that names a field. A longer one, or one of several words, may be what somebody says."""


def own_words(message: Message, known_ends: AbstractSet[str]) -> str:
    """What a message says besides what was recalled into it.

    That is its text without those torn lines that are the ends of memories known already, and of JSON in it the strings
    alone: field names, numbers and booleans were the wrapping of the memories, such as a score.
    """
    text, torn = message.text, known_ends & set(message.torn)
    if torn:
        text = "\n".join(line for line in text.split("\n") if line.strip() not in torn)
    return unwrapped(text)


def unwrapped(text: str) -> str:
    """A text with each JSON document in it that memories stood in replaced by its strings.

    One of these must be blank, or begin or end so: there the memories stood. Else it is anybody's data.
    """
    parts: list[str] = []
    end = 0
    for found in documents(text):
        strings = _strings_of(found.value)
        if any(is_blank(each) or each != each.strip() for each in strings):
            parts += [text[end : found.start], *strings]
            end = found.end
    return "\n".join([*parts, text[end:]]) if end else text


def _strings_of(value: Any) -> list[str]:
    try:
        return list(_strings(value))
    except RecursionError:
        return []


def _strings(value: Any) -> Iterator[str]:
    """The strings of a JSON value; its keys too, where they are no names of fields."""
    if isinstance(value, dict):
        yield from (key for key in value if not _FIELD.fullmatch(key))
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, str):
        yield from _strings_in(value)


def _strings_in(text: str) -> Iterator[str]:
    if not holds_document(text):
        yield text
        return
    try:
        yield from _strings(json.loads(text))
    except ValueError:
        yield text
