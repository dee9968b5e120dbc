"""Questions of a job to a person: which of some memories is right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from uuid import UUID

from shared.contract.events import EventClass, NewEvent, event_id
from shared.contract.questions import CONTRADICTION, QUESTION, Question
from shared.contract.records import MemoryVersion
from shared.store import ledger, reviews
from shared.store.db import Session
from shared.store.ledger import Head
from shared.store.reviews import Review


def to_ask(
    session: Session, questions: Iterable[Question], held: Mapping[UUID, MemoryVersion], touched: set[UUID]
) -> tuple[Question, ...]:
    """Those that nobody was asked meanwhile, about what is held as it was read and stays so."""
    versions = {each.memory_id: each.version for each in held.values() if each.is_open}
    left = (each for each in questions if touched.isdisjoint(each.about))
    return reviews.unasked(left, reviews.questions(session), versions)


def ask(
    session: Session,
    head: Head,
    questions: Iterable[Question],
    held: Mapping[UUID, MemoryVersion],
    wait: timedelta,
) -> Head:
    """Write questions down, each with a review that waits so long; returns the stream's new end, to be stored.

    They are no part of a batch: they change nothing.
    """
    asking = [_asking(each, held) for each in questions]
    events, end = ledger.append(session, head, asking)
    asked = [
        Review(
            review_id=event_id(session.tenant_id, head.stream, event.sequence),
            sequence=event.sequence,
            policy=CONTRADICTION,
            reviewer=None,
            asked_at=event.recorded_at,
            due_at=event.recorded_at + wait,
        )
        for event in events
    ]
    reviews.insert(session, asked)
    return end


def _asking(question: Question, held: Mapping[UUID, MemoryVersion]) -> NewEvent:
    """The event of a question, caused by the last thing that it is about: whoever may read that may answer it."""
    last = max(ref.sequence for memory in question.memories for ref in held[memory].evidence)
    payload = question.model_dump(mode="json")
    return NewEvent(event_class=EventClass.DERIVATION, kind=QUESTION, payload=payload, caused_by=last)
