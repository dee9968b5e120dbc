"""What recall is compared with: plain BM25, the bare embedder, and the usual fusion of the two.

Each ranks the turns of one conversation, so that the same run scores them and Daybook alike.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
from rank_bm25 import BM25Okapi

from shared.language.text import terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from bench.corpus import Turn

RRF_K: Final = 60
"""Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion" (2009)."""

_NO_TERMS: Final = [""]  # rank-bm25 divides by the average length


class Ranker(Protocol):
    """Orders the turns of one conversation by how well they answer."""

    def rank(self, query: str) -> list[str]:
        """Distinct turn ids, best first; a turn that does not match at all may be missing."""
        ...


class Encoder(Protocol):
    """The part of an embedder that a baseline needs."""

    def encode_query(self, text: str) -> NDArray[np.float32]:
        """(dim,) float32, unit length."""
        ...

    def encode_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, dim) float32, unit length, in the order of the texts."""
        ...


def as_said(turn: Turn) -> str:
    """The turn's text alone."""
    return turn.text


def with_speaker(turn: Turn) -> str:
    """The turn with who said it."""
    return f"{turn.speaker}: {turn.text}"


def with_date_and_speaker(turn: Turn) -> str:
    """The turn with when it was said, in words, and by whom."""
    return f"{turn.at:%A} {turn.at.day} {turn.at:%B %Y} {turn.speaker}: {turn.text}"


class Bm25Baseline:
    """rank-bm25's Okapi over the product's own terms: what stems and stop words alone are worth."""

    def __init__(self, turns: Sequence[Turn], written: Callable[[Turn], str] = as_said) -> None:
        self._ids = [turn.id for turn in turns]
        documents = [terms(written(turn)) or _NO_TERMS for turn in turns]
        self._terms = [frozenset(document) for document in documents]
        self._index = BM25Okapi(documents) if documents else None

    def rank(self, query: str) -> list[str]:
        """The turns that share a term with the query, best first; among equals the earlier."""
        if self._index is None:
            return []
        asked = terms(query)
        order = np.argsort(-self._index.get_scores(asked), kind="stable")
        return [self._ids[place] for place in order if not self._terms[place].isdisjoint(asked)]


class EmbedderBaseline:
    """Cosine of query and turn by the bare embedder, exact over the whole conversation."""

    def __init__(self, turns: Sequence[Turn], encoder: Encoder, written: Callable[[Turn], str] = as_said) -> None:
        self._ids = [turn.id for turn in turns]
        self._encoder = encoder
        texts = [written(turn) for turn in turns]
        self._vectors = encoder.encode_documents(texts) if texts else None

    def rank(self, query: str) -> list[str]:
        """Every turn, nearest first; among equals the earlier."""
        if self._vectors is None:
            return []
        cosines = self._vectors @ self._encoder.encode_query(query)
        return [self._ids[place] for place in np.argsort(-cosines, kind="stable")]


class RrfBaseline:
    """Reciprocal rank fusion of other rankers with equal weights, as most memory systems fuse."""

    def __init__(self, rankers: Iterable[Ranker]) -> None:
        self._rankers = tuple(rankers)

    def rank(self, query: str) -> list[str]:
        """Every turn that some ranker ranks, best first; ties in the order of the rankers."""
        scores: defaultdict[str, float] = defaultdict(float)
        for ranker in self._rankers:
            for rank, turn_id in enumerate(ranker.rank(query), start=1):
                scores[turn_id] += 1 / (RRF_K + rank)
        return sorted(scores, key=lambda turn_id: -scores[turn_id])
