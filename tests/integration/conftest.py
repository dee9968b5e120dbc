"""The warm and the hot path on a fresh database, with an embedder that needs no weights."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from shared.settings import Settings
from shared.store.db import Database
from shared.testing import HashEmbedder, RecordingBell
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Result, Services, perform


@pytest.fixture
def bell() -> RecordingBell:
    return RecordingBell()


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> HashEmbedder:
    """The embedder of both paths."""
    fake = HashEmbedder()
    monkeypatch.setattr("warmpath._door.embedder", lambda _: fake)
    monkeypatch.setattr("hotpath._embed.embedder", lambda _: fake)
    return fake


@pytest.fixture
def services(opened: Database, environment: Settings, bell: RecordingBell, embedder: HashEmbedder) -> Services:
    return Services(database=opened, settings=environment, bell=bell, embedder=lambda: embedder)


@pytest.fixture
def door(services: Services) -> Door:
    """A front door whose rings nobody hears."""
    return Door(services)


@pytest.fixture
def work_off(services: Services, bell: RecordingBell) -> Callable[[], list[Result]]:
    """Do everything that has been rung for, and what that rings for, in order."""

    def do() -> list[Result]:
        results = []
        while bell.rung:
            stage, work = bell.rung.pop(0)
            result = perform(services, stage, STAGES[stage], work)
            results += [result] if result else []
        return results

    return do
