"""Real workers for cases that need them, on a database of the broker that nobody else uses."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
import redis

from shared.settings import Settings, settings
from shared.store.db import forget_pools

ROOT = Path(__file__).parents[2]
PATIENCE_S = 100.0


class Worker:
    """The processes of a worker, from its start to the end of the last of them."""

    def __init__(self, log: Path, name: str, *arguments: str, **variables: str) -> None:
        self.log = log
        self._out = log.open("wb")
        self.process = subprocess.Popen(
            [
                *(sys.executable, str(Path(__file__).parent / "worker_that_dies.py")),
                *(
                    "--pool=prefork",
                    "--queues",
                    "append,gate,extract,resolve,index",
                    "--hostname",
                    f"{name}@%h",
                    "--loglevel",
                    "INFO",
                ),
                *("--without-gossip", "--without-mingle", "--without-heartbeat"),
                *arguments,
            ],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    @property
    def ended(self) -> bool:
        return self.process.poll() is not None

    def kill(self) -> None:
        if not self.ended:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)
        self._out.close()

    def said(self) -> str:
        return self.log.read_text(errors="replace")


@contextmanager
def environment_of_workers(
    environment: Settings, monkeypatch: pytest.MonkeyPatch, number: int, **variables: str
) -> Iterator[None]:
    """Settings with work left to workers, and `variables`; on the broker's database of that number, left empty."""
    assert environment.redis_url is not None
    url = urlunsplit(urlsplit(environment.redis_url.get_secret_value())._replace(path=f"/{number}"))
    for name, value in {"REDIS_URL": url, "MODE": "workers", **variables}.items():
        monkeypatch.setenv(f"DAYBOOK_{name}", value)
    settings.cache_clear()
    with redis.Redis.from_url(url) as client:
        client.flushdb()
        yield
        forget_pools()
        client.flushdb()


def until(true: Callable[[], bool], what: str, *, worker: Worker | None = None) -> None:
    """Wait until something is true, looking often."""
    give_up = time.monotonic() + PATIENCE_S
    while not true():
        said = worker.said()[-2000:] if worker else ""
        assert time.monotonic() < give_up, f"not within {PATIENCE_S:g} s: {what}\n{said}"
        time.sleep(0.02)
