"""Rows as arrays, one for each column, as `unnest` takes them: many rows are written by one statement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

ROWS: Final = 1_000
CHARS: Final = 4_000_000
"""Most rows of a statement, and most characters and bytes of them together; one larger row goes alone."""


def portions(rows: Iterable[Mapping[str, object]]) -> Iterator[dict[str, list[object]]]:
    """The rows in order, in portions that a statement can take: each column's values by the column's name."""
    portion: list[Mapping[str, object]] = []
    chars = 0
    for row in rows:
        size = sum(len(value) for value in row.values() if isinstance(value, str | bytes))
        if portion and (len(portion) == ROWS or chars + size > CHARS):
            yield _columns(portion)
            portion, chars = [], 0
        portion.append(row)
        chars += size
    if portion:
        yield _columns(portion)


def _columns(rows: list[Mapping[str, object]]) -> dict[str, list[object]]:
    return {name: [row[name] for row in rows] for name in rows[0]}
