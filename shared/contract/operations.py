"""What an operation event holds: one model an operation, told apart by `op`.

Payloads name memories by id and evidence by sequence. Only ADD and ABSTRACT carry text, and each such event the text of
one memory alone, so that erasing one payload erases one memory's text and no other's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Final, Literal, Self
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, model_validator

from shared.contract.errors import InvalidInput
from shared.contract.records import Claim, EpistemicType, EvidenceRef, Kind, Operation, Span, Tier

Code = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
"""A name from a list of ours. Not a sentence: reasons outlive an erasure, so they must not be able to quote."""
Confidence = Annotated[float, Field(ge=0.0, le=1.0)]
Evidence = Annotated[tuple[EvidenceRef, ...], Field(min_length=1)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class VerbatimEntry(_Model):
    """An episode: what was said. Its text is read from the evidence, so that it goes when the evidence goes."""

    form: Literal["verbatim"] = "verbatim"
    evidence: EvidenceRef


class WrittenEntry(_Model):
    """A memory in words of its own: a belief, or a summary of episodes."""

    form: Literal["written"] = "written"
    kind: Kind
    epistemic_type: EpistemicType
    text: Annotated[str, StringConstraints(pattern=r"\S")]
    claim: Claim | None = None
    valid_from: AwareDatetime | None = None
    valid_to: AwareDatetime | None = None
    evidence: Evidence
    confidence: Confidence
    schema_name: str | None = None
    data: dict[str, Any] | None = None
    """A record's fields, with the name of the schema that they fit."""

    @model_validator(mode="after")
    def _is_not_evidence(self) -> Self:
        if self.epistemic_type is EpistemicType.EVIDENCE:
            msg = "a text that was written is not evidence; give its epistemic type"
            raise InvalidInput(msg)
        return self


Entry = Annotated[VerbatimEntry | WrittenEntry, Field(discriminator="form")]


class _Payload(_Model):
    reason: Code


class AddPayload(_Payload):
    """ADD: open memories. An entry's place in the list is its ordinal."""

    op: Literal[Operation.ADD] = Operation.ADD
    entries: Annotated[tuple[Entry, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _keeps_texts_apart(self) -> Self:
        if len(self.entries) > 1 and any(isinstance(entry, WrittenEntry) for entry in self.entries):
            msg = "an ADD with a written entry has no other entry; append one ADD for each"
            raise InvalidInput(msg)
        return self


class CorroboratePayload(_Payload):
    """CORROBORATE: more evidence for the same thing."""

    op: Literal[Operation.CORROBORATE] = Operation.CORROBORATE
    memory: UUID
    evidence: Evidence
    confidence: Confidence | None = None
    """How certain it is now; None where it is as certain as before."""


class _Ending(_Payload):
    """What moves a memory's end in the world."""

    forgets: Literal[True] | None = None
    """Whether what told of its end until now is forgotten: then no version of it keeps another end than this one."""


class SupersedePayload(_Ending):
    """SUPERSEDE: `memory` stopped being true at `valid_to`, and `by` has its place."""

    op: Literal[Operation.SUPERSEDE] = Operation.SUPERSEDE
    memory: UUID
    by: UUID
    valid_to: AwareDatetime


class EndPayload(_Ending):
    """END: `memory` stopped being true, and nothing has its place."""

    op: Literal[Operation.END] = Operation.END
    memory: UUID
    valid_to: AwareDatetime


class ClosePayload(_Payload):
    """RETRACT (it never was so), EXPIRE (not worth keeping), QUARANTINE (not to be trusted): hold it no longer."""

    op: Literal[Operation.RETRACT, Operation.EXPIRE, Operation.QUARANTINE]
    memory: UUID


class MergePayload(_Payload):
    """MERGE: `memory` stands for `absorbed` too. Nothing is said of the world."""

    op: Literal[Operation.MERGE] = Operation.MERGE
    memory: UUID
    absorbed: Annotated[tuple[UUID, ...], Field(min_length=1)]
    evidence: Evidence
    """What the absorbed rest on. Written out, so that a replay needs none of them."""
    confidence: Confidence | None = None
    """How certain it is now; None where it is as certain as before."""


class AbstractPayload(_Payload):
    """ABSTRACT: open one memory made from others, which stay open."""

    op: Literal[Operation.ABSTRACT] = Operation.ABSTRACT
    sources: Annotated[tuple[UUID, ...], Field(min_length=2)]
    entry: WrittenEntry

    @model_validator(mode="after")
    def _has_distinct_sources(self) -> Self:
        if len(set(self.sources)) < len(self.sources):
            msg = "a source is named twice; name each once, and at least two"
            raise InvalidInput(msg)
        return self


class LinkPayload(_Payload):
    """LINK: tie one memory to another. It rests on what the two rest on, and is no firmer than the weaker of them."""

    op: Literal[Operation.LINK] = Operation.LINK
    source: UUID
    relation: Code
    target: UUID
    score: Confidence | None = None
    via: Annotated[int, Field(ge=1)] | None = None
    """The sequence of the LINK that this one was drawn from."""


class UnlinkPayload(_Payload):
    """UNLINK: the tie that the LINK at sequence `link` made holds no longer. Its two memories stay as they are."""

    op: Literal[Operation.UNLINK] = Operation.UNLINK
    link: Annotated[int, Field(ge=1)]
    source: UUID
    relation: Code
    target: UUID


class StandingPayload(_Payload):
    """PROMOTE or DEMOTE: the same memory on a firmer or weaker footing. What is None stays as it is.

    A PROMOTE brings a memory into the hot tier. A DEMOTE may put episodes into the cold one, `behind` a summary that is
    held and rests on all that they rest on.
    """

    op: Literal[Operation.PROMOTE, Operation.DEMOTE]
    memory: UUID
    others: tuple[UUID, ...] = ()
    """Further memories that the same is done to."""
    kind: Kind | None = None
    epistemic_type: EpistemicType | None = None
    confidence: Confidence | None = None
    tier: Tier | None = None
    behind: UUID | None = None

    @property
    def memories(self) -> tuple[UUID, ...]:
        """All that it is done to."""
        return (self.memory, *self.others)

    @model_validator(mode="after")
    def _moves_its_own_way(self) -> Self:
        if len(set(self.memories)) < len(self.memories):
            msg = "a memory is named twice; name each once"
            raise InvalidInput(msg)
        if self.tier is (Tier.COLD if self.op is Operation.PROMOTE else Tier.HOT):
            msg = f"a {self.op} does not put anything into the {self.tier} tier"
            raise InvalidInput(msg)
        if (self.tier is Tier.COLD) != (self.behind is not None):
            msg = "what goes into the cold tier stands behind a summary: give both, or neither"
            raise InvalidInput(msg)
        return self


class ForgetPayload(_Payload):
    """FORGET: nothing may rest on `spans`, now or later.

    `closes` names the memories whose text was made from them; `erased` the events of this stream whose payloads go in
    the same transaction (none when the content is only hidden).
    """

    op: Literal[Operation.FORGET] = Operation.FORGET
    spans: Annotated[tuple[Span, ...], Field(min_length=1)]
    closes: tuple[UUID, ...] = ()
    erased: tuple[int, ...] = ()


class ReopenPayload(_Ending):
    """REOPEN: hold again what was closed, or take back that it ended. `valid_to` is None where it is so to this day."""

    op: Literal[Operation.REOPEN] = Operation.REOPEN
    memory: UUID
    valid_to: AwareDatetime | None = None
    stays: Literal[True] | None = None
    """Whether it stays closed, or open, as it is: then its versions lose an end that is forgotten, and that is all."""

    @model_validator(mode="after")
    def _check_stays(self) -> Self:
        if self.stays and not self.forgets:
            msg = "what stays as it is can only lose an end that is forgotten: give `forgets` too"
            raise InvalidInput(msg)
        return self


class RestorePayload(_Payload):
    """RESTORE: `memory` is again what it was in an earlier version, on what of its evidence still stands."""

    op: Literal[Operation.RESTORE] = Operation.RESTORE
    memory: UUID
    version: Annotated[int, Field(ge=1)]


Payload = (
    AddPayload
    | CorroboratePayload
    | SupersedePayload
    | EndPayload
    | ClosePayload
    | MergePayload
    | AbstractPayload
    | LinkPayload
    | UnlinkPayload
    | StandingPayload
    | ForgetPayload
    | ReopenPayload
    | RestorePayload
)

_PAYLOAD: Final[TypeAdapter[Payload]] = TypeAdapter(Annotated[Payload, Field(discriminator="op")])


def parsed(payload: dict[str, Any]) -> Payload:
    """Read an operation event's payload.

    Raises:
        ValueError: it is none of the models (pydantic's ValidationError).
    """
    return _PAYLOAD.validate_python(payload)


def as_json(payload: Payload) -> dict[str, Any]:
    """The payload as it is stored: plain JSON values, without what is None. `parsed` is its inverse."""
    return payload.model_dump(mode="json", exclude_none=True)


def written(payload: Payload) -> Iterable[WrittenEntry]:
    """The entries of a payload that carry text."""
    if isinstance(payload, AbstractPayload):
        yield payload.entry
    elif isinstance(payload, AddPayload):
        yield from (entry for entry in payload.entries if isinstance(entry, WrittenEntry))
