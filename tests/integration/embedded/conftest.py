"""Data folders, and a look at what still runs when a test is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from shared import embedded
from shared.settings import Settings
from tests.integration.embedded.programs import USE, Program, clear, embedded_in, remaining


@pytest.fixture(scope="session")
def _lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    one = embedded_in(tmp_path_factory.mktemp("lasting") / "daybook")
    yield one
    clear(one)


@pytest.fixture
def settings(_lasting: Settings) -> Iterator[Settings]:
    """A data folder whose servers are stopped. It is one for all tests, since making one takes seconds."""
    yield _lasting
    embedded.stop(_lasting)
    assert remaining(_lasting) == []


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Settings]:
    """A data folder that is not there yet."""
    one = embedded_in(tmp_path / "daybook")
    yield one
    clear(one)


@pytest.fixture
def program() -> Iterator[Callable[..., Program]]:
    begun: list[Program] = []

    def begin(settings: Settings, code: str = USE, **options: Any) -> Program:
        begun.append(Program(settings.data_dir, code, **options))
        return begun[-1]

    yield begin
    for one in begun:
        one.kill()
