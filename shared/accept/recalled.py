"""Takes recalled memories out of a text, also where the text holds JSON with a part of a block in it. Pure."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Final

from shared.contract.cutting import Cut, cut, has_marks
from shared.contract.forms import is_json_block
from shared.language.documents import documents
from shared.language.text import normalise

_MAX_DEPTH: Final = 64


def without_recalled(text: str) -> Cut:
    """What `cut` leaves of a text; where that is not all, what it leaves of each string of the JSON in it too.

    A half block in a JSON string has no lines of its own, so it can be told in the string's value alone. The JSON is
    then written anew.
    """
    if not has_marks(text):
        return Cut(text=text)
    found = cut(text)
    if not has_marks(found.text):
        return found
    left, blocks = _without_in_documents(text)
    if not blocks:
        return found
    again = cut(left)
    return replace(again, blocks=again.blocks + blocks)


def _without_in_documents(text: str) -> tuple[str, int]:
    parts: list[str] = []
    end = blocks = 0
    for found in documents(text):
        if not has_marks(text[found.start : found.end]):
            continue
        left, count = _without(found.value, 0)
        blocks += count
        parts += [text[end : found.start], normalise(json.dumps(left, ensure_ascii=False))[0]]
        end = found.end
    return "".join([*parts, text[end:]]), blocks


def _without(value: Any, depth: int) -> tuple[Any, int]:
    """A JSON value with the blocks cut out of its strings, and how many they were; deeper than 64 it is left alone."""
    if depth > _MAX_DEPTH:
        return value, 0
    if isinstance(value, str):
        found = without_recalled(value)
        return found.text, found.blocks
    if isinstance(value, dict):
        if is_json_block(value):
            return "", 1
        pairs = {key: _without(item, depth + 1) for key, item in value.items()}
        return {key: left for key, (left, _) in pairs.items()}, sum(count for _, count in pairs.values())
    if isinstance(value, list):
        items = [_without(item, depth + 1) for item in value]
        return [left for left, _ in items], sum(count for _, count in items)
    return value, 0


def still_there(torn: tuple[str, ...], text: str) -> tuple[str, ...]:
    """Of torn lines those that the text still holds, scrubbed: so none shows a secret."""
    if not torn:
        return ()
    lines = {line.strip() for line in text.split("\n")}
    return tuple(line for line in torn if line in lines)
