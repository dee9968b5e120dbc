"""The cases' words on a fresh database, with work done inline."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from shared import embedded
from shared.settings import Settings, settings
from shared.store.db import forget_pools
from shared.testing import HashEmbedder
from tests.cases.adapter import Words
from tests.scripted_llm import Entry, ScriptedLlm, scripted


@pytest.fixture
def words(environment: Settings, owner: psycopg.Connection) -> Words:
    """Daybook with the model that it ships."""
    return Words(owner)


@pytest.fixture
def on_a_broker_of_its_own(
    environment: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Settings]:
    """Work is left to workers, on a Valkey that nobody else uses, which may be killed."""
    broker = environment.model_copy(update={"data_dir": tmp_path / "broker", "redis_url": None})
    monkeypatch.setenv("DAYBOOK_REDIS_URL", embedded.endpoints(broker).redis_url)
    monkeypatch.setenv("DAYBOOK_MODE", "workers")
    settings.cache_clear()
    yield settings()
    forget_pools()
    embedded.discard(broker)


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


@pytest.fixture
def learning(words: Words, reading: Settings, embedder: HashEmbedder) -> Words:
    """Daybook that reads what it is told, by rules, with an embedder without weights."""
    return words


@pytest.fixture
def answers(learning: Words, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., ScriptedLlm]]:
    """From a call on, runs are read by a model that answers so, or by a server; further settings by their names."""
    with ExitStack() as servers:

        def answer(*script: Entry | str | ScriptedLlm, **variables: str) -> ScriptedLlm:
            own = [each for each in script if isinstance(each, ScriptedLlm)]
            rest = [each for each in script if not isinstance(each, ScriptedLlm)]
            server = servers.enter_context(own[0] if own else scripted(*rest))
            model = {"MODEL": "openai:scripted", "BASE_URL": server.address, "API_KEY": "sk-nobodys"}
            for name, value in {**{f"EXTRACTION_{key}": each for key, each in model.items()}, **variables}.items():
                monkeypatch.setenv(f"DAYBOOK_{name}", value)
            settings.cache_clear()
            return server

        yield answer
