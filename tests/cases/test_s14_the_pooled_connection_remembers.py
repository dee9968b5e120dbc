"""S14: a connection that goes back to the pool remembers neither whose it was nor what was set on it."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import psycopg
import pytest

from shared.contract.errors import DatabaseUnavailable
from shared.contract.scope import Owner
from shared.settings import Settings, settings
from shared.store import vectors
from shared.store.db import Database, Role, database
from shared.testing import HashEmbedder, Urls
from tests.cases.adapter import Words, said

LOCAL_SETTINGS = (
    "role",
    "daybook.tenant",
    "daybook.users",
    "hnsw.ef_search",
    "hnsw.iterative_scan",
    "enable_sort",
    "plan_cache_mode",
    "statement_timeout",
    "transaction_read_only",
)
FAILING = (
    "select 1 / 0",
    "select * from no_such_table",
    "select 'x'::integer",
    "set hnsw.ef_search = 700; select 1 / 0",
    "select set_config('daybook.tenant', 'alpha', false); select 1 / 0",
)
PERSONAL = (
    "memory",
    "memory_evidence",
    "memory_vector",
    "posting",
    "event",
    "event_payload",
    "decision",
    "receipt",
    "inbox",
    "stream",
)


@pytest.fixture
def words(
    environment: Settings, owner: psycopg.Connection, embedder: HashEmbedder, monkeypatch: pytest.MonkeyPatch
) -> Words:
    """On one connection for everything, so that whoever comes next has the one that was used before."""
    monkeypatch.setenv("DAYBOOK_POOL_SIZE", "1")
    settings.cache_clear()
    made = Words(owner)
    made.ingest("alpha", "mira", "run-1", [said("My locker is number 4471.", "m1")])
    made.ingest("beta", "oskar", "run-1", [said("My locker is number 9902.", "m1")])
    return made


@pytest.fixture
def one(words: Words, urls: Urls) -> Database:
    return database(urls.database_url, settings())


@pytest.fixture
def as_nobody(one: Database) -> Iterator[psycopg.Connection]:
    with one.bare() as connection:
        yield connection


def shown(connection: psycopg.Connection, name: str) -> str:
    row = connection.execute("select current_setting(%s, true) as value", [name]).fetchone()
    return (row or {})["value"] or ""  # type: ignore[call-overload]


def state(one: Database) -> dict[str, str]:
    with one.bare() as connection:
        return {name: shown(connection, name) for name in LOCAL_SETTINGS}


def backend(one: Database) -> int:
    with one.bare() as connection:
        return connection.info.backend_pid


def test_s14_after_a_query_that_failed_half_way_the_next_tenant_sees_its_own_rows_alone(
    words: Words, one: Database
) -> None:
    pid = backend(one)
    for role, failing in product((Role.APP, Role.WORKER, Role.READER), FAILING):
        with pytest.raises(psycopg.Error), one.transaction(role, "alpha", [Owner("mira")]) as session:  # noqa: PT012
            assert session.rows("select text from memory") == [{"text": "My locker is number 4471."}]
            session.execute(failing)
        bundle = words.bundle("beta", "oskar", "locker number 4471")
        assert [item.text for item in bundle.items] == ["My locker is number 9902."]
        assert {mark.owner for mark in bundle.watermarks} == {"oskar"}
        with one.transaction(Role.READER, "beta", [Owner("oskar")]) as session:
            assert {row["tenant_id"] for row in session.rows("select tenant_id from memory")} == {"beta"}
    assert backend(one) == pid, "there was another connection, so nothing was shown"


def test_s14_code_that_names_no_tenant_sees_no_row(words: Words, as_nobody: psycopg.Connection) -> None:
    for table in PERSONAL:
        assert words.count(table) > 0
        for role in ("daybook_worker", "daybook_reader"):
            with as_nobody.transaction(force_rollback=True):
                as_nobody.execute(f"set local role {role}")
                assert as_nobody.execute(f"select count(*) as n from {table}").fetchone() == {"n": 0}, table
        with pytest.raises(psycopg.errors.InsufficientPrivilege), as_nobody.transaction():
            as_nobody.execute(f"select count(*) from {table}")


def test_s14_every_setting_is_back_to_its_default_after_each_use(words: Words, one: Database) -> None:
    with one.bare() as connection:
        connection.execute(
            "select '[1]'::vector <=> '[1]'::vector"
        )  # the server knows the settings of pgvector from here
    before = state(one)
    assert before["hnsw.ef_search"] == "40"
    query = HashEmbedder().encode_query("locker")
    model = HashEmbedder().model.key
    with one.transaction(Role.APP, "alpha", [Owner("mira")], read_only=True, timeout_ms=5_000) as session:
        vectors.nearest(session, model, query, limit=5, approximate=True)
        assert shown(session.connection, "daybook.tenant") == "alpha"
        assert shown(session.connection, "hnsw.ef_search") != "40"
    assert state(one) == before
    with pytest.raises(psycopg.Error), one.transaction(Role.APP, "alpha", [Owner("mira")], timeout_ms=5_000) as session:
        vectors.nearest(session, model, np.zeros(3, np.float32), limit=5, approximate=True)
    assert state(one) == before
    with one.claiming() as connection:
        assert shown(connection, "role") == Role.CLAIMER
    assert state(one) == before


def test_s14_a_connection_that_died_is_replaced_by_one_that_knows_nobody(words: Words, one: Database) -> None:
    pid = backend(one)
    with pytest.raises(DatabaseUnavailable), one.transaction(Role.APP, "alpha", [Owner("mira")]) as session:  # noqa: PT012
        words.owner.execute("select pg_terminate_backend(%s, 5000)", [pid])
        session.rows("select text from memory")
    assert [hit.text for hit in words.recall("beta", "oskar", "locker")] == ["My locker is number 9902."]
    assert backend(one) != pid


def test_s14_two_tenants_taking_turns_on_one_connection_never_see_each_other(words: Words) -> None:
    people = [("alpha", "mira", "4471"), ("beta", "oskar", "9902")] * 12

    def ask(person: tuple[str, str, str]) -> bool:
        tenant, user, number = person
        return [hit.text for hit in words.recall(tenant, user, "locker")] == [f"My locker is number {number}."]

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(ask, people))


def test_s14_the_application_owns_no_table_and_no_policy_lets_it_by(words: Words) -> None:
    login = words.owner.execute(
        "select usename from pg_stat_activity where application_name = 'daybook' and datname = current_database()"
    ).fetchall()
    roles = [role.value for role in Role]
    assert login
    privileged = words.owner.execute(
        "select rolname from pg_roles where rolname = any(%s) and (rolsuper or rolbypassrls)",
        [[*roles, *(name for (name,) in login)]],
    ).fetchall()
    assert privileged == []
    tables = words.owner.execute(
        "select relname, pg_get_userbyid(relowner) as owned_by, relrowsecurity, relforcerowsecurity from pg_class "
        "where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> 'alembic_version'"
    ).fetchall()
    assert len(tables) > len(PERSONAL)
    for name, owned_by, secured, forced in tables:
        assert secured, name
        assert forced, name
        assert owned_by not in {*roles, *(name for (name,) in login)}, name
