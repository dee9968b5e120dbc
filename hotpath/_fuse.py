"""fuse: candidates with features to ranked hits. Pure.

Each feature is brought to 0..1 over the query's candidates and the weighted mean is taken. Scores are fused, not ranks:
a weak channel's best is not a strong channel's best, and ranks cannot tell (docs/why.md, "Fusion").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hotpath._plan import Plan
from hotpath._search import Candidate
from hotpath.weights import EVIDENT, FLOOR_COSINE, Weights
from shared.contract.events import Role
from shared.language.text import terms

FEATURES: Final = tuple(each.name for each in fields(Weights))

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A candidate with its place."""

    candidate: Candidate
    score: float
    """0 to 1."""
    parts: dict[str, float]
    """What each feature gave to the score."""


def fuse(plan: Plan, candidates: Sequence[Candidate], *, asker: str) -> list[Ranked]:
    """Rank candidates, best first; equal scores by owner and number.

    `asker` is the user who asks: in a room, the first person means them.
    """
    if not candidates:
        return []
    features = {
        **{name: _normalised([getattr(each, name) for each in candidates]) for name in _MEASURED},
        "speaker": np.array([float(_is_asked_about(plan, each, asker)) for each in candidates]),
        "date": np.array([float(_is_in_window(plan, each)) for each in candidates]),
    }
    parts = {name: getattr(plan.weights, name) / plan.weights.total * features[name] for name in FEATURES}
    scores = np.sum(list(parts.values()), axis=0)
    order = sorted(range(len(candidates)), key=lambda place: (-scores[place], candidates[place].key))
    return [
        Ranked(
            candidate=candidates[place],
            score=float(scores[place]),
            parts={name: float(values[place]) for name, values in parts.items()},
        )
        for place in order
    ]


def is_hit(candidate: Candidate) -> bool:
    """Whether a candidate has anything to do with the query: a word, or some nearness of meaning.

    Its session, its speaker and its date count for a hit and make none.
    """
    return candidate.words > 0 or candidate.words_before > 0 or (candidate.meaning or 0.0) >= FLOOR_COSINE


def is_evident(candidate: Candidate) -> bool:
    """Whether a candidate bears on the query by itself, whatever the others are like."""
    return candidate.coverage + max(candidate.meaning or 0.0, 0.0) >= EVIDENT


_MEASURED: Final = tuple(name for name in FEATURES if name not in ("speaker", "date"))


def _normalised(values: Sequence[float | None]) -> Floats:
    """Values brought to 0..1, the least to 0; a missing one is the least. All alike: 1 where they are above 0."""
    known = [value for value in values if value is not None]
    if not known:
        return np.zeros(len(values))
    low, high = min(known), max(known)
    filled = np.array([low if value is None else value for value in values], np.float64)
    if high == low:
        return np.array([float(value is not None and high > 0) for value in values])
    normalised: Floats = (filled - low) / (high - low)
    return normalised


def _is_asked_about(plan: Plan, candidate: Candidate, asker: str) -> bool:
    row = candidate.row
    if plan.about_assistant:
        return bool(row["role"] == Role.ASSISTANT)
    name = terms(row["speaker"] or "")
    if name and set(name) <= set(plan.terms):
        return True
    if not plan.about_user:
        return False
    return bool(row["speaker"] == asker or (row["role"] == Role.USER and row["speaker"] == Role.USER))


def _is_in_window(plan: Plan, candidate: Candidate) -> bool:
    at = candidate.row["valid_from"]
    return plan.window is not None and at is not None and plan.window.start <= at < plan.window.end
