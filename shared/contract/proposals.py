"""What a job of the cold path proposes: an operation, and the versions that it was thought out on.

A proposal cannot say that something is to be deleted: no operation among those that may be proposed takes evidence
away, and what one closes can be opened again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from shared.contract import _checks as check
from shared.contract.operations import (
    AbstractPayload,
    ClosePayload,
    EndPayload,
    LinkPayload,
    MergePayload,
    ReopenPayload,
    StandingPayload,
    SupersedePayload,
)
from shared.contract.records import Operation

Proposable = (
    AbstractPayload
    | ClosePayload
    | EndPayload
    | LinkPayload
    | MergePayload
    | ReopenPayload
    | StandingPayload
    | SupersedePayload
)
"""What may be proposed; of the ways to close a memory EXPIRE alone, which says nothing against it.

REOPEN of a memory that is held: that it ended is taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One operation that a job would have done.

    Raises:
        InvalidInput: the operation cannot be proposed, or it names a memory that was not read.
    """

    operation: Proposable
    read: Mapping[UUID, int]
    """The versions, by memory, that it was thought out on; of all that it names, and of what else it depends on."""

    def __post_init__(self) -> None:
        if isinstance(self.operation, ClosePayload) and self.operation.op is not Operation.EXPIRE:
            check.refuse("operation", self.operation.op, "of the ways to close a memory a job may propose EXPIRE alone")
        unread = [memory for memory in (*named(self.operation), *relied_on(self.operation)) if memory not in self.read]
        if unread:
            check.refuse("read", unread[0], "give the version of each memory that the operation names")


def named(operation: Proposable) -> tuple[UUID, ...]:
    """The memories that an operation names, each once, the one that stays or changes first."""
    return tuple(dict.fromkeys(_named(operation)))


def _named(operation: Proposable) -> Iterable[UUID]:
    match operation:
        case MergePayload():
            return (operation.memory, *operation.absorbed)
        case AbstractPayload():
            return operation.sources
        case SupersedePayload():
            return (operation.memory, operation.by)
        case LinkPayload():
            return (operation.source, operation.target)
        case StandingPayload():
            return operation.memories
        case _:
            return (operation.memory,)


def relied_on(operation: Proposable) -> tuple[UUID, ...]:
    """The memories that an operation needs held, and does nothing to."""
    behind = operation.behind if isinstance(operation, StandingPayload) else None
    return () if behind is None else (behind,)


class Refusal(StrEnum):
    """Why a proposal is not carried out; each is counted."""

    SOURCE_MISSING = "source_missing"
    """A memory that it names is not there, or not the stream's."""
    SOURCE_CLOSED = "source_closed"
    """One is held no longer."""
    CHANGED_SINCE = "changed_since"
    """One that it was thought out on is another version by now."""
    TAKEN_BACK = "taken_back"
    """It was done before, and somebody took it back."""
    LET_GO = "let_go"
    """It was made before out of the same, and a policy has expired it."""
    TOO_FEW_SOURCES = "too_few_sources"
    """It merges or abstracts fewer than two."""
    SCOPES_MIXED = "scopes_mixed"
    """They are of different agents."""
    CLAIMS_MIXED = "claims_mixed"
    """What it merges speaks of different things."""
    FOOTINGS_MIXED = "footings_mixed"
    """What it merges is of different kinds, or held on different footings."""
    TRUST_MIXED = "trust_mixed"
    """Some would lend the others trust."""
    SENSITIVITY_MIXED = "sensitivity_mixed"
    """Some are delicate in a way that others are not."""
    CONTRADICTION = "contradiction"
    """A number, date, name, negation or another word that tells differs within the group."""
    EVIDENCE_LOST = "evidence_lost"
    """What comes of it does not rest on all that its sources rest on."""
    EVIDENCE_ADDED = "evidence_added"
    """It cites what none of its sources rests on."""
    UNSUPPORTED = "unsupported"
    """Its text has a number, date, name or negation that no source has."""
    MORE_CERTAIN = "more_certain"
    """It is more certain than its evidence makes it."""
    NOT_OPPOSED = "not_opposed"
    """What would be superseded and what would have its place do not speak of one thing, or agree."""
    NOT_LATER = "not_later"
    """It would not end when what has its place began, or had not begun by then."""
    UNKNOWN_RELATION = "unknown_relation"
    """It ties two memories by what is no relation."""
    LINKED_ALREADY = "linked_already"
    """They are tied to each other, or are one memory."""
    TOO_MANY_LINKS = "too_many_links"
    """One of them has as many links as a memory may have."""
    OF_ITS_OWN_KIND = "of_its_own_kind"
    """It infers from what was inferred itself."""
    FIRMER = "firmer"
    """It makes a fact of what none of its sources holds for one, or evidence of what is none."""
    NO_CHANGE = "no_change"
    """The memory stands so already."""
