"""Whether a candidate says again what is held, or what waits to be said again. Pure.

What has a claim is compared by its claim alone: how alike two sentences are does not say whether they claim the same.
"""

from __future__ import annotations

from datetime import datetime

from shared.belief.predicates import side_of
from shared.belief.rules.case import Case
from shared.belief.rules.context import Held, utc_day
from shared.belief.rules.wording import content, tidy
from shared.contract.candidates import Candidate, Change
from shared.contract.records import Claim, Kind


def exact(case: Case) -> Held | None:
    """The first of what is held that says the very same; what waits only where nothing else does."""
    return _first(case, [held for held in case.context.held if _is_same(case, held)])


def near(case: Case) -> Held | None:
    """The first of what is held, without a claim, that says the same in other words."""
    if case.candidate.claim is not None:
        return None
    text = case.candidate.text
    return _first(
        case,
        [
            held
            for held in case.context.held
            if held.claim is None and not _is_another_time(case, held) and case.context.near(text, held.text)
        ],
    )


def is_independent(case: Case, held: Held) -> bool:
    """Whether it is said by another speaker, in another run, or on another day than what is held.

    Else it is an echo: the same person said the same thing twice, which makes it no more certain.
    """
    return not case.sources <= held.sources


def novelty(case: Case) -> float:
    """0..1: what of it is new; 0 for a repetition. Of a claim all or nothing, of a sentence by the words it shares."""
    if exact(case) is not None:
        return 0.0
    if case.candidate.claim is not None:
        return 1.0
    own = content(case.candidate.text)
    return 1.0 - max((_overlap(own, content(held.text)) for held in case.context.held), default=0.0)


def _overlap(own: frozenset[str], other: frozenset[str]) -> float:
    """The share of words that two have in common (Jaccard)."""
    return len(own & other) / len(own | other) if own | other else 0.0


def _first(case: Case, found: list[Held]) -> Held | None:
    """What is remembered before what waits; of what waits, only what this is independent of."""
    remembered = [held for held in found if not held.waits]
    waiting = [held for held in found if held.waits and is_independent(case, held)]
    return next(iter(remembered + waiting), None)


def _is_same(case: Case, held: Held) -> bool:
    told = case.candidate
    same_text = tidy(told.text) == tidy(held.text)
    if told.claim is None or held.claim is None:
        return told.claim is None and same_text and not _is_another_time(case, held)
    if not _claims_same(told.claim, held.claim) or told.change is not held.change:
        return False
    return _at_same_time(case, held) or (same_text and not _is_another_time(case, held))


def _claims_same(one: Claim, other: Claim) -> bool:
    return one.key == other.key and side_of(one) == side_of(other)


def _at_same_time(case: Case, held: Held) -> bool:
    """Whether two claims are of one time: they begin or end together, or it is said while the other one holds."""
    told, said_at = case.candidate, case.last.said_at if case.last else None
    if told.change is Change.NEVER:
        return True
    if told.change is Change.ENDED:
        return utc_day(told.until or said_at) == utc_day(held.until)
    if told.since is not None:
        return utc_day(told.since) == utc_day(held.since)
    return said_at is not None and _holds_at(held, said_at)


def _holds_at(held: Held, at: datetime) -> bool:
    return held.since is not None and held.since <= at and (held.until is None or at < held.until)


def _is_another_time(case: Case, held: Held) -> bool:
    """Whether two sentences that are alike are of different times: of two dates, or two happenings on two days."""
    at = _time_of(case.candidate, case.last.said_at if case.last else None)
    if held.until is not None and case.candidate.change is Change.HOLDS:
        return at is None or at >= held.until
    if case.candidate.since is None and case.candidate.kind is not Kind.EPISODIC:
        return False
    return at is not None and held.since is not None and utc_day(at) != utc_day(held.since)


def _time_of(candidate: Candidate, said_at: datetime | None) -> datetime | None:
    return candidate.since or said_at
