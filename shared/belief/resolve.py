"""What is to be done to the beliefs of one claim, so that they are what its statements come to.

What they come to is a pure function of the set of stored candidates of the claim's key (`timeline`); the operations are
the difference between that and what is held. So any order of arrival ends in the same beliefs, a late word is no
special case, an erasure is resolved by calling this with what survives, and a second call finds nothing to do.

A segment of the timeline and the memory that stands for it share what no operation can change: claim, text, beginning,
and the evidence that the text was made from. What is held for a statement that founds no segment (any more) is merged
into the segment that it has become part of: so is a belief of which something more exact is said, into one that has the
more exact words and its own beginning. Nothing is merged before its successor is open.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from shared.belief.predicates import side_of
from shared.belief.segments import Identity, Segment, Stated, distinct, identity_of
from shared.belief.timeline import timeline
from shared.contract.operations import (
    AddPayload,
    ClosePayload,
    CorroboratePayload,
    EndPayload,
    LinkPayload,
    MergePayload,
    Payload,
    ReopenPayload,
    SupersedePayload,
    WrittenEntry,
)
from shared.contract.records import EvidenceRef, MemoryVersion, Operation, Span
from shared.contract.relations import SUPERSEDES

_SET_ASIDE: Final = frozenset({Operation.EXPIRE, Operation.QUARANTINE})
"""Closed by policy and not by what was said of it: it stays so until it is said again."""


def resolve(
    stated: Iterable[Stated], held: Iterable[MemoryVersion], *, id_at: Callable[[int], UUID]
) -> tuple[Payload, ...]:
    """The operations that bring the beliefs of one claim key from what is held to what is stated, in order.

    `stated` are all stored candidates of the key that stand: decided to be stored, not forgotten, not quarantined.
    `held` are all versions of all memories with the key that are not forgotten, in any order. Where names were taken
    for one another, or no longer are, give the memories of all keys that this has changed: a memory whose claim is
    keyed anew is merged into one with the new claim. Memories that no statement founded are left alone. `id_at(n)` is
    the id of the memory that the n-th operation returned, counted from 0, will open.
    """
    plan = _Plan(timeline(stated), held, id_at)
    for step in (plan.open, plan.merge, plan.confirm, plan.end, plan.retract):
        for segment in plan.segments:
            step(segment)
    return tuple(plan.operations)


@dataclass(slots=True, eq=False)
class _Memory:
    """A memory as it will be after the operations planned so far."""

    memory_id: UUID
    identity: Identity
    evidence: tuple[EvidenceRef, ...]
    valid_to: datetime | None = None
    closed_by: Operation | None = None
    is_new: bool = False
    """It is opened, or opened again, by one of the operations."""

    @property
    def is_open(self) -> bool:
        return self.closed_by is None

    def lacks(self, refs: Iterable[EvidenceRef]) -> list[EvidenceRef]:
        known = {ref.span for ref in self.evidence}
        return [ref for ref in refs if ref.span not in known]


class _Plan:
    """The operations so far, and what they make of the memories."""

    def __init__(
        self, segments: Sequence[Segment], held: Iterable[MemoryVersion], id_at: Callable[[int], UUID]
    ) -> None:
        self.segments = segments
        self.operations: list[Payload] = []
        self._id_at = id_at
        self._memories = _memories(held)
        self._standing: dict[Identity, _Memory] = {}
        for memory in self._memories:
            self._standing.setdefault(memory.identity, memory)
        self._beside = self._placed()
        self._said = {ref.span for segment in segments for ref in segment.evidence}

    def open(self, segment: Segment) -> None:
        """ADD a memory for a segment that has none; REOPEN one that is closed and is not to be."""
        memory = self._standing.get(segment.identity)
        if memory is None:
            self._standing[segment.identity] = self._added(segment)
        elif not memory.is_open and self._is_to_open(memory, segment):
            self._reopen(memory, segment.valid_to)

    def merge(self, segment: Segment) -> None:
        """MERGE what is held for the segment's other statements: an earlier word has arrived, or a gap has closed."""
        others = self._others(segment)
        if not others:
            return
        for other in others:
            if not other.is_open:
                self._reopen(other, other.valid_to)
        memory = self._standing[segment.identity]
        own = {ref.span for ref in segment.evidence}
        evidence = distinct(ref for other in others for ref in other.evidence if ref.span in own)
        absorbed = tuple(other.memory_id for other in others)
        self._do(
            MergePayload(
                reason="same_claim",
                memory=memory.memory_id,
                absorbed=absorbed,
                evidence=evidence,
                confidence=_risen(segment, memory.lacks(evidence)),
            )
        )
        memory.evidence += tuple(memory.lacks(evidence))
        for other in others:
            other.closed_by = Operation.MERGE

    def confirm(self, segment: Segment) -> None:
        """CORROBORATE with what the segment rests on and its memory does not yet."""
        memory = self._standing[segment.identity]
        new = tuple(memory.lacks(segment.evidence))
        if new:
            confidence = _risen(segment, new)
            self._do(
                CorroboratePayload(reason="said_again", memory=memory.memory_id, evidence=new, confidence=confidence)
            )
            memory.evidence += new

    def end(self, segment: Segment) -> None:
        """SUPERSEDE, END or REOPEN, so that the memory ends in the world when its segment does."""
        memory = self._standing[segment.identity]
        if not memory.is_open:
            return
        by = self._standing[segment.superseded_by] if segment.superseded_by else None
        by_id = by.memory_id if by and by.is_open else None
        if memory.valid_to == segment.valid_to:
            if memory.is_new and by_id:
                self._do(LinkPayload(reason="said_late", source=by_id, relation=SUPERSEDES, target=memory.memory_id))
            return
        if segment.valid_to is None:
            self._reopen(memory, None)
        elif by_id:
            self._do(SupersedePayload(reason="newer", memory=memory.memory_id, by=by_id, valid_to=segment.valid_to))
        else:
            reason = "newer" if by else "no_longer"
            self._do(EndPayload(reason=reason, memory=memory.memory_id, valid_to=segment.valid_to))
        memory.valid_to = segment.valid_to

    def retract(self, segment: Segment) -> None:
        """RETRACT what never was so."""
        memory = self._standing[segment.identity]
        if segment.is_retracted and memory.is_open:
            self._do(ClosePayload(op=Operation.RETRACT, reason="never_so", memory=memory.memory_id))
            memory.closed_by = Operation.RETRACT

    def _is_to_open(self, memory: _Memory, segment: Segment) -> bool:
        """Whether a closed memory is to be held, or must be open for a while because something of it changes."""
        if memory.lacks(segment.evidence) or self._others(segment):
            return True
        if memory.closed_by in _SET_ASIDE:
            return False
        is_retracted = memory.closed_by is Operation.RETRACT and memory.valid_to == segment.valid_to
        return not (segment.is_retracted and is_retracted)

    def _others(self, segment: Segment) -> list[_Memory]:
        """What is held for the statements of a segment beside its memory, and is not merged or set aside."""
        beside = self._beside[segment.identity]
        return [memory for memory in beside if memory.closed_by not in {Operation.MERGE, *_SET_ASIDE}]

    def _placed(self) -> defaultdict[Identity, list[_Memory]]:
        """By segment, the memories that have the words of one of its statements and stand for no segment.

        Where its words are in two, a memory goes to the one that speaks of its beginning. None may: what was said less
        exactly gave it that, and is in another segment by now.
        """
        hearing: defaultdict[_Words, list[Segment]] = defaultdict(list)
        for segment in self.segments:
            for words in dict.fromkeys(_words(identity_of(*each)) for each in segment.heard):
                hearing[words].append(segment)
        wanted = {segment.identity for segment in self.segments}
        beside: defaultdict[Identity, list[_Memory]] = defaultdict(list)
        for memory in self._memories:
            identity, homes = memory.identity, hearing[_words(memory.identity)]
            if homes and not (identity in wanted and self._standing[identity] is memory):
                speaks = (home for home in homes if any(at == identity.valid_from for _, at in home.heard))
                beside[next(speaks, homes[0]).identity].append(memory)
        return beside

    def _added(self, segment: Segment) -> _Memory:
        memory = _Memory(
            memory_id=self._id_at(len(self.operations)),
            identity=segment.identity,
            evidence=distinct(segment.founding.candidate.evidence),
            valid_to=segment.valid_to,
            is_new=True,
        )
        self._do(AddPayload(reason="stated", entries=(_entry(segment, memory.evidence),)))
        return memory

    def _reopen(self, memory: _Memory, valid_to: datetime | None) -> None:
        reason = "end_taken_back" if memory.is_open else "stands_again"
        self._do(ReopenPayload(reason=reason, memory=memory.memory_id, valid_to=valid_to))
        if not memory.is_open:
            # Opened again, it rests on no more than what is not forgotten.
            memory.evidence = tuple(ref for ref in memory.evidence if ref.span in self._said)
            memory.closed_by, memory.is_new = None, True
        memory.valid_to = valid_to

    def _do(self, payload: Payload) -> None:
        self.operations.append(payload)


def _memories(held: Iterable[MemoryVersion]) -> list[_Memory]:
    """What is held, memory by memory, in order of their documents."""
    first: dict[UUID, MemoryVersion] = {}
    last: dict[UUID, MemoryVersion] = {}
    for version in sorted(held, key=lambda version: (version.doc, version.version)):
        first.setdefault(version.memory_id, version)
        last[version.memory_id] = version
    return [
        _Memory(
            memory_id=memory,
            identity=_identity(versions),
            evidence=last[memory].evidence,
            valid_to=last[memory].valid_to,
            closed_by=last[memory].closed_reason,
        )
        for memory, versions in first.items()
        if versions.claim
    ]


_Words = tuple[str, frozenset[Span]]


def _words(identity: Identity) -> _Words:
    return (identity.text, identity.founding)


def _identity(first: MemoryVersion) -> Identity:
    assert first.claim is not None
    spans = frozenset(ref.span for ref in first.evidence)
    return Identity(first.claim.key, side_of(first.claim), first.text, first.valid_from, spans)


def _entry(segment: Segment, evidence: tuple[EvidenceRef, ...]) -> WrittenEntry:
    said = segment.founding.candidate
    return WrittenEntry(
        kind=said.kind,
        epistemic_type=said.epistemic_type,
        text=said.text,
        claim=said.claim,
        valid_from=segment.valid_from,
        valid_to=segment.valid_to,
        evidence=evidence,
        confidence=said.confidence,
        schema_name=said.schema_name,
        data=said.data,
    )


def _risen(segment: Segment, new: Iterable[EvidenceRef]) -> float | None:
    """How certain a memory is with new evidence; None, as certain as before, where that is an echo."""
    return segment.confidence if any(ref.independent for ref in new) else None
