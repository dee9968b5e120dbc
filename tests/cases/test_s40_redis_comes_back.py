"""S40: Redis goes away and comes back, loses all it held, or drops what it holds; work goes on without a person."""

from __future__ import annotations

import json
import os
import signal
import time
import urllib.error
import urllib.request
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis

import warmpath
from gateway.endpoint import url_of
from shared import embedded
from shared.settings import Settings, settings
from tests.cases.adapter import said, scope
from tests.cases.processes import BEAT, WORKER, processes, until

SWEEP_S = 1.0
PERIOD_S = 3.0
LIMIT_S = 2.0
"""Above what observe may take: it waits for no broker."""


@pytest.fixture
def hasty(on_a_broker_of_its_own: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    chosen = {
        "SWEEP_EVERY_S": SWEEP_S,
        "TASK_DEADLINE_S": 5,
        "VISIBILITY_TIMEOUT_S": 6,
        "HEALTH_PERIOD_S": PERIOD_S,
        "HEALTH_PORT": 0,
    }
    for name, value in chosen.items():
        monkeypatch.setenv(f"DAYBOOK_{name}", str(value))
    settings.cache_clear()
    return settings()


@pytest.fixture
def broker(hasty: Settings, tmp_path: Path) -> Settings:
    """The settings by which the broker is embedded: for ending it and having it again."""
    return hasty.model_copy(update={"data_dir": tmp_path / "broker", "redis_url": None})


def observe(runs: range) -> None:
    for n in runs:
        began = time.monotonic()
        receipt = warmpath.observe(scope("acme", f"u{n % 5}", {}), [said(f"Crate {n} holds lamps.")], run_id=f"run-{n}")
        assert (receipt.outcome, time.monotonic() - began < LIMIT_S) == ("accepted", True)


def states(owner: psycopg.Connection) -> dict[str, int]:
    return dict(owner.execute("select state, count(*) from inbox group by state").fetchall())


def kill(broker: Settings) -> None:
    (server,) = [each for each in embedded.status(broker) if each.name != "postgres"]
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)


def client() -> redis.Redis:
    url = settings().redis_url
    assert url is not None
    return redis.Redis.from_url(url.get_secret_value())


def each_was_done_once(owner: psycopg.Connection, runs: int) -> None:
    stages = dict(owner.execute("select stage, count(*) from receipt group by stage").fetchall())
    assert {stages[stage] for stage in ("append", "gate", "index")} == {runs}
    assert owner.execute("select count(*) from event where event_class = 'evidence'").fetchone() == (runs,)
    assert owner.execute("select count(*), count(distinct doc || user_id) from memory").fetchone() == (runs, runs)


def test_s40_work_goes_on_after_redis_was_away_thrice_and_after_it_lost_everything(
    hasty: Settings, broker: Settings, owner: psycopg.Connection, tmp_path: Path
) -> None:
    with processes(tmp_path) as start:
        worker = start(*WORKER, "--queues", "append,sweep,gate,index", "--hostname", "s40@%h")
        start(*BEAT, "--pidfile", str(tmp_path / "beat.pid"))
        observe(range(10))
        for third in range(3):
            kill(broker)
            observe(range(10 + 3 * third, 13 + 3 * third))
            time.sleep(timedelta(seconds=1).total_seconds())  # it stays away
            embedded.endpoints(broker)
        observe(range(19, 20))
        until(lambda: states(owner) == {"done": 20}, "all that was accepted is done")

        worker.signal(signal.SIGSTOP)
        observe(range(20, 30))
        with client() as connection:
            until(lambda: connection.llen("append"), "rings wait")
            connection.flushall()
        worker.signal(signal.SIGCONT)
        until(lambda: states(owner) == {"done": 30}, "the sweep has found what the broker lost")
        each_was_done_once(owner, 30)


def health(url: str) -> tuple[int, dict[str, Any]]:
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_s40_health_is_red_within_a_period_of_a_frozen_consumer_and_green_again(
    hasty: Settings, owner: psycopg.Connection, tmp_path: Path
) -> None:
    with processes(tmp_path) as start:
        append = start(*WORKER, "--queues", "append,sweep", "--hostname", "s40-append@%h")
        others = start(*WORKER, "--queues", "gate,index", "--hostname", "s40-others@%h")
        start(*BEAT, "--pidfile", str(tmp_path / "beat.pid"))
        start("-m", "gateway", "health", "--serve")
        until(lambda: url_of(hasty.data_dir), "health answers")
        url = url_of(hasty.data_dir) or ""
        observe(range(3))
        until(lambda: states(owner) == {"done": 3}, "all three are done")
        until(lambda: health(url)[0] == 200, "and all is well")

        others.signal(signal.SIGSTOP)
        observe(range(3, 6))
        until(lambda: owner.execute("select 1 from inbox where stage = 'gate'").fetchone(), "work waits at gate")
        took_s = until(lambda: health(url)[0] == 503, "health is red")
        assert took_s < PERIOD_S + 2 * SWEEP_S, "one period, and the time to ask"
        code, found = health(url)
        assert (code, found["healthy"]) == (503, False)
        assert any("gate has left work alone" in reason for reason in found["reasons"])
        assert {stage["stage"]: stage["waiting"] for stage in found["stages"]}["gate"] >= 1
        others.signal(signal.SIGCONT)
        until(lambda: health(url)[0] == 200, "and green again")

        append.signal(signal.SIGSTOP)
        took_s = until(lambda: health(url)[0] == 503, "the sweep is missed", within_s=20)
        assert took_s < 4 * SWEEP_S + 3
        assert any("sweep" in reason for reason in health(url)[1]["reasons"])
        append.signal(signal.SIGCONT)
        until(lambda: health(url)[0] == 200, "and green again")
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(url.replace("/health", "/metrics"), timeout=10)


def test_s40_a_broker_that_drops_keys_is_warned_of_and_loses_no_work(
    hasty: Settings, owner: psycopg.Connection, tmp_path: Path
) -> None:
    with client() as connection, processes(tmp_path) as start:
        connection.config_set("maxmemory-policy", "allkeys-lru")
        connection.config_set("maxmemory", "4mb")
        worker = start(*WORKER, "--queues", "append,sweep,gate,index", "--hostname", "s40@%h")
        start(*BEAT, "--pidfile", str(tmp_path / "beat.pid"))
        observe(range(5))
        until(lambda: states(owner) == {"done": 5}, "all is well")
        assert "maxmemory-policy is allkeys-lru" in worker.said()

        worker.signal(signal.SIGSTOP)
        observe(range(5, 15))
        until(lambda: connection.exists("append"), "rings wait")
        dropped = until_all_is_dropped(connection)
        worker.signal(signal.SIGCONT)
        until(lambda: states(owner) == {"done": 15}, f"all is done, although {dropped} keys were dropped")
        each_was_done_once(owner, 15)


def until_all_is_dropped(connection: redis.Redis) -> int:
    """Fill the broker's memory until what it held at first is gone: rings, and what it knew of queues."""
    before = connection.keys()
    for n in range(100_000):
        connection.set(f"ballast {n}", b"x" * 10_000)
        if n % 500 == 0 and not connection.exists(*before):
            break
    assert not connection.exists(*before)
    return len(before)
