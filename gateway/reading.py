"""Runs as a file or a pipe brings them."""

from __future__ import annotations

import json
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shared.contract.errors import InvalidRun

_SHOWN: Final = 3


class RunDocument(BaseModel):
    """A run as JSON."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    run_id: str | None = None
    messages: list[dict[str, Any]]
    """Each with `text`, and any of `id`, `role`, `speaker`, `ts`, `origin`; judged by the front door."""
    room: str | None = None
    participants: list[str] = Field(default_factory=list)


def runs_in(text: str) -> list[RunDocument]:
    """The runs of a text: one run as JSON, a list of the messages of one run, or JSON Lines of runs or of messages.

    Raises:
        InvalidRun: it is none of these; the message says where and why.
    """
    if not text.strip():
        raise InvalidRun("there is nothing to read: give a run as JSON, like " + EXAMPLE)
    try:
        found = _parsed(text)
    except json.JSONDecodeError as whole:
        return _of_lines(text, whole)
    return [_run(found, "the run")]


def text_of(content: bytes) -> str:
    """The text of a file, with or without a byte order mark.

    Raises:
        InvalidRun: it is no UTF-8.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"this is no text in UTF-8: byte {error.start} is 0x{content[error.start]:02x}; give a run as JSON"
        raise InvalidRun(f"{msg}, like {EXAMPLE}") from error


EXAMPLE: Final = '{"run_id": "run-7", "messages": [{"role": "user", "text": "I keep two beehives."}]}'


def _of_lines(text: str, whole: json.JSONDecodeError) -> list[RunDocument]:
    found: list[Any] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            found.append(_parsed(line))
        except json.JSONDecodeError as error:
            if not found:  # not JSON Lines from the first line on: then it was meant as one document
                raise InvalidRun(f"this is no JSON: {whole}") from error
            raise InvalidRun(f"line {number} is no JSON: {error.msg} at column {error.colno}") from error
    if not any(isinstance(each, dict) and "messages" in each for each in found):
        return [_run(found, "the lines")]
    return [_run(each, f"run {number}") for number, each in enumerate(found, 1)]


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except (RecursionError, ValueError) as error:  # nested too deep, or a number of thousands of digits
        raise InvalidRun(f"this JSON cannot be read: {error}") from error


def _run(found: Any, place: str) -> RunDocument:
    if isinstance(found, dict) and "messages" not in found and ("text" in found or "content" in found):
        found = [found]
    if isinstance(found, list):
        found = {"messages": found}
    try:
        return RunDocument.model_validate(found)
    except ValidationError as error:
        faults = [
            f"{'.'.join(map(str, each['loc'])) or 'it'}: {each['msg'].lower()}"
            for each in error.errors(include_url=False, include_input=False)[:_SHOWN]
        ]
        raise InvalidRun(f"{place} is not like {EXAMPLE}: {'; '.join(faults)}") from error
