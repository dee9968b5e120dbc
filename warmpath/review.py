"""review: what waits for a person is decided by one. No worker is needed, and none is waited for.

Approving a candidate has it count, and brings what is believed to that in the same transaction. Answering a question,
which of some memories is right, closes or ends the others. Each decision is noted in the tenant's audit stream with who
made it; it changes no rule and no policy.
"""

# Above 300 lines: what a person may do with a review, each way with what it writes, is read together.

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final
from uuid import UUID

from shared.belief.similarity import says_the_same
from shared.contract.errors import InvalidInput, NotFound
from shared.contract.events import EventClass, NewEvent
from shared.contract.operations import CorroboratePayload, Payload
from shared.contract.records import MemoryVersion
from shared.contract.scope import AUDIT_OWNER, Owner
from shared.store import candidates, generations, ledger, memories, reviews
from shared.store.beliefs import Draft
from shared.store.candidates import Proposed, Standing
from shared.store.db import Database, Role, Session, also
from shared.store.reviews import Review, ReviewState
from warmpath._around import Basis
from warmpath._asking import asked_about, founding, operations_of, settled
from warmpath._by_owner import for_each
from warmpath._settling import accept, put_in_place
from warmpath._shown import Shown
from warmpath._trusted import trusted
from warmpath._trying import differences, tried
from warmpath._twins import together, twins

__all__ = ["AT_ONCE", "Shown", "answer", "approve", "assign", "decided", "expire_overdue", "reject", "shown"]

AT_ONCE: Final = 500
"""Owners whose overdue reviews are let expire in one go."""
_COMPARED: Final = 300
"""Newest beliefs without a claim that may say the same, as many as the gate looks at."""
_NOBODY: Final = "nobody"
"""Who decided, where time ran out."""


def shown(session: Session, review_id: UUID, *, verified: AbstractSet[str] = frozenset()) -> Shown:
    """One of the session's owner's reviews with its diff, which is found out under the stream's lock (`_trying`).

    `verified` as for `approve`.

    Raises:
        NotFound: there is none, or what it rests on is forgotten.
    """
    head = ledger.lock(session, session.owner)
    review = _taken(session, review_id)
    if review.question is not None:
        return asked_about(session, review, review.question)
    proposed = _proposed(session, review)
    waits = review.state is ReviewState.OPEN
    others = trusted(session, twins(session, proposed)) if waits else []
    do = partial(_carry_out, proposed=proposed, others=others, verified=verified)
    noted = tried(session, head, do) if waits else []
    return Shown(
        review=review,
        said=_said(session, proposed, others),
        held=tuple(version for version in _held(session, proposed) if version.is_open),
        differences=tuple(differences(session, noted)),
    )


def _said(session: Session, proposed: Proposed, others: Sequence[Proposed]) -> tuple[str, ...]:
    """The words that a candidate and its twins rest on; of the twins what those have heard who heard the candidate."""
    own = {ref.sequence for ref in proposed.candidate.evidence}
    cited = own.union(ref.sequence for each in others for ref in each.candidate.evidence)
    events = ledger.numbered(session, session.owner, cited)
    agents = {None, *(event.agent_id for event in events if event.sequence in own)}
    return tuple((event.payload or {}).get("text", "") for event in events if event.agent_id in agents)


def approve(
    database: Database,
    tenant_id: str,
    owner: Owner,
    review_id: UUID,
    *,
    by: str,
    verified: AbstractSet[str] = frozenset(),
) -> Shown:
    """Have what waits count, and change what is believed accordingly; returns it as it was, with what was done.

    What waits and says the same is approved with it, but for what is in quarantine.

    `verified` are the sources whose word makes a fact of what was concluded (`_policies.verified_sources`).

    Raises:
        NotFound: the owner has no such review, or what it rests on is forgotten.
        InvalidInput: it is decided already, somebody else is to decide it, or what it rests on is in quarantine.
    """
    with database.transaction(Role.WORKER, tenant_id, [owner]) as session:
        generations.ensure(session, "memory")
        generations.writing(session, "sparse")
        head = ledger.lock(session, owner)
        before = shown(session, review_id, verified=verified)
        _check(before.review, by)
        if before.review.question is not None:
            raise InvalidInput(
                f"review {review_id} asks which is right: answer it (`daybook review answer`)", field="review_id"
            )
        proposed = _proposed(session, before.review)
        _check_trusted(session, proposed)
        others = trusted(session, twins(session, proposed))
        draft = Draft(session, head)
        _carry_out(draft, proposed, others, verified)
        ledger.advance(session, draft.write()[1])
        decided(session, _all(session, before.review, others), ReviewState.APPROVED, by=by, at=head.recorded_at)
    return before


def reject(database: Database, tenant_id: str, owner: Owner, review_id: UUID, *, by: str) -> Review:
    """Have what waits, and what says the same, never count; nothing else changes. Returns it as it was.

    Of a question: all of it is true.

    Raises:
        NotFound, InvalidInput: as for `approve`.
    """
    with database.transaction(Role.WORKER, tenant_id, [owner]) as session:
        head = ledger.lock(session, owner)
        review = _taken(session, review_id)
        _check(review, by)
        rejected = _with_twins(session, review)
        candidates.settle(session, {each.sequence: (Standing.IGNORED, None) for each in rejected})
        decided(session, rejected, ReviewState.REJECTED, by=by, at=head.recorded_at)
    return review


def assign(
    database: Database, tenant_id: str, owner: Owner, review_id: UUID, reviewer: str | None, due_at: datetime | None
) -> Review:
    """Say who is to decide (None: whoever may), and until when (None: as before); returns it as it is now.

    Raises:
        NotFound: the owner has no such review.
        InvalidInput: it is decided already.
    """
    with database.transaction(Role.WORKER, tenant_id, [owner]) as session:
        ledger.lock(session, owner)
        review = _taken(session, review_id)
        _check(review, review.reviewer)
        for each in _with_twins(session, review):
            reviews.assign(session, each.review_id, reviewer, due_at)
            if due_at is not None:
                candidates.settle(session, {each.sequence: (Standing.REVIEW, due_at)})
        return _taken(session, review_id)


def expire_overdue(database: Database, at: datetime, *, tenant_id: str | None = None) -> int:
    """Let go of what nobody has decided on by `at`, of one tenant or of all; nothing of it is remembered.

    One transaction an owner, for `AT_ONCE` owners at most; where one's stream fails, the others have their
    turn. Returns how many reviews expired.

    Raises:
        DaybookError: it failed for all of them.
    """
    late = reviews.due(database, at, limit=AT_ONCE, tenant_id=tenant_id)
    return for_each("reviews", late, lambda tenant, owner: _expire(database, tenant, owner, at))


def answer(database: Database, tenant_id: str, owner: Owner, review_id: UUID, given: str, *, by: str) -> Shown:
    """Carry out the answer to a question: `first`, `second` and so on is right, `both` are, or `neither` is.

    What is not right is superseded by what is where that began later, else retracted, and what was said of it counts
    no more. Where all are true nothing changes, and it is never asked again. Returns it as it was.

    Raises:
        NotFound: the owner has no such review.
        InvalidInput: it is no question, is decided already or somebody else's to decide, it has no such answer, or one
            of the memories has ended or is held no more.
    """
    with database.transaction(Role.WORKER, tenant_id, [owner]) as session:
        generations.ensure(session, "memory")
        generations.writing(session, "sparse")
        head = ledger.lock(session, owner)
        before = shown(session, review_id)
        _check(before.review, by)
        operations = operations_of(before, given)
        draft = Draft(session, head)
        draft.do(before.held, operations)
        state = ReviewState.APPROVED if operations else ReviewState.REJECTED
        # Before its operations are written: they settle what else was asked about the same.
        decided(session, [before.review], state, by=by, at=head.recorded_at)
        ledger.advance(session, draft.write()[1])
        candidates.settle(session, dict.fromkeys(founding(session, before, operations), (Standing.IGNORED, None)))
    return before


def _expire(database: Database, tenant_id: str, owner: Owner, at: datetime) -> int:
    with database.transaction(Role.WORKER, tenant_id, [owner]) as session:
        ledger.lock(session, owner)
        late = reviews.overdue(session, at)
        candidates.settle(session, {review.sequence: (Standing.IGNORED, None) for review in late})
        decided(session, late, ReviewState.EXPIRED, by=_NOBODY, at=at)
    return len(late)


def decided(session: Session, which: Sequence[Review], state: ReviewState, *, by: str, at: datetime) -> None:
    """Write down a decision on reviews, in their table and in the tenant's audit stream.

    `at` of what somebody decided is when the stream's lock was taken, by the ledger's clock: by that, what was there
    then and what came after it are told apart.
    """
    if not which:
        return
    for review in which:
        reviews.decide(session, review.review_id, state, by=by, at=at)
    audit = replace(also(session, [AUDIT_OWNER]), owners=(AUDIT_OWNER,))
    named = {"state": state.value, "by": by, "reviews": [str(review.review_id) for review in which]}
    event = NewEvent(event_class=EventClass.AUDIT, kind="review", payload=named)
    _, head = ledger.append(audit, ledger.lock(audit, AUDIT_OWNER), [event])
    ledger.advance(audit, head)


def _taken(session: Session, review_id: UUID) -> Review:
    review = reviews.take(session, review_id)
    if review is None:
        msg = f"there is no review {review_id} in this scope, or what it was about is erased: see `daybook review list`"
        raise NotFound(msg, review_id=str(review_id))
    return review


def _with_twins(session: Session, review: Review) -> list[Review]:
    """A review with the open ones that ask for the same; a question is asked once."""
    if review.question is not None:
        return [review]
    return _all(session, review, twins(session, _proposed(session, review)))


def _all(session: Session, review: Review, others: Sequence[Proposed]) -> list[Review]:
    """A review with the open ones of candidates that say the same."""
    found = reviews.of_candidates(session, [each.sequence for each in others])
    return [review, *(each for each in found if each.state is ReviewState.OPEN)]


def _check(review: Review, by: str | None) -> None:
    if review.state is ReviewState.SETTLED:
        raise InvalidInput(settled(review), field="review_id")
    if review.state is not ReviewState.OPEN:
        msg = f"review {review.review_id} is {review.state} already, by {review.decided_by}; a decision is not changed"
        raise InvalidInput(msg, field="review_id")
    if review.reviewer not in {None, by}:
        msg = f"review {review.review_id} is {review.reviewer}'s to decide, not {by}'s: assign it to {by} first"
        raise InvalidInput(msg, field="by")


def _proposed(session: Session, review: Review) -> Proposed:
    """What would be written. Whatever forgets it takes its review away too, under the same lock."""
    [proposed] = candidates.numbered(session, [review.sequence])
    return proposed


def _check_trusted(session: Session, proposed: Proposed) -> None:
    """That nothing it rests on is of a source that is quarantined."""
    if not trusted(session, [proposed]):
        raise InvalidInput(
            "what it rests on is in quarantine: lift that first (`daybook quarantine --lift`), or reject it"
        )


def _carry_out(draft: Draft, proposed: Proposed, others: Sequence[Proposed], verified: AbstractSet[str]) -> None:
    """Have a candidate and its twins count: with what says the same, where something does by now."""
    candidates.settle(draft.session, {each.sequence: (Standing.STORED, None) for each in (proposed, *others)})
    proposed = together(proposed, others)
    held, operations = _confirming(draft.session, proposed)
    if held:
        draft.do(held, operations, run_id=proposed.run_id)
    else:
        accept(draft, proposed, verified)
    put_in_place(draft, [proposed])


def _held(session: Session, proposed: Proposed) -> Sequence[MemoryVersion]:
    """What is held of the same."""
    if proposed.claim_key is None:
        return _confirming(session, proposed)[0]
    return memories.of_claims(session, [proposed.claim_key])


def _confirming(session: Session, proposed: Proposed) -> tuple[Sequence[MemoryVersion], Sequence[Payload]]:
    """All versions of a memory without a claim that says the same, and what confirms it; nothing if there is none."""
    said = proposed.candidate
    known = memories.beliefs(session, keyed=False, limit=_COMPARED) if proposed.claim_key is None else []
    twin = next((each for each in known if each.valid_to is None and says_the_same(each.text, said.text)), None)
    if twin is None:
        return (), ()
    versions = memories.versions(session, [twin.memory_id])
    basis = Basis(evidence=twin.evidence, confidence=twin.confidence)
    runs = {event.run_id for event in ledger.numbered(session, session.owner, {ref.sequence for ref in twin.evidence})}
    evidence = basis.lacking(said.evidence, independent=proposed.run_id not in runs)
    if not evidence:
        return versions, ()
    confidence = basis.confirmed_by(said.confidence, independent=proposed.run_id not in runs)
    more = CorroboratePayload(reason="said_again", memory=twin.memory_id, evidence=evidence, confidence=confidence)
    return versions, (more,)
