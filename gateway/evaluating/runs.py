"""Labelled runs: what was said, and which claims should and should not exist afterwards. Read from TOML files.

    [[runs]]
    id = "moved"
    lines = [["2031-05-24T09:00+01:00", "mira", "I moved to Leeds last week."]]
    should = [{subject = "mira", predicate = "lives_in", object = "Leeds", since = "2031-05-12..2031-05-18"}]
    must_not = ["Porto"]

A line is a time (blank where it is not known), a speaker (`name@assistant`, `@tool`, `@system` where it is no user's)
and a text. `tests/golden/README.md` says what each field means.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from shared.contract.candidates import Change, Line, Reading
from shared.contract.errors import InvalidInput
from shared.contract.events import Role
from shared.contract.trust import Origin

_ORIGINS: Final = {
    Role.USER: Origin.USER, Role.ASSISTANT: Origin.ASSISTANT, Role.TOOL: Origin.TOOL, Role.SYSTEM: Origin.UNKNOWN,
    Role.DEVELOPER: Origin.UNKNOWN,
}  # fmt: skip


def _as_tuple(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


Words = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_as_tuple)]
"""One string or several, any of which will do."""


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Days(_Strict):
    """The days from the first to the last, either of which will do."""

    first: date
    last: date

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        first, _, last = value.partition("..")
        return {"first": first, "last": last or first}


class Label(_Strict):
    """A claim that should, may or must not be stored."""

    subject: Words
    predicate: Words
    """Names or aliases of predicates, any of which will do."""
    object: Words = ()
    """What it is, with other ways to put it; empty where any object will do."""
    words: tuple[str, ...] = ()
    """Words of its sentence, instead of an object: all are to be in it."""
    change: Change = Change.HOLDS
    since: Days | None = None
    """When it began, of a stored claim that is to be right; None where that is not asked."""
    until: Days | None = None
    optional: bool = False
    """It may be stored, and nothing is missed where it is not."""
    by_rules: bool = True
    """Whether the rules are asked for it; else only a language model is."""


class Forbidden(_Strict):
    """A claim that must not be stored; what is left out may be anything."""

    subject: Words = ()
    predicate: Words = ()
    object: Words = ()
    change: Change | None = None


class LabelledRun(_Strict):
    """A run with its labels."""

    id: str
    language: str = "en"
    about: str = ""
    """What it tries."""
    owner: str | None = None
    """Whose stream it is; None for a room."""
    zone: str = "UTC"
    lines: Annotated[tuple[tuple[str, str, str], ...], Field(min_length=1)]
    should: tuple[Label, ...] = ()
    must_not: tuple[str, ...] = ()
    """Words that no stored sentence may hold, in any case."""
    never: tuple[Forbidden, ...] = ()
    most: int | None = None
    """How many claims may be stored at most."""

    @model_validator(mode="after")
    def _can_be_read(self) -> Self:
        for label in self.should:
            if not label.object and not label.words:
                raise ValueError(f"run {self.id}: a label needs an object or words")
        _ = self.reading
        return self

    @property
    def reading(self) -> Reading:
        """As an extractor is given it: without what admission keeps from it."""
        lines = [_line(number, *line) for number, line in enumerate(self.lines, 1)]
        read = [line for line in lines if line.role in {Role.USER, Role.ASSISTANT}]
        return Reading(lines=read, owner_speaker=self.owner)


def _line(number: int, time: str, speaker: str, text: str) -> Line:
    name, _, role = speaker.partition("@")
    of = Role(role or Role.USER)
    said_at = datetime.fromisoformat(time) if time else None
    if said_at is not None and said_at.tzinfo is None:
        said_at = said_at.replace(tzinfo=UTC)
    zone = said_at.tzinfo if said_at and said_at.tzinfo else UTC
    return Line(
        sequence=number, text=text, speaker=name or of.value, role=of, origin=_ORIGINS[of], said_at=said_at, zone=zone
    )


class _File(_Strict):
    format: Literal[1]
    runs: tuple[LabelledRun, ...]


def load_runs(folder: Path) -> list[LabelledRun]:
    """The labelled runs of all TOML files of a folder, by file and place.

    Raises:
        InvalidInput: there are none, a file is not as it should be, or two runs have one id.
    """
    runs = list(_of_files(sorted(folder.glob("*.toml"))))
    if not runs:
        raise InvalidInput(f"{folder} has no labelled runs: pass a folder of .toml files with --runs")
    seen: set[str] = set()
    for run in runs:
        if run.id in seen:
            raise InvalidInput(f"two labelled runs have the id {run.id!r}: give each its own")
        seen.add(run.id)
    return runs


def _of_files(paths: Sequence[Path]) -> Iterator[LabelledRun]:
    for path in paths:
        try:
            yield from _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8"))).runs
        except (ValidationError, tomllib.TOMLDecodeError) as error:
            raise InvalidInput(f"{path} is no file of labelled runs: {error}") from error
