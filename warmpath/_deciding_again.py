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
from shared.store.reviews import ReviewState
from warmpath.review import decided

BY_REDERIVE: Final = "rederive"
"""Who decided, where a reading has lost its place: nobody is asked about what is not proposed any more."""


def withdraw(session: Session, proposed: Sequence[Proposed], *, at: datetime) -> None:
    """Let the open reviews of some candidates expire. The caller says where the candidates stand from now on."""
    found = reviews.of_candidates(session, [each.sequence for each in proposed])
    waiting = [review for review in found if review.state is ReviewState.OPEN]
    decided(session, waiting, ReviewState.EXPIRED, by=BY_REDERIVE, at=at)


def ask_again(draft: Draft, proposed: Sequence[Proposed], settings: Settings) -> None:
    """Ask again about candidates that wait for a person once more, where their review had lost its place.

    What ran out of time stays let go of.
    """
    session, numbers = draft.session, [each.sequence for each in proposed]
    waiting = [each.sequence for each in candidates.numbered(session, numbers) if each.standing is Standing.REVIEW]
    due_at = draft.head.recorded_at + timedelta(days=settings.review_days)
    for review in reviews.of_candidates(session, waiting):
        if review.state is ReviewState.EXPIRED and review.decided_by == BY_REDERIVE:
            reviews.ask_again(session, review.review_id, at=draft.head.recorded_at, due_at=due_at)
            candidates.settle(session, {review.sequence: (Standing.REVIEW, due_at)})
        elif review.state is not ReviewState.OPEN:
            candidates.settle(session, {review.sequence: (Standing.IGNORED, None)})
