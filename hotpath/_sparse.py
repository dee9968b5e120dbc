"""The sparse channel's arithmetic: posting entries of a query's terms to BM25 scores of memories. Pure, in numpy.

Every owner's memories are numbered from 1, so a score is an array by number. Four scores come from the same entries:
of the memory (equal to `shared.language.bm25`, which a property test holds it to), of the memory with the one before
it, of its session, and of its better neighbour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from shared.contract.scope import Owner
from shared.language.bm25 import idf, tf_weight
from shared.store.postings import Entries, Statistics

SHARE_BEFORE = 0.5
"""How much the memory before one counts when both are read together; 1 gave as much on LoCoMo and 5 points less on
LongMemEval, where turns are long."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Number = TypeVar("Number", bound=np.generic)


LEAST_DOCUMENTS = 500
"""Coverage weighs terms as in a store of this size at least: a smaller one cannot know which words are common, and by
its own idf the one word that it has not seen would outweigh all that it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Term:
    """A term of the query that one owner's memories hold."""

    weight: float
    """Its idf."""
    share: float
    """What it is of all terms of the query, as coverage counts them."""
    entries: Entries


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerScores:
    """Scores of one owner's memories: arrays by number, one longer than the last so that a neighbour needs no check."""

    owner: Owner
    words: Floats
    words_before: Floats
    """Of the memory together with the one before it in its session."""
    coverage: Floats
    """Share of the query's terms that the memory holds, weighted by idf, 0 to 1."""
    session: Ints
    """Number of the first memory of the session; 0 where the memory holds no term, and it is not known."""
    by_session: Floats
    """Score of a whole session, by the number of its first memory."""

    def best(self, limit: int) -> Ints:
        """Numbers of the best `limit` by words and of the best by words with those before, as one set."""
        return np.union1d(_best(self.words, limit), _best(self.words_before, limit))

    def together(self, docs: Ints, sessions: Ints) -> Floats:
        """The score of each with the one before it, 0 where that is of another session than was assumed."""
        strangers = (at(self.session, docs) == 0) & (at(self.session, docs - 1) != sessions)
        return np.where(strangers, 0.0, at(self.words_before, docs))

    def neighbour(self, docs: Ints, sessions: Ints) -> Floats:
        """The better score of the memories before and after each, as far as they are of its session."""
        before = np.where(at(self.session, docs - 1) == sessions, at(self.words, docs - 1), 0.0)
        after = np.where(at(self.session, docs + 1) == sessions, at(self.words, docs + 1), 0.0)
        return np.maximum(before, after)


def at(values: NDArray[Number], docs: Ints) -> NDArray[Number]:
    """What an array by number holds for each of `docs`; 0 beyond its end."""
    inside = docs < len(values)
    return np.where(inside, values[np.where(inside, docs, 0)], 0).astype(values.dtype)


def score(
    terms: Sequence[str], entries: Mapping[tuple[Owner, str], Entries], statistics: Mapping[Owner, Statistics]
) -> list[OwnerScores]:
    """Score what the entries hold, by the statistics of all owners together."""
    documents = sum(each.documents for each in statistics.values())
    if not documents or not entries:
        return []
    frequency = {term: sum(len(part) for (_, held), part in entries.items() if held == term) for term in terms}
    weights = {term: idf(documents, count) for term, count in frequency.items()}
    telling = {term: idf(max(documents, LEAST_DOCUMENTS), count) for term, count in frequency.items()}
    most = sum(telling.values())
    average = sum(each.length_sum for each in statistics.values()) / documents
    return [
        _of_owner(
            owner,
            [
                _Term(weight=weights[term], share=telling[term] / most, entries=entries[owner, term])
                for term in terms
                if (owner, term) in entries
            ],
            average=average,
            sessions=statistics[owner].sessions if owner in statistics else 1,
        )
        for owner in dict.fromkeys(owner for owner, _ in entries)
    ]


def _of_owner(owner: Owner, held: Sequence[_Term], *, average: float, sessions: int) -> OwnerScores:
    size = 2 + max(int(term.entries["doc"][-1]) for term in held)
    session, length = np.zeros(size, np.int64), np.full(size, average)
    for term in held:
        session[term.entries["doc"]] = term.entries["session"]
        length[term.entries["doc"]] = term.entries["length"]
    pairs = _Pairs.of(session, length)
    words, before, coverage, by_session = (np.zeros(size) for _ in range(4))
    for term in held:
        docs, tf = term.entries["doc"], term.entries["tf"].astype(np.float64)
        words[docs] += term.weight * tf_weight(tf, length[docs], average)
        coverage[docs] += term.share
        pairs.add(before, docs, tf, term.weight, average)
        _add_sessions(by_session, term.entries["session"], tf, sessions)
    return OwnerScores(
        owner=owner, words=words, words_before=before, coverage=coverage, session=session, by_session=by_session
    )


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Memories read together with the one before them in their session.

    Nothing of a pair is stored: its counts are those of the two. Where a memory holds no term of the query, its length
    is taken for average, and it is assumed to be of the session of the one before.
    """

    follows: Ints
    """Numbers of the memories whose predecessor is of their session."""
    length: Floats

    @classmethod
    def of(cls, session: Ints, length: Floats) -> _Pairs:
        joined = (session[:-1] > 0) & ((session[1:] == session[:-1]) | (session[1:] == 0))
        follows = np.flatnonzero(joined) + 1
        together = length.copy()
        together[follows] += SHARE_BEFORE * length[follows - 1]
        return cls(follows, together)

    def add(self, scores: Floats, docs: NDArray[np.int32], tf: Floats, weight: float, average: float) -> None:
        """Add what one term gives to each pair."""
        own = np.zeros(len(scores))
        own[docs] = tf
        both = own.copy()
        both[self.follows] += SHARE_BEFORE * own[self.follows - 1]
        found = np.flatnonzero(both)
        scores[found] += weight * tf_weight(both[found], self.length[found], (1 + SHARE_BEFORE) * average)


def _add_sessions(scores: Floats, session: NDArray[np.int32], tf: Floats, sessions: int) -> None:
    """Add what one term gives to each session as one long memory; sessions' lengths are left out of account."""
    together = np.bincount(session, tf, minlength=len(scores))
    found = np.flatnonzero(together)
    scores[found] += idf(sessions, len(found)) * tf_weight(together[found], np.ones(len(found)), 1.0)


def _best(scores: Floats, limit: int) -> Ints:
    found = np.flatnonzero(scores)
    if len(found) > limit:
        found = found[np.argpartition(scores[found], -limit)[-limit:]]
    return found
