"""The sparse channel's scores are those of the formula."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotpath import _sparse
from shared.contract.scope import Owner
from shared.language import bm25
from shared.language.indexing import Indexed
from shared.store.postings import Entries, Statistics, entries_by_term

MIRA, ROOM = Owner("mira"), Owner("room:harbour")
WORDS = st.sampled_from("abcdefgh")
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=12), min_size=1, max_size=12)
QUERY = st.lists(WORDS, min_size=1, max_size=5, unique=True)


def view(
    texts: list[list[str]], owner: Owner, *, sessions: list[int] | None = None
) -> tuple[dict[tuple[Owner, str], Entries], Statistics]:
    first = sessions or [1] * len(texts)
    indexed = [
        Indexed(doc=doc, session=first[doc - 1], counts={w: text.count(w) for w in text}, length=len(text))
        for doc, text in enumerate(texts, 1)
    ]
    entries = {(owner, term): part for term, part in entries_by_term(indexed).items()}
    statistics = Statistics(documents=len(texts), length_sum=sum(map(len, texts)), sessions=len(set(first)))
    return entries, statistics


@given(TEXTS, QUERY)
def test_the_words_score_equals_the_formula(texts: list[list[str]], query: list[str]) -> None:
    entries, statistics = view(texts, MIRA)
    wanted = {key: part for key, part in entries.items() if key[1] in query}
    expected = bm25.score_texts(query, texts)
    scored = _sparse.score(query, wanted, {MIRA: statistics})
    got = scored[0].words if scored else np.zeros(len(texts) + 2)
    padded = np.zeros(len(texts) + 2)
    padded[1 : len(got) - 1] = got[1:-1]
    np.testing.assert_allclose(padded[1 : len(texts) + 1], expected, rtol=1e-9)


@given(TEXTS, TEXTS, QUERY)
def test_two_streams_are_scored_by_the_statistics_of_both(
    mine: list[list[str]], ours: list[list[str]], query: list[str]
) -> None:
    (mine_entries, mine_statistics), (our_entries, our_statistics) = view(mine, MIRA), view(ours, ROOM)
    wanted = {key: part for key, part in (mine_entries | our_entries).items() if key[1] in query}
    expected = bm25.score_texts(query, [*mine, *ours])
    for scores in _sparse.score(query, wanted, {MIRA: mine_statistics, ROOM: our_statistics}):
        part = expected[: len(mine)] if scores.owner == MIRA else expected[len(mine) :]
        for doc, value in enumerate(part, 1):
            assert (scores.words[doc] if doc < len(scores.words) else 0.0) == np.float64(value) or np.isclose(
                scores.words[doc], value
            )


@given(TEXTS, QUERY)
def test_coverage_is_one_for_a_memory_with_every_term_and_zero_for_one_with_none(
    texts: list[list[str]], query: list[str]
) -> None:
    entries, statistics = view([*texts, query], MIRA)
    (scores,) = _sparse.score(
        query, {key: part for key, part in entries.items() if key[1] in query}, {MIRA: statistics}
    )
    assert np.isclose(scores.coverage[len(texts) + 1], 1.0)
    for doc, text in enumerate(texts, 1):
        assert (scores.coverage[doc] > 0) == bool(set(text) & set(query))


def test_the_memory_before_counts_within_a_session_and_not_across_two() -> None:
    texts = [["a"], ["b"], ["a"], ["b"]]
    entries, statistics = view(texts, MIRA, sessions=[1, 1, 3, 4])
    (scores,) = _sparse.score(["a", "b"], entries, {MIRA: statistics})
    assert scores.words_before[2] > scores.words_before[1]
    assert scores.words_before[4] == scores.words_before[1]
    assert scores.neighbour(np.array([1]), np.array([1])) == scores.words[2]
    assert scores.neighbour(np.array([3]), np.array([3])) == 0.0


def test_a_memory_without_a_term_counts_with_the_one_before_it_only_if_that_is_of_its_session() -> None:
    entries, statistics = view([["a"], ["b"], ["b"]], MIRA, sessions=[1, 2, 2])
    (scores,) = _sparse.score(["a"], {key: part for key, part in entries.items() if key[1] == "a"}, {MIRA: statistics})
    docs = np.array([1, 2, 3, 4])
    of_another, of_the_same = (
        scores.together(docs, np.array([1, 2, 2, 2])),
        scores.together(docs, np.array([1, 1, 1, 1])),
    )
    assert of_another[0] == of_the_same[0] == scores.words_before[1] > 0
    assert (of_another[1], of_another[2], of_another[3]) == (0.0, 0.0, 0.0)
    assert (of_the_same[1] > 0, of_the_same[2], of_the_same[3]) == (True, 0.0, 0.0)


def test_terms_that_nobody_used_lower_the_coverage_and_break_nothing() -> None:
    entries, statistics = view([["a"]], MIRA)
    (scores,) = _sparse.score(["a", "z"], entries, {MIRA: statistics})
    assert 0 < scores.coverage[1] < 1
    assert _sparse.score(["z"], {}, {MIRA: statistics}) == []
    assert _sparse.score(["a"], {}, {}) == []


@given(TEXTS, QUERY, st.integers(1, 12))
def test_the_best_are_those_with_the_highest_scores(texts: list[list[str]], query: list[str], limit: int) -> None:
    entries, statistics = view(texts, MIRA)
    wanted = {key: part for key, part in entries.items() if key[1] in query}
    for scores in _sparse.score(query, wanted, {MIRA: statistics}):
        best = set(scores.best(limit).tolist())
        for values in (scores.words, scores.words_before):
            highest = np.sort(values[values > 0])[-limit:]
            assert np.sort(values[list(best)])[-len(highest) :].tolist() == highest.tolist()


def test_the_best_are_by_words_and_by_words_with_those_before_and_of_equal_ones_the_first() -> None:
    texts = [["a"], ["b", "b"], ["b", "c"], ["a"], ["a"], ["a", "a"]]
    entries, statistics = view(texts, MIRA, sessions=[1, 2, 2, 4, 5, 6])
    (scores,) = _sparse.score(["a"], {key: part for key, part in entries.items() if key[1] == "a"}, {MIRA: statistics})
    assert sorted(set(scores.best(2).tolist())) == [1, 6]
    assert sorted(set(scores.best(100).tolist())) == [1, 2, 4, 5, 6, 7], (
        "with those after them, which may be read with them"
    )


def test_a_word_of_grammar_hardly_counts_for_coverage_and_as_ever_for_the_score() -> None:
    entries, statistics = view([["a"], ["b"]], MIRA)
    (as_ever,) = _sparse.score(["a", "b"], entries, {MIRA: statistics})
    (scores,) = _sparse.score(["a", "b"], entries, {MIRA: statistics}, little=frozenset("a"))
    assert scores.coverage[1] < 0.1
    assert scores.coverage[2] > 0.9
    assert scores.words.tolist() == as_ever.words.tolist()
    (all_little,) = _sparse.score(["a", "b"], entries, {MIRA: statistics}, little=frozenset("ab"))
    assert all_little.coverage.tolist() == pytest.approx(as_ever.coverage.tolist())
