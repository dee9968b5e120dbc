"""The fields of the record that is built in: how something is done."""

from __future__ import annotations

from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

Sentence = Annotated[str, StringConstraints(pattern=r"\S", strip_whitespace=True)]


class Procedure(BaseModel):
    """What to do when something is to be done."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    trigger: Annotated[Sentence, StringConstraints(max_length=150)]
    """When it is to be used: a task, or what has happened."""
    steps: Annotated[tuple[Sentence, ...], Field(min_length=1)]
    """What to do, in order."""
    expires: AwareDatetime | None = None
    """From when on it is not to be relied on any more; None: nobody knows of an end."""
