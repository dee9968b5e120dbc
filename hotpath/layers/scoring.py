"""How much a memory matters, and what that does to its score. Pure.

Importance is the weighted mean of what is known of four parts, each in 0..1:

    importance = (.30 relevance + .25 recency + .20 frequency + .25 explicit) / (the weights of those that are known)

Relevance is the fused score. Recency halves every seven days. Frequency is of recalls that the memory is reported to
have served, not of recalls: counted so, what is recalled often would be recalled more often. Explicit is the app's own
word on the message. Weights and half-life are those of the layered architecture that this project began from, and
settings.

What is not known takes no part, rather than counting as 0: of most memories nobody ever says whether they helped, or
how much they matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from shared.settings import Settings

Floats = NDArray[np.float64]

NEUTRAL: Final = 0.5
"""The importance at which a score stays what it is; the frequency of a memory that served as often as it misled."""
HALF_RECALLS: Final = 3.0
"""Reports, all of one kind, that take frequency half the way from neutral to its end: one is a hint and no proof."""

Part = Literal["relevance", "recency", "frequency", "explicit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """The weights of the parts, the half-life, and the band of the multiplier. Checked where settings are read."""

    relevance: float = 0.30
    recency: float = 0.25
    frequency: float = 0.20
    explicit: float = 0.25
    half_life_days: float = 7.0
    least: float = 0.3
    """The multiplier at importance 0; at most 1."""
    most: float = 1.5
    """The multiplier at importance 1; at least 1."""

    @classmethod
    def of(cls, configured: Settings) -> Scoring:
        """As the settings have it."""
        return cls(
            relevance=configured.importance_relevance,
            recency=configured.importance_recency,
            frequency=configured.importance_frequency,
            explicit=configured.importance_explicit,
            half_life_days=configured.importance_half_life_days,
            least=configured.importance_least,
            most=configured.importance_most,
        )


def recency(age_days: Floats, half_life_days: float) -> Floats:
    """How new memories are: 1 now, one half after a half-life, towards 0. What lies ahead counts as now."""
    found: Floats = 0.5 ** (np.maximum(0.0, age_days) / half_life_days)
    return found


def frequency(used: Floats, misled: Floats) -> Floats:
    """How memories have fared: 1/2 where they served as often as they misled, towards 1 and 0.

    With n = used - misled: (1 + n / (|n| + `HALF_RECALLS`)) / 2. It saturates, so that no memory is beyond reach.
    """
    net = used - misled
    found: Floats = NEUTRAL * (1.0 + net / (np.abs(net) + HALF_RECALLS))
    return found


def confirmation(pieces: Floats) -> Floats:
    """How far independent pieces of evidence, as many as given, confirm memories: 0 by one, 1/2 by two, towards 1."""
    found: Floats = 1.0 - 1.0 / np.maximum(1.0, pieces)
    return found


def importance(scoring: Scoring, parts: Mapping[Part, Floats]) -> Floats:
    """How much memories matter, 0 to 1, by the parts that are known of each.

    Arrays of one length; NaN, or a part left out, is not known. Neutral where nothing is, or nothing of weight.
    """
    values = np.stack(list(parts.values()))
    weights = np.array([[getattr(scoring, name)] for name in parts]) * ~np.isnan(values)
    total = weights.sum(axis=0)
    found: Floats = np.full(len(total), NEUTRAL)
    np.divide((weights * np.nan_to_num(values)).sum(axis=0), total, out=found, where=total > 0)
    return found


def multiplier(scoring: Scoring, importance: Floats) -> Floats:
    """What scores are multiplied by: from `least` at 0 over 1 at neutral to `most` at 1, on two straight lines.

    Rising, so the importance can be read back from it, and never 0, so that nothing is lost for good.
    """
    return np.interp(importance, (0.0, NEUTRAL, 1.0), (scoring.least, 1.0, scoring.most))


def boost(scoring: Scoring, known: Mapping[Part, Floats], told: Mapping[Part, Floats]) -> Floats:
    """What somebody's word on memories changes of their scores: the multiplier with it, over the one without.

    `told` is frequency and explicit, `known` are the other parts; NaN where nothing was told: 1 there. So what is told
    moves a memory among those of like worth, within `least` and `most`, and where nothing is no order changes.
    """
    with_it = multiplier(scoring, importance(scoring, {**known, **told}))
    neutral = {part: np.where(np.isnan(values), np.nan, NEUTRAL) for part, values in told.items()}
    without = multiplier(scoring, importance(scoring, {**known, **neutral}))
    return np.clip(with_it / without, scoring.least, scoring.most)
