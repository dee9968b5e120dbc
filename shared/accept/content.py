"""What a message's content says, whichever of the common chat formats it is written in. Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from shared.accept.recalled import without_recalled
from shared.contract.errors import InvalidInput
from shared.contract.events import Json
from shared.language.text import normalise

_TEXT_PARTS: Final = frozenset({"text", "input_text", "output_text", "refusal"})
_CALL_PARTS: Final = frozenset({"tool_use", "function_call"})
_RESULT_PARTS: Final = frozenset({"tool_result", "function_call_output"})
_MAX_DEPTH: Final = 64
_MAX_INT_BITS: Final = 4096
"""Python writes no longer number as decimal digits by default."""


@dataclass(slots=True, kw_only=True)
class Content:
    """What the parts of a content come to; filled part by part."""

    texts: list[str] = field(default_factory=list)
    tool_calls: list[Json] = field(default_factory=list)
    results: int = 0
    """How many parts are a tool's result."""
    result_texts: int = 0
    """How many of the texts are theirs."""
    tool_call_id: str | None = None
    notes: list[str] = field(default_factory=list)
    recalled: int = 0
    """How many recalled blocks were cut out of data."""

    @property
    def text(self) -> str:
        """The texts, a line end between them."""
        return "\n".join(self.texts)


def flatten(content: object) -> Content:
    """Read a content: a text, nothing, or a list of parts as OpenAI and Anthropic write them.

    Texts are joined, tool calls and tool results told apart; images and whatever else is no text are left out with a
    note. An object that is no such part is data (a tool's answer) and becomes its JSON.

    Raises:
        InvalidInput: it is something else.
    """
    found = Content()
    if isinstance(content, str):
        found.texts.append(content)
    elif isinstance(content, Mapping):
        _add(found, content, nested=False)
    elif isinstance(content, Sequence) and not isinstance(content, bytes | bytearray):
        for part in content:
            _add(found, part, nested=False)
    elif content is not None:
        raise InvalidInput(f"content must be a text or a list of parts, not {type(content).__name__}")
    return found


def _add(found: Content, part: object, *, nested: bool) -> None:
    if isinstance(part, str):
        found.texts.append(part)
        return
    if not isinstance(part, Mapping):
        raise InvalidInput(f"a part of the content must be a text or an object with a type, not {type(part).__name__}")
    kind = part.get("type", "text" if isinstance(part.get("text"), str) else None)
    if kind in _TEXT_PARTS and isinstance(part.get("text", part.get("refusal")), str):
        found.texts.append(part.get("text", part.get("refusal")))
    elif kind in _CALL_PARTS and not nested:
        found.tool_calls.append(dict(part))
    elif kind in _RESULT_PARTS and not nested:
        _add_result(found, part)
    elif kind is None:
        found.texts.append(json.dumps(cleaned_json(part, found), ensure_ascii=False))
    else:
        found.notes.append(f"part of type {str(kind)[:40]!r} left out: only text is kept")


def _add_result(found: Content, part: Mapping[str, object]) -> None:
    found.results += 1
    call_id = part.get("tool_use_id", part.get("call_id"))
    found.tool_call_id = call_id if isinstance(call_id, str) and found.tool_call_id is None else found.tool_call_id
    before = len(found.texts)
    content = part.get("content", part.get("output"))
    for inner in content if isinstance(content, list | tuple) else [content]:
        if inner is not None:
            _add(found, inner, nested=True)
    found.result_texts += len(found.texts) - before


def cleaned_json(value: Any, found: Content, depth: int = 0) -> Any:
    """A value as JSON that any store takes: texts normalised, recalled blocks cut out, what JSON cannot hold as text.

    What was changed is added to the notes of `found`.

    Raises:
        InvalidInput: it is nested more than 64 deep.
    """
    if depth > _MAX_DEPTH:
        raise InvalidInput(f"data is nested more than {_MAX_DEPTH} deep; send it as a text")
    if isinstance(value, str):
        return _cleaned_text(value, found)
    if isinstance(value, Mapping):
        return {_cleaned_text(str(key), found): cleaned_json(item, found, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [cleaned_json(item, found, depth + 1) for item in value]
    return value if _is_json_scalar(value) else _as_text(value, found)


def _is_json_scalar(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or (isinstance(value, int) and value.bit_length() <= _MAX_INT_BITS)


def _as_text(value: object, found: Content) -> str:
    found.notes.append(f"a value of type {type(value).__name__} kept as text: JSON has no such value")
    return _cleaned_text(f"{value:#x}" if isinstance(value, int) else str(value), found)


def _cleaned_text(text: str, found: Content) -> str:
    cleaned, changes = normalise(text)
    left = without_recalled(cleaned)
    found.notes += [*changes, *(["recalled block cut out"] if left.blocks else [])]
    found.recalled += left.blocks
    return left.text
