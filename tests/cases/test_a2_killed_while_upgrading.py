"""A2: a migrator that is killed anywhere, two that start at once, and workers that meet a schema that is not theirs.

A database of the first release with data in it, real processes, and the newest schema in the end; nothing is lost.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

import gateway
from shared.contract.errors import DatabaseUnavailable
from shared.embedded import Endpoints
from shared.store.db import SCHEMA_VERSION, forget_pools
from shared.store.migrate import migrate, prepare_dense
from shared.testing import HashEmbedder, Urls
from tests.cases.upgrading import (
    LOGIN,
    Contents,
    contents,
    first_release,
    ledger_hashes,
    make_schema,
    read,
    schema,
    version,
)

ROOT = Path(gateway.__file__).parents[1]
PATIENCE_S = 60.0
INVALID = "select count(*) from pg_index where not (indisvalid and indisready and indislive)"
GATE = 4711
"""An advisory lock that whoever comes to a point of interest waits for."""

# Every statement that makes something, every stream, and every step of the version, is a step, in order, of which one
# can be made fatal, or wait at the gate. In a schema of its own.
PROBE = """
    create schema probe;
    create sequence probe.steps;
    create table probe.plan (fatal bigint, gate text);
    insert into probe.plan values (0, '');
    create table probe.passed (what text);
    create function probe.step(what text) returns void language plpgsql security definer as $$
    begin
        if nextval('probe.steps') = (select fatal from probe.plan) then
            perform pg_terminate_backend(pg_backend_pid());
        end if;
        insert into probe.passed values (what);
        if what = (select gate from probe.plan) then
            perform pg_advisory_xact_lock_shared(4711);
        end if;
    end
    $$;
    create function probe.made() returns event_trigger language plpgsql as $$
    begin
        -- Of the same policy for each table, the first stands for all.
        if tg_tag = 'ALTER POLICY' and tg_tag = current_setting('probe.last', true) then
            return;
        end if;
        perform set_config('probe.last', tg_tag, true), probe.step(tg_tag);
    end
    $$;
    create function probe.changed() returns trigger language plpgsql as $$
    begin
        perform probe.step(coalesce(to_jsonb(new)->>'version_num', tg_table_name));
        return new;
    end
    $$;
    create trigger probe_version before update on alembic_version for each row execute function probe.changed();
    create trigger probe_stream before update on sparse_stream for each row execute function probe.changed();
    grant usage on schema probe to public;
    create event trigger probe_made on ddl_command_end execute function probe.made();
"""
PROGRAM = """
import sys
from shared.store.migrate import migrate, prepare_dense
migrate(sys.argv[1], login="daybook", partitions=8)
prepare_dense(sys.argv[1], model_id=sys.argv[2], dimension=384)
"""


@pytest.fixture
def urls(servers: Endpoints) -> Iterator[Urls]:
    """A database as the first release left it."""
    with first_release(servers) as old:
        yield old
        forget_pools()


@pytest.fixture
def probed(urls: Urls, owner: psycopg.Connection) -> psycopg.Connection:
    """The owner of a database in which the steps of a migration are counted."""
    owner.execute(PROBE)
    return owner


@pytest.fixture
def environ(urls: Urls, servers: Endpoints, tmp_path: Path) -> dict[str, str]:
    """What a process of ours is started with."""
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "LANG": "C.UTF-8",
        "DAYBOOK_DATA_DIR": str(tmp_path / "data"),
        "DAYBOOK_DATABASE_URL": urls.database_url,
        "DAYBOOK_MIGRATE_URL": urls.migrate_url,
        "DAYBOOK_REDIS_URL": servers.redis_url or "",
    }


@contextmanager
def started(environ: dict[str, str], *arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=PATIENCE_S)


def wait_for(condition: Callable[[], Any], process: subprocess.Popen[str] | None = None) -> Any:
    deadline = time.monotonic() + PATIENCE_S
    while not (found := condition()):
        if process is not None and process.poll() is not None:
            pytest.fail(f"the process has ended: {process.communicate()}")
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.01)
    return found


def plan(connection: psycopg.Connection, *, fatal: int = 0, gate: str = "") -> None:
    connection.execute("update probe.plan set fatal = %s, gate = %s", (fatal, gate))
    connection.execute("select setval('probe.steps', 1, false)")


def others(connection: psycopg.Connection, condition: str) -> int:
    """How many server processes of others in this database are as described."""
    query = "select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and "
    return len(connection.execute((query + condition).encode()).fetchall())


def upgraded(urls: Urls, before: Contents, hashes: list[tuple[Any, ...]]) -> None:
    model = HashEmbedder().model
    assert migrate(urls.migrate_url, login=LOGIN, partitions=8) == SCHEMA_VERSION
    prepare_dense(urls.migrate_url, model_id=model.key, dimension=model.dimension)
    assert version(urls.migrate_url) == SCHEMA_VERSION
    assert contents(urls.migrate_url, like=before) == before
    assert ledger_hashes(urls.migrate_url) == hashes
    assert read(urls, INVALID) == [(0,)]
    assert read(urls, "select count(*) from sparse_stream where doc > 0") == [(6,)]
    assert read(urls, "select count(*) from dense_stream where vectors > 0") == [(6,)]


def test_a2_the_connection_is_lost_at_each_statement_and_the_last_whole_revision_stays(
    urls: Urls, probed: psycopg.Connection
) -> None:
    before, hashes = contents(urls.migrate_url), ledger_hashes(urls.migrate_url)
    found = version(urls.migrate_url)
    whole = {found: but_for_indexes_of_its_own(found, urls)}
    died: Counter[str] = Counter()
    while found != SCHEMA_VERSION:
        died[found] += 1
        plan(probed, fatal=died[found])
        try:
            migrate(urls.migrate_url, login=LOGIN, partitions=8)
        except DatabaseUnavailable:
            stays = but_for_indexes_of_its_own(version(urls.migrate_url), urls)
        found = version(urls.migrate_url)
        assert whole.setdefault(found, stays) == stays, f"step {died[found]} after {found}"
    assert died["0001"] > 40, "each statement of the first revision, and the one that goes over to the second"
    assert died["0002"] >= 6 + 1 + 1, "each stream, the contraction, the version"
    assert died["0005"] >= 2 * (1 + 2 + 2) + 1, "each index, its leaves, their attaching, the version"
    assert died["0008"] >= 1 + 2 + 2 + 1, "the index, its leaves, their attaching, the version"
    plan(probed)
    upgraded(urls, before, hashes)


INDEXES = {"0005": "time|agent|outcome", "0008": "belief", "0011": "opened|closed", "0017": "written"}
"""By the revision before: the indexes that the next makes outside a transaction."""


def but_for_indexes_of_its_own(found: str, urls: Urls) -> list[str]:
    """A schema, without what the revision after it makes outside a transaction: such stays, and is gone on from."""
    made = re.compile(rf"index CREATE INDEX \w+_({INDEXES[found]}) ON ") if found in INDEXES else None
    return [line for line in schema(urls.migrate_url) if made is None or not made.match(line)]


@contextmanager
def gate(urls: Urls) -> Iterator[psycopg.Connection]:
    with psycopg.connect(urls.migrate_url, autocommit=True) as keeper:
        keeper.execute("select pg_advisory_lock(%s)", (GATE,))
        yield keeper


@pytest.mark.parametrize(
    ("point", "stays"),
    [("CREATE FUNCTION", "0001"), ("0002", "0001"), ("sparse_stream", "0002"), ("0003", "0002")],
    ids=["in the middle of 0002", "before the commit of 0002", "in the middle of 0003", "before the commit of 0003"],
)
def test_a2_a_migrator_is_killed_and_the_next_ends_at_the_head(
    urls: Urls, probed: psycopg.Connection, environ: dict[str, str], point: str, stays: str
) -> None:
    before, hashes = contents(urls.migrate_url), ledger_hashes(urls.migrate_url)
    plan(probed, gate=point)
    with gate(urls), started(environ, "-c", PROGRAM, urls.migrate_url, "any") as process:
        wait_for(lambda: others(probed, "wait_event_type = 'Lock' and wait_event = 'advisory'"), process)
        process.kill()
        assert process.wait(PATIENCE_S) == -signal.SIGKILL
        assert version(urls.migrate_url) == stays
    # Its server process goes on to the end of what it was told, finds nobody there, and takes all of it back.
    upgraded(urls, before, hashes)


def test_a2_a_migrator_that_is_killed_while_it_builds_an_index_leaves_none_that_is_half_made(
    urls: Urls, owner: psycopg.Connection, environ: dict[str, str]
) -> None:
    before, hashes = contents(urls.migrate_url), ledger_hashes(urls.migrate_url)
    migrate(urls.migrate_url, login=LOGIN, partitions=8)
    with psycopg.connect(urls.migrate_url) as reader:
        reader.execute("set transaction isolation level repeatable read")
        reader.execute("insert into participant values ('acme', 'ida', 'lab', now())")  # an index waits for who writes
        reader.execute("select count(*) from memory_vector")
        model = HashEmbedder().model.key
        with started(environ, "-c", PROGRAM, urls.migrate_url, model) as process:
            wait_for(lambda: others(owner, "wait_event_type = 'Lock' and query ilike '%concurrently%'"), process)
            process.kill()
            process.wait(PATIENCE_S)
            owner.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() "
                "and query ilike '%concurrently%' and pid <> pg_backend_pid()"
            )
            wait_for(lambda: not others(owner, "query ilike '%concurrently%'"))
        reader.rollback()
    assert read(urls, INVALID) == [(1,)]
    upgraded(urls, before, hashes)


def test_a2_nobody_who_writes_memories_waits_for_their_indexes_and_a_kill_in_the_middle_leaves_none_half_made(
    urls: Urls, owner: psycopg.Connection, environ: dict[str, str]
) -> None:
    before, hashes = contents(urls.migrate_url), ledger_hashes(urls.migrate_url)
    make_schema(urls.migrate_url, revision="0005")
    with psycopg.connect(urls.migrate_url) as slow:
        leaf = "(select tableoid from memory limit 1)::regclass"
        [[name]] = slow.execute(f"select {leaf}::text".encode()).fetchall()
        slow.execute(f"update {name} set closed_reason = closed_reason".encode())  # an index waits for who writes
        with started(environ, "-c", PROGRAM, urls.migrate_url, "any") as process:
            wait_for(lambda: others(owner, "wait_event_type = 'Lock' and query ilike '%concurrently%'"), process)
            with psycopg.connect(urls.migrate_url) as writer, writer.transaction(force_rollback=True):
                writer.execute("set local lock_timeout = '3s'")
                insert = "insert into memory select (jsonb_populate_record(memory, %s::jsonb)).* from memory limit 1"
                new = json.dumps({"memory_id": str(UUID(int=1)), "doc": 1_000_000})
                assert writer.execute(insert.encode(), [new]).rowcount == 1
            process.kill()
            process.wait(PATIENCE_S)
            owner.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() "
                "and query ilike '%concurrently%' and pid <> pg_backend_pid()"
            )
            wait_for(lambda: not others(owner, "query ilike '%concurrently%'"))
        slow.rollback()
    assert version(urls.migrate_url) == "0005"
    assert read(urls, INVALID) == [(2,)], "the parent's, and that of the leaf"
    upgraded(urls, before, hashes)


def test_a2_of_two_migrators_that_start_at_once_one_works_and_the_other_finds_nothing_to_do(
    urls: Urls, probed: psycopg.Connection, environ: dict[str, str]
) -> None:
    before, hashes = contents(urls.migrate_url), ledger_hashes(urls.migrate_url)
    plan(probed, gate="0002")
    command = ("-m", "gateway", "migrate", "--json")
    with started(environ, *command) as one, started(environ, *command) as other:
        with gate(urls):
            wait_for(lambda: others(probed, "wait_event = 'advisory'"))
            wait_for(lambda: others(probed, "query ilike '%pg_try_advisory_lock%'"))
            assert (one.poll(), other.poll()) == (None, None)
        ends = [process.communicate(timeout=PATIENCE_S) for process in (one, other)]
    assert [process.returncode for process in (one, other)] == [0, 0], ends
    assert [json.loads(out) for out, _ in ends] == [{"revision": SCHEMA_VERSION}] * 2
    steps = Counter(what for (what,) in probed.execute("select what from probe.passed").fetchall())
    assert (steps["0002"], steps["0003"]) == (1, 1)
    upgraded(urls, before, hashes)


@pytest.mark.parametrize(
    ("stored", "advice"),
    [("0001", "run `daybook migrate`"), ("9998", "this code is older than the database and must be upgraded")],
    ids=["older", "newer"],
)
def test_a2_a_worker_refuses_a_schema_that_is_not_its_own(
    urls: Urls, owner: psycopg.Connection, environ: dict[str, str], stored: str, advice: str
) -> None:
    owner.execute("update alembic_version set version_num = %s", (stored,))
    worker = ("-m", "celery", "-A", "warmpath.app", "worker", "--queues", "append", "--concurrency", "1")
    with started(environ, *worker, "--hostname", f"a2-{stored}@%h", "--loglevel", "WARNING") as process:
        out, err = process.communicate(timeout=PATIENCE_S / 2)
    assert process.returncode not in {0, None}
    said = f"the database has schema version {stored}, this code needs {SCHEMA_VERSION}: {advice}"
    assert said in out + err
    assert "Traceback" not in out + err
    assert contents(urls.migrate_url)["inbox"][0] > 0
