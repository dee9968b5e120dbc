"""What people decided about what was said in a stream: the one look-up, for `shared.belief.deciding`.

Reviews say what was approved and rejected, and questions which memories were asked about; which of those are wrong is
in the operations that the answer was carried out by, and stays known once the question is forgotten. Batches say what
was taken back of what a job had one memory end of another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final
from uuid import UUID

from shared.belief.deciding import Decided, Decisions, Said
from shared.contract.operations import SupersedePayload, parsed
from shared.contract.questions import PERSON_DECIDED
from shared.contract.records import MemoryVersion, Operation
from shared.store import batches, ledger, memories, reviews
from shared.store.batches import Batch
from shared.store.candidates import Proposed
from shared.store.db import Session
from shared.store.reviews import Review, ReviewState

_ENDING: Final = (Operation.RETRACT, Operation.SUPERSEDE)
"""By which an answer is carried out."""
_JOB: Final = "supersede"
"""By whose batches one memory ends another."""
_DECIDED: Final = frozenset({ReviewState.APPROVED, ReviewState.REJECTED})


def decisions(session: Session, proposed: Iterable[Proposed]) -> Decisions:
    """What people decided about the messages that some candidates of the session's owner rest on."""
    looked_at = list(proposed)
    if not looked_at:
        return Decisions()
    messages = {ref.sequence for each in looked_at for ref in each.candidate.evidence}
    asked = _answered(session)
    wrong = _of(session, memories.closed_so(session, messages, _ENDING))
    return Decisions(
        [
            *_on_writes(reviews.decided(session, {each.run_id for each in looked_at})),
            *_on_memories(wrong.values(), asked, counts=False),
            *_on_memories(_right(session, asked), asked, counts=True),
            *_side_by_side(session),
        ]
    )


def _on_writes(found: Iterable[Review]) -> Iterator[Decided]:
    for each in found:
        if each.candidate is not None and each.decided_at is not None:
            yield Decided(
                decision=str(each.review_id),
                said=Said.by(each.candidate),
                counts=each.state is ReviewState.APPROVED,
                at=each.decided_at,
            )


def _answered(session: Session) -> list[Review]:
    """The questions that somebody has answered."""
    return [each for each in reviews.questions(session) if each.state in _DECIDED]


def _of(session: Session, closed: Collection[MemoryVersion]) -> dict[tuple[UUID, int], MemoryVersion]:
    """Those of some versions that a person's answer has closed, by memory and version."""
    by = {each.closed_by for each in closed if each.closed_by}
    events = ledger.numbered(session, session.owner, by) if by else []
    persons = {each.sequence for each in events if (each.payload or {}).get("reason") == PERSON_DECIDED}
    return {(each.memory_id, each.version): each for each in closed if each.closed_by in persons}


def _right(session: Session, asked: Collection[Review]) -> list[MemoryVersion]:
    """What was asked about and is not wrong, by the answer, in the version that was asked about."""
    named = {memory for each in asked if each.question for memory in each.question.memories}
    versions = memories.versions(session, named) if named else []
    wrong = {memory for memory, _ in _of(session, [each for each in versions if each.closed_reason in _ENDING])}
    of = {
        (memory, version)
        for each in asked
        if each.question
        for memory, version in zip(each.question.memories, each.question.versions, strict=True)
    }
    return [each for each in versions if (each.memory_id, each.version) in of and each.memory_id not in wrong]


def _on_memories(versions: Iterable[MemoryVersion], asked: Iterable[Review], *, counts: bool) -> Iterator[Decided]:
    by_memory = _by_memory(asked)
    for each in versions:
        review = by_memory.get(each.memory_id)
        at = review.decided_at if review else each.closed_at
        if at is not None:
            name = str(review.review_id) if review else str(each.closed_by)
            beside = review is not None and review.state is ReviewState.REJECTED
            yield Decided(decision=name, said=Said.by(each), counts=counts, at=at, beside=beside)


def _by_memory(asked: Iterable[Review]) -> Mapping[UUID, Review]:
    """The last question that a memory was asked about in."""
    ordered = sorted((each for each in asked if each.decided_at), key=lambda each: each.decided_at or each.asked_at)
    return {memory: each for each in ordered if each.question for memory in each.question.memories}


def _side_by_side(session: Session) -> Iterator[Decided]:
    """What somebody took back one end of: of both memories what they said when one ended the other."""
    ended = _ends_taken_back(session)
    of: dict[UUID, list[MemoryVersion]] = {}
    named = {memory for each, _ in ended.values() for memory in (each.memory, each.by)}
    for version in memories.versions(session, named) if named else ():
        of.setdefault(version.memory_id, []).append(version)
    for sequence, (each, batch) in ended.items():
        for memory in (each.memory, each.by):
            then = [version for version in of.get(memory, ()) if version.opened_by < sequence]
            if then and batch.reverted_at:
                name, said = f"{batch.batch_id} {sequence}", Said.by(then[-1])
                yield Decided(decision=name, said=said, counts=True, at=batch.reverted_at, beside=True)


def _ends_taken_back(session: Session) -> dict[int, tuple[SupersedePayload, Batch]]:
    """By sequence, the operations by which one memory ended another, and that somebody took back with their batch."""
    found = {
        sequence: batch
        for batch in batches.reverted(session, _JOB)
        for sequence in range(batch.first_sequence, batch.last_sequence + 1)
    }
    events = ledger.numbered(session, session.owner, found) if found else []
    operations = ((event.sequence, parsed(event.payload)) for event in events if event.payload is not None)
    return {sequence: (each, found[sequence]) for sequence, each in operations if isinstance(each, SupersedePayload)}
