"""Puts the tables of a run into a page, between two lines that mark their place."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from shared.contract.errors import InvalidInput

if TYPE_CHECKING:
    from pathlib import Path

BEGIN: Final = "<!-- figures: written by `python -m bench --page`, not by hand -->"
END: Final = "<!-- end of the figures -->"


def put(page: Path, figures: str) -> None:
    """Write figures in the place of those that the page has; its headings are one level further down.

    Raises:
        InvalidInput: the page cannot be read or written, or does not have both lines once, in order.
    """
    before, after = _around(page)
    text = "\n".join(f"#{line}" if line.startswith("#") else line for line in figures.strip().splitlines())
    _written(page, f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")


def check(page: Path) -> None:
    """Raise what `put` would, before anything is measured."""
    _around(page)


def relative(file: Path, page: Path) -> str:
    """How the page names a file."""
    return os.path.relpath(file.resolve(), page.resolve().parent).replace(os.sep, "/")


def _around(page: Path) -> tuple[str, str]:
    try:
        text = page.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise InvalidInput(f"cannot read {page}: {error}; give a page that is there", path=str(page)) from error
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end or BEGIN in rest or END in before + after:
        raise InvalidInput(
            f"{page} must hold, once each and in this order, the lines {BEGIN} and {END}", path=str(page)
        )
    return before, after


def _written(page: Path, text: str) -> None:
    try:
        page.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"cannot write {page}: {error}", path=str(page)) from error
