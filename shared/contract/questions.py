"""A question to a person: of memories that cannot all be so, which is right?

It is an event of class `derivation` and kind `question`, which names memories and says nothing of their words, and a
review that waits for the answer. Nothing is closed for having been asked about.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, model_validator

from shared.contract.errors import InvalidInput

QUESTION: Final = "question"
"""The kind of the event."""
CONTRADICTION: Final = "contradiction"
"""The policy of its review (`shared.store.reviews.Review.policy`)."""

PERSON_DECIDED: Final = "person_decided"
"""The reason of the operations that an answer is carried out by."""

Why = Literal["claims", "numbers", "dates", "names", "negations", "model"]
"""What they differ in: the objects of one claim, what tells two texts of one wording apart, or what a model says."""


class Question(BaseModel):
    """The payload of a question's event."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    memories: Annotated[tuple[UUID, ...], Field(min_length=2)]
    """What it is about, in order of their numbers."""
    versions: Annotated[tuple[int, ...], Field(min_length=2)]
    """Of each, the one that was asked about."""
    why: Why

    @model_validator(mode="after")
    def _is_of_several(self) -> Self:
        if len(set(self.memories)) < len(self.memories) or len(self.memories) != len(self.versions):
            msg = "a question names each memory once, with the version that it is about"
            raise InvalidInput(msg)
        return self

    @property
    def about(self) -> frozenset[UUID]:
        """The memories, whatever their order."""
        return frozenset(self.memories)

    def is_of(self, versions: Mapping[UUID, int]) -> bool:
        """Whether all of it is held in the versions that it is about; `versions` are those that are open."""
        return all(versions.get(memory) == of for memory, of in zip(self.memories, self.versions, strict=True))
