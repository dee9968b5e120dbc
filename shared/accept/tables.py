"""Passwords in the cells of a table: `| password | hunter2 |`, and columns that a header calls so. Pure."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from shared.accept.labels import keywords, kind_of
from shared.accept.likeness import looks_like_key
from shared.accept.wholly import is_wholly_description

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.accept.known_secrets import Found

_RULE: Final = re.compile(r"[\s|:+-]+")
_SEPARATORS: Final = ("|", "\t", ",", ";")
_MOST_CELLS: Final = 64
_LONGEST_LABEL: Final = 40
_MARKS: Final = "*_`\"' \t"

Cell = tuple[int, int]
"""Start and end of what a cell says, without the space and marks around it."""


def tables(text: str) -> Iterator[Found]:
    """The secrets of a text's tables, written with bars, tabs, commas or semicolons. Linear in the text."""
    if "|" not in text and "\n" not in text:
        return
    at = 0
    columns: dict[int, re.Match[str]] = {}
    separator = ""
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        if columns and separator not in line:
            columns = {}
        if columns and _RULE.fullmatch(line):
            continue
        if columns:
            yield from _of_row(text, _cells(line, start, separator), columns)
        separator, columns = (separator, columns) if columns else _header(text, line, start)
        if separator == "|" and "|" in line:
            yield from _beside(text, _cells(line, start, "|"))


def _header(text: str, line: str, start: int) -> tuple[str, dict[int, re.Match[str]]]:
    """The separator of a header's cells and the labels of its columns; none where a line is none."""
    for separator in _SEPARATORS:
        if separator not in line:
            continue
        cells = _cells(line, start, separator)
        labels = {n: label for n, cell in enumerate(cells) if (label := _label(text, cell))}
        if labels and len(cells) > 1 and (separator == "|" or _is_of_names(text, cells)):
            return separator, labels
    return "|" if "|" in line else "", {}


def _cells(line: str, start: int, separator: str) -> list[Cell]:
    found: list[Cell] = []
    at = start
    for part in line.split(separator)[:_MOST_CELLS]:
        said = part.strip().strip(_MARKS)
        begins = at + part.find(said) if said else at
        found.append((begins, begins + len(said)))
        at += len(part) + len(separator)
    return found


def _label(text: str, cell: Cell) -> re.Match[str] | None:
    said = text[slice(*cell)].lower()
    if not said or len(said) > _LONGEST_LABEL:
        return None
    return next((label for label in keywords(f"{said}:") if label.end() == len(said)), None)


def _is_of_names(text: str, cells: list[Cell]) -> bool:
    """Whether every cell is a single short word, as in the header of a file of comma separated values."""
    return all(0 < end - start < 30 and " " not in text[start:end] for start, end in cells)  # noqa: PLR2004 - a name


def _of_row(text: str, cells: list[Cell], columns: dict[int, re.Match[str]]) -> Iterator[Found]:
    for column, label in columns.items():
        if column < len(cells) and _is_secret(label, text[slice(*cells[column])]):
            yield *cells[column], kind_of(label)


def _beside(text: str, cells: list[Cell]) -> Iterator[Found]:
    """The cell after one that is a label, in a row of a label and a value."""
    for cell, following in pairwise(cells):
        label = _label(text, cell)
        value = text[slice(*following)]
        if label and _is_secret(label, value) and not _label(text, following) and len(value.split()) < 5:  # noqa: PLR2004
            yield *following, kind_of(label)


def _is_secret(label: re.Match[str], value: str) -> bool:
    if not value or value.startswith("[redacted"):
        return False
    return looks_like_key(value) if label["key"] else not is_wholly_description(value.split())
