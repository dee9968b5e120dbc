"""What a demonstration is fed: a conversation of several people over many sessions, and questions about it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints, model_validator

SHIPPED: Final = Path(__file__).with_name("conversation.json")

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Message(_Part):
    """What somebody said."""

    id: Text
    speaker: Text
    at: AwareDatetime
    text: Text


class Session(_Part):
    """What was said at one sitting: one run."""

    id: Text
    started_at: AwareDatetime
    messages: tuple[Message, ...] = Field(min_length=1)


class Question(_Part):
    """A question, and which messages answer it; none for one that the conversation does not answer."""

    query: Text
    asked_by: Text
    evidence: tuple[Text, ...]
    answer: str


class Corpus(_Part):
    """One conversation with its questions."""

    title: Text
    room: Text
    participants: tuple[Text, ...] = Field(min_length=1)
    sessions: tuple[Session, ...] = Field(min_length=1)
    questions: tuple[Question, ...] = Field(min_length=1)

    @property
    def messages(self) -> int:
        """How many there are."""
        return sum(len(session.messages) for session in self.sessions)

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        fault = next(self._faults(), None)
        if fault:
            raise ValueError(fault)
        return self

    def _faults(self) -> Iterator[str]:
        ids = [message.id for session in self.sessions for message in session.messages]
        if len(set(ids)) < len(ids):
            yield f"two messages bear the id {next(each for each in ids if ids.count(each) > 1)!r}"
        sessions = [session.id for session in self.sessions]
        if len(set(sessions)) < len(sessions):
            yield f"two sessions bear the id {next(each for each in sessions if sessions.count(each) > 1)!r}"
        for question in self.questions:
            if question.asked_by not in self.participants:
                yield f"{question.query!r} is asked by {question.asked_by!r}, who does not take part"
            yield from (
                f"{question.query!r} has the evidence {each!r}, and no message has that id"
                for each in question.evidence
                if each not in ids
            )
