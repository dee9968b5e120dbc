"""Named queries: every statement Daybook runs stands in `sql/*.sql`, under a line `-- name: …`.

What several of them share stands once, in `sql/parts.sql`: `{{name}}` in a statement is its place. A name that is none
of those fails where the module that asks for its statements is imported.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Final, LiteralString

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_NAME: Final = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)
_PART: Final = re.compile(r"\{\{(\w+)\}\}")
_COMMENT: Final = re.compile(r"^--.*\n", re.MULTILINE)


@cache
def queries(module: str) -> Mapping[str, LiteralString]:
    """The statements of `sql/<module>.sql` by name.

    They are shipped with the code and hold no value of a caller's, which is why they may pass for literals.
    """
    parts = {} if module == "parts" else queries("parts")
    return {name: whole(body, parts) for name, body in _read(module)}


def whole(body: str, parts: Mapping[str, str]) -> str:
    """A statement with what it shares with others in its place.

    Raises:
        KeyError: there is no such part.
    """
    return _PART.sub(lambda place: _COMMENT.sub("", parts[place[1]]), body)


def _read(module: str) -> Iterator[tuple[str, str]]:
    text = resources.files("shared.store").joinpath("sql", f"{module}.sql").read_text("utf-8")
    _, *parts = _NAME.split(text)
    return zip(parts[::2], map(str.strip, parts[1::2]), strict=True)
