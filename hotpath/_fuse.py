"""fuse: candidates with features to ranked hits. Pure.

Each feature is brought to 0..1 over the query's candidates and the weighted mean is taken. Scores are fused, not ranks:
a weak channel's best is not a strong channel's best, and ranks cannot tell (docs/why.md, "Fusion").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hotpath._plan import Plan
from hotpath._search import Candidates
from hotpath.weights import EVIDENT, FLOOR_COSINE, Weights
from shared.contract.events import Role
from shared.contract.scope import Owner
from shared.language.text import terms
from shared.store.db import Row

FEATURES: Final = tuple(each.name for each in fields(Weights))

_AS_IT_IS: Final = [FEATURES.index(name) for name in ("speaker", "date")]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A hit with its place."""

    row: Row
    score: float
    """0 to 1."""
    evidence: float
    """Cosine and coverage together: how far it bears on the query by itself, whatever the others are like."""
    explained: Mapping[str, float]
    """Where asked for: each feature as it is, and under `+<feature>` what it gave to the score."""

    @property
    def key(self) -> tuple[Owner, int]:
        """Owner and number."""
        return self.row["user_id"], self.row["doc"]

    @property
    def is_evident(self) -> bool:
        """Whether it bears on the query."""
        return self.evidence >= EVIDENT


def fuse(plan: Plan, candidates: Candidates, *, asker: str, limit: int, explain: bool) -> list[Ranked]:
    """The best `limit` hits among the candidates, best first; equal scores by owner and number.

    `asker` is the user who asks: in a room, the first person means them.
    """
    rows, raw = candidates.rows, dict(candidates.features)
    if not rows:
        return []
    raw["speaker"] = _by_speaker(plan, rows, asker)
    raw["date"] = _in_window(plan, rows)
    parts = dict(zip(FEATURES, _shares(plan) * _normalised(raw), strict=True))
    scores = np.sum(list(parts.values()), axis=0)
    best = _best(rows, scores, _are_hits(raw), limit)
    evidence = raw["coverage"] + np.fmax(raw["meaning"], 0.0)
    return [
        Ranked(
            row=rows[place],
            score=float(scores[place]),
            evidence=float(evidence[place]),
            explained=_explained(raw, parts, place) if explain else {},
        )
        for place in best
    ]


def _best(rows: Sequence[Row], scores: Floats, hits: NDArray[np.bool_], limit: int) -> list[int]:
    """Places of the best hits, in order."""
    places = np.flatnonzero(hits)
    if len(places) > limit:
        least = np.partition(scores[places], -limit)[-limit]
        places = places[scores[places] >= least]
    order = sorted(places.tolist(), key=lambda place: (-scores[place], rows[place]["user_id"], rows[place]["doc"]))
    return order[:limit]


def _shares(plan: Plan) -> Floats:
    """(features, 1): what each feature weighs of all."""
    weights = [getattr(plan.weights, name) for name in FEATURES]
    return np.array(weights)[:, None] / plan.weights.total


def _are_hits(raw: Mapping[str, Floats]) -> NDArray[np.bool_]:
    """Which candidates have anything to do with the query: a word of it, or some nearness of meaning.

    Session, speaker and date count for a hit and make none.
    """
    near = np.nan_to_num(raw["meaning"], nan=-1.0) >= FLOOR_COSINE
    hits: NDArray[np.bool_] = (raw["words"] > 0) | (raw["words_before"] > 0) | near
    return hits


def _normalised(raw: Mapping[str, Floats]) -> Floats:
    """(features, candidates): each measured feature brought to 0..1, its least to 0; a missing value is the least.

    Where all values are alike, they are 1 if above 0. Speaker and date are 0 or 1 and stay.
    """
    values = np.stack([raw[name] for name in FEATURES])
    missing = np.isnan(values)
    low = np.where(missing, np.inf, values).min(axis=1, keepdims=True)
    high = np.where(missing, -np.inf, values).max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = (values - low) / (high - low)
    alike = np.broadcast_to(high == low, values.shape)
    scaled = np.where(missing, 0.0, np.where(alike, (high > 0).astype(np.float64), scaled))
    scaled[_AS_IT_IS] = values[_AS_IT_IS]
    normalised: Floats = scaled
    return normalised


def _explained(raw: Mapping[str, Floats], parts: Mapping[str, Floats], place: int) -> dict[str, float]:
    as_is = {name: float(values[place]) for name, values in raw.items() if not np.isnan(values[place])}
    return as_is | {f"+{name}": float(values[place]) for name, values in parts.items()}


def _by_speaker(plan: Plan, rows: Sequence[Row], asker: str) -> Floats:
    """1 for each row whose speaker is asked about. Names are few, so each is looked at once."""
    speakers = [(row["speaker"], row["role"]) for row in rows]
    asked = {who: float(_is_asked_about(plan, *who, asker)) for who in set(speakers)}
    return np.array([asked[who] for who in speakers])


def _is_asked_about(plan: Plan, speaker: str | None, role: str | None, asker: str) -> bool:
    name = _words_of(speaker or "")
    if name and name.issubset(plan.terms):
        return True
    if plan.about_assistant:
        return role == Role.ASSISTANT
    if not plan.about_user:
        return False
    return speaker == asker or (role == Role.USER and speaker == Role.USER)


@lru_cache(maxsize=4096)
def _words_of(name: str) -> frozenset[str]:
    return frozenset(terms(name))


def _in_window(plan: Plan, rows: Sequence[Row]) -> Floats:
    """1 for each row that lies in the time asked about."""
    window = plan.window
    if window is None:
        return np.zeros(len(rows))
    times = [row["valid_from"] for row in rows]
    return np.array([float(at is not None and window.start <= at < window.end) for at in times])
