"""What waits for a person: writes, and questions which memory is right. The one writer of `review`.

What each would write, or asks about, is its candidate's or its question's event.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from shared.contract.candidates import Candidate
from shared.contract.questions import CONTRADICTION, Question
from shared.contract.scope import Owner, stream_of
from shared.store.columns import portions
from shared.store.db import Database, Row, Session
from shared.store.queries import queries

_SQL: Final = queries("reviews")
_ASKED: Final = ("review_id", "sequence", "policy", "reviewer", "asked_at", "due_at")


class ReviewState(StrEnum):
    """How a review stands."""

    OPEN = "open"
    APPROVED = "approved"
    REJECTED = "rejected"
    EXPIRED = "expired"
    """Nobody decided in time; nothing was remembered."""
    SETTLED = "settled"
    """A question of which one memory ended, or was closed, by something other than its answer: there is none by now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A write or a question that waits for a person, or waited."""

    review_id: UUID
    sequence: int
    """Of the candidate's or the question's event."""
    policy: str
    """Why it was not simply stored: the name of the gate's rule; `CONTRADICTION` of a question."""
    reviewer: str | None
    """Who is to decide; None for whoever may."""
    asked_at: datetime
    due_at: datetime
    owner: Owner | None = None
    """Whose memory it would be; None before it is stored."""
    state: ReviewState = ReviewState.OPEN
    decided_at: datetime | None = None
    decided_by: str | None = None
    candidate: Candidate | None = None
    """What would be written; None before it is stored, and of a question."""
    question: Question | None = None
    """What is asked, of a question: approved where an answer closed something, rejected where all are true."""


def insert(session: Session, asked: Iterable[Review]) -> None:
    """Ask about some candidates of the session's owner; one that was asked about is not asked about again."""
    for columns in portions({name: getattr(each, name) for name in _ASKED} for each in asked):
        session.execute(_SQL["insert"], **columns, stream=stream_of(session.owner))


def listed(session: Session, state: ReviewState | None = ReviewState.OPEN, *, limit: int = 100) -> list[Review]:
    """Reviews of all of the session's owners in a state (None: any), those due first at the head."""
    return [_review(row) for row in session.rows(_SQL["listed"], state=state, limit=limit)]


def take(session: Session, review_id: UUID) -> Review | None:
    """A review of one of the session's owners, held until the transaction ends; None where there is none."""
    row = session.row(_SQL["take"], review_id=review_id)
    return _review(row) if row else None


def of_candidates(session: Session, sequences: Sequence[int]) -> list[Review]:
    """The reviews of some of the owner's candidates, in any state, in order; held until the transaction ends."""
    return [_review(row) for row in session.rows(_SQL["of_candidates"], sequences=list(sequences))]


def ask_again(session: Session, review_id: UUID, *, at: datetime, due_at: datetime) -> None:
    """Open a review that had expired, as if it were asked at `at`."""
    session.execute(_SQL["ask_again"], review_id=review_id, asked_at=at, due_at=due_at)


def called(session: Session, first: UUID, last: UUID) -> list[tuple[UUID, Owner]]:
    """The reviews whose id lies between two, with their owners; two at most."""
    rows = session.rows(_SQL["called"], first=first, last=last)
    return [(row["review_id"], Owner(row["user_id"])) for row in rows]


def decide(session: Session, review_id: UUID, state: ReviewState, *, by: str, at: datetime) -> None:
    """Write down what was decided of a review that is open."""
    session.execute(_SQL["decide"], review_id=review_id, state=state, decided_at=at, decided_by=by)


def assign(session: Session, review_id: UUID, reviewer: str | None, due_at: datetime | None) -> int:
    """Say who is to decide an open review, and until when (None: as before). Returns how many were changed."""
    return session.execute(_SQL["assign"], review_id=review_id, reviewer=reviewer, due_at=due_at).rowcount


def due(database: Database, at: datetime, *, limit: int, tenant_id: str | None = None) -> list[tuple[str, Owner]]:
    """Tenants and owners with open reviews that were due at `at` or before, of one tenant or of all, oldest first."""
    with database.claiming() as connection:
        rows = connection.execute(_SQL["due"], {"at": at, "limit": limit, "tenant_id": tenant_id}).fetchall()
    return [(row["tenant_id"], Owner(row["user_id"])) for row in rows]


def waiting(database: Database, tenant_id: str, *, limit: int) -> list[tuple[Owner, UUID, datetime]]:
    """Whose open reviews a tenant has, and until when, those due first at the head; nothing of what they say."""
    with database.claiming() as connection:
        rows = connection.execute(_SQL["open"], {"tenant_id": tenant_id, "limit": limit}).fetchall()
    return [(Owner(row["user_id"]), row["review_id"], row["due_at"]) for row in rows]


def overdue(session: Session, at: datetime) -> list[Review]:
    """The owner's open reviews that were due at `at` or before, held until the transaction ends."""
    return [_review(row) for row in session.rows(_SQL["overdue"], at=at)]


def questions(session: Session) -> list[Review]:
    """All questions that the owner's memories were asked about in, in order."""
    rows = session.rows(_SQL["of_policy"], stream=stream_of(session.owner), policy=CONTRADICTION)
    return [_review(row) for row in rows]


def settle(session: Session, memory_ids: Collection[UUID], *, at: datetime) -> None:
    """Ask no more about some of the owner's memories, which are not of now any more.

    An answer given afterwards would take back what has settled it.
    """
    waiting = _in_states(session, [ReviewState.OPEN])
    asked = [each for each in waiting if each.question and not each.question.about.isdisjoint(memory_ids)]
    if asked:
        session.execute(_SQL["settle"], review_ids=[each.review_id for each in asked], decided_at=at)


def unasked(new: Iterable[Question], asked: Collection[Review], versions: Mapping[UUID, int]) -> tuple[Question, ...]:
    """Those about versions of memories that are held (`versions`), and that need be asked.

    Not what waits for an answer, nor what was said to be all true; what was answered otherwise, by nobody in time, or
    settled without an answer, is asked again once one of the memories is another version.
    """
    done = {ReviewState.OPEN, ReviewState.REJECTED}
    known = {
        each.question.about for each in asked if each.question and (each.state in done or each.question.is_of(versions))
    }
    return tuple(each for each in new if each.is_of(versions) and each.about not in known)


def answered(session: Session, *, after: int) -> list[Review]:
    """The questions behind an event of the owner's stream that somebody has answered, in order."""
    return _in_states(session, [ReviewState.APPROVED, ReviewState.REJECTED], after=after)


def decided(session: Session, run_ids: Collection[str]) -> list[tuple[str, Review]]:
    """What somebody approved or rejected of what was read from some runs of the owner, each with its run, in order."""
    return [(row["run_id"], _review(row)) for row in session.rows(_SQL["decided"], run_ids=list(run_ids))]


def forget_questions(session: Session, memory_ids: Collection[UUID]) -> int:
    """Take the questions away that name any of some memories; for the eraser. Returns how many went."""
    gone = set(memory_ids)
    moot = [each.sequence for each in questions(session) if each.question and not gone.isdisjoint(each.question.about)]
    return remove(session, moot) if moot else 0


def remove(session: Session, sequences: Sequence[int]) -> int:
    """Take the reviews of some candidates away; for the eraser. Returns how many went."""
    return session.execute(_SQL["remove"], stream=stream_of(session.owner), sequences=list(sequences)).rowcount


def clear(session: Session) -> int:
    """Take all of the owner's reviews away; for the eraser. Returns how many went."""
    return session.execute(_SQL["clear"]).rowcount


def _in_states(session: Session, states: Sequence[ReviewState], *, after: int = 0) -> list[Review]:
    """The questions of the owner's stream behind an event of it that are in one of some states, in order."""
    of = {"stream": stream_of(session.owner), "policy": CONTRADICTION}
    return [_review(row) for row in session.rows(_SQL["in_states"], **of, states=list(states), after=after)]


def _review(row: Row) -> Review:
    is_question, payload = row["policy"] == CONTRADICTION, json.loads(row["payload"])
    return Review(
        **{name: row[name] for name in (*_ASKED, "decided_at", "decided_by")},
        owner=Owner(row["user_id"]),
        state=ReviewState(row["state"]),
        candidate=None if is_question else Candidate.model_validate(payload),
        question=Question.model_validate(payload) if is_question else None,
    )
