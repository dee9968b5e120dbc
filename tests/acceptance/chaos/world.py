"""The real thing that harm is done to: embedded servers and the Procfile's processes, started once for all points."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

import psycopg

from coldpath.forget import erase
from gateway import _running
from gateway.interruption import ignore_interruptions, interruptible
from gateway.processes import Processes
from shared import clock, embedded
from shared.contract.errors import ServiceFailed
from shared.contract.scope import Scope
from shared.embedded import Endpoints
from shared.embedded._lock import seize
from shared.embedded._process import Process
from shared.settings import Settings, load
from shared.store.db import database, forget_pools
from tests.acceptance.chaos.fingerprint import Fingerprint, fingerprint
from tests.acceptance.chaos.signals import Worker, known, send
from tests.acceptance.chaos.traffic import RUNS, Said

if TYPE_CHECKING:
    from pathlib import Path

    import redis

DEADLINE_S: Final = 4
"""Of a task, and so the lease of a run whose worker died: most points wait for it."""
HASTY: Final[dict[str, Any]] = {
    "mode": "workers",
    "task_deadline_s": DEADLINE_S,
    "visibility_timeout_s": DEADLINE_S + 1,
    "task_attempts": 3,
    "sweep_every_s": 0.5,
    "job_lease_s": 3.0,
    "health_period_s": 5.0,
    "health_port": 0,
}
"""Settings in which a fault is over in seconds; nothing else differs from a Daybook that somebody runs."""
STOP_TIMEOUT_S: Final = 10.0
_PAUSE_S: Final = 0.03
_OURS: Final = ("logs", "processes.json", "processes.lock", "beat-schedule*", "elsewhere", "lock", "keep", "leases")


class World:
    """All that runs for the points. Make it by `running`."""

    def __init__(self, settings: Settings, endpoints: Endpoints) -> None:
        self.settings = settings
        self.endpoints = endpoints
        self.processes = Processes(settings)
        self.frozen: set[Process] = set()
        self._references: dict[tuple[frozenset[str], str | None], Fingerprint] = {}
        self._tenants = 0

    @property
    def configured(self) -> Settings:
        """The settings as the processes have them, with the URLs."""
        return load(
            **{
                **self.settings.model_dump(exclude_none=True),
                "database_url": self.endpoints.database_url,
                "redis_url": self.endpoints.redis_url,
            }
        )

    def fresh_tenant(self, what: str) -> str:
        """A tenant that has no rows."""
        self._tenants += 1
        return f"{what}-{self._tenants:03}"

    @contextmanager
    def owner(self) -> Iterator[psycopg.Connection[Any]]:
        """A connection as the schema's owner, past every policy."""
        with psycopg.connect(self.endpoints.migrate_url, autocommit=True, connect_timeout=10) as connection:
            connection.execute("set default_transaction_read_only = off")
            yield connection

    @contextmanager
    def broker(self) -> Iterator[redis.Redis]:
        """A client of the broker."""
        import redis

        with redis.Redis.from_url(self.endpoints.redis_url, socket_timeout=10) as client:
            yield client

    def worker(self, queue: str) -> Worker:
        """The worker that the Procfile gives a queue to, as it is now."""
        return Worker.of(self.process(lambda words: queue in queues_of(words)), self.frozen)

    def beat(self) -> Process:
        """The beat."""
        found = self.process(lambda words: "beat" in words)
        return Process(pid=found.pid, started=found.started)

    def process(self, is_it: Callable[[Sequence[str]], bool]) -> _running.Started:
        """The process of the Procfile whose command is the one meant."""
        return next(each for each in _running.load(self.settings.data_dir) if is_it(each.command))

    def server(self, name: str) -> Process:
        """An embedded server's process: `postgres` or `valkey`."""
        found = next(each for each in embedded.status(self.settings) if each.name == name)
        if found.pid is None:
            raise ServiceFailed(f"{name} does not run")
        return known(found.pid)

    def serve(self) -> Endpoints:
        """Start the servers that are dead."""
        with embedded.hold(self.settings) as found:
            return found

    def heal(self) -> None:
        """What a process manager does: start again what has died, servers first. Frozen processes are let go."""
        for process in list(self.frozen):
            send(signal.SIGCONT, process)
        self.frozen.clear()
        found = self.serve()
        if found != self.endpoints:  # a port was taken meanwhile
            self.processes.stop(timeout_s=STOP_TIMEOUT_S)
            self.endpoints = found
        if not all(state.running for state in self.processes.states()):
            self.processes.start(found)

    def reference(self, runs: Sequence[Said], *, erased: str | None = None) -> Fingerprint:
        """The fingerprint of some runs that were done inline, one after the other, undisturbed.

        With `erased`, everything of that user was erased afterwards.
        """
        key = (frozenset(run.run_id for run in runs), erased)
        if key not in self._references:
            tenant = self.fresh_tenant("undisturbed")
            feed(self.configured, tenant, runs, inline=True)
            if erased:
                opened = database(self.endpoints.database_url, self.configured)
                erase(opened, Scope(tenant_id=tenant, user_id=erased))
            self._references[key] = self.fingerprint(tenant)
        return self._references[key]

    def fingerprint(self, tenant: str) -> Fingerprint:
        """The fingerprint of a tenant now."""
        with self.owner() as connection:
            return fingerprint(connection, tenant)


def feed(configured: Settings, tenant: str, runs: Sequence[Said], *, inline: bool = False) -> None:
    """Have an agent's process accept runs."""
    from shared.settings import using
    from warmpath import observe

    with using(configured):
        for run in runs:
            observe(
                run.scope(tenant),
                run.messages,
                run_id=run.run_id,
                room=run.room,
                participants=run.people,
                inline=inline,
            )


@contextmanager
def running(data_dir: Path, say: Callable[[str], None]) -> Iterator[World]:
    """Servers, processes and the harness's triggers in a data folder that is the harness's own; ended whatever happens.

    Raises:
        ServiceFailed: something did not start, or another harness is at work there.
    """
    settings = load(data_dir=data_dir, **HASTY)
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = seize(data_dir / "chaos.lock")
    if lock is None:
        raise ServiceFailed(f"another harness is at work in {data_dir}: let it end, or give --data-dir")
    with interruptible(), _quiet():
        try:
            _clear(settings)
            with _started(settings, say) as world:
                yield world
        finally:
            ignore_interruptions()
            _clear(settings)
            os.close(lock)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep to ourselves that rings get lost and connections break: it is what the points are about."""
    before = [(log, log.level) for log in map(logging.getLogger, ("daybook", "psycopg.pool"))]
    for log, _ in before:
        log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for log, level in before:
            log.setLevel(level)


@contextmanager
def _started(settings: Settings, say: Callable[[str], None]) -> Iterator[World]:
    say("starting Postgres and Valkey")
    with embedded.hold(settings) as endpoints:
        embedded.open_database(settings)
        world = World(settings, endpoints)
        try:
            with world.owner() as connection:
                connection.execute(resources.files(__package__).joinpath("faults.sql").read_bytes())
            say("doing the runs undisturbed")
            world.reference(RUNS)
            say("starting the Procfile's processes")
            world.processes.start(endpoints)
            yield world
        finally:
            ignore_interruptions()
            say("ending everything")
            for process in world.frozen:
                send(signal.SIGCONT, process)
            world.processes.stop(timeout_s=STOP_TIMEOUT_S)
            forget_pools()


def _clear(settings: Settings) -> None:
    """End and delete what is left of a harness that was killed."""
    Processes(settings).stop(timeout_s=STOP_TIMEOUT_S)
    embedded.discard(settings)
    for pattern in _OURS:
        for path in settings.data_dir.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def queues_of(words: Sequence[str]) -> list[str]:
    """The queues that a worker's command names."""
    return words[words.index("--queues") + 1].split(",") if "--queues" in words[:-1] else []


def until(true: Callable[[], object], what: str, *, timeout_s: float) -> float:
    """Wait until something is true, looking often; returns after how many seconds it was.

    Raises:
        TimeoutError: it did not become true in time.
    """
    began = clock.monotonic_s()
    while not true():
        if clock.monotonic_s() - began > timeout_s:
            raise TimeoutError(f"not within {timeout_s:g} s: {what}")
        time.sleep(_PAUSE_S)
    return clock.monotonic_s() - began
