"""How weights are fitted: a pairwise logistic loss, minimised the same way each time. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from bench.metrics import distinct

if TYPE_CHECKING:
    from bench.gathered import Gathered

Floats = NDArray[np.float64]

FOLDS: Final = 5
HARDEST: Final = 60
"""Of a question's hits that are not gold, how many it is compared with: those that score best with equal weights."""
_STEPS: Final = 400
_RATE: Final = 0.05
_BETA: Final = (0.9, 0.99)
_STEEPEST: Final = 50.0


def pairs(gold: Floats, others: Floats) -> Floats:
    """(gold x others, features): by how much each gold hit has more of each feature than each other."""
    return (gold[:, None] - others[None]).reshape(-1, gold.shape[1])


def fit(
    questions: Sequence[Floats], start: Floats, *, l2: float, scale: float, least: float = -np.inf, fixed: int = 0
) -> Floats:
    """Weights with which gold scores above the others, pulled towards `start`; each question counts the same.

    Mean of log(1 + exp(-scale x difference)) over the pairs of a question (Burges et al. 2005), plus l2 x |w - start|²,
    by Adam from `start` with a fixed number of steps. None is below `least`; the first `fixed` stay as they are. A
    question without pairs has no say.
    """
    questions = [each for each in questions if len(each)]
    differences = scale * np.concatenate(questions)
    share = np.concatenate([np.full(len(each), 1 / len(each) / len(questions)) for each in questions])
    weights, mean, spread = start.copy(), np.zeros_like(start), np.zeros_like(start)
    for step in range(1, _STEPS + 1):
        slope = -(share / (1 + np.exp(np.clip(differences @ weights, -_STEEPEST, _STEEPEST)))) @ differences
        slope += 2 * l2 * (weights - start)
        slope[:fixed] = 0
        mean = _BETA[0] * mean + (1 - _BETA[0]) * slope
        spread = _BETA[1] * spread + (1 - _BETA[1]) * slope**2
        moved = (mean / (1 - _BETA[0] ** step)) / (np.sqrt(spread / (1 - _BETA[1] ** step)) + 1e-8)
        weights = np.maximum(weights - _RATE * moved, least)
    return weights


def out_of_fold(questions: Sequence[Floats], fitted: Callable[[Sequence[Floats]], Floats]) -> list[Floats]:
    """For each question the weights that were fitted on the other folds, of every fifth question each."""
    by_fold = [fitted([each for at, each in enumerate(questions) if at % FOLDS != fold]) for fold in range(FOLDS)]
    return [by_fold[at % FOLDS] for at in range(len(questions))]


def ranking(found: Gathered, scores: Floats) -> list[str]:
    """Distinct turn ids, best first; what has no score stays behind, in its order."""
    order = [*np.argsort(-scores, kind="stable"), *range(len(scores), len(found.turn_ids))]
    return distinct(found.turn_ids[place] for place in order)


def threshold(margins: Floats, answerable: NDArray[np.bool_], *, refused: float = 1 / 12) -> float:
    """How far below 0 a margin may be: of the hundredths up to a half, the least that refuses few good questions.

    Few are a share of `refused` at most.
    """
    tried = np.arange(0, 51) / 100
    shares = (margins[answerable] < -tried[:, None]).mean(axis=1)
    few = np.flatnonzero(shares <= refused)
    return float(tried[few[0]] if len(few) else tried[-1])


def balanced(margins: Floats, answerable: NDArray[np.bool_], allowed: float) -> float:
    """Balanced accuracy of calling unanswerable what has a margin of less than minus `allowed`."""
    kept = margins >= -allowed
    return float((kept[answerable].mean() + (~kept[~answerable]).mean()) / 2)
