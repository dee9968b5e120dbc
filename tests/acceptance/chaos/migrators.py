"""Migrators at once, killed, and at work beside the workers."""

from __future__ import annotations

import signal
import sys
from typing import Final, Self
from urllib.parse import urlsplit

import psycopg

from shared.store.db import SCHEMA_VERSION
from tests.acceptance.chaos.points import point
from tests.acceptance.chaos.scene import Scene

_MIGRATE: Final = (sys.executable, "-m", "gateway", "migrate")
_PATIENCE_S: Final = 60
_CATALOG: Final = """
    select table_name, column_name, data_type, is_nullable from information_schema.columns
    where table_schema = 'public' order by 1, 2
"""


def _renamed(url: str, database: str) -> str:
    return urlsplit(url)._replace(path=f"/{database}").geturl()


class _Beside:
    """An empty database beside the one that is worked on."""

    def __init__(self, scene: Scene) -> None:
        endpoints = scene.world.endpoints
        self.name = f"beside_{scene.tenant.replace('-', '_')}"
        self.scene = scene
        self.owner = _renamed(endpoints.migrate_url, self.name)
        self.variables = {
            "DAYBOOK_DATABASE_URL": _renamed(endpoints.database_url, self.name),
            "DAYBOOK_MIGRATE_URL": self.owner,
        }

    def __enter__(self) -> Self:
        self._run(f"create database {self.name}")
        return self

    def __exit__(self, *_: object) -> None:
        self._run(f"drop database {self.name} with (force)")

    def _run(self, statement: str) -> None:
        with self.scene.world.owner() as connection:
            connection.execute(statement)

    def require_whole(self) -> None:
        """See that it has the schema of the database that was migrated undisturbed."""
        with psycopg.connect(self.owner) as connection, self.scene.world.owner() as other:
            found = connection.execute("select version_num from alembic_version").fetchall()
            self.scene.require(found == [(SCHEMA_VERSION,)], f"it is at {SCHEMA_VERSION}, not at {found}")
            same = connection.execute(_CATALOG).fetchall() == other.execute(_CATALOG).fetchall()
            self.scene.require(same, "it has the tables of the other one")
            invalid = connection.execute("select indexrelid::regclass from pg_index where not indisvalid").fetchall()
            self.scene.require(not invalid, f"no index is invalid: {invalid}")


@point("migrators/two", "two migrators at once on an empty database, and one on the database at work")
def _two(scene: Scene) -> None:
    with _Beside(scene) as beside:
        migrators = [scene.start(_MIGRATE, **beside.variables) for _ in range(2)]
        migrators.append(scene.start(_MIGRATE, DAYBOOK_MIGRATE_URL=scene.world.endpoints.migrate_url))
        scene.observe()
        codes = [migrator.wait(_PATIENCE_S) for migrator in migrators]
        scene.require(codes == [0, 0, 0], f"all three end well, not with {codes}")
        beside.require_whole()


@point("migrators/killed", "a migrator killed at three moments of its work, and run again")
def _killed(scene: Scene) -> None:
    with _Beside(scene) as beside:
        codes = [_kill_at(scene, beside, moment) for moment in ("alembic_version", "inbox", "memory_vector")]
        scene.require(-signal.SIGKILL in codes, f"a migrator was killed at its work: {codes}")
        scene.observe()
        scene.require(scene.start(_MIGRATE, **beside.variables).wait(_PATIENCE_S) == 0, "run again it ends well")
        beside.require_whole()


def _kill_at(scene: Scene, beside: _Beside, table: str) -> int:
    """Kill a migrator when it comes to a table; returns how it ended."""
    migrator = scene.start(_MIGRATE, **beside.variables)
    scene.until(lambda: _touches(beside, table) or migrator.poll() is not None, f"the migrator came to {table}")
    migrator.kill()
    return migrator.wait()


def _touches(beside: _Beside, table: str) -> bool:
    """Whether a session has made a table or is at it: also one whose transaction is under way."""
    with psycopg.connect(beside.owner) as connection:
        query = "select exists (select from pg_locks where locktype = 'relation' and mode = 'AccessExclusiveLock')"
        made = connection.execute("select to_regclass(%s) is not null", (f"public.{table}",)).fetchone() == (True,)
        return made or connection.execute(query).fetchone() == (True,)
