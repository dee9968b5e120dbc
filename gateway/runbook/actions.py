"""What an agent may say: look here, look there, or this is my answer. Whatever a model says passes through here."""

from __future__ import annotations

import json
from datetime import date
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator, model_validator

from gateway.runbook.answers import DeepVerdict
from shared.contract.errors import InvalidInput
from shared.language.text import normalise

_MOST_SPANS: Final = 1_000
_MOST_WORDS: Final = 50
_MOST_LINE: Final = 10**9
_LONGEST_NAME: Final = 1_000
_LONGEST_WORD: Final = 200
_LONGEST_ANSWER: Final = 20_000
_SHOWN: Final = 3


class _Said(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)


class Search(_Said):
    """Find messages by words, speaker and date."""

    kind: Literal["search"] = "search"
    words: tuple[Annotated[str, Field(min_length=1, max_length=_LONGEST_WORD)], ...] = Field(
        default=(), max_length=_MOST_WORDS
    )
    speaker: str | None = Field(default=None, max_length=_LONGEST_WORD)
    since: date | None = None
    until: date | None = None
    """Inclusive, in UTC, as `since`."""
    limit: int = Field(default=20, ge=1, le=100)


class _Lines(_Said):
    file: str = Field(min_length=1, max_length=_LONGEST_NAME)
    start_line: int = Field(ge=1, le=_MOST_LINE, strict=True)
    end_line: int = Field(ge=1, le=_MOST_LINE, strict=True)

    @model_validator(mode="after")
    def _is_in_order(self) -> _Lines:
        if self.end_line < self.start_line:
            msg = f"end_line {self.end_line} is before start_line {self.start_line}"
            raise ValueError(msg)
        return self


class Open(_Lines):
    """Read lines of a file."""

    kind: Literal["open"] = "open"


class Span(_Lines):
    """Lines that an answer rests on."""


class Finish(_Said):
    """The answer."""

    kind: Literal["finish"] = "finish"
    verdict: DeepVerdict
    spans: tuple[Span, ...] = Field(default=(), max_length=_MOST_SPANS)
    answer: str | None = Field(default=None, max_length=_LONGEST_ANSWER)

    @field_validator("answer")
    @classmethod
    def _is_clean(cls, value: str | None) -> str | None:
        return normalise(value)[0] if value is not None else None


Action = Annotated[Search | Open | Finish, Field(discriminator="kind")]
_ACTIONS: Final[TypeAdapter[Search | Open | Finish]] = TypeAdapter(Action)


def action_of(said: Any) -> Search | Open | Finish:
    """An action out of what a model said, as JSON's values: `{"kind": "search", "words": ["bees"]}`.

    Raises:
        InvalidInput: it is none; the message says where and why, and quotes nothing.
    """
    try:
        return _ACTIONS.validate_python(said)
    except ValidationError as error:
        raise InvalidInput(_faults("the action", error)) from error


def finish_of(said: Any) -> Finish:
    """An answer out of JSON's values.

    Raises:
        InvalidInput: it is none; the message says where and why, and quotes nothing.
    """
    try:
        return Finish.model_validate(said)
    except ValidationError as error:
        raise InvalidInput(_faults("the answer", error)) from error


def json_of(written: bytes) -> Any:
    """The value of one JSON document.

    Raises:
        ValueError: it is something else.
    """
    try:
        return json.loads(written.decode("utf-8"), parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _faults(what: str, error: ValidationError) -> str:
    faults = [
        f"{'.'.join(map(str, each['loc'])) or 'it'}: {each['msg'].lower()}"
        for each in error.errors(include_url=False, include_input=False, include_context=False)[:_SHOWN]
    ]
    return f"{what} does not fit: {'; '.join(faults)}"
