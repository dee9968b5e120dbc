"""What an extractor reads and what it proposes to remember.

A candidate is stored as an event of class `derivation` and kind `candidate`, one an event, so that each can be erased
by itself. It cites evidence by sequence. Nothing is remembered for having been proposed: the gate decides.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from enum import StrEnum
from typing import Annotated, Any, Final, Literal, Protocol, Self
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from shared.contract.errors import InvalidInput
from shared.contract.events import Role
from shared.contract.invisible import shown_sentence
from shared.contract.records import Claim, EpistemicType, EvidenceRef, Kind
from shared.contract.trust import Origin

EXTRACTION: Final = "extraction"
ANSWER: Final = "answer"
CANDIDATE: Final = "candidate"
"""The kinds of derivation: that lines were read, by what and at what cost; what a model answered, word for word; and
one thing that was proposed."""

MAX_TEXT_CHARS: Final = 1_000
"""A candidate says one thing; what is longer is a copy of the conversation."""


class Change(StrEnum):
    """What a candidate says of its claim."""

    HOLDS = "holds"
    """It is so, from `since` or from when it was said."""
    ENDED = "ended"
    """It was so and is so no longer, from `until` or from when it was said. Nothing has its place."""
    NEVER = "never"
    """It never was so: whoever said it before was wrong."""


class Candidate(BaseModel):
    """Something an extractor proposes to remember; the payload of a candidate's event."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Kind
    epistemic_type: EpistemicType
    text: Annotated[str, StringConstraints(pattern=r"\S", max_length=MAX_TEXT_CHARS), BeforeValidator(shown_sentence)]
    """One self-contained sentence, in the speaker's language, without characters that show nothing."""
    claim: Claim | None = None
    """None where what it says cannot be keyed."""
    change: Change = Change.HOLDS
    since: AwareDatetime | None = None
    """World time from which it holds, where the words give one; else when it was said stands for it."""
    until: AwareDatetime | None = None
    """World time at which it ended or will end, where the words give one."""
    began_earlier: Literal[True] | None = None
    """It began before it was said, by words that give no day: `since I was a child`. Nothing stands for it then."""
    of_then: Literal[True] | None = None
    """It tells of long ago and not of today: `I moved there in 2001`. What is known of since then stands."""
    evidence: Annotated[tuple[EvidenceRef, ...], Field(min_length=1)]
    """What it was read from, the message that says it last. Its place in the world's order is that message's."""
    confidence: Annotated[float, Field(ge=0.0, le=1.0)]
    language: str | None = None
    """BCP 47 code of `text`, where the extractor knows it."""
    schema_name: str | None = None
    """Whose schema `data` fits: `procedure`, or one that an app registered."""
    data: dict[str, Any] | None = None
    """Fields of such a record; None where there is nothing beside the sentence."""
    replaces: UUID | None = None
    """The memory without a claim that it was said in the place of; one with a claim is resolved by that."""

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        if self.epistemic_type is EpistemicType.EVIDENCE and self.kind is not Kind.EPISODIC:
            msg = "what was worked out is not evidence; give its epistemic type"
            raise InvalidInput(msg)
        if self.change is not Change.HOLDS and self.claim is None:
            msg = f"what {self.change} must be named by a claim"
            raise InvalidInput(msg)
        if self.since and self.until and self.until < self.since:
            msg = f"it ends at {self.until.isoformat()}, before it begins at {self.since.isoformat()}"
            raise InvalidInput(msg)
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One admitted message, as an extractor reads it."""

    sequence: int
    """Of its evidence event; an extractor that shows lines to a model shows its place among them, from 1, instead."""
    text: str
    speaker: str
    role: Role
    origin: Origin
    said_at: datetime | None
    """World time in the speaker's zone, where that is known; None where the time is not."""
    zone: tzinfo
    """The speaker's zone, or the one that times without a zone are read in."""
    states_record: bool = False
    """Whether it is a record that an application states; no extractor reads such a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """An open belief that an extractor may refer to; shown to a model by its place among the neighbours, from 1."""

    text: str
    claim: Claim | None
    valid_from: datetime | None
    memory: UUID | None = None
    """Its id, which no model is shown; None where it is nothing that could be named afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A run, or a window of one, as an extractor is given it."""

    lines: Sequence[Line]
    neighbours: Sequence[Neighbour] = ()
    owner_speaker: str | None = None
    """Who "the user" is, where the stream is one person's and they have a name; None in a room."""


class ExtractionStatus(StrEnum):
    """How reading a run ended. Nothing found is not the same as failed, and neither is refused."""

    STORED = "stored"
    """It proposed something; `candidates` holds it."""
    NOTHING_FOUND = "nothing_found"
    FAILED = "failed"
    """No usable answer came; the rules read the run instead, where they can."""
    REFUSED = "refused"
    """The model declined to read it. What it said instead is kept nowhere as a memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What reading a run cost."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    """None where the price of the model is not known, which is not nothing."""

    def and_also(self, other: Usage) -> Usage:
        """Both together; of unknown cost where one of them is."""
        unknown = self.cost_usd is None or other.cost_usd is None
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost_usd=None if unknown else (self.cost_usd or 0.0) + (other.cost_usd or 0.0),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What an extractor made of a reading."""

    extractor: str
    """Name and version: `rules/4`, or `<provider>/<model>/<version of the prompt>`."""
    status: ExtractionStatus
    candidates: Sequence[Candidate] = ()
    rejected: Mapping[str, int] = field(default_factory=dict)
    """How many items of an answer were refused, by why (`unknown_alias`, `blank_text`, `too_many` and the like)."""
    usage: Usage = field(default_factory=Usage)
    answer: str | None = None
    """A model's answer word for word, for the ledger; None where there was no model."""
    unread: Collection[int] = ()
    """Sequences of lines that nobody has read, for want of an answer, of time or of allowance: somebody else may."""
    refused: Collection[int] = ()
    """Sequences of lines that the model declined to read: nobody else is to."""


class Extractor(Protocol):
    """Reads a run and proposes candidates. Knows no database and writes nothing."""

    @property
    def name(self) -> str:
        """As `Extraction.extractor`."""

    def extract(self, reading: Reading, *, deadline_s: float) -> Extraction:
        """Read within `deadline_s` seconds in all, whatever a provider does.

        Raises:
            Retryable: a provider could not be reached, and the same reading may succeed later.
        """
