"""Named queries: every statement Daybook runs stands in `sql/*.sql`, under a line `-- name: …`."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Final, LiteralString, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME: Final = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)


@cache
def queries(module: str) -> Mapping[str, LiteralString]:
    """The statements of `sql/<module>.sql` by name.

    They are shipped with the code and hold no value of a caller's, which is why they may pass for literals.
    """
    text = resources.files("shared.store").joinpath("sql", f"{module}.sql").read_text("utf-8")
    _, *parts = _NAME.split(text)
    return {name: cast("LiteralString", body.strip()) for name, body in zip(parts[::2], parts[1::2], strict=True)}
