"""BM25 as a pure function: the formula the sparse channel is held to, and the ranking of the fresh tail.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), formula 3.15, with the factor
(k1 + 1) that leaves the order as it is, and the idf in its non-negative form, so that a term in every document of a
tiny store still counts for something.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, overload

import numpy as np
from numpy.typing import NDArray

K1: Final = 1.2
"""How slowly a repeated term saturates; 1.2 to 2 in Robertson and Zaragoza 2009, section 3.5.1."""
B: Final = 0.75
"""How much a long document is discounted, 0 not at all, 1 in full proportion; .5 to .8 ibid."""

BM25L_DELTA: Final = 0.5
"""What BM25L adds to a term's frequency: Lv and Zhai, "When Documents Are Very Long, BM25 Fails!" (2011)."""

_DENSE_ENOUGH: Final = 4

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Postings:
    """Where one term occurs. The arrays are parallel; a document stands in them at most once."""

    documents: Ints  # numbers of the caller's choosing, not negative
    frequencies: Ints  # how often the term occurs in each, at least 1
    lengths: Ints  # terms in each document
    document_frequency: int  # documents of the store that hold the term, also those filtered out here


@overload
def idf(documents: int, document_frequency: int) -> float: ...
@overload
def idf(documents: int, document_frequency: NDArray[Any]) -> Floats: ...
def idf(documents: int, document_frequency: int | NDArray[Any]) -> float | Floats:
    """How telling a term is: log(1 + (N - df + ½) / (df + ½)), above 0 for any df; a df above N counts as N."""
    if isinstance(document_frequency, int):
        held = min(document_frequency, documents)
        return math.log1p((documents - held + 0.5) / (held + 0.5))
    bounded = np.minimum(document_frequency, documents).astype(np.float64)
    weights: Floats = np.log1p((documents - bounded + 0.5) / (bounded + 0.5))
    return weights


@overload
def tf_weight(tf: float, length: float, average_length: float, k1: float = K1, b: float = B) -> float: ...
@overload
def tf_weight(
    tf: NDArray[Any], length: NDArray[Any], average_length: float, k1: float = K1, b: float = B
) -> Floats: ...
def tf_weight(tf: Any, length: Any, average_length: float, k1: float = K1, b: float = B) -> Any:
    """What `tf` occurrences are worth in a document of this length: 0 for none, below k1 + 1 for any number.

    With an average length of 0 (an empty store, or statistics that lag behind) every document counts as average.
    """
    relative_length = length / average_length if average_length > 0 else 1.0
    return tf * (k1 + 1) / (tf + k1 * (1 - b + b * relative_length))


def score(
    postings: Sequence[Postings], *, documents: int, average_length: float, k1: float = K1, b: float = B
) -> tuple[Ints, Floats]:
    """Score every document that holds a term of the query, given one `Postings` for each term.

    Returns:
        `(documents, scores)`, parallel, the best first, equal scores by rising document number; all scores are above 0.
    """
    present = [term for term in postings if term.documents.size]
    if not present:
        return np.empty(0, np.int64), np.empty(0, np.float64)
    weights = np.concatenate(
        [
            idf(documents, term.document_frequency) * tf_weight(term.frequencies, term.lengths, average_length, k1, b)
            for term in present
        ]
    )
    found, scores = _sum_by_document(np.concatenate([term.documents for term in present]), weights)
    order = np.lexsort((found, -scores))
    return found[order], scores[order]


def score_texts(
    query_terms: Sequence[str], documents: Sequence[Sequence[str]], *, k1: float = K1, b: float = B
) -> list[float]:
    """The formula in plain Python: each document's score, in the order given; 0 where no term of the query occurs."""
    counts = [Counter(document) for document in documents]
    average_length = sum(map(len, documents)) / len(documents) if documents else 0.0
    weights = [(term, idf(len(documents), sum(term in count for count in counts))) for term in query_terms]
    return [
        sum(
            weight * tf_weight(count[term], len(document), average_length, k1, b)
            for term, weight in weights
            if term in count
        )
        for count, document in zip(counts, documents, strict=True)
    ]


def fresh_scores(query_terms: Sequence[str], documents: Sequence[Sequence[str]]) -> list[float]:
    """Rank the fresh tail, documents that no index holds yet, by BM25L of rank-bm25.

    rank-bm25 0.2.2 multiplies BM25L by the raw frequency, so that a word said ten times never saturates, which is
    divided out here; and BM25L's own constant for what does not match, by which tails could not be compared, is taken
    off.

    Returns:
        For each document, in the order given, its share of the most that any document could score on this query:
        exactly 0 where no term of the query occurs, above 0 where one does, below 1. Not on the scale of `score`.
    """
    wanted = list(dict.fromkeys(query_terms))
    present = set(wanted).intersection(chain.from_iterable(documents))
    if not present:
        return [0.0] * len(documents)
    from rank_bm25 import BM25L  # late: it brings multiprocessing

    index = BM25L(documents, k1=K1, b=B, delta=BM25L_DELTA)
    least = BM25L_DELTA / (K1 + BM25L_DELTA)  # what one term gives a document without it
    scores = np.zeros(len(documents))
    most = 0.0
    for term in wanted:
        weight = index.idf.get(term, math.log(len(documents) + 1) - math.log(0.5)) * (K1 + 1)
        most += weight * (1 - least)
        if term in present:
            frequencies = np.array([count.get(term, 0) for count in index.doc_freqs])
            held = frequencies > 0
            scores[held] += index.get_scores([term])[held] / frequencies[held] - weight * least
    return [float(share) for share in scores / most]


def _sum_by_document(documents: Ints, weights: Floats) -> tuple[Ints, Floats]:
    """Add up the weights of each document; without sorting where the numbers lie close together."""
    if documents.max() < _DENSE_ENOUGH * documents.size + 1024:
        sums = np.asarray(np.bincount(documents, weights), np.float64)
        found = np.flatnonzero(sums)
        return found.astype(np.int64), sums[found]
    distinct, places = np.unique(documents, return_inverse=True)
    return distinct, np.asarray(np.bincount(places, weights), np.float64)
