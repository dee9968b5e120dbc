"""The weights that recall fuses with and reads again with: plain numbers, to be read and argued with.

A hit's score is the weighted mean of its features, each normalised over the candidates of the query. What was fitted,
and on what, stands in `weights.toml`, which `python -m bench.fit` writes; nothing of LoCoMo was used. Equal weights do
nearly as well: the features matter, not the weights (docs/why.md, "Fusion").
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final


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
    graph: float
    """How often a walk from the query's names is at it (`hotpath._graph`).

    Asked of questions over several hops, and of others that hold a name and are not about the asker (`hotpath._plan`).
    """

    @property
    def total(self) -> float:
        """Of all features."""
        return float(sum(getattr(self, each.name) for each in fields(self)))

    @property
    def lexical(self) -> float:
        """Of the features that need no vector: what a memory can reach by words alone."""
        return self.words + self.words_before + self.words_session + self.words_neighbour


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerank:
    """What each feature of a second reading is worth, where the fused score is worth 1; see `hotpath._reading`.

    The fields are in the order of `_reading.FEATURES`.
    """

    asks: float
    """How much of it is the question that it ends with: who asks tells nothing."""
    length: float
    """How long it is, from nothing to 2,000 characters, by the logarithm: short turns agree and thank."""
    answers: float
    """Where the turn before it asks: the share of the query's words in that."""
    around: float
    """The share of the query's words that it holds together with the turns before and after it."""
    time: float
    """It names a time, where the query asks for one."""
    number: float
    """It holds a number, where the query asks how much."""
    own: float
    """Who is asked about says it of themselves."""
    company: float
    """There are better hits of its session: none, 0; one, 1/2; two, 2/3."""


def _read(path: Path) -> dict[str, dict[str, Any]]:
    with path.open("rb") as file:
        return tomllib.load(file)


FILE: Final = Path(__file__).with_name("weights.toml")
"""The numbers that were fitted, and what on."""
_FITTED: Final = _read(FILE)
FITTED_ON: Final[dict[str, str]] = _FITTED["fitted_on"]

DEFAULT: Final = Weights(
    **_FITTED["fusion"],
    date=0.5,  # not fitted: too few questions give a date outright
    graph=0.0,
)
RERANK: Final = Rerank(**_FITTED["rerank"])


def joined(weights: Weights) -> Weights:
    """The weights for a query that the graph has found something for."""
    return replace(
        weights,
        words=weights.words * WORDS_BESIDE,
        words_before=weights.words_before * WORDS_BESIDE,
        words_session=weights.words_session * WORDS_BESIDE,
        words_neighbour=weights.words_neighbour * WORDS_BESIDE,
        graph=weights.graph or GRAPH,
    )


def dated(weights: Weights) -> Weights:
    """The weights for a query that asks for a time and little else: whatever lies there is before whatever does not."""
    return replace(weights, date=weights.total - weights.date + 1.0)


FLOOR_COSINE: Final = 0.2
"""A memory without a word of the query is a hit from this nearness on."""
EVIDENT: Final = 0.7
"""Cosine and coverage of one of the ten best hits together, from which on the query counts as supported.

It keeps 94 % of the answerable of our own questions on a conversation and refuses 60 % of those on what was never said
there; on LongMemEval dev 96 % and three quarters of questions put to another person's history. At .8, where both kinds
are told apart as well, 17 % of the answerable of our own were lost."""
ELSEWHERE: Final[float] = _FITTED["premise"]["elsewhere"]
"""By how much more of the query others must say than who is asked about, for its premise to count as theirs.

The least with which at most one in twelve of the good questions on a conversation of our own, between four, is called
unsupported: a good question that is refused costs more than a premise that is let through.
"""
WORDS_BESIDE: Final = 0.7
"""What words are worth where the graph has found something: of several hops, the query shares them with the first."""
GRAPH: Final = 1.5
"""What the graph is worth there. Both were chosen on 100 questions of HotpotQA and 100 of MuSiQue, and from 0.75 to 3
little changes."""
