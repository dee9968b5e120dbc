"""What is near to something new: by rare words, and in turns with vectors."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shared.belief import neighbours
from shared.belief.neighbours import Sentence, by_words, in_turns


def sentences(*texts: str, agent: str | None = None) -> list[Sentence]:
    return [Sentence(number, text, number, agent) for number, text in enumerate(texts, 1)]


def test_what_shares_the_rarest_words_is_the_nearest_and_nothing_is_near_to_itself() -> None:
    held = sentences("Mira eats ham.", "Mira has a boat.", "Mira eats ham and cheese.", "Mira runs.", "Tove sails.")
    near = by_words(held[2:3], held, most=3)
    assert near[3][0] == 1
    assert 3 not in near[3]
    assert 5 not in near[3]


def test_another_agents_memories_are_near_to_nobody() -> None:
    mine, theirs = sentences("Mira eats ham."), sentences("Mira eats ham.", agent="scout")
    assert by_words(mine, [Sentence(9, "Mira eats ham.", 9, "scout"), *mine], most=3) == {1: []}
    assert by_words(theirs, [Sentence(9, "Mira eats ham.", 9, "scout")], most=3) == {1: [9]}


def test_a_word_that_many_have_finds_nobody(monkeypatch) -> None:
    monkeypatch.setattr(neighbours, "COMMONEST", 3)
    held = sentences(*[f"Mira has boat {number}." for number in range(5)], "Mira sails.", "Tove sails.")
    assert by_words(held[5:6], held, most=9) == {6: [7]}


def test_several_orders_take_turns_and_each_comes_once() -> None:
    assert in_turns([1, 2, 3], [2, 4]) == [1, 2, 4, 3]
    assert in_turns([], [5]) == [5]


@given(st.lists(st.sampled_from(["red gate", "green gate", "red boat", "blue sky"]), max_size=8), st.integers(1, 3))
def test_whatever_is_held_no_more_than_asked_for_are_near_and_the_order_of_reading_is_all_one(
    texts: list[str], most: int
) -> None:
    held = sentences(*texts)
    near = by_words(held, held, most=most)
    assert all(len(each) <= most and doc not in each for doc, each in near.items())
    assert near == by_words(held, held[::-1], most=most)
