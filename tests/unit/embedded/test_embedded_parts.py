"""The parts below the servers: locks, leases, proofs, ports, errors."""

from __future__ import annotations

import errno
import importlib.util
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from shared import embedded
from shared.contract.errors import Misconfigured, ServiceFailed
from shared.embedded import _account, _endpoints, _folder, _lease, _log, _port, _process, _wheel
from shared.embedded._account import Account
from shared.embedded._failure import failure
from shared.embedded._folder import Folder
from shared.embedded._lock import locked, seize
from shared.embedded._process import Process
from shared.settings import Settings, load

NONE = {"database_url": None, "migrate_url": None, "redis_url": None}
SOMEBODY = Account(name="somebody", uid=4711, gid=4711, dropped=True)


def _settings(data_dir: Path, **urls: str) -> Settings:
    return load(data_dir=data_dir, **{**NONE, **urls})


@pytest.fixture
def place(tmp_path: Path) -> Folder:
    me = Account(name="me", uid=os.geteuid(), gid=os.getegid(), dropped=False)
    one = Folder(data=tmp_path, home=tmp_path, account=me)
    one.leases.mkdir()
    return one


def test_configured_servers_are_used_and_no_folder_is_made(tmp_path: Path) -> None:
    settings = _settings(tmp_path / "none", database_url="postgresql://a/b", redis_url="redis://c")
    with embedded.hold(settings) as held:
        assert held == embedded.endpoints(settings)
    assert (held.database_url, held.migrate_url, held.redis_url) == (
        "postgresql://a/b",
        "postgresql://a/b",
        "redis://c",
    )
    assert embedded.endpoints(settings, broker=False).redis_url == ""
    assert not (tmp_path / "none").exists()


def test_the_owners_url_is_used_where_it_is_configured(tmp_path: Path) -> None:
    settings = _settings(
        tmp_path, database_url="postgresql://a/b", migrate_url="postgresql://o/b", redis_url="redis://c"
    )
    assert embedded.endpoints(settings).migrate_url == "postgresql://o/b"


def test_an_owners_url_alone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="without DAYBOOK_DATABASE_URL"):
        embedded.endpoints(_settings(tmp_path, migrate_url="postgresql://o/b"))


def test_urls_with_passwords_are_not_shown(tmp_path: Path) -> None:
    settings = _settings(tmp_path, database_url="postgresql://a:secret@b/c", redis_url="redis://c")
    assert "secret" not in repr(embedded.endpoints(settings))


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, shared.embedded; print(sorted({'psutil', 'redis', 'sqlalchemy', 'celery'} & set(sys.modules)))"
    root = Path(embedded.__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True)
    assert done.stdout == "[]\n"


def test_a_path_that_a_server_could_misread_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="choose another path"):
        embedded.status(_settings(tmp_path / 'a"; rm -r b'))


def test_a_lock_keeps_other_threads_out_until_it_is_let_go(tmp_path: Path) -> None:
    order: list[str] = []

    def second() -> None:
        with locked(tmp_path / "lock", timeout_s=30):
            order.append("second")

    with locked(tmp_path / "lock", timeout_s=30):
        thread = threading.Thread(target=second)
        thread.start()
        assert seize(tmp_path / "lock") is None
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_a_lock_that_is_held_too_long_is_an_error_that_names_it(tmp_path: Path) -> None:
    with (
        locked(tmp_path / "lock", timeout_s=1),
        pytest.raises(ServiceFailed, match="lock"),
        locked(tmp_path / "lock", timeout_s=0.01),
    ):
        pass


def test_a_lock_is_kept_by_a_child_that_was_given_it(tmp_path: Path) -> None:
    held = seize(tmp_path / "lock")
    assert held is not None
    with subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE, pass_fds=[held]) as child:
        os.close(held)
        assert seize(tmp_path / "lock") is None
        child.communicate(b"")
    again = seize(tmp_path / "lock")
    assert again is not None
    os.close(again)


@contextmanager
def _cat(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A program that waits for its input to end; on entering it has begun, so that its command line can be read."""
    with subprocess.Popen(["/bin/cat", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(b".")
        child.stdout.read(1)
        yield child
        child.communicate(b"")


def test_a_process_is_proved_by_program_argument_and_user() -> None:
    with _cat("-") as child:
        mine = {"uid": os.geteuid(), "program": "cat", "argument": "-"}
        proved = _process.prove(child.pid, **mine)  # type: ignore[arg-type]
        assert proved is not None
        assert _process.alive(proved)
        for wrong in ({"uid": 4711}, {"program": "dog"}, {"argument": "--"}):
            assert _process.prove(child.pid, **{**mine, **wrong}) is None  # type: ignore[arg-type]
    assert not _process.alive(proved)
    assert _process.prove(child.pid, **mine) is None  # type: ignore[arg-type]


def test_a_zombie_is_not_alive_but_its_pid_is_taken(tmp_path: Path) -> None:
    child = subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE)
    try:
        process = Process(pid=child.pid, started=_process.started(child.pid) or "")
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert not _process.alive(process)
        assert _process.is_another(child.pid, tmp_path)
    finally:
        child.communicate()
    assert not _process.is_another(child.pid, tmp_path)


def test_without_a_proc_the_same_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_process, "_has_proc", lambda: False)
    with _cat("-") as child:
        proved = _process.prove(child.pid, uid=os.geteuid(), program="cat", argument="-")
        assert proved is not None
        assert _process.alive(proved)
    assert not _process.alive(proved)
    assert _process.prove(child.pid, uid=os.geteuid(), program="cat", argument="-") is None


def test_a_process_of_another_time_with_the_same_pid_is_not_signalled() -> None:
    with _cat() as child:
        assert _process.end(Process(pid=child.pid, started="another boot 1"), ((9, 0.1),))
        assert child.poll() is None
    assert child.returncode == 0


def test_leases_of_the_dead_and_what_is_no_lease_count_for_nothing(place: Folder) -> None:
    own = _lease.take(place)
    (place.leases / f"{os.getpid()}-old").write_text("another boot 1", encoding="ascii")
    (place.leases / "1-half").write_text("", encoding="ascii")
    (place.leases / "stray").write_text("", encoding="ascii")

    assert _lease.holders(place) == {os.getpid()}
    assert list(place.leases.iterdir()) == [own.file]
    assert own.stands
    own.give_back()
    own.give_back()
    assert _lease.holders(place) == set()
    assert not own.stands


def test_a_port_is_kept_where_it_is_free_and_read_from_either_kind_of_file(tmp_path: Path) -> None:
    port = _port.free_port()
    assert _port.free_port(port) == port
    assert _port.configured_port(tmp_path / "none") == 0
    for text in (f"# a file\nport = {port}\n", f"bind 127.0.0.1\nport {port}\n"):
        (tmp_path / "conf").write_text(text, encoding="ascii")
        assert _port.configured_port(tmp_path / "conf") == port


def test_a_file_is_replaced_whole_and_for_the_few(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("old", encoding="ascii")
    _folder.write(file, "new", mode=0o600)
    assert file.read_text(encoding="ascii") == "new"
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [file]


def test_a_log_grown_long_is_set_aside(place: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    log = place.log_of("postgres")
    assert _log.prepare(log, place.account) == 0
    log.write_text("long enough", encoding="ascii")
    assert _log.prepare(log, place.account) == 11
    monkeypatch.setattr(_log, "MOST_BYTES", 10)
    assert _log.prepare(log, place.account) == 0
    assert log.with_name("postgres.log.1").read_text(encoding="ascii") == "long enough"


@pytest.mark.parametrize(
    ("words", "kind", "advice"),
    [
        ("FATAL: could not write: No space left on device", ServiceFailed, "disk space"),
        ("FATAL: could not open file: Permission denied", Misconfigured, "DAYBOOK_DATA_DIR"),
        ("FATAL: something new", ServiceFailed, "read "),
    ],
)
def test_a_failure_gives_the_last_words_and_what_to_do(
    tmp_path: Path, words: str, kind: type[Exception], advice: str
) -> None:
    log = tmp_path / "log"
    log.write_text(f"an older start\n{words}\n", encoding="ascii")
    error = failure("postgres", "start", log, len("an older start\n"))
    assert type(error) is kind
    for part in (words, advice, "DAYBOOK_DATABASE_URL"):
        assert part in str(error)
    assert "an older start" not in str(error)


@pytest.mark.parametrize(
    ("find", "variable"), [(_wheel.postgres_bin, "DAYBOOK_DATABASE_URL"), (_wheel.valkey_server, "DAYBOOK_REDIS_URL")]
)
def test_without_its_wheel_a_server_names_the_way_out(
    place: Folder, monkeypatch: pytest.MonkeyPatch, find: object, variable: str
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(Misconfigured, match=variable):
        find(place)  # type: ignore[operator]


def test_programs_below_a_closed_folder_are_copied_once_for_all(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (closed / "server").write_text("#!/bin/sh\n", encoding="ascii")
    (closed / "server").chmod(0o700)
    (closed / "share").write_text("words", encoding="ascii")
    programs = _wheel.Programs(site=closed, files=(Path("server"), Path("share")))
    place = Folder(data=tmp_path, home=tmp_path / "base" / "home", account=SOMEBODY)
    (tmp_path / "base" / "bin" / "new-left").mkdir(parents=True)

    copy = _wheel.within_reach("server", programs, place)
    assert copy.parent == tmp_path / "base" / "bin"
    assert (copy / "server").stat().st_mode & 0o777 == 0o755
    assert (copy / "share").stat().st_mode & 0o777 == 0o644
    assert {path.name for path in copy.parent.iterdir()} == {"lock", copy.name}
    made = copy.stat().st_mtime_ns
    assert _wheel.within_reach("server", programs, place) == copy
    assert copy.stat().st_mtime_ns == made
    assert closed.stat().st_mode & 0o777 == 0o700


def test_a_command_that_cannot_run_and_one_that_does_not_end_are_told_apart(place: Folder, tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="cannot be run"):
        _account.run(place.account, [tmp_path / "none"], log=tmp_path / "log", timeout_s=5)
    with pytest.raises(ServiceFailed, match="did not end"):
        _account.run(place.account, ["/bin/sleep", "600"], log=tmp_path / "log", timeout_s=0.05)
    assert [each for each in psutil.Process().children() if each.name() == "sleep"] == []


def test_nothing_of_our_environment_reaches_a_server(place: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPORT", "1")
    log = place.log_of("env")
    assert _account.run(place.account, ["/usr/bin/env"], log=log, timeout_s=5) == 0
    assert {line.partition("=")[0] for line in log.read_text(encoding="ascii").splitlines()} == {"PATH", "LC_ALL"}


@pytest.mark.parametrize(
    ("number", "kind", "says"),
    [
        (errno.ENOSPC, ServiceFailed, "free some disk space"),
        (errno.EDQUOT, ServiceFailed, "free some disk space"),
        (errno.EMFILE, ServiceFailed, "try again"),
        (errno.EACCES, Misconfigured, "DAYBOOK_DATA_DIR"),
        (errno.EROFS, Misconfigured, "DAYBOOK_DATA_DIR"),
        (errno.ENOTDIR, Misconfigured, "DAYBOOK_DATA_DIR"),
    ],
)
def test_what_the_system_says_of_a_file_becomes_an_error_that_says_what_to_do(
    number: int, kind: type[Exception], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number), str(tmp_path / "leases" / "1-a"))

    monkeypatch.setattr(_endpoints, "take", refused)
    with pytest.raises(kind, match=says) as raised:
        embedded.endpoints(_settings(tmp_path))
    assert "1-a" in str(raised.value)
    with pytest.raises(kind, match=says), embedded.hold(_settings(tmp_path)):
        pytest.fail("nothing was to be had")
    monkeypatch.undo()
    embedded.discard(_settings(tmp_path))


def test_what_goes_wrong_in_the_block_is_told_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_endpoints, "serve", lambda *_: _endpoints.Serving(processes=()))
    with pytest.raises(PermissionError), embedded.hold(_settings(tmp_path)):
        raise PermissionError
    monkeypatch.undo()
    embedded.discard(_settings(tmp_path))
