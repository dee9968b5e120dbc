"""The frozen runs are those that were written before the extractor was first scored on them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

import pytest

from gateway.evaluating.runs import load_runs

_FROZEN: Final = Path(__file__).parents[3] / "tests" / "golden" / "frozen"


@pytest.mark.parametrize("folder", [_FROZEN, _FROZEN / "earlier"])
def test_the_frozen_runs_are_as_they_were_before_they_were_first_scored(folder: Path) -> None:
    expected, name = (folder / "SHA256").read_text(encoding="utf-8").split()
    assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == expected


@pytest.mark.parametrize("folder", [_FROZEN, _FROZEN / "earlier"])
def test_the_loader_takes_the_frozen_runs(folder: Path) -> None:
    runs = load_runs(folder)
    assert len(runs) == 30
    assert all(run.language == "en" for run in runs)
