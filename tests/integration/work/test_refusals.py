"""A broker that refuses, since it is full or cut off: workers live on, with no more connections, and hear again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import psutil
import pytest
import redis

from shared import clock
from shared.contract.errors import BrokerUnavailable
from shared.embedded import Endpoints
from shared.settings import load
from shared.work import broker

ROOT: Final = Path(__file__).parents[3]
PATIENCE_S: Final = 30.0
MORE_ATTEMPTS: Final = 2
HEARD: Final = "heard"
"""The list on the broker in which the worker notes what it was told."""


@pytest.fixture
def url(servers: Endpoints) -> Iterator[str]:
    """A database of the broker that nobody else uses."""
    url = urlunsplit(urlsplit(servers.redis_url)._replace(path="/9"))
    with redis.Redis.from_url(url) as client:
        client.flushdb()
        yield url
        client.config_set("maxmemory", 0)
        client.flushdb()


def until(true: Callable[[], object], what: str) -> None:
    began = clock.monotonic_s()
    while not true():
        assert clock.monotonic_s() - began < PATIENCE_S, f"not within {PATIENCE_S:g} s: {what}"
        time.sleep(0.02)


@contextmanager
def listening(url: str, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A worker of its own process, and its pool's child, until the block ends."""
    words = [sys.executable, "-m", "celery", "-A", "tests.integration.work.listener", "worker", "--queues", "append"]
    with log.open("wb") as written:
        worker = subprocess.Popen(
            [*words, "--concurrency", "1", "--loglevel", "WARNING"],
            cwd=ROOT,
            env=os.environ | {"DAYBOOK_REDIS_URL": url},
            stdout=written,
            stderr=written,
        )
    try:
        yield worker
    finally:
        if worker.poll() is None:
            children = psutil.Process(worker.pid).children()
            worker.kill()
            for child in children:
                with suppress(psutil.NoSuchProcess):
                    child.kill()
        worker.wait()


def tell(url: str, *arguments: str) -> None:
    app = broker.make_app("teller", load(), lambda: url, only_sends=True)
    broker.send(app, "append", HEARD, *arguments, expires_s=2 * PATIENCE_S)


def heard(client: redis.Redis) -> list[bytes]:
    return client.lrange(HEARD, 0, -1)


def fill(client: redis.Redis) -> None:
    client.config_set("maxmemory", 1)
    with pytest.raises(redis.exceptions.OutOfMemoryError):
        client.set("anything", "more")


def hand_over_while_filling(worker: subprocess.Popen[bytes], client: redis.Redis, url: str, word: str) -> None:
    """Have the broker hand a message to the worker, and be full before the worker can say that it has it."""
    worker.send_signal(signal.SIGSTOP)
    tell(url, word)
    fill(client)
    worker.send_signal(signal.SIGCONT)


def test_a_worker_outlives_a_full_broker_and_hears_again_when_it_is_not(url: str, tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    with redis.Redis.from_url(url) as client, listening(url, log) as worker:

        def refused() -> bool:
            assert worker.poll() is None, f"the worker has ended:\n{log.read_text()}"
            return "the broker refuses" in log.read_text()

        tell(url, "before")
        until(lambda: heard(client) == [b"before"], "the worker listens")
        connections = client.info("clients")["connected_clients"]
        hand_over_while_filling(worker, client, url, "while filling")
        until(refused, "the worker has found the broker full")
        opened = client.info("stats")["total_connections_received"]
        until(
            lambda: client.info("stats")["total_connections_received"] > opened + MORE_ATTEMPTS,
            "the worker has tried again, and again",
        )
        assert client.info("clients")["connected_clients"] <= connections
        assert log.read_text().count("the broker refuses") == 1, "a broker may be full for hours"
        client.config_set("maxmemory", 0)
        tell(url, "after")
        until(lambda: heard(client)[-1] == b"after", "the worker listens again")
        assert worker.poll() is None


def test_a_worker_that_waits_for_a_full_broker_ends_when_it_is_told(url: str, tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    with redis.Redis.from_url(url) as client:
        fill(client)
        with listening(url, log) as worker:
            until(lambda: "the broker refuses" in log.read_text(), "the worker has found the broker full")
            worker.terminate()
            assert worker.wait(PATIENCE_S) == 0, log.read_text()


def test_a_worker_whose_acknowledgement_is_lost_hears_again(url: str, tmp_path: Path) -> None:
    """It has taken as many messages as it may at once, and must not wait for ever to be rid of one."""
    log, done = tmp_path / "worker.log", tmp_path / "done"
    with redis.Redis.from_url(url) as client, listening(url, log) as worker:
        tell(url, "at work", str(done))
        until(lambda: heard(client) == [b"at work"], "the worker is at it")
        with cut_off(client):
            done.touch()
            until(lambda: "Couldn't ack" in log.read_text(), "the acknowledgement is lost")
        tell(url, "after")
        until(lambda: heard(client)[-1] == b"after", "the worker listens again")
        assert worker.poll() is None


@contextmanager
def cut_off(client: redis.Redis) -> Iterator[None]:
    """Cut every connection for commands but one's own, and refuse new ones, until the block ends."""
    before = client.config_get("maxclients")["maxclients"]
    client.config_set("maxclients", 1)
    try:
        client.client_kill_filter(_type="normal", skipme=True)
        yield
    finally:
        client.config_set("maxclients", before)


def test_a_broker_that_refuses_to_count_is_not_one_where_nothing_waits(url: str) -> None:
    """As a full Redis does, where the counting is a transaction."""
    blind = urlunsplit(urlsplit(url)._replace(netloc=f"blind:blind@{urlsplit(url).netloc.rpartition('@')[2]}"))
    app = broker.make_app("counter", load(), lambda: blind, only_sends=True)
    with redis.Redis.from_url(url) as client:
        client.acl_setuser("blind", enabled=True, passwords=["+blind"], keys=["*"], categories=["+@all"])
        try:
            assert broker.lengths(app, ["append"]) == {"append": 0}, "a queue that nobody has rung at"
            tell(url, "once")
            assert broker.lengths(app, ["append"]) == {"append": 1}
            client.acl_setuser("blind", enabled=True, commands=["-llen", "-exists"])
            with pytest.raises(BrokerUnavailable, match="permission"):
                broker.lengths(app, ["append"])
        finally:
            client.acl_deluser("blind")
