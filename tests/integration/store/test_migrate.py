"""Bringing databases of all sorts to the schema, and refusing those that do not fit."""

import secrets
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from shared.contract.errors import DatabaseUnavailable, ExtensionMissing, Misconfigured, SchemaMismatch
from shared.store.db import SCHEMA_VERSION, Database, Role
from shared.store.migrate import _LOCK, migrate, prepare_dense
from shared.testing import Urls

LOGIN = "daybook"
LONG_S = 30.0
# All that the migrations, the grants and a second run could change, by name and transaction.
FINGERPRINT = """
    select relname, xmin::text from pg_class where relnamespace = 'public'::regnamespace
    union all select version_num, xmin::text from alembic_version
    union all select polname, xmin::text from pg_policy
    union all select rolname, null from pg_roles
    union all select roleid::regrole || '>' || member::regrole, xmin::text from pg_auth_members
    order by 1, 2
"""


def url_of(url, **changed):
    parts = conninfo_to_dict(url) | changed
    return f"postgresql://{parts['user']}:{parts['password']}@{parts['host']}:{parts['port']}/{parts['dbname']}"


@contextmanager
def new_database(servers, *, extension=True):
    name = f"test_{secrets.token_hex(6)}"
    with psycopg.connect(servers.migrate_url, autocommit=True) as server:
        server.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        try:
            urls = Urls(
                database_url=url_of(servers.database_url, dbname=name),
                migrate_url=url_of(servers.migrate_url, dbname=name),
            )
            if extension:
                with psycopg.connect(urls.migrate_url, autocommit=True) as connection:
                    connection.execute("create extension vector")
            yield urls
        finally:
            server.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@pytest.fixture
def stranger(servers):
    """Makes logins that are nobody, with the options asked for. They go after the databases they own things in."""
    names = []

    def make(url, options=""):
        name = f"stranger_{secrets.token_hex(6)}"
        with psycopg.connect(servers.migrate_url, autocommit=True) as server:
            server.execute(sql.SQL("create role {} login password 'guest' " + options).format(sql.Identifier(name)))
        names.append(name)
        return url_of(url, user=name, password="guest")

    yield make
    with psycopg.connect(servers.migrate_url, autocommit=True) as server:
        for name in names:
            server.execute(sql.SQL("drop owned by {0}; drop role {0}").format(sql.Identifier(name)))


@pytest.fixture
def empty(servers, stranger):
    """A database with pgvector and nothing else."""
    with new_database(servers) as urls:
        yield urls


@pytest.fixture
def bare(servers, stranger):
    """A database with nothing."""
    with new_database(servers, extension=False) as urls:
        yield urls


def tables(url):
    with psycopg.connect(url) as connection:
        query = "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')"
        return {row[0] for row in connection.execute(query)}


def fingerprint(url):
    with psycopg.connect(url) as connection:
        return connection.execute(FINGERPRINT).fetchall()


def opened(url, connect_timeout_s=3.0):
    return Database(url, pool_size=1, connect_timeout_s=connect_timeout_s)


@contextmanager
def checked(url, **options):
    database = opened(url, **options)
    try:
        yield database
    finally:
        database.close()


def wait_for(condition):
    deadline = time.monotonic() + LONG_S
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.01)
    return found


def waiting_for_a_lock(connection, urls):
    """The server process that waits for a lock in a database, if one does."""
    waiting = "select pid from pg_stat_activity where datname = %s and wait_event_type = 'Lock'"
    return connection.execute(waiting, (conninfo_to_dict(urls.migrate_url)["dbname"],)).fetchone()


def test_an_empty_database_is_brought_to_the_schema_of_the_code_with_the_leaves_asked_for(empty):
    assert migrate(empty.migrate_url, login=LOGIN, partitions=2) == SCHEMA_VERSION
    assert {"event_0", "event_1"} == {
        name
        for name in tables(empty.migrate_url)
        if name.startswith("event_") and name[-1].isdigit() and "payload" not in name
    }
    with checked(empty.database_url) as database:
        database.check()
        with database.transaction(Role.APP, "acme", ["mira"], read_only=True) as session:
            assert session.rows("select * from memory") == []


def test_a_second_migration_changes_nothing(empty):
    migrate(empty.migrate_url, login=LOGIN, partitions=1)
    before = fingerprint(empty.migrate_url)
    assert migrate(empty.migrate_url, login=LOGIN, partitions=8) == SCHEMA_VERSION
    assert fingerprint(empty.migrate_url) == before


def test_two_migrators_at_once_make_one_schema(empty):
    together = threading.Barrier(2)

    def one():
        together.wait(LONG_S)
        return migrate(empty.migrate_url, login=LOGIN, partitions=1)

    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(one) for _ in range(2)]
        assert [each.result(LONG_S) for each in done] == [SCHEMA_VERSION] * 2
    with checked(empty.database_url) as database:
        database.check()


def test_two_who_migrate_and_index_at_once_do_not_wait_for_each_other_for_ever(empty):
    together = threading.Barrier(2)

    def one():
        together.wait(LONG_S)
        migrate(empty.migrate_url, login=LOGIN, partitions=2)
        prepare_dense(empty.migrate_url, model_id="hash/1/8", dimension=8)

    with ThreadPoolExecutor(2) as pool:
        for each in [pool.submit(one) for _ in range(2)]:
            each.result(LONG_S)
    with psycopg.connect(empty.migrate_url) as connection:
        valid = "select indisvalid from pg_index join pg_class on oid = indexrelid where relname like '%%_hnsw_%%'"
        assert connection.execute(valid).fetchall() == [(True,), (True,)]


@pytest.mark.parametrize("what", ["migrate", "prepare_dense"])
def test_whoever_waits_for_another_migrator_holds_no_snapshot(empty, what):
    migrate(empty.migrate_url, login=LOGIN, partitions=1)
    calls = {
        "migrate": lambda: migrate(empty.migrate_url, login=LOGIN, partitions=1),
        "prepare_dense": lambda: prepare_dense(empty.migrate_url, model_id="hash/1/8", dimension=8),
    }
    with (
        ThreadPoolExecutor(1) as pool,
        psycopg.connect(empty.migrate_url, autocommit=True) as other,
    ):
        other.execute("select pg_advisory_lock(%s)", (_LOCK,))
        waits = pool.submit(calls[what])
        try:
            asking = (
                "select from pg_stat_activity where datname = current_database() and query like '%%advisory_lock%%'"
            )
            wait_for(lambda: len(other.execute(f"{asking} and pid <> pg_backend_pid()").fetchall()))
            other.execute("create index concurrently on event_0 (tenant_id)")
            assert not waits.done()
        finally:
            other.execute("select pg_advisory_unlock(%s)", (_LOCK,))
        waits.result(LONG_S)


def test_a_migrator_gives_up_when_another_does_not_come_to_an_end(empty, monkeypatch):
    monkeypatch.setattr("shared.store.migrate._LOCK_TIMEOUT_S", 0.1)
    with psycopg.connect(empty.migrate_url, autocommit=True) as other:
        other.execute("select pg_advisory_lock(%s)", (_LOCK,))
        with pytest.raises(DatabaseUnavailable, match="another migrator"):
            migrate(empty.migrate_url, login=LOGIN, partitions=1)


def test_a_schema_newer_than_the_code_is_left_alone_and_the_code_is_said_to_be_old(empty):
    migrate(empty.migrate_url, login=LOGIN, partitions=1)
    with psycopg.connect(empty.migrate_url, autocommit=True) as owner:
        owner.execute("update alembic_version set version_num = '9998'")
    before = fingerprint(empty.migrate_url)
    with checked(empty.database_url) as database, pytest.raises(SchemaMismatch, match="must be upgraded") as refused:
        database.check()
    assert "daybook migrate" not in str(refused.value)
    with pytest.raises(SchemaMismatch, match="must be upgraded"):
        migrate(empty.migrate_url, login=LOGIN, partitions=1)
    assert fingerprint(empty.migrate_url) == before


def test_a_migrator_waits_for_one_that_is_at_the_same_roles_for_another_database(servers, empty, stranger):
    login = conninfo_to_dict(stranger(empty.database_url))["user"]
    with (
        ThreadPoolExecutor(1) as pool,
        psycopg.connect(servers.migrate_url) as other,
        psycopg.connect(servers.migrate_url, autocommit=True) as watcher,
    ):
        grant = sql.SQL("grant {} to {} with inherit false, set true")
        other.execute(grant.format(sql.Identifier(Role.APP), sql.Identifier(login)))
        waits = pool.submit(migrate, empty.migrate_url, login=login, partitions=1)
        wait_for(lambda: waiting_for_a_lock(watcher, empty))
        other.commit()
        assert waits.result(LONG_S) == SCHEMA_VERSION


def test_a_migrator_does_not_wait_for_ever_for_a_table_that_somebody_uses(empty, monkeypatch):
    monkeypatch.setattr("shared.store.migrate._TABLE_TIMEOUT_S", 0.1)
    with psycopg.connect(empty.migrate_url) as dump:
        dump.execute("create table posting_0 (taken integer)")
        with pytest.raises(DatabaseUnavailable, match=r"lock timeout.*migrate again: it goes on from there"):
            migrate(empty.migrate_url, login=LOGIN, partitions=1)
        dump.rollback()
    assert tables(empty.migrate_url) <= {"alembic_version"}
    assert migrate(empty.migrate_url, login=LOGIN, partitions=1) == SCHEMA_VERSION


def test_a_migrator_that_is_killed_in_the_middle_leaves_nothing_and_the_next_ends_right(empty):
    with (
        ThreadPoolExecutor(1) as pool,
        psycopg.connect(empty.migrate_url) as blocker,
        psycopg.connect(empty.migrate_url, autocommit=True) as watcher,
    ):
        blocker.execute("create table posting_0 (taken integer)")  # the migrator waits to see what becomes of it
        killed = pool.submit(migrate, empty.migrate_url, login=LOGIN, partitions=1)
        (pid,) = wait_for(lambda: waiting_for_a_lock(watcher, empty))
        watcher.execute("select pg_terminate_backend(%s)", (pid,))
        with pytest.raises(DatabaseUnavailable):
            killed.result(LONG_S)
        blocker.rollback()
    assert tables(empty.migrate_url) <= {"alembic_version"}
    assert migrate(empty.migrate_url, login=LOGIN, partitions=1) == SCHEMA_VERSION
    with checked(empty.database_url) as database:
        database.check()


def lent(urls, url, *, how, roles=tuple(Role)):
    """Let a stranger make tables in a database, and grant Daybook's roles."""
    name = sql.Identifier(conninfo_to_dict(url)["user"])
    with psycopg.connect(urls.migrate_url, autocommit=True) as connection:
        connection.execute(sql.SQL("grant create on schema public to {}").format(name))
        for role in roles:
            connection.execute(sql.SQL("grant {} to {} with " + how).format(sql.Identifier(role), name))
    return url


def of_strangers(urls, url):
    """What a login has of the roles it is a member of."""
    query = """
        select roleid::regrole::text, bool_or(admin_option), bool_or(inherit_option), bool_or(set_option)
        from pg_auth_members where member = %s::regrole group by 1
    """
    with psycopg.connect(urls.migrate_url) as connection:
        return {row[0]: row[1:] for row in connection.execute(query, [conninfo_to_dict(url)["user"]])}


def test_an_owner_who_is_no_superuser_may_migrate_and_inherits_nothing_by_it(empty, stranger):
    # As the server itself gives a role to whoever makes it.
    owner = lent(empty, stranger(empty.migrate_url, "createrole"), how="admin true, inherit false, set false")
    assert migrate(owner, login=LOGIN, partitions=1) == SCHEMA_VERSION
    found = of_strangers(empty, owner)
    assert set(found) == set(Role)
    assert {role for role, (_, inherited, _) in found.items() if inherited} == set()
    assert {role for role, (_, _, may_act) in found.items() if may_act} == {Role.CLAIMER, Role.WORKER}
    with checked(empty.database_url) as database:
        database.check()


def test_where_the_roles_are_somebody_elses_nothing_is_begun_and_the_error_is_the_line_to_run(empty, stranger):
    owner = lent(empty, stranger(empty.migrate_url, "createrole"), how="admin true", roles=[Role.APP])
    login = conninfo_to_dict(stranger(empty.database_url))["user"]
    with pytest.raises(Misconfigured, match="superuser must run once: GRANT ") as refused:
        migrate(owner, login=login, partitions=1)
    assert tables(empty.migrate_url) == set()
    statement = refused.value.details["statement"]
    assert {role for role in Role if role in statement} == set(Role) - {Role.APP}
    with psycopg.connect(empty.migrate_url, autocommit=True) as superuser:
        superuser.execute(statement)
    assert migrate(owner, login=login, partitions=1) == SCHEMA_VERSION
    with checked(url_of(empty.database_url, user=login, password="guest")) as database:
        database.check()
        with database.transaction(Role.ERASER, "acme", ["mira"]) as session:
            assert session.rows("select * from memory") == []


def test_an_owner_who_may_make_no_roles_is_told_the_line_to_run(empty, stranger):
    owner = lent(empty, stranger(empty.migrate_url), how="admin true")
    with pytest.raises(Misconfigured, match="superuser must run once: ALTER ROLE ") as refused:
        migrate(owner, login=LOGIN, partitions=1)
    assert tables(empty.migrate_url) == set()
    with psycopg.connect(empty.migrate_url, autocommit=True) as superuser:
        superuser.execute(refused.value.details["statement"])
    assert migrate(owner, login=LOGIN, partitions=1) == SCHEMA_VERSION


def test_at_the_newest_schema_nothing_is_asked_of_the_migrator(empty, stranger):
    migrate(empty.migrate_url, login=LOGIN, partitions=1)
    assert migrate(stranger(empty.migrate_url), login=LOGIN, partitions=1) == SCHEMA_VERSION


def test_a_login_that_inherits_the_roles_is_let_in_without_that(empty, stranger):
    url = lent(empty, stranger(empty.migrate_url), how="inherit true")
    migrate(empty.migrate_url, login=conninfo_to_dict(url)["user"], partitions=1)
    assert of_strangers(empty, url) == dict.fromkeys(Role, (False, False, True))


def test_a_login_that_does_not_exist_is_said_to_be_missing(empty):
    with pytest.raises(Misconfigured, match="connects as 'nobody_there', and the server has no such role"):
        migrate(empty.migrate_url, login="nobody_there", partitions=1)
    assert tables(empty.migrate_url) == set()


def test_a_database_that_holds_tables_of_others_is_refused(empty):
    with psycopg.connect(empty.migrate_url, autocommit=True) as other:
        other.execute("create table inbox (letter text)")
    with pytest.raises(Misconfigured, match='"inbox" already exists: give Daybook a database of its own'):
        migrate(empty.migrate_url, login=LOGIN, partitions=1)
    assert tables(empty.migrate_url) <= {"alembic_version", "inbox"}


def test_where_the_extension_is_missing_and_may_not_be_made_the_error_is_the_line_to_run(bare, stranger):
    with pytest.raises(ExtensionMissing, match="a superuser must run once: CREATE EXTENSION vector;") as raised:
        migrate(stranger(bare.migrate_url), login=LOGIN, partitions=1)
    assert "\n" not in str(raised.value)
    assert tables(bare.migrate_url) == set()


def test_a_migrator_that_may_creates_the_extension(bare):
    assert migrate(bare.migrate_url, login=LOGIN, partitions=1) == SCHEMA_VERSION


def test_a_login_that_may_not_create_the_schema_is_told_so(empty, stranger):
    owner = lent(empty, stranger(empty.migrate_url, "createrole"), how="admin true")
    with psycopg.connect(empty.migrate_url, autocommit=True) as superuser:
        superuser.execute("revoke create on schema public from public, " + conninfo_to_dict(owner)["user"])
    with pytest.raises(
        Misconfigured, match="may not do this: permission denied for schema public; set DAYBOOK_MIGRATE_URL"
    ):
        migrate(owner, login=LOGIN, partitions=1)
    assert tables(empty.migrate_url) == set()


def test_a_url_of_another_database_is_refused():
    with pytest.raises(Misconfigured, match="postgresql://"):
        migrate("mysql://somebody@127.0.0.1/daybook", login=LOGIN, partitions=1)


def test_another_schema_version_is_refused_with_both_versions(urls, owner):
    owner.execute("update alembic_version set version_num = '9999'")
    with checked(urls.database_url) as database, pytest.raises(SchemaMismatch, match="9999") as raised:
        database.check()
    assert raised.value.details == {"found": "9999", "needed": SCHEMA_VERSION}


def test_a_transaction_on_another_schema_version_is_refused_too(urls, owner):
    owner.execute("update alembic_version set version_num = '9999'")
    with (
        checked(urls.database_url) as database,
        pytest.raises(SchemaMismatch),
        database.transaction(Role.APP, "acme", ["mira"]),
    ):
        pytest.fail("a transaction was opened")


def test_a_database_without_a_schema_is_refused_with_what_to_run(empty):
    with (
        checked(empty.database_url) as database,
        pytest.raises(SchemaMismatch, match="run `daybook migrate`") as raised,
    ):
        database.check()
    assert raised.value.details["found"] is None


def test_a_database_without_the_extension_is_refused(bare):
    with checked(bare.database_url) as database, pytest.raises(ExtensionMissing, match="CREATE EXTENSION vector"):
        database.check()


@pytest.fixture
def silent_url():
    """Where a connection is taken and nothing is ever said."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"postgresql://daybook:guest@127.0.0.1:{server.getsockname()[1]}/daybook"


@pytest.fixture
def closed_url():
    """Where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening, so that nobody else takes it
        yield f"postgresql://daybook:guest@127.0.0.1:{taken.getsockname()[1]}/daybook"


@pytest.mark.parametrize("where", ["closed_url", "silent_url"])
def test_a_database_out_of_reach_is_said_to_be_so_in_time(where, request):
    began = time.monotonic()
    with (
        checked(request.getfixturevalue(where), connect_timeout_s=0.5) as database,
        pytest.raises(DatabaseUnavailable, match=r"0\.5 s"),
    ):
        database.check()
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("where", ["closed_url", "silent_url"])
def test_a_migrator_whose_database_is_out_of_reach_gives_up(where, request):
    with pytest.raises(DatabaseUnavailable, match="did not answer"):
        migrate(request.getfixturevalue(where), login=LOGIN, partitions=1)


def test_the_password_is_in_no_message(closed_url):
    with pytest.raises(DatabaseUnavailable) as raised:
        migrate(closed_url, login=LOGIN, partitions=1)
    assert "guest" not in str(raised.value)
