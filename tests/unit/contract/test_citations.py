from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.contract.citations import check_citations, sentences


@pytest.mark.parametrize(
    "answer",
    [
        "Bees [m1][m2].",
        "Bees [m1] [m2].",
        "Bees [m1, m2].",
        "Bees [m1,m2].",
        "Bees [m1; m2].",
        "Bees (m1, m2).",
        "Bees (m1)(m2).",
        "Bees [m1 and m2].",
        "Bees [m1, and m2].",
        "Bees [M1, M2].",
        "Bees. [m1][m2]",
        "Bees.[m1, m2]",
        "Bees [m1~5f0c, m2~00ab].",
        "Bees (see m1, m2).",
        "Bees [sources: m1, m2].",
        "养蜂[m1][m2]。",
        "- Bees [m1]\n- Wasps [m2]",
    ],
)
def test_every_way_to_cite_two_items_is_understood(answer: str) -> None:
    made = check_citations(answer, [1, 2, 3])
    assert (made.cited, made.unknown, made.uncited, made.without) == (("m1", "m2"), (), ("m3",), ())
    assert made.holds


@pytest.mark.parametrize("answer", ["See m1.", "[1] and [2]", "[mine] (me)", "m1, m2", "list[m1 + 1]", "[m]", "[m 1]"])
def test_what_is_no_citation_is_not_taken_for_one(answer: str) -> None:
    made = check_citations(answer, [1, 2])
    assert (made.cited, made.unknown) == ((), ())


def test_ids_that_are_not_in_the_bundle_are_named_and_support_nothing() -> None:
    made = check_citations("Two hives [m9]. In Porto [m1, m8].", [1])
    assert (made.cited, made.unknown, made.without) == (("m1",), ("m9", "m8"), ("Two hives [m9].",))
    assert not made.holds


def test_sentences_without_a_citation_are_named_word_for_word() -> None:
    answer = "She keeps bees [m1]. They are behind the garage. Dr. Ant, of 3.5 St. Ives, e.g., helps! [m2] Really?"
    made = check_citations(answer, [1, 2])
    assert made.without == ("They are behind the garage.", "Really?")


def test_a_citation_belongs_to_the_sentence_that_it_follows() -> None:
    assert sentences("One. [m1] Two [m2]. Three") == ["One. [m1]", "Two [m2].", "Three"]
    assert sentences("一。[m1]二[m2]。") == ["一。[m1]", "二[m2]。"]
    assert sentences('He said "no." [m1]\n\n1. First\n2. Second [m2]') == ['He said "no." [m1]', "First", "Second [m2]"]
    assert sentences("…\n\n- \n[m1]") == []


def test_an_empty_answer_cites_nothing_and_leaves_nothing_uncited_but_items() -> None:
    made = check_citations("", [1, 2])
    assert (made.cited, made.unknown, made.uncited, made.without) == ((), (), ("m1", "m2"), ())


@given(st.text(), st.lists(st.integers(1, 50), unique=True))
def test_whatever_is_answered_every_item_is_cited_or_not_and_no_word_is_lost(answer: str, ordinals: list[int]) -> None:
    made = check_citations(answer, ordinals)
    assert {*made.cited, *made.uncited} == {f"m{each}" for each in ordinals}
    assert set(made.cited).isdisjoint(made.uncited)
    assert set(made.unknown).isdisjoint({*made.cited, *made.uncited})
    letters = "".join(sentences(answer))
    assert all(character in letters for character in answer if character.isalpha())


def test_a_long_answer_takes_no_longer_than_it_is_long() -> None:
    began = time.process_time()
    for text in ("a. " * 200_000, "[m1" * 200_000, "." * 500_000, "[m1, " * 100_000, "(m1 " * 100_000 + ")"):
        check_citations(text, [1])
    assert time.process_time() - began < 10
