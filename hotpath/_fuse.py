"""fuse: candidates with features to ranked hits. Pure.

Each feature is brought to 0..1 over the query's candidates and the weighted mean is taken. Scores are fused, not ranks:
a weak channel's best is not a strong channel's best, and ranks cannot tell (docs/why.md, "Fusion").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
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
    raw["date"] = np.array([float(_is_in_window(plan, row)) for row in rows])
    parts = {name: _share(plan, name) * _normalised(name, raw[name]) for name in FEATURES}
    scores = np.sum(list(parts.values()), axis=0)
    places: list[int] = np.flatnonzero(_are_hits(raw)).tolist()
    best = sorted(places, key=lambda place: (-scores[place], rows[place]["user_id"], rows[place]["doc"]))[:limit]
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


def _share(plan: Plan, name: str) -> float:
    weight: float = getattr(plan.weights, name)
    return weight / plan.weights.total


def _are_hits(raw: Mapping[str, Floats]) -> NDArray[np.bool_]:
    """Which candidates have anything to do with the query: a word of it, or some nearness of meaning.

    Session, speaker and date count for a hit and make none.
    """
    near = np.nan_to_num(raw["meaning"], nan=-1.0) >= FLOOR_COSINE
    hits: NDArray[np.bool_] = (raw["words"] > 0) | (raw["words_before"] > 0) | near
    return hits


def _normalised(name: str, values: Floats) -> Floats:
    """Values brought to 0..1, the least to 0; a missing one is the least. All alike: 1 where they are above 0."""
    if name in ("speaker", "date"):
        return values
    if np.isnan(values).all():
        return np.zeros(len(values))
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if high == low:
        return np.where(np.isnan(values), 0.0, float(high > 0))
    return (np.where(np.isnan(values), low, values) - low) / (high - low)


def _explained(raw: Mapping[str, Floats], parts: Mapping[str, Floats], place: int) -> dict[str, float]:
    as_is = {name: float(values[place]) for name, values in raw.items() if not np.isnan(values[place])}
    return as_is | {f"+{name}": float(values[place]) for name, values in parts.items()}


def _by_speaker(plan: Plan, rows: Sequence[Row], asker: str) -> Floats:
    """1 for each row whose speaker is asked about. Names are few, so each is looked at once."""
    asked: dict[tuple[str | None, str | None], float] = {}
    for row in rows:
        who = (row["speaker"], row["role"])
        if who not in asked:
            asked[who] = float(_is_asked_about(plan, *who, asker))
    return np.array([asked[row["speaker"], row["role"]] for row in rows])


def _is_asked_about(plan: Plan, speaker: str | None, role: str | None, asker: str) -> bool:
    name = terms(speaker or "")
    if name and set(name) <= set(plan.terms):
        return True
    if plan.about_assistant:
        return role == Role.ASSISTANT
    if not plan.about_user:
        return False
    return speaker == asker or (role == Role.USER and speaker == Role.USER)


def _is_in_window(plan: Plan, row: Row) -> bool:
    at = row["valid_from"]
    return plan.window is not None and at is not None and plan.window.start <= at < plan.window.end
