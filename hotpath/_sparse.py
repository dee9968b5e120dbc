"""The sparse channel's arithmetic: posting entries of a query's terms to BM25 scores of memories. Pure, in numpy.

Every owner's memories are numbered from 1, so a score is an array by number. Four scores come from the same entries:
of the memory (equal to `shared.language.bm25`, which a property test holds it to), of the memory with the one before
it, of its session, and of its better neighbour.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from shared.contract.scope import Owner
from shared.language.bm25 import K1, idf, tf_weight
from shared.store.postings import ENTRY, Entries, Statistics

SHARE_BEFORE = 0.5
"""How much the memory before one counts when both are read together; 1 gave as much on LoCoMo and 5 points less on
LongMemEval, where turns are long."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Number = TypeVar("Number", bound=np.generic)


OF_LITTLE = 0.1
"""What a word of grammar counts for coverage, of what another word as rare does."""
LEAST_DOCUMENTS = 500
"""Coverage weighs terms as in a store of this size at least: a smaller one cannot know which words are common, and by
its own idf the one word that it has not seen would outweigh all that it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Term:
    """A term of the query that one owner's memories hold."""

    term: str
    weight: float
    """Its idf."""
    share: float
    """What it is of all terms of the query, as coverage counts them."""
    entries: Entries


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerScores:
    """Scores of one owner's memories: arrays by number, which end with a 0 that stands for all numbers beyond."""

    owner: Owner
    words: Floats
    words_before: Floats
    """Of the memory together with the one before it in its session."""
    coverage: Floats
    """Share of the query's terms that the memory holds, weighted by idf, 0 to 1."""
    session: Ints
    """Number of the first memory of the session; 0 where the memory holds no term, and it is not known."""
    sessions: Ints
    """Numbers of the first memories of the sessions that hold a term, ascending."""
    sessions_score: Floats
    """Of each of them, read as one long memory; parallel."""
    commonest: float
    """More than any memory can score by the commonest of the terms alone."""
    telling: Mapping[str, float]
    """Of each term of the query, what it is of all, as coverage counts them."""
    weights: Mapping[str, float]
    """The idf of each."""
    average: float
    """Terms of a memory, by the mean of all."""
    held: Sequence[str]
    """The terms that the owner's memories hold, as `occurrences` counts them."""
    occurrences: _Occurrences

    def best(self, limit: int, among: Ints | None = None) -> Ints:
        """Numbers of the best `limit` by words and of the best by words with those before; some stand there twice.

        Where given, of the numbers `among` alone.
        """
        scores = [self.words, self.words_before]
        if among is not None:
            is_asked = np.zeros(len(self.words), np.bool_)
            is_asked[among[among < len(is_asked)]] = True
            scores = [np.where(is_asked, each, 0.0) for each in scores]
        return np.concatenate([_best(each, limit, self.commonest) for each in scores])

    def covered(self, docs: Ints, without: frozenset[str]) -> Floats:
        """The coverage of each by the query's terms other than some; 0 where it has no others."""
        others = sum(share for term, share in self.telling.items() if term not in without)
        if not others > 0:
            return np.zeros(len(docs))
        counts = np.array([term not in without for term in self.held], np.float64)
        found = self.occurrences
        shares = _added_up(found.doc, found.share * counts[found.term], len(self.words))
        covered: Floats = at(shares, docs) / others
        return covered

    def by_session(self, sessions: Ints) -> Floats:
        """The scores of whole sessions, by the number of each one's first memory."""
        places = np.searchsorted(self.sessions, sessions)
        return np.where(at(self.sessions, places) == sessions, at(self.sessions_score, places), 0.0)

    def together(self, docs: Ints, sessions: Ints) -> Floats:
        """The score of each with the one before it, 0 where that is of another session than was assumed."""
        strangers = (at(self.session, docs) == 0) & (at(self.session, docs - 1) != sessions)
        return np.where(strangers, 0.0, at(self.words_before, docs))

    def neighbour(self, docs: Ints, sessions: Ints) -> Floats:
        """The better score of the memories before and after each, as far as they are of its session."""
        both = np.add.outer([-1, 1], docs)
        better: Floats = np.where(at(self.session, both) == sessions, at(self.words, both), 0.0).max(axis=0)
        return better


def at(values: NDArray[Number], docs: Ints) -> NDArray[Number]:
    """What an array by number holds for each of `docs`; 0 beyond its end."""
    held: NDArray[Number] = values.take(docs, mode="clip")
    return held


def score(
    terms: Sequence[str],
    entries: Mapping[tuple[Owner, str], Entries],
    statistics: Mapping[Owner, Statistics],
    *,
    little: frozenset[str] = frozenset(),
) -> list[OwnerScores]:
    """Score what the entries hold, by the statistics of all owners together.

    Those of the terms that are words of grammar (`little`) hardly count for coverage.
    """
    documents = sum(each.documents for each in statistics.values())
    if not documents or not entries:
        return []
    frequency = {term: sum(len(part) for (_, held), part in entries.items() if held == term) for term in terms}
    weights = {term: idf(documents, count) for term, count in frequency.items()}
    telling = {
        term: idf(max(documents, LEAST_DOCUMENTS), count) * (OF_LITTLE if term in little else 1.0)
        for term, count in frequency.items()
    }
    most = sum(telling.values())
    shares = {term: weight / most for term, weight in telling.items()}
    average = sum(each.length_sum for each in statistics.values()) / documents
    return [
        _of_owner(
            owner,
            [
                _Term(term=term, weight=weights[term], share=shares[term], entries=entries[owner, term])
                for term in terms
                if (owner, term) in entries
            ],
            average=average,
            sessions=statistics[owner].sessions if owner in statistics else 1,
            telling=shares,
            weights=weights,
        )
        for owner in dict.fromkeys(owner for owner, _ in entries)
    ]


def _of_owner(
    owner: Owner,
    held: Sequence[_Term],
    *,
    average: float,
    sessions: int,
    telling: Mapping[str, float],
    weights: Mapping[str, float],
) -> OwnerScores:
    found = _Occurrences.of(held)
    size = int(found.doc.max()) + 3
    session, length = np.zeros(size, np.int64), np.full(size, average)
    session[found.doc], length[found.doc] = found.session, found.length
    firsts, sessions_score = _sessions(found, size, sessions)
    return OwnerScores(
        owner=owner,
        words=_added_up(found.doc, found.weight * tf_weight(found.tf, found.length, average), size),
        words_before=_pairs(found, session, length, average),
        coverage=_added_up(found.doc, found.share, size),
        session=session,
        sessions=firsts,
        sessions_score=sessions_score,
        commonest=min(term.weight for term in held) * (K1 + 1),
        telling=telling,
        weights=weights,
        average=average,
        held=[each.term for each in held],
        occurrences=found,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Occurrences:
    """The entries of all terms, one after the other, as parallel arrays."""

    term: Ints
    """Place of the term among all."""
    doc: Ints
    session: Ints
    length: Ints
    tf: Ints
    weight: Floats
    share: Floats

    @classmethod
    def of(cls, held: Sequence[_Term]) -> _Occurrences:
        entries = np.frombuffer(b"".join([term.entries.data for term in held]), ENTRY)
        counts = [len(term.entries) for term in held]
        return cls(
            term=np.repeat(np.arange(len(held)), counts),
            doc=entries["doc"].astype(np.int64),
            session=entries["session"].astype(np.int64),
            length=entries["length"].astype(np.int64),
            tf=entries["tf"].astype(np.int64),
            weight=np.repeat([term.weight for term in held], counts),
            share=np.repeat([term.share for term in held], counts),
        )


def _added_up(docs: Ints, values: Floats | Ints, size: int) -> Floats:
    """The sum of the values of each number below `size`."""
    return np.asarray(np.bincount(docs, values, size), np.float64)


def _pairs(found: _Occurrences, session: Ints, length: Floats, average: float) -> Floats:
    """Scores of memories read together with the one before them in their session, by number.

    Nothing of a pair is stored: its counts are those of the two. Where a memory holds no term of the query, its length
    is taken for average, and it is assumed to be of the session of the one before.
    """
    after = found.doc + 1
    following = session[after]
    is_followed = (following == found.session) | (following == 0)
    goes_on = (found.doc[1:] == after[:-1]) & (found.term[1:] == found.term[:-1]) & is_followed[:-1]
    tf = found.tf.astype(np.float64)
    tf[1:] += SHARE_BEFORE * found.tf[:-1] * goes_on
    before = found.doc - 1
    lengths = found.length + SHARE_BEFORE * length[before] * (session[before] == found.session)
    is_followed[:-1] &= ~goes_on
    last = np.flatnonzero(is_followed)  # followed by a memory that does not hold the term
    docs = np.concatenate([found.doc, after[last]])
    tf = np.concatenate([tf, SHARE_BEFORE * found.tf[last]])
    lengths = np.concatenate([lengths, length[after[last]] + SHARE_BEFORE * found.length[last]])
    weight = np.concatenate([found.weight, found.weight[last]])
    return _added_up(docs, weight * tf_weight(tf, lengths, (1 + SHARE_BEFORE) * average), len(session))


def _sessions(found: _Occurrences, size: int, sessions: int) -> tuple[Ints, Floats]:
    """Sessions by the number of their first memory, ascending, and their scores; their lengths do not count."""
    is_known = np.zeros(size, np.bool_)
    is_known[found.session] = True
    known = np.flatnonzero(is_known)
    places = np.zeros(size, np.int32)
    places[known] = np.arange(len(known), dtype=np.int32)
    shape = int(found.term[-1]) + 1, len(known)
    counts = _added_up(found.term * len(known) + places[found.session], found.tf, math.prod(shape)).reshape(shape)
    weights = idf(sessions, np.count_nonzero(counts, axis=1))
    return known, weights @ tf_weight(counts, np.ones(1), 1.0)


def _best(scores: Floats, limit: int, commonest: float) -> Ints:
    """Numbers of the best `limit` with a score; of equal ones the first.

    Memories that hold nothing but the commonest term, which may be half of all, are left out where others suffice.
    """
    found = np.flatnonzero(scores > commonest)
    if len(found) < limit:
        found = np.flatnonzero(scores > 0)
    if len(found) <= limit:
        return found
    values = scores[found]
    least = np.partition(values, -limit)[-limit]
    better = found[values > least]
    equal = found[values == least]
    return np.concatenate([better, equal[: limit - len(better)]])
