"""Both servers together. Callers hold the folder's lock, but for `describe`."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import UTC, datetime

from shared.contract.errors import ServiceFailed
from shared.embedded import _postgres, _valkey
from shared.embedded._cluster import DATABASE, LOGIN, OWNER
from shared.embedded._cluster import NAME as POSTGRES
from shared.embedded._folder import Folder
from shared.embedded._passwords import passwords
from shared.embedded._port import LOOPBACK
from shared.embedded._process import Process, Server, end
from shared.embedded._service import Service


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """Which of the two are wanted."""

    postgres: bool
    broker: bool

    def __bool__(self) -> bool:
        return self.postgres or self.broker


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """The servers that were wanted, and how to reach them; empty URLs for those that were not."""

    processes: tuple[Process, ...]
    database_url: str = ""
    migrate_url: str = ""
    redis_url: str = ""


def serve(place: Folder, needs: Needs, lock: int) -> Serving:
    """Find the servers running, or start them.

    Raises:
        ServiceFailed: one did not start this time.
        Misconfigured: one cannot start.
    """
    if _postgres.find(place) is None and _valkey.find(place) is None:
        place.keep.unlink(missing_ok=True)  # what was to be kept has ended, with the machine perhaps
    known = passwords(place)
    postgres = _postgres.ensure(place, known, lock) if needs.postgres else None
    valkey = _valkey.ensure(place, known) if needs.broker else None
    return Serving(
        processes=tuple(server.process for server in (postgres, valkey) if server),
        database_url=f"postgresql://{LOGIN}:{known.login}@{LOOPBACK}:{postgres.port}/{DATABASE}" if postgres else "",
        migrate_url=f"postgresql://{OWNER}:{known.owner}@{LOOPBACK}:{postgres.port}/{DATABASE}" if postgres else "",
        redis_url=f"redis://:{known.broker}@{LOOPBACK}:{valkey.port}/0" if valkey else "",
    )


def halt(place: Folder) -> None:
    """Stop what runs, and wait until it has ended. The broker first: what it brings needs the database.

    Raises:
        ServiceFailed: one did not end.
    """
    _end(_valkey.NAME, _valkey.settled(place), _valkey.STOPPING)
    _end(POSTGRES, _postgres.find(place), _postgres.STOPPING)
    place.keep.unlink(missing_ok=True)


def describe(place: Folder) -> list[Service]:
    """Both servers as they are now."""
    return [
        _describe(place, POSTGRES, _postgres.find(place)),
        _describe(place, _valkey.NAME, _valkey.find(place)),
    ]


def remove(place: Folder) -> None:
    """Delete all that the two have ever stored, and nothing else that lies in the folder."""
    for pattern in ("postgres*", "valkey*", "passwords.json*", "owner-password*"):
        for path in place.home.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.rmtree(place.leases, ignore_errors=True)
    if place.home != place.data:
        place.home.rmdir()


def _end(name: str, server: Server | None, stopping: tuple[tuple[int, float], ...]) -> None:
    if server is not None and not end(server.process, stopping):
        msg = f"{name} (pid {server.process.pid}) was told to end and does not; see what holds it, and end it yourself"
        raise ServiceFailed(msg, pid=server.process.pid)


def _describe(place: Folder, name: str, server: Server | None) -> Service:
    import psutil

    try:
        since = datetime.fromtimestamp(psutil.Process(server.process.pid).create_time(), UTC) if server else None
    except psutil.Error:
        server = since = None
    return Service(
        name=name,
        running=server is not None,
        pid=server.process.pid if server else None,
        port=server.port if server else None,
        folder=place.data_of(name),
        log=place.log_of(name),
        since=since,
    )
