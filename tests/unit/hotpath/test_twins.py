"""One fact said five times is one line; two facts that look alike are two."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotpath._twins import collapse, words_of
from shared.contract.scope import Owner
from tests.unit.hotpath.pieces import START, anything, piece


def are_twins(one: str, other: str) -> bool:
    return len(collapse([piece(1, one), piece(2, other)])) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("My sister Tove lives in Porto.", "my sister Tove lives in Porto"),
        ("My sister Tove lives in Porto.", "Well, as I said, my sister Tove really lives in Porto!"),
        ("My sister Tove lives in Porto.", "By the way, my sister Tove lives in Porto."),
        ("I keep two beehives.", "Oh, I also keep two beehives, btw"),
        ("The gate code is 4417.", "Hey! The gate code is 4417"),
        ("Don't call me.", "don’t call me"),
        ("ＡＢＣ", "abc"),
        ("犬の名前はモチです。", "犬の名前はモチです"),
        ("so so", "so so"),
        ("I keep\n two   beehives", "I keep two beehives"),
    ],
)
def test_what_says_the_same_but_for_fillers_is_a_near_twin(one: str, other: str) -> None:
    assert are_twins(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The gate code is 4417.", "The gate code is 4471."),
        ("I paid 3.5 for it", "I paid 35 for it"),
        ("I paid $5", "I paid €5"),
        ("It was -5 outside", "It was 5 outside"),
        ("We meet at 10:30", "We meet at 1030"),
        ("I ate two", "I ate three"),
        ("We meet on Monday", "We meet on Tuesday"),
        ("I go on 3 May", "I go on 4 May"),
        ("Tove lives in Porto", "Oskar lives in Porto"),
        ("I eat nuts", "I never eat nuts"),
        ("I can eat nuts", "I can't eat nuts"),
        ("Ich esse Nüsse", "Ich esse keine Nüsse"),
        ("我吃坚果", "我不吃坚果"),
        ("I live in Porto", "I lived in Porto"),
        ("I live in Porto", "I still live in Porto"),
        ("I live in Porto.", "I live in Porto?"),
        ("I am pregnant", "I am pregnant again"),
        ("I am well", "I am not well"),
        ("I am not well", "I am not"),
        ("Tove told Oskar", "Oskar told Tove"),
        ("I got the job :)", "I got the job :("),
        ("the bees", "the wasps"),
        ("", "tea"),
    ],
)
def test_a_number_date_name_sign_tense_negation_order_or_question_makes_two(one: str, other: str) -> None:
    assert not are_twins(one, other)


@pytest.mark.parametrize(
    "other",
    [
        {"speaker": "Tove"},
        {"owner": Owner("room:harbour")},
        {"role": "assistant"},
        {"origin": "web"},
        {"kind": "semantic", "epistemic_type": "fact"},
        {"epistemic_type": "opinion"},
        {"until": START},
        {"group": "mira/lives in"},
    ],
)
def test_who_said_it_and_what_it_is_make_two_of_the_same_words(other: dict) -> None:
    assert len(collapse([piece(1, "I keep bees"), piece(2, "I keep bees", **other)])) == 2


def test_the_best_stands_for_all_and_the_order_of_hits_stays() -> None:
    hits = [piece(1, "one"), piece(2, "two"), piece(3, "One."), piece(4, "three"), piece(5, "oh, one")]
    made = collapse(hits)
    assert [twins.best.doc for twins in made] == [1, 2, 4]
    assert [[other.doc for other in twins.others] for twins in made] == [[3, 5], [], []]


def test_when_it_was_said_and_whether_it_is_fresh_make_no_difference() -> None:
    assert len(collapse([piece(1, "one"), piece(2, "one", at=None), piece(3, "one", fresh=True)])) == 1
    assert len(collapse([piece(1, "one"), piece(2, "one", at=START + timedelta(days=400))])) == 1


@given(st.lists(st.one_of(anything, st.sampled_from(["one", "One.", "oh one", "two"])), max_size=8))
def test_no_hit_is_lost_and_being_a_near_twin_is_an_equivalence(texts: list[str]) -> None:
    hits = [piece(number, text) for number, text in enumerate(texts, 1)]
    made = collapse(hits)
    assert sorted(each.doc for twins in made for each in (twins.best, *twins.others)) == [hit.doc for hit in hits]
    for twins in made:
        assert all(words_of(other.text) == words_of(twins.best.text) for other in twins.others)
        assert all(other.doc > twins.best.doc for other in twins.others)
    assert len({words_of(twins.best.text) for twins in made}) == len(made)


def test_what_was_said_twice_is_one_line_whether_one_of_them_is_held_as_semantic_or_not() -> None:
    again = piece(2, "The gate code is 4417.", kind="semantic")
    assert len(collapse([piece(1, "The gate code is 4417."), again])) == 1
    believed = piece(2, "The gate code is 4417.", kind="semantic", epistemic_type="fact")
    assert len(collapse([piece(1, "The gate code is 4417."), believed])) == 2
