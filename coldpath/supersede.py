"""supersede: what contradicts what, and came late or without a key, is ended where the world's times say so.

Where they do not, a person is asked which is right; nothing is closed for having been asked about.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from coldpath.proposals import Proposed
from shared.belief.contradictions import contradictions
from shared.belief.deciding import Former
from shared.contract.questions import Question
from shared.contract.records import MemoryVersion
from shared.store import ledger, memories, reviews
from shared.store.db import Session
from shared.store.ending import ends_taken_back
from shared.store.reviews import Review, ReviewState

MOST_COMPARED: Final = 20_000
"""Beliefs of a stream that are looked at, the newest."""
MOST_ASKED: Final = 20
"""Questions that wait at once for whoever decides on a stream: a longer list is read by nobody."""


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
        proposals=[*ends_taken_back(session, held), *superseded],
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
