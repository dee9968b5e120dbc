"""supersede: what contradicts what, and came late or without a key, is ended where the world's times say so.

Where they do not, a person is asked which is right; nothing is closed for having been asked about.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from coldpath.proposals import Proposed
from shared.belief.contradictions import REASON, contradictions, taken_back
from shared.belief.deciding import Former
from shared.belief.replacing import REPLACED
from shared.contract.operations import SupersedePayload, parsed
from shared.contract.proposals import Proposal
from shared.contract.questions import Question
from shared.contract.records import MemoryVersion, Operation
from shared.store import ledger, memories, reviews
from shared.store.db import Session
from shared.store.reviews import Review, ReviewState

MOST_COMPARED: Final = 20_000
"""Beliefs of a stream that are looked at, the newest."""
MOST_ASKED: Final = 20
"""Questions that wait at once for whoever decides on a stream: a longer list is read by nobody."""
_TAKEN_BACK: Final = frozenset({REASON, REPLACED})
"""Why something was ended that no key resolves: by this job, or since its reader said so."""
_NOT_BELIEVED: Final = frozenset({Operation.RETRACT, Operation.QUARANTINE})


def propose(session: Session) -> Proposed:
    """What is to be superseded, held on, and asked about, in the stream of the session's owner.

    Not whole while more questions wait to be asked than may.
    """
    held = memories.beliefs(session, keyed=True, limit=MOST_COMPARED)
    asked = _of_now(session, reviews.questions(session), held)
    apart = {each.question.about for each in asked if each.question and each.state is ReviewState.REJECTED}
    said = ledger.said_at(session, {ref.sequence for each in held for ref in each.evidence})
    found = contradictions(held, said)
    superseded = [each for each in found.superseded if not any(true.issuperset(each.read) for true in apart)]
    questions = reviews.unasked(found.questions, asked, {each.memory_id: each.version for each in held})
    room = max(0, MOST_ASKED - sum(each.state is ReviewState.OPEN for each in asked))
    return Proposed(
        proposals=[*_taken_back(session, held), *superseded],
        questions=questions[:room],
        is_whole=len(questions) <= room,
    )


def _of_now(session: Session, asked: Sequence[Review], held: Collection[MemoryVersion]) -> list[Review]:
    """Questions, those of which somebody said that all is true about what stands by now for what they were about."""
    true = [each.question.about for each in asked if each.question and each.state is ReviewState.REJECTED]
    gone = frozenset[UUID]().union(*true) - {each.memory_id for each in held}
    newest = {version.memory_id: version for version in memories.versions(session, gone)} if gone else {}
    former = Former(newest.values())
    stands_for = {old: each.memory_id for each in held for old in former.of(each)} if gone else {}
    return [replace(each, question=_about(each.question, stands_for)) if each.question else each for each in asked]


def _about(question: Question, stands_for: Mapping[UUID, UUID]) -> Question:
    now = tuple(stands_for.get(memory, memory) for memory in question.memories)
    return question if len(set(now)) < len(now) else question.model_copy(update={"memories": now})


def _taken_back(session: Session, held: Collection[MemoryVersion]) -> Iterator[Proposal]:
    """Ends that were given to what is held, by something that is not believed any more."""
    ended = {each.opened_by: each for each in held if each.valid_to is not None}
    operations = {
        event.sequence: parsed(event.payload)
        for event in (ledger.numbered(session, session.owner, ended) if ended else ())
        if event.payload is not None and event.kind == Operation.SUPERSEDE
    }
    own = {
        sequence: each
        for sequence, each in operations.items()
        if isinstance(each, SupersedePayload) and each.reason in _TAKEN_BACK
    }
    named = {each.by for each in own.values()}
    newest = {version.memory_id: version for version in memories.versions(session, named)} if named else {}
    standing = [memory for memory, version in newest.items() if version.closed_reason not in _NOT_BELIEVED]
    return taken_back(ended.values(), own, standing)
