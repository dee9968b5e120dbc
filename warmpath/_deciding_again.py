"""Reviews that nobody has decided on, of what a new reading has taken the place of, and of what is proposed once more.

What somebody did decide is no matter of theirs: it stands (`shared.belief.deciding`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from shared.settings import Settings
from shared.store import candidates, reviews
from shared.store.beliefs import Draft
from shared.store.candidates import Proposed, Standing
from shared.store.db import Session
from shared.store.reviews import Review, ReviewState
from warmpath._twins import asks
from warmpath.review import decided

BY_REDERIVE: Final = "rederive"
"""Who decided, where a reading has lost its place: nobody is asked about what is not proposed any more."""


def withdraw(session: Session, proposed: Sequence[Proposed], *, at: datetime) -> list[Review]:
    """Let the open reviews of some candidates expire; returns them as they were, for `carry_over`.

    The caller says where the candidates stand from now on.
    """
    found = reviews.of_candidates(session, [each.sequence for each in proposed])
    waiting = [review for review in found if review.state is ReviewState.OPEN]
    decided(session, waiting, ReviewState.EXPIRED, by=BY_REDERIVE, at=at)
    return waiting


def carry_over(draft: Draft, withdrawn: Sequence[Review], proposed: Sequence[Proposed]) -> None:
    """Have the reviews of some candidates be the same person's to decide, until the same time, as those before them.

    The one before asked for the same, or for what the same words were read as. A time that is over is not kept.
    """
    session, asked = draft.session, [each.sequence for each in proposed]
    waiting = reviews.of_candidates(session, asked) if withdrawn else []
    for review in (each for each in waiting if each.state is ReviewState.OPEN):
        former = _former(review, withdrawn)
        if former is not None:
            due_at = former.due_at if former.due_at > draft.head.recorded_at else review.due_at
            reviews.assign(session, review.review_id, former.reviewer, due_at)
            candidates.settle(session, {review.sequence: (Standing.REVIEW, due_at)})


def _former(review: Review, withdrawn: Sequence[Review]) -> Review | None:
    """The review in whose place one stands; of several that of somebody in particular."""
    if review.candidate is None:
        return None
    known = [(each, each.candidate) for each in withdrawn if each.candidate]
    same = [each for each, said in known if asks(said) == asks(review.candidate)]
    spans = {ref.span for ref in review.candidate.evidence}
    near = [each for each, said in known if {ref.span for ref in said.evidence} == spans]
    found = same or (near if len(near) == 1 else [])
    return min(found, key=lambda each: (each.reviewer is None, each.due_at), default=None)


def ask_again(draft: Draft, proposed: Sequence[Proposed], settings: Settings) -> None:
    """Ask again about candidates that wait for a person once more, where their review had lost its place.

    It is whose it was to decide, until when it was, or anew where that is over. What ran out of time stays let go of.
    """
    session, numbers, now = draft.session, [each.sequence for each in proposed], draft.head.recorded_at
    waiting = [each.sequence for each in candidates.numbered(session, numbers) if each.standing is Standing.REVIEW]
    for review in reviews.of_candidates(session, waiting):
        if review.state is ReviewState.EXPIRED and review.decided_by == BY_REDERIVE:
            due_at = review.due_at if review.due_at > now else now + timedelta(days=settings.review_days)
            reviews.ask_again(session, review.review_id, at=now, due_at=due_at)
            candidates.settle(session, {review.sequence: (Standing.REVIEW, due_at)})
        elif review.state is not ReviewState.OPEN:
            candidates.settle(session, {review.sequence: (Standing.IGNORED, None)})
