"""Reciprocal rank fusion, for scores that cannot be compared. Pure.

Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual rank learning methods"
(2009): a candidate's score is the sum of 1 / (k + rank) over the rankings that hold it. On conversations it loses
against fused scores (docs/why.md, "Fusion"): a rank does not know that a weak channel's best is worth little.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

K: Final = 60
"""The paper's, and everybody's since."""

Floats = NDArray[np.float64]


def reciprocal_ranks(scores: Floats) -> Floats:
    """(rankings, candidates) scores to what each ranking gives each candidate; a candidate's sum is 0 to 1.

    A score that is 0 or less, or missing (NaN), says that the ranking does not hold the candidate. Equal scores share
    the best of their ranks, so that the order of the candidates counts for nothing. Divided by what a candidate that
    leads every ranking would have.
    """
    parts = np.zeros(scores.shape)
    most = len(scores) / (K + 1)
    for part, row in zip(parts, scores, strict=True):
        held = np.flatnonzero(row > 0)
        descending = np.sort(-row[held])
        ranks = 1 + np.searchsorted(descending, -row[held], side="left")
        part[held] = 1 / (K + ranks) / most
    return parts
