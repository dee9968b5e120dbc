"""The Procfile's processes: started, found again, and ended, by whichever command comes along."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gateway import _running, procfile
from gateway._running import Started
from shared import clock
from shared.contract.errors import BrokerUnavailable, ServiceFailed
from shared.embedded._failure import file_errors
from shared.embedded._lock import locked
from shared.embedded._process import started
from shared.settings import environment

if TYPE_CHECKING:
    from celery import Celery
    from pydantic import SecretStr

    from shared.embedded import Endpoints
    from shared.settings import Settings

READY_TIMEOUT_S: Final = 120.0
"""Above what four Python programs take to start on a small, busy machine."""
STOP_TIMEOUT_S: Final = 20.0
"""How long a worker may go on with the task it is at."""

_LOCK: Final = "processes.lock"
_LOCK_TIMEOUT_S: Final = READY_TIMEOUT_S + STOP_TIMEOUT_S
_PAUSE_S: Final = 0.05
_PING_S: Final = 0.5
_TAIL_LINES: Final = 12
# Reads a line before it becomes its command: the starter writes it when the pid is on disk. If the starter dies before,
# there is nothing to read, and it ends.
_WAITS: Final = 'cd "$1" && shift && read -r go && exec "$@" </dev/null'
_SHELL: Final = "/bin/sh"


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """One of the Procfile's processes as it is now."""

    name: str
    running: bool
    pid: int | None
    since: datetime | None
    log: Path | None
    died: bool = False
    """It was started, has not been told to end, and runs no more."""


class Processes:
    """The processes that work for one data folder."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._data_dir = settings.data_dir.expanduser().resolve()
        self._children: set[int] = set()

    def states(self) -> list[State]:
        """All that the Procfile names, and what was started and is no longer in it. Changes nothing."""
        with file_errors(self._data_dir):
            found = {
                each.name: _state(each.name, each, runs=self._runs(each)) for each in _running.load(self._data_dir)
            }
        names = [entry.name for entry in procfile.read()]
        gone = [name for name, each in found.items() if not each.running and name not in names]
        return [found.get(name) or _state(name, None) for name in dict.fromkeys([*names, *found]) if name not in gone]

    def start(
        self,
        endpoints: Endpoints,
        *,
        timeout_s: float = READY_TIMEOUT_S,
        require_servers: Callable[[], None] = lambda: None,
    ) -> list[State]:
        """Start those that do not run, and return when every worker answers.

        They are given `endpoints`, so they start no servers and hold no leases; what they write goes to
        `<data_dir>/logs/<name>.log`. Either all run when this returns, or none that it started. `require_servers` is
        called while they are waited for, and raises where the servers are gone: no worker is to blame then.

        Raises:
            ServiceFailed: one ended early, with the last lines of its log, or a worker does not answer in time.
        """
        with file_errors(self._data_dir):
            self._data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._alone():
            before = [each for each in _running.load(self._data_dir) if self._runs(each)]
            fresh: list[Started] = []
            try:
                known = {each.name for each in before}
                for entry in procfile.read():
                    if entry.name not in known:
                        self._begin(entry, endpoints, before, fresh)
                self._wait_until_ready(fresh, endpoints, timeout_s, require_servers)
            except BaseException:
                self._end(fresh)
                _running.store(self._data_dir, before)
                raise
        return self.states()

    def check(self) -> None:
        """Make sure that all that was started still runs.

        Raises:
            ServiceFailed: one has ended; the message ends with the last lines of its log.
        """
        for each in _running.load(self._data_dir):
            if not self._runs(each):
                raise _ended(each)

    def stop(self, *, timeout_s: float = STOP_TIMEOUT_S) -> list[State]:
        """End what was started for this data folder, whoever started it, and return what ran.

        Each may finish the task it is at; after `timeout_s` it is killed with its children, and its task will be done
        by another, once its lease has run out.
        """
        with file_errors(self._data_dir):
            if not (self._data_dir / _running.FILE).exists() and not (self._data_dir / _LOCK).exists():
                return []
        with self._alone():
            known = _running.load(self._data_dir)
            states = [_state(each.name, each) for each in known if self._runs(each)]
            self._end(known, timeout_s=timeout_s)
            _running.store(self._data_dir, [])
        return states

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with file_errors(self._data_dir), locked(self._data_dir / _LOCK, timeout_s=_LOCK_TIMEOUT_S):
            yield

    def _begin(
        self, entry: procfile.Entry, endpoints: Endpoints, before: Sequence[Started], fresh: list[Started]
    ) -> None:
        log = self._data_dir / "logs" / f"{entry.name}.log"
        log.parent.mkdir(mode=0o700, exist_ok=True)
        offset = log.stat().st_size if log.exists() else 0
        pid, go = _spawn(entry, procfile.home(self._data_dir), log, self._environment(endpoints))
        self._children.add(pid)
        with os.fdopen(go, "wb") as waiting:
            process = Started(
                name=entry.name,
                pid=pid,
                started=started(pid) or "",
                since=clock.now(),
                command=entry.command,
                log=log,
                offset=offset,
            )
            fresh.append(process)
            _running.store(self._data_dir, [*before, *fresh])
            waiting.write(b"go\n")

    def _environment(self, endpoints: Endpoints) -> dict[str, str]:
        given = self._settings.model_copy(
            update={
                "data_dir": self._data_dir,
                "database_url": _secret(endpoints.database_url),
                "redis_url": _secret(endpoints.redis_url),
                "migrate_url": None,
            }
        )
        found = environment(given)
        # The interpreter's own folder first: `celery` is there, also where no environment has been activated.
        return found | {"PATH": os.pathsep.join([str(Path(sys.executable).parent), found.get("PATH", os.defpath)])}

    def _wait_until_ready(
        self, fresh: Sequence[Started], endpoints: Endpoints, timeout_s: float, require_servers: Callable[[], None]
    ) -> None:
        host = socket.gethostname()
        entries = {entry.name: entry for entry in procfile.read()}
        awaited = {node: each for each in fresh if (node := entries[each.name].node(host))}
        app = _app(self._settings, endpoints)
        deadline = clock.monotonic_s() + timeout_s
        while awaited:
            require_servers()
            for each in fresh:
                if not self._runs(each):
                    raise _ended(each)
            for node in _answering(app) & awaited.keys():
                del awaited[node]
            if awaited and clock.monotonic_s() > deadline:
                names = ", ".join(each.name for each in awaited.values())
                logs = ", ".join(str(each.log) for each in awaited.values())
                raise ServiceFailed(f"no answer from {names} within {timeout_s:g} s: read {logs}")

    def _runs(self, process: Started) -> bool:
        self._reap(process.pid)
        return process.runs

    def _reap(self, pid: int) -> None:
        """Let a child of ours that has ended go; it would stay as a zombie."""
        if pid in self._children and os.waitpid(pid, os.WNOHANG)[0]:
            self._children.remove(pid)

    def _end(self, processes: Sequence[Started], *, timeout_s: float = STOP_TIMEOUT_S) -> None:
        """Ask the leaders to end, since each looks after its children, and kill what is left at the deadline."""
        deadline = clock.monotonic_s() + timeout_s
        for each in processes:
            each.signal(signal.SIGTERM)
        for each in processes:
            while self._runs(each) and clock.monotonic_s() < deadline:
                time.sleep(_PAUSE_S)
        for each in processes:
            while each.runs or each.members():
                each.kill_all()
                time.sleep(_PAUSE_S)
            self._reap(each.pid)


def _spawn(entry: procfile.Entry, home: Path, log: Path, environment: dict[str, str]) -> tuple[int, int]:
    """Start a process in a session of its own; returns its pid and where to write to let it go on."""
    waits, go = os.pipe()
    try:
        pid = os.posix_spawn(
            _SHELL,
            [_SHELL, "-c", _WAITS, entry.name, str(home), *entry.command],
            environment,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, waits, 0),
                (os.POSIX_SPAWN_OPEN, 1, str(log), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
                (os.POSIX_SPAWN_DUP2, 1, 2),
            ],
            setsid=True,
        )
    except BaseException:
        os.close(go)
        raise
    finally:
        os.close(waits)
    return pid, go


def _secret(url: str) -> SecretStr:
    from pydantic import SecretStr

    return SecretStr(url)


def _app(settings: Settings, endpoints: Endpoints) -> Celery:
    from shared.work.broker import make_app

    return make_app("daybook-start", settings, lambda: endpoints.redis_url)


def _answering(app: Celery) -> set[str]:
    from shared.work.broker import answering

    try:
        return answering(app, timeout_s=_PING_S)
    except BrokerUnavailable:
        time.sleep(_PAUSE_S)
        return set()


def _state(name: str, process: Started | None, *, runs: bool = True) -> State:
    return State(
        name=name,
        running=process is not None and runs,
        pid=process.pid if process and runs else None,
        since=process.since if process and runs else None,
        log=process.log if process else None,
        died=process is not None and not runs,
    )


def _ended(process: Started) -> ServiceFailed:
    with process.log.open("rb") as file:
        file.seek(process.offset)
        lines = file.read().decode(errors="replace").splitlines()
    said = [line for line in lines if line.strip()][-_TAIL_LINES:]
    message = f"{process.name} (pid {process.pid}) has ended; its log is {process.log}. Its last words:"
    return ServiceFailed("\n  ".join([message, *(said or ["(none)"])]), process=process.name, log=str(process.log))
