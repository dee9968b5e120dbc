"""Rows as arrays, in portions that a statement can take."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shared.store.columns import CHARS, ROWS, portions

LARGE = CHARS // 2 + 1


@given(st.lists(st.integers(min_value=0, max_value=3), max_size=12))
def test_every_row_is_in_one_portion_in_order_and_none_is_too_large(sizes: list[int]) -> None:
    rows = [{"number": number, "text": "x" * (size * CHARS // 3)} for number, size in enumerate(sizes)]
    found = list(portions(rows))
    assert [number for columns in found for number in columns["number"]] == list(range(len(rows)))
    assert all(len(columns["text"]) == 1 or sum(map(len, map(str, columns["text"]))) <= CHARS for columns in found)


def test_no_row_makes_no_statement() -> None:
    assert list(portions([])) == []


def test_small_rows_go_by_their_number() -> None:
    found = list(portions({"number": number, "hash": b"x"} for number in range(2 * ROWS + 1)))
    assert [len(columns["hash"]) for columns in found] == [ROWS, ROWS, 1]


def test_two_large_rows_go_alone() -> None:
    assert [columns["n"] for columns in portions({"n": n, "text": "x" * LARGE} for n in range(2))] == [[0], [1]]
