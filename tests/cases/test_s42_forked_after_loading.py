"""S42: a parent that has loaded a model and opened a pool forks workers; each makes its own, and all finish."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path
from threading import Barrier
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import numpy as np
import psutil
import psycopg
import pytest
import redis

import hotpath
from shared.models.embedding import embedder
from shared.settings import Settings, settings
from shared.store.db import forget_pools
from tests.cases.adapter import Words, said, scope

ROOT = Path(__file__).parents[2]
WATCHDOG_S = 120.0
CHILDREN = 4
TROUBLE = (
    "Already borrowed",
    "Traceback",
    "libpq",
    "WorkerLostError",
    "SSL",
    "lost synchronization",
    "Hard time limit",
)

IMPORT_ONLY = """
import json, sys
import numpy, psutil
me = psutil.Process()
threads, files = me.num_threads(), me.num_fds()
import hotpath, warmpath, warmpath.app, coldpath.app, schedules.app
from hotpath import recall, arecall
from warmpath import observe, aobserve
heavy = {"onnxruntime", "tokenizers", "torch", "sentence_transformers", "transformers"} & set(sys.modules)
print(json.dumps({"heavy": sorted(heavy), "threads": me.num_threads() - threads, "files": me.num_fds() - files,
                  "sockets": len(me.net_connections(kind="all")), "children": len(me.children())}))
"""


class Worker:
    """A worker's processes, from its start to the end of the last of them."""

    def __init__(self, log: Path, *arguments: str) -> None:
        self.log = log
        self._out = log.open("wb")
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).parent / "worker_with_a_past.py"), *arguments],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def end(self) -> int:
        """Let it finish, as a supervisor would; a worker that hangs is killed with its children."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(30)
        finally:
            self.kill()

    def kill(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)
        self._out.close()

    def said(self) -> str:
        return self.log.read_text(errors="replace")


@pytest.fixture
def words(environment: Settings, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> Iterator[Words]:
    """With work left to workers, on a database of the broker that nobody else uses."""
    found = environment.redis_url
    assert found is not None
    url = urlunsplit(urlsplit(found.get_secret_value())._replace(path="/8"))
    monkeypatch.setenv("DAYBOOK_REDIS_URL", url)
    monkeypatch.setenv("DAYBOOK_MODE", "workers")
    settings.cache_clear()
    with redis.Redis.from_url(url) as client:
        client.flushdb()
        yield Words(owner)
        forget_pools()
        client.flushdb()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Worker]]:
    begun: list[Worker] = []

    def begin(*arguments: str) -> Worker:
        begun.append(
            Worker(
                tmp_path / f"worker-{len(begun)}.log",
                *("--pool=prefork", "-c", str(CHILDREN), "--queues", "append,gate,extract,resolve,index"),
                *("--hostname", f"s42-{len(begun)}@%h", "--loglevel", "INFO", "--without-gossip", "--without-mingle"),
                *arguments,
            )
        )
        return begun[-1]

    yield begin
    for worker in begun:
        worker.kill()


def hand_in(words: Words, runs: range) -> None:
    import warmpath

    for n in runs:
        messages = [said(f"Crate number {n} holds {n % 7} lamps." + " It stands in the cellar." * (n % 40), "m1")]
        warmpath.observe(scope("acme", f"user-{n % 10}", {}), messages, run_id=f"run-{n}")


def wait_until_done(words: Words, worker: Worker, runs: int) -> None:
    """A run that hangs is a failure, not something to wait out."""
    give_up = time.monotonic() + WATCHDOG_S
    while True:
        states = dict(words.owner.execute("select state, count(*) from inbox group by state").fetchall())
        if states == {"done": runs}:
            return
        stuck = f"{states} of {runs}\n{worker.said()[-3000:]}"
        assert worker.process.poll() is None, stuck
        assert time.monotonic() < give_up, stuck
        time.sleep(0.1)


def ports_to(process: psutil.Process, port: int) -> set[int]:
    """Local ports of a process's connections to a server: a connection inherited by a fork has its parent's."""
    return {each.laddr.port for each in process.net_connections(kind="tcp") if each.raddr and each.raddr.port == port}


def check_stored(words: Words, runs: int) -> None:
    assert words.count("memory") == words.count("memory_vector") == runs
    assert words.owner.execute("select count(*) from receipt where outcome = 'failed'").fetchone() == (0,)
    assert words.owner.execute("select count(*) from event where event_class = 'evidence'").fetchone() == (runs,)
    rows = words.owner.execute(
        "select text, embedding::text from memory join memory_vector using (tenant_id, user_id, doc) limit 25"
    ).fetchall()
    own = embedder(settings()).encode_documents([text for text, _ in rows])
    stored = np.array([json.loads(vector) for _, vector in rows])
    assert (own * stored).sum(axis=1).min() > 0.999, "a model that was shared across a fork gives garbage"


def test_s42_children_of_a_parent_that_has_encoded_and_asked_finish_a_hundred_runs(
    words: Words, start: Callable[..., Worker]
) -> None:
    worker = start()
    hand_in(words, range(100))
    wait_until_done(words, worker, 100)
    check_stored(words, 100)

    port = words.owner.info.port
    family = [psutil.Process(worker.process.pid), *worker.children()]
    connections = [ports_to(process, port) for process in family]
    assert len(family) == 1 + CHILDREN
    assert sum(map(bool, connections[1:])) > 1, "several children have worked; one may have found nothing left to do"
    assert not any(one & other for one, other in combinations(connections, 2)), "a connection is in two processes"
    backends = {
        process.pid: {
            pid
            for (pid,) in words.owner.execute(
                "select pid from pg_stat_activity where datname = current_database() and client_port = any(%s)",
                [sorted(ports)],
            ).fetchall()
        }
        for process, ports in zip(family[1:], connections[1:], strict=True)
        if ports
    }
    assert all(backends.values())
    assert not any(one & other for one, other in combinations(backends.values(), 2))
    assert worker.end() == 0
    assert not [trouble for trouble in TROUBLE if trouble in worker.said()], worker.said()[-3000:]


def test_s42_a_new_child_for_each_task_finishes_too(words: Words, start: Callable[..., Worker]) -> None:
    worker = start("--max-tasks-per-child=1")
    hand_in(words, range(6))
    wait_until_done(words, worker, 6)
    check_stored(words, 6)
    assert worker.end() == 0
    assert not [trouble for trouble in TROUBLE if trouble in worker.said()], worker.said()[-3000:]


def test_s42_sixteen_threads_recall_with_texts_of_all_lengths(words: Words, environment: Settings) -> None:
    for n in range(20):
        words.ingest("acme", "mira", f"run-{n}", [said(f"Crate number {n} holds {n % 7} lamps.", "m1")])
    queries = [
        ("lamps in crate number " + "of the cellar " * length).strip() for length in (0, 1, 5, 20, 90, 400, 2_000)
    ]
    barrier = Barrier(16)

    def ask(thread: int) -> list[tuple[str, ...]]:
        barrier.wait(60)
        answers = [
            hotpath.recall(scope("acme", "mira", {}), queries[(thread + n) % len(queries)], deadline_ms=60_000)
            for n in range(len(queries))
        ]
        assert all(answer.items for answer in answers)
        return [answer.degraded for answer in answers]

    with ThreadPoolExecutor(16) as threads:
        degraded = [each for answers in threads.map(ask, range(16), timeout=WATCHDOG_S) for each in answers]
    assert degraded == [()] * 16 * len(queries)
    same = {tuple(hit.memory_id for hit in words.bundle("acme", "mira", queries[1]).hits) for _ in range(3)}
    assert len(same) == 1


def test_s42_sixteen_threads_and_both_paths_at_once(words: Words) -> None:
    barrier = Barrier(16)

    def both(n: int) -> bool:
        barrier.wait(60)
        words.ingest("acme", "mira", f"run-{n}", [said(f"Crate number {n} holds lamps." + " Lamps." * n * 20, "m1")])
        return bool(words.recall("acme", "mira", f"crate number {n}"))

    with ThreadPoolExecutor(16) as threads:
        assert all(threads.map(both, range(16), timeout=WATCHDOG_S))
    check_stored(words, 16)


def test_s42_importing_the_app_loads_no_model_starts_no_thread_and_opens_no_socket() -> None:
    assert answer(IMPORT_ONLY) == {"heavy": [], "threads": 0, "files": 0, "sockets": 0, "children": 0}


def answer(program: str) -> Any:
    """What a program prints, as JSON."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=WATCHDOG_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)
