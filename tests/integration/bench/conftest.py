"""A fresh database as a place to measure, with an embedder that needs no weights."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bench.place import Place
from shared.settings import Settings
from shared.store.db import Database
from shared.testing import HashEmbedder, Urls


@pytest.fixture
def where(
    urls: Urls, environment: Settings, opened: Database, embedder: HashEmbedder, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Place]:
    monkeypatch.setattr("bench.place.embedder", lambda _: embedder)
    return Place(settings=environment, database=opened, database_url=urls.database_url, migrate_url=urls.migrate_url)
