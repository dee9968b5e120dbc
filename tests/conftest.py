"""Real servers, once for the whole run; a database of its own for each test that asks for one."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from shared.embedded import Endpoints, discard, hold
from shared.settings import Settings, load, settings
from shared.store.db import Database, database, forget_pools
from shared.testing import Urls, fresh_database, make_template

for _name in [name for name in os.environ if name.startswith("DAYBOOK_")]:
    del os.environ[_name]


@pytest.fixture(scope="session")
def server_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return load(data_dir=tmp_path_factory.mktemp("daybook"))


@pytest.fixture(scope="session")
def servers(server_settings: Settings) -> Iterator[Endpoints]:
    """A real Postgres and a real Valkey."""
    with hold(server_settings) as endpoints:
        make_template(Urls(database_url=endpoints.database_url, migrate_url=endpoints.migrate_url), partitions=4)
        yield endpoints
    discard(server_settings)


@pytest.fixture
def urls(servers: Endpoints) -> Iterator[Urls]:
    """A fresh, migrated database."""
    with fresh_database(Urls(database_url=servers.database_url, migrate_url=servers.migrate_url)) as fresh:
        yield fresh
        if "hotpath._log" in sys.modules:
            sys.modules["hotpath._log"].flush()  # nobody writes to a database that is gone
        forget_pools()


@pytest.fixture
def owner(urls: Urls) -> Iterator[psycopg.Connection]:
    """A connection as the schema's owner, for looking at tables past every policy, and for damaging them."""
    with psycopg.connect(urls.migrate_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def environment(urls: Urls, servers: Endpoints, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """The process's settings on the fresh database, with work done inline.

    Runs are not read: what is tested is mostly what becomes of words. A test of reading asks for `reading` too.
    """
    monkeypatch.setenv("DAYBOOK_DATABASE_URL", urls.database_url)
    monkeypatch.setenv("DAYBOOK_MIGRATE_URL", urls.migrate_url)
    monkeypatch.setenv("DAYBOOK_REDIS_URL", servers.redis_url)
    monkeypatch.setenv("DAYBOOK_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("DAYBOOK_MODE", "inline")
    monkeypatch.setenv("DAYBOOK_EXTRACTION", "false")
    settings.cache_clear()
    yield settings()
    settings.cache_clear()


@pytest.fixture
def reading(environment: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Runs are read, as they are by default."""
    monkeypatch.setenv("DAYBOOK_EXTRACTION", "true")
    settings.cache_clear()
    return settings()


@pytest.fixture
def opened(environment: Settings, urls: Urls) -> Database:
    """The process's database."""
    return database(urls.database_url, environment)
