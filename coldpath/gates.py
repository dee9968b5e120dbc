"""Which gates an installation has: those of a file of its own, or ours."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from shared.contract.errors import InvalidInput, Misconfigured
from shared.contract.measures import GATES, Act, Gate

if TYPE_CHECKING:
    from shared.settings import Settings


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid")

    metric: str
    most: float | None = None
    least: float | None = None
    fewest: int = 1
    act: Act
    says: str


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    gate: list[_Row]


def gates(settings: Settings) -> tuple[Gate, ...]:
    """The gates of `DAYBOOK_GATES`, or those of `shared.contract.measures.GATES` where none are given.

    Raises:
        Misconfigured: the file cannot be read, or a gate in it names no metric, no bound, or no act that there is.
    """
    if settings.gates is None:
        return GATES
    return read(settings.gates)


def read(path: Path) -> tuple[Gate, ...]:
    """The gates of a file; see `gates`."""
    try:
        found = _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
        return tuple(Gate(**row.model_dump()) for row in found.gate)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, ValidationError, InvalidInput) as error:
        msg = f"DAYBOOK_GATES: {path} has no gates that can be used: {error}; docs/operations.md has an example"
        raise Misconfigured(msg) from error
