"""The weights that recall fuses with: plain numbers, to be read and argued with.

A hit's score is the weighted mean of its features, each normalised over the candidates of the query. Equal weights for
what is known to help do nearly as well as tuned ones; docs/why.md ("Fusion") has the measurements and says what each
number was fitted on.
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
    words=0.5,
    words_before=0.35,
    words_session=0.75,
    words_neighbour=0.5,
    meaning=1.0,
    meaning_before=0.5,
    meaning_neighbour=0.35,
    speaker=0.75,
    date=0.5,
)

FLOOR_COSINE: Final = 0.2
"""A memory without a word of the query is a hit from this nearness on."""
EVIDENT: Final = 0.8
"""Cosine and coverage of one of the ten best hits together, from which on the query counts as supported.

Between .76, which keeps 95 % of the answerable questions of LongMemEval dev and refuses 79 % of questions put to
another person's history, and .91, where both kinds are told apart best."""
