"""What is decided, and what is remembered: decisions, and memories version by version."""

# Above 300 lines: most of it says what each field of a memory means, for whoever reads or writes one.

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from shared.contract import _checks as check
from shared.contract.events import Role
from shared.contract.trust import TRUST, Origin

HIGHEST_TRUST: Final = max(TRUST.values())
_LEAST: Final = (("version", 1), ("doc", 1), ("session_doc", 1), ("opened_by", 1), ("ordinal", 0), ("trust", 0))


class Kind(StrEnum):
    """What sort of memory it is."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"


class EpistemicType(StrEnum):
    """On what footing a memory is held."""

    EVIDENCE = "evidence"
    FACT = "fact"
    PREFERENCE = "preference"
    INFERENCE = "inference"
    OPINION = "opinion"


class Tier(StrEnum):
    """Where recall looks for a memory."""

    HOT = "hot"
    """By words and by meaning, whatever is asked."""
    COLD = "cold"
    """An old episode, behind a summary that cites it: by that, by its id and by its date, and by words where a time of
    the past is asked about."""


class Action(StrEnum):
    """What a decision says is to be done with a message or a candidate."""

    STORE = "store"
    CORROBORATE = "corroborate"
    DEFER = "defer"
    REVIEW = "review"
    IGNORE = "ignore"


class Operation(StrEnum):
    """The only ways a memory changes; the `kind` of an operation event is one of these."""

    ADD = "add"
    CORROBORATE = "corroborate"
    SUPERSEDE = "supersede"
    END = "end"
    RETRACT = "retract"
    MERGE = "merge"
    ABSTRACT = "abstract"
    LINK = "link"
    UNLINK = "unlink"
    EXPIRE = "expire"
    PROMOTE = "promote"
    DEMOTE = "demote"
    QUARANTINE = "quarantine"
    FORGET = "forget"
    REOPEN = "reopen"
    RESTORE = "restore"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The verdict on one message (admission) or one candidate (gate).

    Raises:
        InvalidInput: the action is not an `Action`, rule or reason is blank, or the confidence is not in 0..1.
    """

    action: Action
    rule: str
    """Name of the rule that decided, stable, for counting."""
    reason: str
    """One sentence for a person. Never quotes the message."""
    confidence: float

    def __post_init__(self) -> None:
        if not isinstance(self.action, Action):
            check.refuse("action", self.action, f"pass one of {', '.join(Action)}")
        check.text("rule", self.rule)
        check.text("reason", self.reason)
        check.share("confidence", self.confidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A stretch of one evidence event's text, in characters, end exclusive; both None for the whole of it.

    Raises:
        InvalidInput: the sequence is not positive, one end alone is given, or the stretch is empty.
    """

    sequence: int
    start: int | None = None
    end: int | None = None

    def __post_init__(self) -> None:
        check.at_least("sequence", self.sequence, 1)
        whole = self.start is None and self.end is None
        if not whole and (self.start is None or self.end is None or not 0 <= self.start < self.end):
            check.refuse("span", (self.start, self.end), "give 0 <= start < end, or neither")

    def overlaps(self, other: Span) -> bool:
        """Whether the two share a character; the whole of an event overlaps any stretch of it."""
        if self.sequence != other.sequence:
            return False
        if self.start is None or self.end is None or other.start is None or other.end is None:
            return True
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRef:
    """One thing a memory rests on: an evidence event of the memory's own stream, or a stretch of its text.

    Raises:
        InvalidInput: as for `Span`.
    """

    sequence: int
    start: int | None = None
    end: int | None = None
    independent: bool = True
    """False for an echo: the same source said again, which confirms nothing."""

    def __post_init__(self) -> None:
        Span(sequence=self.sequence, start=self.start, end=self.end)

    @property
    def span(self) -> Span:
        """Where it points to."""
        return Span(sequence=self.sequence, start=self.start, end=self.end)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a belief says, in a form that two beliefs can be compared by.

    Raises:
        InvalidInput: a part is blank.
    """

    subject: str
    predicate: str
    object: str
    key: str
    """Subject and predicate in canonical form; two open beliefs with one key speak of the same thing."""

    def __post_init__(self) -> None:
        for name in ("subject", "predicate", "object", "key"):
            check.text(name, getattr(self, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryVersion:
    """One version of one memory.

    Open while `closed_at` is None. `valid_*` is the world's time, half-open; `recorded_at` and `closed_at` are ours.
    The text of a memory is the same in all its versions: another text is another memory.

    Raises:
        InvalidInput: a part is missing or blank, a time is naive, an interval ends before it begins, a number is out
            of range, or only some of the three closing fields are set.
    """

    memory_id: UUID
    version: int
    """From 1, gapless."""
    kind: Kind
    epistemic_type: EpistemicType
    text: str
    speaker: str | None
    """Who said it; None when the evidence has several speakers."""
    role: Role | None
    origin: Origin
    """That of the least trusted evidence the text was made from."""
    trust: int
    """0..4, see `shared.contract.trust`."""
    session_id: str | None
    agent_id: str | None
    run_id: str | None
    doc: int
    """The memory's number within its stream, from 1 in order of opening; the same in all versions, never reused."""
    session_doc: int
    """The number of an episode's session: the `doc` of the episode that began it; the same in all versions.

    A session keeps its number while any of its episodes is held, open or closed; once the last of them is forgotten,
    its next episode begins it anew. A memory that did not begin as an episode, or is of no session, has its own `doc`.
    """
    valid_from: datetime | None
    valid_to: datetime | None
    recorded_at: datetime
    closed_at: datetime | None = None
    closed_reason: Operation | None = None
    """How it was closed; the operation event says why."""
    closed_by: int | None = None
    """Sequence of the operation event that closed it."""
    opened_by: int
    """Sequence of the operation event that opened this version."""
    ordinal: int
    """The memory's place, from 0, among those that the operation behind version 1 opened; its id is made of both."""
    evidence: tuple[EvidenceRef, ...]
    claim: Claim | None = None
    confidence: float
    schema_name: str | None = None
    """Whose schema `data` fits: a built-in record's (`procedure`), or one that an app registered."""
    data: Mapping[str, Any] | None = None
    """The record's fields as JSON values; None where the memory is a sentence alone."""
    importance: float | None = None
    """By an app's own word, 0 to 1: the greatest of the messages the text was made from. None where none has one."""
    tier: Tier = Tier.HOT
    """Only an episode is ever in the cold tier."""

    def __post_init__(self) -> None:
        check.text("text", self.text)
        if self.tier is Tier.COLD and self.epistemic_type is not EpistemicType.EVIDENCE:
            check.refuse("tier", self.tier, "only an episode may be in the cold tier")
        _evidence(self.evidence)
        if (self.schema_name is None) != (self.data is None):
            check.refuse("data", self.data, "give a record's data together with the name of its schema, or neither")
        check.share("confidence", self.confidence)
        if self.importance is not None:
            check.share("importance", self.importance)
        for name, least in _LEAST:
            check.at_least(name, getattr(self, name), least)
        if self.session_doc > self.doc:
            check.refuse("session_doc", self.session_doc, f"the memory's own number is {self.doc}, and no earlier one")
        if self.trust > HIGHEST_TRUST:
            check.refuse("trust", self.trust, f"the highest is {HIGHEST_TRUST}")
        for name in ("valid_from", "valid_to", "recorded_at", "closed_at"):
            check.aware(name, getattr(self, name))
        check.ordered("valid_from", self.valid_from, "valid_to", self.valid_to)
        check.ordered("recorded_at", self.recorded_at, "closed_at", self.closed_at)
        self._check_closing()

    def _check_closing(self) -> None:
        closing = (self.closed_at, self.closed_reason, self.closed_by)
        if None in closing and closing != (None, None, None):
            check.refuse("closing", closing, "give closed_at, closed_reason and closed_by together, or none of them")
        if self.closed_by is not None and self.closed_by <= self.opened_by:
            check.refuse("closed_by", self.closed_by, f"what opened at {self.opened_by} is closed by a later event")

    @property
    def is_open(self) -> bool:
        """Whether we hold it now."""
        return self.closed_at is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What is left of a memory once it is forgotten: that it was, and what closed it. Holds nothing of what it said."""

    memory_id: UUID
    doc: int
    closed_at: datetime
    closed_by: int

    def __post_init__(self) -> None:
        check.at_least("doc", self.doc, 1)
        check.at_least("closed_by", self.closed_by, 1)
        check.aware("closed_at", self.closed_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A tie from one memory to another of the same stream."""

    source: UUID
    relation: str
    target: UUID
    opened_by: int
    """Sequence of the operation event that made it."""
    closed_by: int | None = None
    """Sequence of the UNLINK that took it back."""
    score: float | None = None
    """How sure whoever proposed it was, 0 to 1; None of ties that an operation brings by itself."""
    via: int | None = None
    """`opened_by` of the link that it was drawn from; taken back with that one."""

    def __post_init__(self) -> None:
        check.text("relation", self.relation)
        check.at_least("opened_by", self.opened_by, 1)
        if self.source == self.target:
            check.refuse("target", str(self.target), "a memory is not linked to itself")


def _evidence(evidence: object) -> None:
    # A str is a sequence too: a bare id would be taken apart into characters.
    if not isinstance(evidence, tuple) or not all(isinstance(ref, EvidenceRef) for ref in evidence):
        check.refuse("evidence", evidence, "pass a tuple of EvidenceRef")
    if not evidence:
        check.refuse("evidence", evidence, "a memory rests on at least one evidence event")
