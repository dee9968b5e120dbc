from __future__ import annotations

import time
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.contract.citations import check_citations, cited, sentences

MARKS = {1: "5f0c", 2: "00ab"}


def items(*ordinals: int) -> dict[int, UUID]:
    """Items by ordinal, each with an id of its own."""
    return {each: UUID(f"{MARKS.get(each, f'{each:04x}')}0000-0000-0000-0000-000000000000") for each in ordinals}


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
        "Bees [m1~5f0c user, Tue 4 Mar 2031] [m2~00ab assistant].",
        "Bees [m1-m2].",
        "Bees [m1\u2013m2].",
        "Bees [m1\u20132].",
        "Bees [m1 to m2].",
        "Bees (m1 to m2).",
        "Bees [m1 and 2].",
        "Bees [m1, 2].",
        "Bees \u3010m1\u3011\u3010m2\u3011.",
        "Bees [m1, p. 3] [m2, pp. 4-5].",
        "Bees (m1, p. 3)(m2).",
        "Bees [m1: 'two hives'][m2 above].",
        "Bees (see m1, m2).",
        "Bees [sources: m1, m2].",
        "养蜂[m1][m2]。",
        "- Bees [m1]\n- Wasps [m2]",
    ],
)
def test_every_way_to_cite_two_items_is_understood(answer: str) -> None:
    made = check_citations(answer, items(1, 2, 3))
    assert (made.cited, made.unknown, made.uncited, made.without) == (("m1", "m2"), (), ("m3",), ())
    assert made.holds


@pytest.mark.parametrize(
    "answer",
    ["See m1.", "[1] and [2]", "[mine] (me)", "m1, m2", "list[m1 + 1]", "[m]", "[m 1]", "[m1st]", "(m1 motorway)"],
)
def test_what_is_no_citation_is_not_taken_for_one(answer: str) -> None:
    made = check_citations(answer, items(1, 2))
    assert (made.cited, made.unknown) == ((), ())


def test_ids_that_are_not_in_the_bundle_are_named_and_support_nothing() -> None:
    made = check_citations("Two hives [m9]. In Porto [m1, m8].", items(1))
    assert (made.cited, made.unknown, made.without) == (("m1",), ("m9", "m8"), ("Two hives [m9].",))
    assert not made.holds


def test_sentences_without_a_citation_are_named_word_for_word() -> None:
    answer = "She keeps bees [m1]. They are behind the garage. Dr. Ant, of 3.5 St. Ives, e.g., helps! [m2] Really?"
    made = check_citations(answer, items(1, 2))
    assert made.without == ("They are behind the garage.", "Really?")


def test_a_citation_belongs_to_the_sentence_that_it_follows() -> None:
    assert sentences("One. [m1] Two [m2]. Three") == ["One. [m1]", "Two [m2].", "Three"]
    assert sentences("一。[m1]二[m2]。") == ["一。[m1]", "二[m2]。"]
    assert sentences('He said "no." [m1]\n\n1. First\n2. Second [m2]') == ['He said "no." [m1]', "First", "Second [m2]"]
    assert sentences("…\n\n- \n[m1]") == []


def test_an_empty_answer_cites_nothing_and_leaves_nothing_uncited_but_items() -> None:
    made = check_citations("", items(1, 2))
    assert (made.cited, made.unknown, made.uncited, made.without) == ((), (), ("m1", "m2"), ())


@given(st.text(), st.lists(st.integers(1, 50), unique=True))
def test_whatever_is_answered_every_item_is_cited_or_not_and_no_word_is_lost(answer: str, ordinals: list[int]) -> None:
    made = check_citations(answer, items(*ordinals))
    assert {*made.cited, *made.uncited} == {f"m{each}" for each in ordinals}
    assert set(made.cited).isdisjoint(made.uncited)
    assert set(made.unknown).isdisjoint({*made.cited, *made.uncited})
    letters = "".join(sentences(answer))
    assert all(character in letters for character in answer if character.isalpha())


def test_a_long_answer_takes_no_longer_than_it_is_long() -> None:
    began = time.process_time()
    for text in ("a. " * 200_000, "[m1" * 200_000, "." * 500_000, "[m1, " * 100_000, "(m1 " * 100_000 + ")",
                 " \n" * 200_000, "\r\n" * 200_000, "\n" * 400_000, "." * 400_000 + "x", " " * 400_000,
                 "a.   \n " * 50_000,
                 "[m1-m900]" * 300, "[m1" + " " * 300_000):  # fmt: skip
        check_citations(text, items(1))
    assert time.process_time() - began < 10


def test_the_beginning_of_another_id_is_unknown_and_supports_nothing() -> None:
    made = check_citations("Two hives [m1~00ab]. In Porto [m2~00ab].", items(1, 2))
    assert (made.cited, made.unknown, made.without) == (("m2",), ("m1~00ab",), ("Two hives [m1~00ab].",))


def test_a_page_or_a_number_behind_a_citation_is_none() -> None:
    for answer in ("Bees [m2, p. 1].", "Bees [m2, page 1 and 3].", "Bees [m2, 1 May].", "Bees [m2, see 1]."):
        made = check_citations(answer, items(1, 2))
        assert (made.cited, made.unknown) == (("m2",), ()), answer


def test_a_run_of_citations_cites_all_between_and_a_wild_one_its_ends() -> None:
    assert check_citations("Bees [m2-m5].", items(*range(1, 7))).cited == ("m2", "m3", "m4", "m5")
    made = check_citations("Bees [m1-m999999999].", items(1, 2))
    assert (made.cited, made.unknown) == (("m1",), ("m999999999",))


@pytest.mark.parametrize(
    "answer",
    [
        "U.S. troops came [m1].",
        "The U.K. and the U.S.A. signed [m1].",
        "They met at 5 p.m. on Friday [m1].",
        "Acme Inc. sold it [m1].",
        "J. R. R. Oakes, Ph.D. wrote it [m1].",
        "They grow figs, plums, etc. [m1] in the south.",
    ],
)
def test_the_point_of_an_abbreviation_ends_no_sentence(answer: str) -> None:
    assert check_citations(answer, items(1)).without == ()


def test_a_word_like_an_abbreviation_ends_a_sentence() -> None:
    made = check_citations("They sell figs. He said no. She left [m1].", items(1))
    assert made.without == ("They sell figs.", "He said no.")


def test_a_sentence_that_ends_in_an_abbreviation_ends_with_its_citation() -> None:
    made = check_citations("She moved to the U.S. [m1] He stayed.", items(1))
    assert made.without == ("He stayed.",)


@pytest.mark.parametrize(
    ("text", "ordinal", "mark"),
    [
        ("m3", 3, ""),
        ("[m3]", 3, ""),
        (" m12 ", 12, ""),
        ("m3~5f0c", 3, "5f0c"),
        ("[m3~5F0C]", 3, "5f0c"),
        ("[m3~5f0c user, Tue 4 Mar 2031]", 3, "5f0c"),
        ("m3~5f0c user, Tue 4 Mar 2031", 3, "5f0c"),
        ("[m3, p. 4]", 3, ""),
    ],
)
def test_one_citation_is_read_as_an_answer_or_the_block_writes_it(text: str, ordinal: int, mark: str) -> None:
    assert cited(text) == (ordinal, mark)


@pytest.mark.parametrize("text", ["", "m0", "m", "3", "x3", "m1 and m2", "[m1-m3]", "m3~5f", str(UUID(int=1))])
def test_what_cites_not_exactly_one_item_is_read_as_none(text: str) -> None:
    assert cited(text) is None
