"""One entry of a model's answer: its shape, as a model is asked for it, and read from what came. Pure."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema

from shared.contract.candidates import MAX_TEXT_CHARS, Change
from shared.language.text import is_blank
from warmpath._grounding import Fault

Type = Literal["fact", "preference", "opinion", "inference", "procedure"]


class Entry(BaseModel):
    """One entry as a model is asked for it; what it adds of its own is passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    text: str
    lines: list[int]
    type: Type
    about: str
    predicate: str | None
    object: str | None
    change: Change
    replaces: int | None
    since: str | None
    until: str | None
    confidence: Annotated[float, Field(ge=0.0, le=1.0)]
    language: str | None


class Entries(BaseModel):
    """The whole answer that a model is asked for."""

    facts: list[Entry]


def _loaded(written: Any) -> Any:
    return json.loads(written) if isinstance(written, str) else written


class RecordEntry(Entry):
    """The same where there are records that an entry may be."""

    record: str | None
    data: Annotated[
        dict[str, Any] | None,
        BeforeValidator(_loaded),
        # Providers that keep to a schema to the letter take no object whose fields they are not told.
        WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "null"}]}),
    ]


class RecordEntries(BaseModel):
    """The same of a whole answer."""

    facts: list[RecordEntry]


_LEFT_OUT: Final[dict[str, Any]] = {
    "type": "fact",
    "about": "",
    "predicate": None,
    "object": None,
    "change": "holds",
    "replaces": None,
    "since": None,
    "until": None,
    "confidence": 0.7,
    "language": None,
    "record": None,
    "data": None,
}
"""What an entry means by what it does not say."""


def read_entry(raw: Any) -> RecordEntry:
    """An entry, with what it does not say taken for what that means.

    Raises:
        Fault: a field does not fit; which, and why.
    """
    if not isinstance(raw, dict):
        raise Fault("wrong_shape", "it is no object")
    given = {name: value for name, value in raw.items() if name in RecordEntry.model_fields and value is not None}
    try:
        entry = RecordEntry.model_validate(_LEFT_OUT | given)
    except ValidationError as error:
        field = str(error.errors()[0]["loc"][0])
        reason = "unknown_alias" if field == "replaces" else f"bad_{field}"
        raise Fault(reason, f"`{field}` does not fit: {error.errors()[0]['msg']}") from None
    if is_blank(entry.text):
        raise Fault("bad_text", "`text` is blank")
    if len(entry.text) > MAX_TEXT_CHARS:
        raise Fault("bad_text", f"`text` is longer than {MAX_TEXT_CHARS} characters; one sentence is enough")
    return entry
