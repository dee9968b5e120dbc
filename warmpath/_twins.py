"""What waits for a person twice: the same claim, or the same words, said once more before anybody has decided.

A person is asked about it once, and decides on all of it. Each candidate keeps a review of its own, so that forgetting
one leaves the others to be decided on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from shared.belief.predicates import side_of
from shared.belief.segments import MOST_CERTAIN
from shared.contract.candidates import Candidate
from shared.store import candidates
from shared.store.candidates import Proposed, Standing
from shared.store.db import Session
from shared.store.reviews import Review, ReviewState

_OPEN: Final = ReviewState.OPEN


def once(found: Iterable[Review]) -> list[Review]:
    """Reviews in their order, of those that are open and ask the same of one owner the first alone."""
    seen: set[tuple[object, ...]] = set()
    kept: list[Review] = []
    for each in found:
        asked = (each.owner, *asks(each.candidate)) if each.state is _OPEN and each.candidate else (each.review_id,)
        if asked not in seen:
            seen.add(asked)
            kept.append(each)
    return kept


def twins(session: Session, proposed: Proposed) -> list[Proposed]:
    """The other candidates of the session's owner that wait for a person and say the same, in order of their events."""
    asked = asks(proposed.candidate)
    waiting = candidates.standing(session, {Standing.REVIEW})
    return [each for each in waiting if each.sequence != proposed.sequence and asks(each.candidate) == asked]


def together(proposed: Proposed, others: Sequence[Proposed]) -> Proposed:
    """A candidate without a claim with the evidence of those that say the same; with one as it is, to be resolved."""
    if proposed.claim_key is not None or not others:
        return proposed
    every = sorted((proposed, *others), key=lambda each: each.sequence)
    spans = {ref.span: ref for each in every for ref in each.candidate.evidence}
    doubt = 1.0
    for run in {each.run_id: each for each in every}.values():
        doubt *= 1 - run.candidate.confidence
    confidence = max(proposed.candidate.confidence, min(MOST_CERTAIN, 1 - doubt))
    told = {"evidence": tuple(spans.values()), "confidence": confidence}
    return replace(every[0], candidate=every[0].candidate.model_copy(update=told))


def asks(candidate: Candidate) -> tuple[object, ...]:
    """By what two that wait are the same to a person."""
    claim = candidate.claim
    if claim is None:
        return (" ".join(candidate.text.casefold().split()),)
    return claim.key, side_of(claim), candidate.change
