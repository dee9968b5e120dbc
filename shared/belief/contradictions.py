"""Beliefs of one stream that contradict each other and were not resolved: they came late, or without a key. Pure.

What is keyed alike as it is spoken of today is resolved as it would be if it had been said so (`timeline`): where that
decides, the earlier one is superseded at the world time of the later one. It decides where a subject has one object at
a time, both have a world time, and neither is said again after the other began. Everything else is for a person.

A belief without a claim is taken for one where its whole text reads as another's claim does, with another name, number
or date in the place of the object: `Mira lives in York.` beside a claim that Mira lives in Leeds.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile
from typing import Final
from uuid import UUID

from shared.belief.opposed import opposed
from shared.belief.predicates import BUILT_IN, RECORD, Cardinality, claim_of, side_of
from shared.belief.segments import Segment, Stated
from shared.belief.state import Versions
from shared.belief.timeline import timeline
from shared.contract.candidates import MAX_TEXT_CHARS, Candidate
from shared.contract.errors import InvalidInput
from shared.contract.operations import ReopenPayload, SupersedePayload
from shared.contract.proposals import Proposal
from shared.contract.questions import Question
from shared.contract.records import Claim, EpistemicType, MemoryVersion

SaidAt = Mapping[int, datetime | None]
"""The world time of each piece of evidence, by sequence."""

REASON: Final = "said_late"
_MOST_WORDS: Final = 4
"""Of an object that is read from a text."""
_VAGUE: Final = frozenset({"located_in"})
"""Predicates that read as too much else does: `Mira is in ...`."""
_VALUE: Final = re.compile(r"[A-Z0-9+][^,;:]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradictions:
    """What is to be done and what is to be asked about."""

    superseded: tuple[Proposal, ...] = ()
    questions: tuple[Question, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """A memory with the claim that it makes, as it is keyed today."""

    memory: MemoryVersion
    claim: Claim


def contradictions(memories: Iterable[MemoryVersion], said_at: SaidAt) -> Contradictions:
    """What contradicts what among open beliefs of one stream. No memory is named by two of the proposals.

    What is superseded is not asked about too.
    """
    held = sorted((each for each in memories if _counts(each)), key=lambda each: each.doc)
    superseded: list[Proposal] = []
    questions: list[Question] = []
    for group in _groups(held):
        proposals, unsure = _settled(group, said_at)
        superseded += proposals
        questions += unsure
    done = {memory for each in superseded for memory in each.read}
    asked = {memory for each in questions for memory in each.memories}
    questions += opposed(each for each in held if each.memory_id not in done | asked)
    return Contradictions(superseded=tuple(superseded), questions=tuple(questions))


def alike(one: MemoryVersion, other: MemoryVersion) -> bool:
    """Whether two beliefs speak of one thing of which there is one at a time, and differ in it."""
    for keyed, second in ((one, other), (other, one)):
        claim = single_claim(keyed)
        of_second = claim and (single_claim(second) or _read_as(second.text, claim))
        if claim and of_second:
            return claim.key == of_second.key and side_of(claim) != side_of(of_second)
    return False


def _counts(memory: MemoryVersion) -> bool:
    is_belief = memory.epistemic_type not in {EpistemicType.EVIDENCE, EpistemicType.INFERENCE}
    return memory.is_open and memory.valid_to is None and is_belief and memory.schema_name is None


def single_claim(memory: MemoryVersion) -> Claim | None:
    """What a memory claims, keyed by the predicates as they are known today; None where it may have many objects."""
    claim = memory.claim
    if claim is None or claim.predicate.startswith(RECORD):
        return None
    try:
        known = claim_of(claim.subject, claim.predicate, claim.object, BUILT_IN)
    except InvalidInput:
        return None
    return known if BUILT_IN.find(claim.predicate).cardinality is Cardinality.SINGLE else None


def _read_as(text: str, claim: Claim) -> Claim | None:
    """The claim that a text makes if it reads as another claim does, word for word but for the object."""
    begins = _beginning(claim)
    if not begins or not text.casefold().startswith(begins.casefold()):
        return None
    said = text[len(begins) :].strip().removesuffix(".")
    if not _VALUE.fullmatch(said) or len(said.split()) > _MOST_WORDS:
        return None
    return claim_of(claim.subject, claim.predicate, said, BUILT_IN)


def _beginning(claim: Claim) -> str:
    predicate = BUILT_IN.find(claim.predicate)
    return "" if predicate.name in _VAGUE else f"{claim.subject} {predicate.reads} "


def _groups(held: Sequence[MemoryVersion]) -> Iterator[list[_Said]]:
    """What speaks of one thing, of two or more; of one agent each."""
    found: dict[tuple[str | None, str], list[_Said]] = {}
    by_beginning: dict[tuple[str | None, str], Claim] = {}
    for memory in held:
        claim = single_claim(memory)
        if claim:
            found.setdefault((memory.agent_id, claim.key), []).append(_Said(memory=memory, claim=claim))
            by_beginning.setdefault((memory.agent_id, _beginning(claim).casefold()), claim)
    for memory in (each for each in held if each.claim is None):
        read = _unkeyed_claim(memory, by_beginning)
        if read:
            found[memory.agent_id, read.key].append(_Said(memory=memory, claim=read))
    return (group for group in found.values() if len({side_of(each.claim) for each in group}) > 1)


def _unkeyed_claim(memory: MemoryVersion, by_beginning: Mapping[tuple[str | None, str], Claim]) -> Claim | None:
    words = memory.text.split(" ")
    for most in range(2, min(len(words), 12)):
        claim = by_beginning.get((memory.agent_id, f"{' '.join(words[:most])} ".casefold()))
        read = claim and _read_as(memory.text, claim)
        if read:
            return read
    return None


def _settled(group: Sequence[_Said], said_at: SaidAt) -> tuple[list[Proposal], list[Question]]:
    """Of what speaks of one thing: what supersedes what, or that somebody has to say."""
    segments = timeline(stated for place, each in enumerate(group) for stated in _stated(place, each, said_at))
    founded = [_members(segment, group) for segment in segments]
    # Something was said again after another thing had been, or two began at once.
    if sum(map(len, founded)) > len(group) or any(
        each.valid_to == each.valid_from for each in segments if each.valid_to
    ):
        return [], [_question([each.memory for each in group])]
    stored = {each.memory.claim and each.memory.claim.key for each in group}
    proposals = [*_superseded(segments, founded)] if len(stored) > 1 else []
    lasting = [members[0].memory for segment, members in zip(segments, founded, strict=True) if not segment.valid_to]
    return proposals, [_question(lasting)] if len(lasting) > 1 else []


def _superseded(segments: Sequence[Segment], founded: Sequence[Sequence[_Said]]) -> Iterator[Proposal]:
    founders = {segment.identity: members[0] for segment, members in zip(segments, founded, strict=True)}
    for segment, members in zip(segments, founded, strict=True):
        by = founders.get(segment.superseded_by) if segment.superseded_by else None
        if by and segment.valid_to:
            yield from (_superseding(each.memory, by.memory, segment.valid_to) for each in members)


def _superseding(memory: MemoryVersion, by: MemoryVersion, at: datetime) -> Proposal:
    return Proposal(
        operation=SupersedePayload(reason=REASON, memory=memory.memory_id, by=by.memory_id, valid_to=at),
        read={each.memory_id: each.version for each in (memory, by)},
    )


def _stated(place: int, said: _Said, said_at: SaidAt) -> Iterator[Stated]:
    """A memory as so many statements as it rests on evidence of its own."""
    memory = said.memory
    for ref in memory.evidence:
        candidate = Candidate(
            kind=memory.kind,
            epistemic_type=memory.epistemic_type,
            text=memory.text[:MAX_TEXT_CHARS],
            claim=said.claim,
            since=memory.valid_from,
            evidence=(replace(ref, independent=True),),
            confidence=memory.confidence,
        )
        yield Stated(
            candidate=candidate,
            said_at=said_at.get(ref.sequence) if memory.valid_from else None,
            message_id=f"{place}.{ref.sequence}",
            digest="",
            trust=memory.trust,
        )


def _members(segment: Segment, group: Sequence[_Said]) -> list[_Said]:
    """The memories that a segment is made of, the founding one first."""
    heard = [segment.founding, *(stated for stated, _ in segment.heard)]
    places = dict.fromkeys(int(stated.message_id.partition(".")[0]) for stated in heard)
    return [group[place] for place in places]


def _question(memories: Sequence[MemoryVersion]) -> Question:
    ordered = sorted(memories, key=lambda each: each.doc)
    return Question(
        memories=tuple(each.memory_id for each in ordered),
        versions=tuple(each.version for each in ordered),
        why="claims",
    )


def taken_back(
    ended: Iterable[Versions], by: Mapping[int, SupersedePayload], standing: Collection[UUID]
) -> Iterator[Proposal]:
    """What is no longer ended, since what had superseded it is not believed any more.

    `by` are the operations of this kind that gave them their ends, by sequence (`ended_by`); `standing` the memories
    named by these that are still believed, or merged into one that is.
    """
    for versions in ended:
        memory, said = versions[-1], by.get(ended_by(versions))
        if said and said.memory == memory.memory_id and said.by not in standing:
            yield Proposal(
                operation=ReopenPayload(reason="end_taken_back", memory=memory.memory_id),
                read={memory.memory_id: memory.version},
            )


def ended_by(versions: Versions) -> int:
    """The operation that gave a memory the end that it has, whatever has changed in it since."""
    since = takewhile(lambda each: each.valid_to == versions[-1].valid_to, reversed(versions))
    return [*since][-1].opened_by
