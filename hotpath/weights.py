"""The weights that recall fuses with: plain numbers, to be read and argued with.

A hit's score is the weighted mean of its features, each normalised over the candidates of the query. The weights were
fitted on the development half of LongMemEval_S (46 questions, pairwise logistic loss, L2 .01 towards equal weights);
nothing of LoCoMo was used. Equal weights do nearly as well: the features matter, not the weights (docs/why.md,
"Fusion").
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What each feature of a candidate is worth."""

    words: float
    """BM25 of the memory, with its date and speaker."""
    words_before: float
    """BM25 of the memory together with half of the one before it in its session."""
    words_session: float
    """BM25 of the whole session the memory is in."""
    words_neighbour: float
    """The better BM25 of its two neighbours."""
    meaning: float
    """Cosine of memory and query."""
    meaning_before: float
    """Mean of that and the cosine of the memory before it."""
    meaning_neighbour: float
    """The better cosine of its two neighbours."""
    speaker: float
    """1 where its speaker is the one asked about."""
    date: float
    """1 where it lies in the time asked about."""

    @property
    def total(self) -> float:
        """Of all features."""
        return float(sum(getattr(self, each.name) for each in fields(self)))

    @property
    def lexical(self) -> float:
        """Of the features that need no vector: what a memory can reach by words alone."""
        return self.words + self.words_before + self.words_session + self.words_neighbour


DEFAULT: Final = Weights(
    words=1.04,
    words_before=0.62,
    words_session=0.46,
    words_neighbour=0.36,
    meaning=0.74,
    meaning_before=0.75,
    meaning_neighbour=0.45,
    speaker=1.45,
    date=0.5,  # not fitted: too few questions give a date outright
)

FLOOR_COSINE: Final = 0.2
"""A memory without a word of the query is a hit from this nearness on."""
EVIDENT: Final = 0.8
"""Cosine and coverage of one of the ten best hits together, from which on the query counts as supported.

Between .76, which keeps 95 % of the answerable questions of LongMemEval dev and refuses 79 % of questions put to
another person's history, and .91, where both kinds are told apart best."""
