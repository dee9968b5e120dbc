"""Which servers a process uses, and for how long."""

from __future__ import annotations

import atexit
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from shared.clock import monotonic_s
from shared.contract.errors import DaybookError, Misconfigured, ServiceFailed
from shared.embedded._failure import file_errors
from shared.embedded._folder import Folder, folder, make, write
from shared.embedded._lease import Lease, holders, take
from shared.embedded._lock import locked
from shared.embedded._process import alive
from shared.embedded._servers import Needs, Serving, describe, halt, remove, serve
from shared.embedded._service import Service
from shared.settings import Settings

LOCK_TIMEOUT_S: Final = 180.0
"""Above what making, starting or stopping both servers takes."""
LOOK_AGAIN_S: Final = 1.0
"""For how long servers that were found running are taken to run: to look costs a recall 0.15 ms."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """Where a process finds its servers. The URLs hold passwords and are left out of the repr."""

    database_url: str = field(repr=False)
    """As a login that owns nothing."""
    migrate_url: str = field(repr=False)
    """As the owner of the schema."""
    redis_url: str = field(repr=False)
    """The broker; empty where none was asked for."""


@dataclass(slots=True, kw_only=True)
class _Use:
    """What this process was told last, and what must still be so for it to be true."""

    serving: Serving
    lease: Lease
    looked_s: float = field(default_factory=monotonic_s)

    @property
    def stands(self) -> bool:
        return self.lease.stands and self._runs()

    def _runs(self) -> bool:
        """Whether the servers run, or did less than `LOOK_AGAIN_S` ago."""
        now_s = monotonic_s()
        if now_s - self.looked_s < LOOK_AGAIN_S:
            return True
        if not all(alive(process) for process in self.serving.processes):
            return False
        self.looked_s = now_s
        return True


# By pid, since a child made by a fork inherits them and must not take them for its own.
_uses: dict[tuple[int, Path, Needs], _Use] = {}
_leases: list[Lease] = []


def endpoints(settings: Settings, *, broker: bool = True) -> Endpoints:
    """The URLs to use: the configured ones, and for the rest embedded servers, found running or started now.

    Where servers are embedded, this process holds a lease on them from the first call until it exits (see the package);
    inside `hold()` that lease serves. A call looks whether the servers still run, unless one did less than
    `LOOK_AGAIN_S` ago, and starts them again if not, on the same ports if these are still free. Safe in threads and
    after a fork. Without `broker` the embedded broker is neither started nor returned.

    Raises:
        Misconfigured: settings contradict each other, the data folder cannot be used, or a server cannot start here.
        ServiceFailed: a server did not start this time; the message ends with the last lines of its log.
    """
    needs = _needs(settings, broker=broker)
    if not needs:
        return _merged(settings, None, broker=broker)
    key = (os.getpid(), settings.data_dir, needs)
    use = _uses.get(key)
    if use is None or not use.stands:
        use = _uses[key] = _begin(settings, needs)
    return _merged(settings, use.serving, broker=broker)


@contextmanager
def hold(settings: Settings, *, broker: bool = True, keep: bool = False) -> Iterator[Endpoints]:
    """Use the servers for the length of a `with` block. On leaving, the last to use them stops them.

    Make it the outermost statement of a program: what the program does with the servers ends with it. With `keep` they
    run on, whoever leaves, until `stop()` or until both have ended for another reason; a block that raises takes its
    own wish to keep them back, and nobody else's. Where nothing is embedded, this does nothing.

    Raises:
        Misconfigured, ServiceFailed: as `endpoints` does; on leaving, ServiceFailed if a server does not end.
    """
    needs = _needs(settings, broker=broker)
    if not needs:
        yield _merged(settings, None, broker=broker)
        return
    place = folder(settings)
    with _alone(place) as lock:
        lease, serving = _enter(take(place), needs, lock)
    went_well = False
    try:
        if keep:
            _wish_to_keep(lease)
        yield _merged(settings, serving, broker=broker)
        went_well = True
    finally:
        _leave(lease, keep=went_well if keep else None)


def status(settings: Settings) -> list[Service]:
    """The two embedded servers of the data folder, running or not. Starts, makes and locks nothing."""
    place = folder(settings)
    with file_errors(place.data):
        return describe(place)


def stop(settings: Settings) -> list[Service]:
    """Stop the embedded servers of the data folder, whoever uses them, and wait; returns those that ran.

    Does nothing where none runs. Only a process proved to be one of these servers is ever signalled.

    Raises:
        ServiceFailed: one does not end.
        Misconfigured: the data folder is somebody else's.
    """
    place = folder(settings)
    if not _exists(place):
        return []
    with _alone(place):
        running = [service for service in describe(place) if service.running]
        halt(place)
        _uses.clear()
    return running


def discard(settings: Settings) -> None:
    """Stop the embedded servers and delete all their data, for good: for tests and demonstrations.

    Raises:
        ServiceFailed: another process uses them; nothing has been deleted.
    """
    place = folder(settings)
    if not _exists(place):
        return
    with _alone(place):
        others = holders(place) - {os.getpid()}
        if others:
            pids = ", ".join(map(str, sorted(others)))
            msg = f"the servers of {place.data} are in use by processes {pids}: end those first"
            raise ServiceFailed(msg, pids=sorted(others))
        halt(place)
        remove(place)
        place.lock.unlink()
    if not any(place.data.iterdir()):
        place.data.rmdir()


def _needs(settings: Settings, *, broker: bool) -> Needs:
    if settings.database_url is None and settings.migrate_url is not None:
        msg = "DAYBOOK_MIGRATE_URL is set without DAYBOOK_DATABASE_URL: set both, or neither for an embedded Postgres"
        raise Misconfigured(msg)
    return Needs(postgres=settings.database_url is None, broker=broker and settings.redis_url is None)


def _merged(settings: Settings, serving: Serving | None, *, broker: bool) -> Endpoints:
    database = settings.database_url.get_secret_value() if settings.database_url else ""
    migrate = settings.migrate_url.get_secret_value() if settings.migrate_url else database
    redis = settings.redis_url.get_secret_value() if settings.redis_url and broker else ""
    return Endpoints(
        database_url=database or (serving.database_url if serving else ""),
        migrate_url=migrate or (serving.migrate_url if serving else ""),
        redis_url=redis or (serving.redis_url if serving else ""),
    )


def _begin(settings: Settings, needs: Needs) -> _Use:
    place = folder(settings)
    with _alone(place) as lock:
        own = next((lease for lease in _leases if lease.place == place and lease.stands), None)
        if own is not None:
            return _Use(serving=serve(place, needs, lock), lease=own)
        lease, serving = _enter(take(place), needs, lock)
    return _Use(serving=serving, lease=lease)


@contextmanager
def _alone(place: Folder) -> Iterator[int]:
    """Hold the folder's lock, on folders that are there; yields its descriptor."""
    make(place)
    with file_errors(place.data), locked(place.lock, timeout_s=LOCK_TIMEOUT_S) as lock:
        yield lock


def _exists(place: Folder) -> bool:
    with file_errors(place.data):
        return place.data.exists() or place.home.exists()


def _enter(lease: Lease, needs: Needs, lock: int) -> tuple[Lease, Serving]:
    try:
        serving = serve(lease.place, needs, lock)
    except BaseException:
        _end_use(lease)
        raise
    _leases.append(lease)
    return lease, serving


def _wish_to_keep(lease: Lease) -> None:
    """Have the servers kept also if this process is killed; the file names whose wish it is until one is granted."""
    with _alone(lease.place):
        if not lease.place.keep.exists():
            write(lease.place.keep, lease.file.name, mode=0o600)


def _leave(lease: Lease, *, keep: bool | None = None) -> None:
    """End a use; with `keep` True the servers are kept, with False no longer for this use's sake."""
    if not lease.stands:
        return
    with _alone(lease.place):
        wish = lease.place.keep
        try:
            if keep:
                write(wish, "", mode=0o600)
            elif keep is False and wish.exists() and wish.read_text(encoding="utf-8") == lease.file.name:
                wish.unlink()
        finally:
            _end_use(lease)


def _end_use(lease: Lease) -> None:
    lease.give_back()
    if not holders(lease.place) and not lease.place.keep.exists():
        halt(lease.place)


@atexit.register
def _leave_all() -> None:
    for lease in _leases:
        try:
            _leave(lease)
        except (DaybookError, OSError) as error:
            _log.warning("the embedded servers could not be left in order: %s", error)
