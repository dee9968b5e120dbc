"""Recall with weights that were fitted without the question that is asked, where the shipped ones saw it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from bench import fitting, longmemeval
from bench.fit import NOT_FITTED, _fit_fusion, _fusion_pairs, _with_gold
from bench.gathered import gather
from hotpath._fuse import FEATURES
from hotpath.recipes import BALANCED, Recipe, register
from hotpath.weights import FITTED_ON

if TYPE_CHECKING:
    from rich.progress import Progress

    from bench.corpus import Conversation, Corpus
    from bench.product import Advance, Memory, Product
    from bench.quality import Asked

Unfitted = Callable[["Corpus", Mapping[str, "Asked"], "Progress"], Mapping[str, Recipe]]
"""A corpus and its conversations' memories by id, to a recipe for each question that the shipped weights saw."""

_PART: Final = re.compile(r"(?<![a-z])dev(?![a-z])")


def is_in_sample(corpus: Corpus) -> bool:
    """Whether the shipped weights of fusion were fitted on it: LongMemEval's part for tuning, by its file's name."""
    fitted_on = FITTED_ON["fusion"]
    return (
        longmemeval.NAME in fitted_on and corpus.name.startswith(longmemeval.NAME) and bool(_PART.search(corpus.name))
    )


def recipes(corpus: Corpus, memories: Mapping[str, Asked], progress: Progress) -> dict[str, Recipe]:
    """By question that was fitted on, the default recipe with weights that were fitted on the other folds."""
    product = cast("Product", _AlreadyFed(memories))
    questions = _with_gold(list(gather(corpus, product, progress)))
    folds = fitting.out_of_fold(
        [_fusion_pairs(each) for each in questions], lambda part: np.array(list(_fit_fusion(part).values()))
    )
    names = [name for name in FEATURES if name not in NOT_FITTED]
    return {
        each.question.id: _recipe(dict(zip(names, map(float, fold), strict=True)))
        for each, fold in zip(questions, folds, strict=True)
    }


class _AlreadyFed:
    """Gives the memories that there are, so that nothing is fed twice."""

    def __init__(self, memories: Mapping[str, Asked]) -> None:
        self._memories = memories

    def feed(self, conversation: Conversation, _advance: Advance) -> Memory:
        return cast("Memory", self._memories[conversation.id])


def _recipe(fitted: Mapping[str, float]) -> Recipe:
    weights = replace(BALANCED.weights, **fitted)
    digest = hashlib.sha256(repr(weights).encode()).hexdigest()[:12]
    return register(replace(BALANCED, name=f"bench-fold-{digest}", why="fitted on the other folds", weights=weights))
