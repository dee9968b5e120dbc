"""What people decided about what was said in a stream: the one look-up, for `shared.belief.deciding`.

Reviews say what was approved and rejected, and questions which memories were asked about; which of those are wrong is
in the operations that the answer was carried out by, and stays known once the question is forgotten. Batches say what
was taken back of what a job had one memory end of another.

It begins at the messages that are cited. Of messages that no belief rests on, as new ones are, nobody was asked: no
question and no batch is looked for. Of others those alone are that came behind the first such belief.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Final
from uuid import UUID

from shared.belief.deciding import Decided, Decisions, Recorded, Said
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


def decisions(session: Session, proposed: Iterable[Proposed]) -> Decisions:
    """What people decided about the messages that some candidates of the session's owner rest on."""
    looked_at = list(proposed)
    if not looked_at:
        return Decisions()
    cited = {ref.sequence for each in looked_at for ref in each.candidate.evidence}
    held = memories.believed_of(session, cited)
    writes = _on_writes(reviews.decided(session, {each.run_id for each in looked_at}))
    found = [*writes, *(_on_beliefs(session, cited, held) if held else ())]
    return Decisions(found, _recorded(session, cited) if found else {})


def counted(session: Session, held: Collection[MemoryVersion]) -> dict[UUID, datetime]:
    """Those of some of the owner's memories that somebody had count, with when that was decided.

    Not where they rest on something that came since.
    """
    cited = {ref.sequence for each in held for ref in each.evidence}
    if not cited:
        return {}
    recorded = ledger.recorded(session, cited)
    runs = {run_id for run_id, _ in recorded.values() if run_id}
    writes = _on_writes(reviews.decided(session, runs))
    believed = memories.believed_of(session, cited)
    known = Decisions([*writes, *(_on_beliefs(session, cited, believed) if believed else ())], _as_recorded(recorded))
    found = ((each.memory_id, known.on(Said.by(each))) for each in held)
    return {memory: decided.at for memory, decided in found if decided is not None and decided.counts}


def _recorded(session: Session, messages: Collection[int]) -> dict[int, Recorded]:
    return _as_recorded(ledger.recorded(session, messages))


def _as_recorded(found: Mapping[int, tuple[str | None, datetime]]) -> dict[int, Recorded]:
    return {sequence: Recorded(run_id=run_id, at=at) for sequence, (run_id, at) in found.items()}


def _on_writes(found: Iterable[tuple[str, Review]]) -> Iterator[Decided]:
    for run_id, each in found:
        if each.candidate is not None and each.decided_at is not None:
            yield Decided(
                decision=str(each.review_id),
                said=Said.by(each.candidate),
                counts=each.state is ReviewState.APPROVED,
                at=each.decided_at,
                run_id=run_id,
            )


def _on_beliefs(session: Session, cited: Collection[int], held: Collection[MemoryVersion]) -> Iterator[Decided]:
    """What was decided on some beliefs, of which all versions are given, by answers and by taking an end back."""
    first = min(each.opened_by for each in held if any(ref.sequence in cited for ref in each.evidence))
    asked = reviews.answered(session, after=first)
    wrong = _of(session, [each for each in held if each.closed_reason in _ENDING])
    yield from _on_memories(wrong.values(), asked, counts=False)
    yield from _on_memories(_right(held, asked, {memory for memory, _ in wrong}), asked, counts=True)
    yield from _side_by_side(held, _ends_taken_back(session, after=first))


def _of(session: Session, closed: Collection[MemoryVersion]) -> dict[tuple[UUID, int], MemoryVersion]:
    """Those of some versions that a person's answer has closed, by memory and version."""
    by = {each.closed_by for each in closed if each.closed_by}
    events = ledger.numbered(session, session.owner, by) if by else []
    persons = {each.sequence for each in events if (each.payload or {}).get("reason") == PERSON_DECIDED}
    return {(each.memory_id, each.version): each for each in closed if each.closed_by in persons}


def _right(held: Iterable[MemoryVersion], asked: Iterable[Review], wrong: Collection[UUID]) -> Iterator[MemoryVersion]:
    """What was asked about and is not wrong, by the answer, in the version that was asked about."""
    of = {
        about
        for each in asked
        if each.question
        for about in zip(each.question.memories, each.question.versions, strict=True)
    }
    return (each for each in held if (each.memory_id, each.version) in of and each.memory_id not in wrong)


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


def _side_by_side(
    held: Iterable[MemoryVersion], ended: Mapping[int, tuple[SupersedePayload, Batch]]
) -> Iterator[Decided]:
    """What somebody took back one end of: of both memories what they said when one ended the other."""
    of: dict[UUID, list[MemoryVersion]] = {}
    for version in held:
        of.setdefault(version.memory_id, []).append(version)
    for sequence, (each, batch) in ended.items():
        for memory in (each.memory, each.by):
            then = [version for version in of.get(memory, ()) if version.opened_by < sequence]
            if then and batch.reverted_at:
                name, said = f"{batch.batch_id} {sequence}", Said.by(then[-1])
                yield Decided(decision=name, said=said, counts=True, at=batch.reverted_at, beside=True)


def _ends_taken_back(session: Session, *, after: int) -> dict[int, tuple[SupersedePayload, Batch]]:
    """By sequence, the operations by which one memory ended another, and that somebody took back with their batch.

    Behind an event of the stream.
    """
    found = {
        sequence: batch
        for batch in batches.reverted(session, _JOB, after=after)
        for sequence in range(max(batch.first_sequence, after + 1), batch.last_sequence + 1)
    }
    events = ledger.numbered(session, session.owner, found) if found else []
    operations = ((event.sequence, parsed(event.payload)) for event in events if event.payload is not None)
    return {sequence: (each, found[sequence]) for sequence, each in operations if isinstance(each, SupersedePayload)}
