"""Spellings a slip away: all of them and no others, and none of what is short."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotpath._graph import only_one, unknown_of
from hotpath._spelling import LONGEST_CHARS, SHORTEST, spellings
from shared.store.graph import Called

keys = st.text(string.ascii_lowercase[:6] + " ", min_size=4, max_size=9).map(lambda key: " ".join(key.split()))


def slips(one: str, other: str) -> int:
    """How many slips are between two words, by the table of optimal string alignment."""
    rows: list[list[int]] = [[*range(len(other) + 1)]]
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, against in enumerate(other, 1):
            row.append(min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (letter != against)))
            if i > 1 and j > 1 and (letter, against) == (other[j - 2], one[i - 2]):
                row[-1] = min(row[-1], rows[-2][j - 2] + 1)
        rows.append(row)
    return rows[-1][-1]


def letters(key: str) -> int:
    return sum(map(str.isalpha, key))


@given(keys)
def test_each_spelling_is_one_slip_away_and_long_enough(key: str) -> None:
    found = spellings(key)
    assert len(found) == len({*found})
    for each in found:
        assert slips(key, each) == 1, (key, each)
        assert letters(each) >= SHORTEST


@given(keys, keys)
def test_what_is_one_slip_away_is_among_the_spellings(one: str, other: str) -> None:
    is_near = (
        slips(one, other) == 1 and min(letters(one), letters(other)) >= SHORTEST and one.count(" ") >= other.count(" ")
    )
    assert not is_near or other in spellings(one)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("lindgern", "lindgren"),
        ("kowlaski", "kowalski"),
        ("ristretto", "ristreto"),
        ("соколва", "соколова"),
        ("παπαδοπουλυ", "παπαδοπουλου"),
        ("tove lindgrn", "tove lindgren"),
    ],
)
def test_slips_as_they_happen_are_among_them_in_every_alphabet_known_here(written: str, meant: str) -> None:
    assert meant in spellings(written)
    assert len(spellings(written)) < 1_500


@pytest.mark.parametrize("key", ["tove", "kx 204", "", "x" * (LONGEST_CHARS + 1)])
def test_what_has_few_letters_or_very_many_has_no_other_spelling(key: str) -> None:
    assert spellings(key) == []


def test_a_name_is_unknown_where_nobody_was_found_by_it_or_by_a_part_of_it() -> None:
    found = [
        Called(asked="brandt", name="oskar brandt", memories=1),
        Called(asked="tove", name="tove", memories=2),
        Called(asked="mira", name="mira stone", memories=2),
    ]
    assert unknown_of(["brandt", "tove lind", "mira holt", "graz"], found) == ["mira holt", "graz"]


def test_one_of_several_is_meant_by_nobody() -> None:
    assert only_one({"brandt"}) == "brandt"
    assert only_one({"brandt", "brandl"}) is None
    assert only_one(set()) is None
