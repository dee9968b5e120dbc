"""Questions which of some memories is right: what a person is shown, and what each answer comes to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from shared.contract.errors import InvalidInput
from shared.contract.operations import ClosePayload, Payload, SupersedePayload
from shared.contract.questions import PERSON_DECIDED, Question
from shared.contract.records import MemoryVersion, Operation
from shared.store import candidates, ledger, memories
from shared.store.candidates import Standing
from shared.store.db import Session
from shared.store.reviews import Review, ReviewState
from warmpath._shown import Choice, Shown
from warmpath._trying import Difference

_PLACES: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ALL: Final = "both"
_NONE: Final = "neither"


def asked_about(session: Session, review: Review, question: Question) -> Shown:
    """A question with the memories as they are held by now, and what each answer would do."""
    newest = {version.memory_id: version for version in memories.versions(session, question.memories)}
    held = tuple(newest[memory] for memory in question.memories if memory in newest and newest[memory].is_open)
    events = ledger.numbered(session, session.owner, {ref.sequence for each in held for ref in each.evidence})
    shown = Shown(
        review=review,
        said=tuple((event.payload or {}).get("text", "") for event in events),
        held=held,
        differences=(),
    )
    if review.state is not ReviewState.OPEN or _is_settled(shown, question):
        return shown
    choices = [Choice(answer=each, differences=tuple(_differences(shown, each))) for each in answers(question)]
    return Shown(review=review, said=shown.said, held=held, differences=(), choices=tuple(choices))


def answers(question: Question) -> tuple[str, ...]:
    """What may be answered to a question."""
    return (*_PLACES[: len(question.memories)], _ALL, _NONE)


def operations_of(shown: Shown, given: str) -> list[Payload]:
    """What an answer does; nothing where all are true.

    Raises:
        InvalidInput: it is no question, has no such answer, or one of the memories has ended or is held no more.
    """
    question = shown.review.question
    if question is None:
        raise InvalidInput("this review asks about a write: approve or reject it", field="review_id")
    if given not in answers(question):
        raise InvalidInput(f"answer {given[:40]!r} is none; give one of {', '.join(answers(question))}", field="answer")
    if _is_settled(shown, question):
        raise InvalidInput(settled(shown.review), field="review_id")
    if given == _ALL:
        return []
    right = None if given == _NONE else shown.held[_PLACES.index(given)]
    return [_ending(each, right) for each in shown.held if each is not right]


def settled(review: Review) -> str:
    """Why a question has no answer any more."""
    return f"review {review.review_id} is settled: one of its memories has ended or was closed since it was asked"


def founding(session: Session, shown: Shown, operations: Sequence[Payload]) -> list[int]:
    """The candidates, by sequence, that what an answer ends or closes was made from or confirmed by.

    They are not to count again, or the next word on the same claim would bring it back.
    """
    ended = {each.memory for each in operations if isinstance(each, SupersedePayload | ClosePayload)}
    wrong = [each for each in shown.held if each.memory_id in ended]
    events = ledger.numbered(session, session.owner, {ref.sequence for each in wrong for ref in each.evidence})
    counting = candidates.of_runs(session, {event.run_id for event in events if event.run_id}, {Standing.STORED})
    return [each.sequence for each in counting if any(_is_of(each, memory) for memory in wrong)]


def _is_settled(shown: Shown, question: Question) -> bool:
    """Whether one of the memories is not of now by now: to say which is right would take back what was said since."""
    return len([each for each in shown.held if each.valid_to is None]) < len(question.memories)


def _is_of(proposed: candidates.Proposed, memory: MemoryVersion) -> bool:
    spans = {ref.span for ref in memory.evidence}
    key = memory.claim.key if memory.claim else None
    return proposed.claim_key == key and all(ref.span in spans for ref in proposed.candidate.evidence)


def _ending(wrong: MemoryVersion, right: MemoryVersion | None) -> Payload:
    """It was so until what is right began, where that began later; else it never was so."""
    begins = right.valid_from if right else None
    if right and begins and wrong.valid_from and begins > wrong.valid_from:
        return SupersedePayload(reason=PERSON_DECIDED, memory=wrong.memory_id, by=right.memory_id, valid_to=begins)
    return ClosePayload(op=Operation.RETRACT, reason=PERSON_DECIDED, memory=wrong.memory_id)


def _differences(shown: Shown, given: str) -> Iterable[Difference]:
    held = {each.memory_id: each for each in shown.held}
    for each in operations_of(shown, given):
        if isinstance(each, SupersedePayload | ClosePayload):
            told = held[each.memory]
            valid_to = each.valid_to if isinstance(each, SupersedePayload) else told.valid_to
            yield Difference(
                operation=each.op,
                memory_id=told.memory_id,
                text=told.text,
                valid_from=told.valid_from,
                valid_to=valid_to,
            )
