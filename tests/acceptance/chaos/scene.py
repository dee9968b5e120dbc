"""What a point works with: its tenant, its runs, and the means of doing harm at a certain moment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import psycopg

import gateway
from shared import clock
from shared.contract.errors import DatabaseUnavailable
from shared.settings import environment, load
from tests.acceptance.chaos.traffic import RUNS, Said
from tests.acceptance.chaos.world import World, feed, until

ROOT: Final = Path(gateway.__file__).parents[1]
REACHED_S: Final = 20.0
"""How long a worker may take to come to the moment at which harm is done to it."""
_RETRY_S: Final = 0.2
_NOBODY: Final = "redis://127.0.0.1:1/0"


class Moment(StrEnum):
    """Where in its transaction a stage is held."""

    BEFORE = "inside"
    """All is written and nothing committed: if the client dies here, Postgres rolls back."""
    AFTER = "commit"
    """The commit is under way in Postgres: it goes through, and whoever asked for it never hears of it if it dies."""


class NotInjectedError(Exception):
    """The fault did not happen as the point says it does, so its row would prove nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A stage that is held at a moment."""

    connection: psycopg.Connection[Any]
    """Whose session holds the lock."""
    lock: int
    stage: str

    def wait(self) -> None:
        """Until somebody's transaction has come to the moment."""
        until(self.waiting, f"{self.stage} came to the moment", timeout_s=REACHED_S)

    def waiting(self) -> list[tuple[int, str, str]]:
        """Who waits there: pid of the session, subject and run of the receipt that it has written."""
        query = """
            select pg_stat_activity.pid, split_part(application_name, ' ', 2), split_part(application_name, ' ', 3)
            from pg_locks join pg_stat_activity using (pid)
            where locktype = 'advisory' and not granted and objid = %s::oid order by 1
        """
        return self.connection.execute(query, (self.lock,)).fetchall()

    def release(self) -> None:
        """Let everybody go on."""
        self.connection.execute("delete from chaos.fault where lock = %s", (self.lock,))
        self.connection.execute("select pg_advisory_unlock_all()")


class Scene:
    """One point's view of the world."""

    def __init__(self, world: World, tenant: str) -> None:
        self.world = world
        self.tenant = tenant
        self.runs: list[Said] = list(RUNS)
        """Whose end state is expected; a point that observes fewer takes the others out."""
        self.parked: set[str] = set()
        """Runs that must have been given up, with a receipt that says so."""
        self.erased: str | None = None
        """A user of whom everything was erased, after all was done."""
        self._leaving = ExitStack()

    def close(self) -> None:
        """End what the point started itself, and take back its faults."""
        with self.world.owner() as connection:
            connection.execute("delete from chaos.fault where tenant_id = %s", (self.tenant,))
        self._leaving.close()

    def observe(self, runs: Sequence[Said] | None = None, *, ring: bool = True) -> None:
        """Have runs accepted as an agent does: what was refused because the database was away is sent again.

        Without `ring` no worker is told, as when the broker is away; only the sweep can find the runs then.
        """
        configured = self.world.configured
        if not ring:
            configured = load(**{**configured.model_dump(exclude_none=True), "redis_url": _NOBODY})
        for run in self.runs if runs is None else runs:
            self._insist(lambda run=run: feed(configured, self.tenant, [run]))  # type: ignore[misc]

    def _insist(self, accept: Callable[[], None]) -> None:
        def accepted() -> bool:
            try:
                accept()
            except DatabaseUnavailable:
                time.sleep(_RETRY_S)
                return False
            return True

        until(accepted, "a run was accepted", timeout_s=REACHED_S)

    @contextmanager
    def holding(self, stage: str, moment: Moment, *, run_id: str | None = None) -> Iterator[Held]:
        """Hold whoever comes to a moment of a stage of this tenant's runs, until released or the block ends."""
        with self.world.owner() as connection:
            lock = connection.info.backend_pid
            connection.execute("select pg_advisory_lock(%s)", (lock,))
            held = Held(connection=connection, lock=lock, stage=stage)
            connection.execute(
                "insert into chaos.fault values (%s, %s, %s, %s, %s)", (self.tenant, stage, moment, run_id, lock)
            )
            try:
                yield held
            finally:
                if not connection.broken:
                    held.release()

    def fail(self, stage: str, run_id: str) -> None:
        """Have a stage of one run fail whenever it is tried, until `mend` or the end of the point."""
        with self.world.owner() as connection:
            connection.execute(
                "insert into chaos.fault values (%s, %s, %s, %s)", (self.tenant, stage, Moment.BEFORE, run_id)
            )

    def mend(self) -> None:
        """Have nothing fail any more."""
        with self.world.owner() as connection:
            connection.execute("delete from chaos.fault where tenant_id = %s", (self.tenant,))

    def ask(self, query: str, *parameters: object) -> list[tuple[Any, ...]]:
        """Rows, read as the schema's owner; the tenant is the first parameter."""
        with self.world.owner() as connection:
            return connection.execute(query, (self.tenant, *parameters)).fetchall()

    def has_receipt(self, subject: str, stage: str) -> bool:
        """Whether a stage of a delivery is committed."""
        found = self.ask(
            "select from receipt where tenant_id = %s and subject = %s::uuid and stage = %s", subject, stage
        )
        return bool(found)

    def work(self, *run_ids: str) -> list[tuple[str, str, str]]:
        """Owner, delivery and stage of runs, or of all there are, by run."""
        return self.ask(
            "select user_id, inbox_id::text, stage from inbox where tenant_id = %s and (run_id = any(%s) or %s) "
            "order by run_id",
            list(run_ids),
            not run_ids,
        )

    def waiting(self, *stages: str) -> int:
        """How many runs wait, at some stages or at any."""
        ((count,),) = self.ask(
            "select count(*) from inbox where tenant_id = %s and state = 'waiting' and (stage = any(%s) or %s)",
            list(stages),
            not stages,
        )
        return int(count)

    def until(self, true: Callable[[], object], what: str, *, timeout_s: float = REACHED_S) -> float:
        """Wait until something is true; raises TimeoutError."""
        return until(true, what, timeout_s=timeout_s)

    def pause(self, seconds: float) -> None:
        """How long a fault lasts."""
        time.sleep(seconds)

    def now_s(self) -> float:
        """Seconds on a clock that only goes forward."""
        return clock.monotonic_s()

    def redrive(self) -> None:
        """Set the tenant's runs that were given up waiting again, as the operator's page says."""
        self.require(self.daybook("dead", "redrive", "--all").wait(REACHED_S) == 0, "they were taken up again")

    def require(self, true: object, what: str) -> None:
        """Make sure that the fault happened.

        Raises:
            NotInjectedError: it did not.
        """
        if not true:
            raise NotInjectedError(f"the fault did not happen: {what}")

    def start(self, words: Sequence[str], *, feed: str | None = None, **variables: str) -> subprocess.Popen[str]:
        """Start a process beside those of the Procfile, from the same place; it is ended with the point."""
        base = environment(self.world.configured)
        path = os.pathsep.join([str(Path(sys.executable).parent), base.get("PATH", os.defpath)])
        log = (self.world.settings.data_dir / "logs" / "beside.log").open("a", encoding="utf-8")
        process = subprocess.Popen(
            list(words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE if feed is not None else log,
            stderr=log,
            text=True,
            cwd=ROOT,
            env=base | {"PATH": path, **variables},
        )
        log.close()
        self._leaving.callback(_end, process)
        if feed is not None and process.stdin:
            process.stdin.write(feed)
            process.stdin.close()
            process.stdin = None
        return process

    def daybook(self, *words: str) -> subprocess.Popen[str]:
        """A command of `daybook` on the tenant, in a process of its own; it is ended with the point."""
        return self.start([sys.executable, "-m", "gateway", *words, "--tenant", self.tenant])

    def client(self, run: Said, **variables: str) -> subprocess.Popen[str]:
        """An agent's process of its own that observes one run and ends."""
        words = [sys.executable, "-m", "gateway", "observe", "-", "--tenant", self.tenant, "--user", run.user, "--json"]
        if run.session:
            words += ["--session", run.session]
        return self.start(words, feed=json.dumps(run.document()), **variables)


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
