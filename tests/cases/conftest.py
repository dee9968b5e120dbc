"""The cases' words on a fresh database, with work done inline."""

from __future__ import annotations

import psycopg
import pytest

from shared.settings import Settings
from shared.testing import HashEmbedder
from tests.cases.adapter import Words


@pytest.fixture
def words(environment: Settings, owner: psycopg.Connection) -> Words:
    """Daybook with the model that it ships."""
    return Words(owner)


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> HashEmbedder:
    """An embedder without weights, for both paths: for cases in which meaning does not matter."""
    fake = HashEmbedder()
    monkeypatch.setattr("warmpath._door.embedder", lambda _: fake)
    monkeypatch.setattr("hotpath._embed.embedder", lambda _: fake)
    return fake


@pytest.fixture
def no_dense(monkeypatch: pytest.MonkeyPatch, embedder: HashEmbedder) -> None:
    """The channel of meaning gives no answer, so words answer alone."""

    def fail(_: Settings) -> HashEmbedder:
        raise RuntimeError("the channel is off")

    monkeypatch.setattr("hotpath._embed.embedder", fail)
