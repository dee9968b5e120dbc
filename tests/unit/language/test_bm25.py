from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from shared.language.bm25 import K1, B, Postings, fresh_scores, idf, score, score_texts, tf_weight

WORDS = st.sampled_from(["bees", "honey", "hive", "queen", "smoke", "frame"])
QUERY = st.lists(WORDS, unique=True, min_size=1, max_size=4)
CORPUS = st.lists(st.lists(WORDS, max_size=12), max_size=10)


def postings_of(query: list[str], corpus: list[list[str]], numbers: list[int]) -> list[Postings]:
    counts = [Counter(document) for document in corpus]
    found = []
    for term in query:
        rows = [(n, c[term], len(d)) for n, c, d in zip(numbers, counts, corpus, strict=True) if c[term]]
        columns = np.array(rows, np.int64).reshape(-1, 3).T
        found.append(
            Postings(documents=columns[0], frequencies=columns[1], lengths=columns[2], document_frequency=len(rows))
        )
    return found


def average_length(corpus: list[list[str]]) -> float:
    return sum(map(len, corpus)) / len(corpus) if corpus else 0.0


@settings(deadline=None)
@given(QUERY, CORPUS, st.sampled_from([1, 1_000_000_007]))
def test_scoring_postings_equals_the_plain_formula(query: list[str], corpus: list[list[str]], spread: int) -> None:
    numbers = [place * spread for place in range(len(corpus))]
    documents, scores = score(
        postings_of(query, corpus, numbers), documents=len(corpus), average_length=average_length(corpus)
    )
    plain = dict(zip(numbers, score_texts(query, corpus), strict=True))
    assert dict(zip(documents.tolist(), scores.tolist(), strict=True)) == pytest.approx(
        {number: value for number, value in plain.items() if value > 0}
    )
    assert documents.dtype == np.int64
    assert documents.tolist() == [n for _, n in sorted(zip((-scores).tolist(), documents.tolist(), strict=True))]


@settings(deadline=None)
@given(QUERY, CORPUS.filter(any))
def test_the_formula_is_okapi_of_rank_bm25_but_for_the_idf(query: list[str], corpus: list[list[str]]) -> None:
    theirs = BM25Okapi(corpus, k1=K1, b=B)
    theirs.idf = {
        term: idf(len(corpus), sum(term in frequencies for frequencies in theirs.doc_freqs)) for term in theirs.idf
    }
    assert score_texts(query, corpus) == pytest.approx(theirs.get_scores(query).tolist())


@pytest.mark.parametrize(("size", "holding"), [(1, 1), (2, 1), (4, 2), (4, 4)])
def test_in_a_tiny_store_what_holds_the_word_comes_first_and_scores_above_zero(size: int, holding: int) -> None:
    corpus = [["bees", "hum"]] * holding + [["rain", "fell"]] * (size - holding)
    for scores in (score_texts(["bees"], corpus), fresh_scores(["bees"], corpus)):
        assert all(value > 0 for value in scores[:holding])
        assert all(value == 0 for value in scores[holding:])


@pytest.mark.parametrize("corpus", [[], [[]], [[], [], []]])
def test_an_empty_store_and_one_of_blank_documents_score_nothing(corpus: list[list[str]]) -> None:
    assert score_texts(["bees"], corpus) == [0] * len(corpus)
    assert fresh_scores(["bees"], corpus) == [0] * len(corpus)
    documents, scores = score(postings_of(["bees"], corpus, list(range(len(corpus)))), documents=0, average_length=0)
    assert documents.size == scores.size == 0


def test_no_query_terms_score_nothing() -> None:
    assert score_texts([], [["bees"]]) == [0]
    assert fresh_scores([], [["bees"]]) == [0]
    assert score([], documents=1, average_length=1)[0].size == 0


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_idf_is_above_zero_and_falls_as_a_term_becomes_common(documents: int, frequency: int) -> None:
    assert idf(documents, frequency) > 0
    assert idf(documents, frequency) >= idf(documents, frequency + 1)
    assert idf(documents, np.array([frequency]))[0] == pytest.approx(idf(documents, frequency))


def test_idf_is_the_non_negative_form() -> None:
    assert idf(10, 3) == pytest.approx(math.log(1 + (10 - 3 + 0.5) / (3 + 0.5)))


def test_lagging_statistics_give_a_score_all_the_same() -> None:
    assert tf_weight(2, 5, 0) == tf_weight(2, 7, 7)
    assert idf(0, 4) > 0


@given(st.integers(1, 1000), st.integers(1, 1000), st.floats(0.5, 1000))
def test_a_term_weighs_more_the_oftener_it_occurs_and_never_more_than_k1_plus_one(
    tf: int, length: int, average: float
) -> None:
    assert 0 == tf_weight(0, length, average) < tf_weight(tf, length, average) < tf_weight(tf + 1, length, average)
    assert tf_weight(tf, length, average) < K1 + 1


def test_equal_scores_are_ordered_by_document_number() -> None:
    postings = Postings(
        documents=np.array([9, 2, 5]),
        frequencies=np.array([1, 1, 1]),
        lengths=np.array([3, 3, 3]),
        document_frequency=3,
    )
    assert score([postings], documents=3, average_length=3)[0].tolist() == [2, 5, 9]


# fresh_scores


@settings(deadline=None)
@given(QUERY, CORPUS)
def test_a_fresh_score_is_a_share_and_zero_exactly_where_nothing_matches(
    query: list[str], corpus: list[list[str]]
) -> None:
    for document, value in zip(corpus, fresh_scores(query, corpus), strict=True):
        assert 0 <= value < 1
        assert (value > 0) == bool(set(query) & set(document))


def test_a_fresh_message_that_covers_the_query_beats_one_that_repeats_a_word_of_it() -> None:
    corpus = [["bees", "hive", "moved"], ["bees"] * 30, ["rain", "fell"]]
    covering, repeating, neither = fresh_scores(["bees", "hive"], corpus)
    assert covering > repeating > neither == 0


def test_a_word_that_no_fresh_message_holds_lowers_every_share() -> None:
    assert fresh_scores(["bees", "volcano"], [["bees"]])[0] < fresh_scores(["bees"], [["bees"]])[0]
