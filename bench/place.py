"""The database that is measured on: an embedded one for this run alone, or the configured one."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from shared.embedded import discard, hold, open_database
from shared.models import embedder
from shared.settings import Settings, using
from shared.store.db import Database, forget_pools
from shared.store.migrate import login_of, migrate, prepare_dense

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.models import Embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a run measures."""

    settings: Settings
    """In force for the length of the run."""
    database: Database
    database_url: str = field(repr=False)
    migrate_url: str = field(repr=False)

    @property
    def embedder(self) -> Embedder:
        """The configured one."""
        return embedder(self.settings)

    def index_vectors(self) -> None:
        """Make the HNSW index, as `daybook migrate` does; after the vectors it takes a tenth of the time."""
        model = self.embedder.model
        prepare_dense(self.migrate_url, model_id=model.key, dimension=model.dimension)

    def settle(self) -> None:
        """Do now what autovacuum does within a minute or two: statistics and visibility, on the tables we own."""
        with psycopg.connect(self.migrate_url, autocommit=True) as connection:
            connection.execute("vacuum (analyze)")


@contextmanager
def place(configured: Settings) -> Iterator[Place]:
    """The configured database, or an embedded one that is new and is deleted afterwards, never the user's own.

    What is fed is never taken back, so with a configured database each run leaves its tenants behind.

    Raises:
        ServiceFailed, Misconfigured: an embedded server could not be had.
    """
    if configured.database_url is not None:
        with _opened(configured) as opened:
            yield opened
        return
    folder = Path(tempfile.mkdtemp(prefix="daybook-bench-"))
    settings = configured.model_copy(update={"data_dir": folder})
    try:
        with _opened(settings) as opened:
            yield opened
    finally:
        discard(settings)


@contextmanager
def _opened(settings: Settings) -> Iterator[Place]:
    with hold(settings) as found, using(settings):
        if settings.database_url is None:
            migrate(found.migrate_url, login=login_of(found.database_url), partitions=settings.partitions)
        try:
            yield Place(
                settings=settings,
                database=open_database(settings),
                database_url=found.database_url,
                migrate_url=found.migrate_url,
            )
        finally:
            forget_pools()
