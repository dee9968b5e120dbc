"""supersede: what contradicts what, and came late or without a key, is ended where the world's times say so.

Where they do not, a person is asked which is right; nothing is closed for having been asked about. A model may say what
else contradicts each other: it is asked before (`_opposing`), and `propose` reads what it has answered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final
from uuid import UUID

from coldpath._opposing import compared_by_model
from coldpath.proposals import Propose, Proposed
from shared.accept.policies import policies
from shared.belief.contradictions import Contradictions, SaidAt, contradictions
from shared.belief.deciding import Former
from shared.belief.outdated import outdated, unsettled
from shared.contract.policies import PrunePolicy
from shared.contract.proposals import Proposal
from shared.contract.questions import Question
from shared.contract.records import MemoryVersion
from shared.settings import Settings
from shared.store import batches, ledger, memories, reviews
from shared.store.db import Session
from shared.store.deciding import counted
from shared.store.ending import ends_taken_back
from shared.store.reviews import Review, ReviewState
from shared.work.queues import SUPERSEDE

MOST_COMPARED: Final = 20_000
"""Beliefs of a stream that are looked at, the newest."""
DECIDED: Final = "decided"
"""Why what contradicts each other is passed over: somebody had one of the two count, and knew of the other."""
MOST_ASKED: Final = 20
"""Questions that wait at once for whoever decides on a stream: a longer list is read by nobody."""


def by(settings: Settings) -> Propose:
    """The job, by the policy of an installation as it is written now."""
    return partial(propose, pinned=policies(settings).prune.pinned)


def propose(session: Session, *, pinned: float = PrunePolicy().pinned) -> Proposed:
    """What is to be superseded, held on, and asked about, in the stream of the session's owner.

    What is as important as `pinned` is asked about before it ends without a key. Not whole while more questions wait
    to be asked than may.
    """
    held = memories.beliefs(session, keyed=True, limit=MOST_COMPARED)
    asked = _of_now(session, reviews.questions(session), held)
    apart = {each.question.about for each in asked if each.question and each.state is ReviewState.REJECTED}
    said = ledger.said_at(session, {ref.sequence for each in held for ref in each.evidence})
    by_key = contradictions(held, said)
    by_words, rejected = _without_keys(session, held, said, pinned)
    superseded = [
        each
        for each in (*by_key.superseded, *by_words.superseded)
        if not any(true.issuperset(each.read) for true in apart)
    ]
    new = _each_once((*by_key.questions, *by_words.questions), superseded)
    questions = reviews.unasked(new, asked, {each.memory_id: each.version for each in held})
    room = max(0, MOST_ASKED - sum(each.state is ReviewState.OPEN for each in asked))
    return Proposed(
        proposals=[*ends_taken_back(session, held), *superseded],
        questions=questions[:room],
        passed_over=rejected,
        is_whole=len(questions) <= room,
    )


def _without_keys(
    session: Session, held: Sequence[MemoryVersion], said: SaidAt, pinned: float
) -> tuple[Contradictions, Counter[str]]:
    """What words, and answers of a model that no pass has looked at yet, say of what has no claim.

    As far as nobody has decided on it; besides, how many entries of the answers came to nothing, by why.
    """
    by_id = {each.memory_id: each for each in held}
    told = outdated(held, said)
    compared = compared_by_model(session, batches.marked(session, SUPERSEDE), by_id, said)
    ended = {frozenset(each.read): each for each in (*compared.found.superseded, *told.superseded)}
    found = Contradictions(
        superseded=tuple(ended.values()),
        questions=(*told.questions, *compared.found.questions),
    )
    named = {memory for each in found.superseded for memory in each.read}.union(
        *(each.about for each in found.questions)
    )
    looked_at = [by_id[memory] for memory in named]
    recorded = ledger.recorded(session, {ref.sequence for each in looked_at for ref in each.evidence}) if named else {}
    left = unsettled(
        found,
        by_id,
        decided=counted(session, looked_at),
        recorded={sequence: at for sequence, (_, at) in recorded.items()},
        pinned=pinned,
    )
    dropped = len(found.superseded) + len(found.questions) - len(left.superseded) - len(left.questions)
    return left, compared.rejected + Counter({DECIDED: dropped})


def _each_once(questions: Iterable[Question], superseded: Iterable[Proposal]) -> list[Question]:
    """Each question once, and none about what is to be ended."""
    done = {frozenset(each.read) for each in superseded}
    found: dict[frozenset[UUID], Question] = {}
    for each in questions:
        if each.about not in done:
            found.setdefault(each.about, each)
    return list(found.values())


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
