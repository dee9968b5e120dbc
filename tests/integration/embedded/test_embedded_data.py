"""What is stored stays, whatever befalls the servers; and who may do what."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
import redis

from shared import embedded
from shared.contract.errors import Misconfigured
from shared.embedded import _endpoints
from shared.embedded._folder import Folder, folder
from shared.embedded._process import started
from shared.embedded._valkey import ping
from shared.settings import Settings
from tests.integration.embedded.programs import kill, wait_for


@pytest.fixture
def bystander(settings: Settings) -> Iterator[int]:
    """A program of the servers' own user that is none of them."""
    who = folder(settings).account
    options: dict[str, Any] = {"user": who.uid, "group": who.gid, "extra_groups": []} if who.dropped else {}
    with subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE, cwd="/", **options) as process:
        yield process.pid
        assert process.poll() is None
        process.communicate(b"")


def _put(used: embedded.Endpoints) -> None:
    with psycopg.connect(used.migrate_url) as connection:
        connection.execute("DROP TABLE IF EXISTS kept")
        connection.execute("CREATE TABLE kept (word text)")
        connection.execute("INSERT INTO kept VALUES ('first')")
    with redis.Redis.from_url(used.redis_url) as client:
        client.delete("kept")
        client.rpush("kept", "first")
        client.execute_command("WAITAOF", 1, 0, 5000)


def _got(used: embedded.Endpoints) -> tuple[object, object]:
    with psycopg.connect(used.migrate_url) as connection, redis.Redis.from_url(used.redis_url) as client:
        return connection.execute("SELECT word FROM kept").fetchall(), client.lrange("kept", 0, -1)


THERE = ([("first",)], [b"first"])


def test_data_survives_a_restart_and_the_ports_stay(settings: Settings) -> None:
    with embedded.hold(settings) as before:
        _put(before)
    with embedded.hold(settings) as after:
        assert _got(after) == THERE
        assert after == before


def test_killed_servers_are_started_again_with_their_data(settings: Settings) -> None:
    with embedded.hold(settings) as before:
        _put(before)
        with psycopg.connect(before.database_url), redis.Redis.from_url(before.redis_url) as client:
            client.ping()
            for service in embedded.status(settings):
                kill(service.pid)
            assert _got(embedded.endpoints(settings)) == THERE


def test_no_second_postgres_starts_while_a_killed_ones_last_statement_runs(settings: Settings) -> None:
    with (
        embedded.hold(settings, broker=False) as before,
        psycopg.connect(before.migrate_url, autocommit=True) as busy,
    ):
        backend = busy.info.backend_pid
        statement = threading.Thread(target=_run_for_a_second, args=(busy,))
        statement.start()
        with psycopg.connect(before.migrate_url, autocommit=True) as other:
            wait_for(lambda: other.execute(ACTIVE, [backend]).fetchone() == ("active",))
        kill(embedded.status(settings)[0].pid)
        assert started(backend)
        with psycopg.connect(embedded.endpoints(settings, broker=False).database_url):
            assert started(backend) is None
        statement.join()


ACTIVE = "SELECT state FROM pg_stat_activity WHERE pid = %s"
# It never waits, so it does not notice that its postmaster is gone.
BUSY = """
DO $$ DECLARE begun timestamptz := clock_timestamp();
BEGIN WHILE clock_timestamp() < begun + interval '1 second' LOOP END LOOP; END $$
"""


def _run_for_a_second(connection: psycopg.Connection[Any]) -> None:
    with contextlib.suppress(psycopg.OperationalError):
        connection.execute(BUSY)


def test_stopped_under_a_process_that_uses_them_they_are_started_again_by_its_next_call(settings: Settings) -> None:
    with embedded.hold(settings) as before:
        _put(before)
        embedded.stop(settings)
        assert _got(embedded.endpoints(settings)) == THERE


def test_servers_that_were_seen_running_are_looked_for_again_when_they_stop_or_some_time_has_passed(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_endpoints, "LOOK_AGAIN_S", 3_600.0)
    with embedded.hold(settings) as before:
        _put(before)
        embedded.endpoints(settings)
        embedded.stop(settings)
        assert _got(embedded.endpoints(settings)) == THERE
        for service in embedded.status(settings):
            kill(service.pid)
        embedded.endpoints(settings)
        assert not any(service.running for service in embedded.status(settings)), "it was seen a moment ago"
        monkeypatch.setattr(_endpoints, "LOOK_AGAIN_S", 0.0)
        assert _got(embedded.endpoints(settings)) == THERE


def test_pid_files_that_name_another_program_harm_nobody(settings: Settings, bystander: int) -> None:
    place = folder(settings)
    with embedded.hold(settings) as before:
        _put(before)
    _point_pid_files_at(place, bystander)
    assert not any(service.running for service in embedded.status(settings))
    assert embedded.stop(settings) == []

    with embedded.hold(settings) as after:
        assert _got(after) == THERE


def _point_pid_files_at(place: Folder, pid: int) -> None:
    data = place.data_of("postgres")
    files = {
        data / "postmaster.pid": f"{pid}\n{data}\n1700000000\n5432\n\n127.0.0.1\n  0  0\nready   \n",
        place.data_of("valkey") / "valkey.pid": f"{pid}\n",
    }
    for file, text in files.items():
        file.write_text(text, encoding="ascii")
        if place.account.dropped:
            os.chown(file, place.account.uid, place.account.gid)


def test_a_port_that_somebody_has_taken_meanwhile_is_left_to_them(settings: Settings) -> None:
    with embedded.hold(settings):
        ports = [service.port for service in embedded.status(settings)]
    with socket.socket() as one, socket.socket() as two:
        for taken, port in zip((one, two), ports, strict=True):
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            taken.bind(("127.0.0.1", port))
            taken.listen()
        with embedded.hold(settings) as used:
            assert not {*ports} & {service.port for service in embedded.status(settings)}
            with psycopg.connect(used.database_url) as connection:
                assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_port_taken_between_the_look_and_the_start_is_given_up(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    from shared.embedded import _port, _postgres, _valkey

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        busy = taken.getsockname()[1]
        for module in (_postgres, _valkey):
            offered = iter([busy])
            monkeypatch.setattr(module, "free_port", lambda _=0, offered=offered: next(offered, 0) or _port.free_port())
        with embedded.hold(settings):
            ports = [service.port for service in embedded.status(settings)]
            assert None not in ports
            assert busy not in ports


def test_the_login_owns_nothing_and_passes_no_policy_by(settings: Settings) -> None:
    with embedded.hold(settings, broker=False) as used:
        with psycopg.connect(used.database_url) as connection:
            role = connection.execute(
                "SELECT rolname, rolsuper, rolbypassrls, rolcreatedb, rolcreaterole "
                "FROM pg_roles WHERE rolname = current_user"
            ).fetchone()
            assert role == ("daybook", False, False, False, False)
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute("CREATE TABLE mine (word text)")
        with psycopg.connect(used.migrate_url) as connection:
            distance = "SELECT current_user, '[1,2]'::vector <-> '[1,3]'"
            assert connection.execute(distance).fetchone() == ("daybook_owner", 1.0)
            owned = "SELECT count(*) FROM pg_class JOIN pg_roles ON pg_roles.oid = relowner WHERE rolname = 'daybook'"
            assert connection.execute(owned).fetchone() == (0,)


def test_postgres_is_durable_sorts_by_code_point_and_listens_on_loopback_alone(settings: Settings) -> None:
    expected = {"fsync": "on", "synchronous_commit": "on", "jit": "off", "listen_addresses": "127.0.0.1"}
    with embedded.hold(settings, broker=False) as used, psycopg.connect(used.migrate_url) as connection:
        for name, value in expected.items():
            assert connection.execute("SELECT current_setting(%s)", [name]).fetchone() == (value,)
        row = connection.execute(
            "SELECT pg_encoding_to_char(encoding), datlocprovider, datlocale FROM pg_database WHERE datname = 'daybook'"
        ).fetchone()
        assert row == ("UTF8", "b", "C.UTF-8")
        assert connection.execute("SELECT lower('ÀÉ')").fetchone() == ("àé",)


def test_valkey_is_durable_and_refuses_work_rather_than_drop_it(settings: Settings) -> None:
    with embedded.hold(settings) as used, redis.Redis.from_url(used.redis_url) as client:
        found = client.config_get("append*", "maxmemory-policy", "bind")
    assert found["appendonly"] == "yes"
    assert found["appendfsync"] == "everysec"
    assert found["maxmemory-policy"] == "noeviction"
    assert found["bind"] == "127.0.0.1"


def test_neither_server_lets_anybody_in_without_the_password(settings: Settings) -> None:
    with embedded.hold(settings):
        postgres, valkey = (service.port for service in embedded.status(settings))
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(f"postgresql://daybook_owner:guess@127.0.0.1:{postgres}/daybook")
        assert "WRONGPASS" in ping(valkey or 0, "guess")


def test_what_people_said_is_not_in_the_log(settings: Settings) -> None:
    with embedded.hold(settings, broker=False) as used:
        with psycopg.connect(used.migrate_url, autocommit=True) as connection:
            connection.execute("CREATE TABLE said (word text UNIQUE CHECK (word <> 'rather not'))")
            with pytest.raises(psycopg.errors.CheckViolation):
                connection.execute("INSERT INTO said VALUES ('rather not')")
            with pytest.raises(psycopg.errors.CheckViolation):
                connection.execute("INSERT INTO said VALUES (%s)", ["rather not"])
        log = embedded.status(settings)[0].log.read_text(encoding="utf-8")
    assert "violates check constraint" in log
    assert "rather not" not in log


def test_data_of_another_version_of_postgres_is_refused_with_its_own_words(settings: Settings) -> None:
    with embedded.hold(settings, broker=False):
        data = embedded.status(settings)[0].folder
    version = (data / "PG_VERSION").read_text(encoding="ascii")
    try:
        (data / "PG_VERSION").write_text("9\n", encoding="ascii")
        with pytest.raises(Misconfigured, match=r"another version.*DATABASE_URL[\s\S]*incompatible with server"):
            embedded.endpoints(settings, broker=False)
        assert list((settings.data_dir / "leases").iterdir()) == []
    finally:
        (data / "PG_VERSION").write_text(version, encoding="ascii")


def test_without_its_passwords_a_database_is_left_as_it_is(settings: Settings) -> None:
    with embedded.hold(settings, broker=False):
        home = embedded.status(settings)[0].folder.parent
    moved = (home / "passwords.json").rename(home / "elsewhere")
    try:
        with pytest.raises(Misconfigured, match=r"passwords\.json is gone"):
            embedded.endpoints(settings, broker=False)
        assert (home / "postgres" / "PG_VERSION").exists()
    finally:
        moved.rename(home / "passwords.json")


def test_passwords_are_for_us_alone(settings: Settings) -> None:
    with embedded.hold(settings) as used:
        home = embedded.status(settings)[0].folder.parent
        assert (home / "passwords.json").stat().st_mode & 0o777 == 0o600
        assert (home / "valkey.conf").stat().st_mode & 0o777 == 0o600
        assert (home / "postgres").stat().st_mode & 0o777 == 0o700
        assert not (home / "owner-password").exists()
        secret = used.migrate_url.split(":")[2].partition("@")[0]
        assert secret not in repr(used)
        assert secret not in embedded.status(settings)[0].log.read_text(encoding="utf-8")
