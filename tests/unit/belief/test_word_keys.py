"""Texts of nearly the same words have a key in common; most others have none."""

from __future__ import annotations

from random import Random

import pytest

from shared.belief.similarity import overlaps
from shared.belief.word_keys import keys


def order(word: str) -> tuple[int, str]:
    """Words that stand in one text alone come first."""
    return not word.startswith("rare"), word


@pytest.mark.parametrize("count", [1, 8, 9, 10, 19, 20, 30, 45, 54, 55, 56, 90, 300])
def test_whatever_is_left_out_the_longer_and_the_shorter_have_a_key_in_common(count: int) -> None:
    random = Random(count)
    for _ in range(200):
        longer = tuple(f"{random.choice(['rare', 'word'])}-{random.randrange(count)}" for _ in range(count))
        gone = set(random.sample(range(count), random.randint(0, count // 10)))
        shorter = tuple(word for place, word in enumerate(longer) if place not in gone)
        assert overlaps(shorter, longer)
        assert set(keys(longer, order)) & set(keys(shorter, order)), gone


def test_of_few_words_none_may_be_left_out_and_no_words_have_no_key() -> None:
    assert set(keys(("tea", "strong"), order)).isdisjoint(keys(("tea",), order))
    assert list(keys((), order)) == []


@pytest.mark.parametrize("count", [5, 15, 40, 60, 2_000])
def test_there_are_few_keys_however_long_a_text_is(count: int) -> None:
    assert len(set(keys(tuple(f"word-{place}" for place in range(count)), order))) <= 50 + count // 10
