"""Real processes for the cases: started with the settings of the test, and all ended after it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from shared.settings import environment, settings

ROOT: Final = Path(__file__).parents[2]
WORKER: Final = ("-m", "celery", "-A", "warmpath.app", "worker", "--concurrency", "1", "--loglevel", "WARNING")
BEAT: Final = ("-m", "celery", "-A", "schedules.app", "beat", "--loglevel", "WARNING")


class Process:
    """A Python program in a session of its own, which writes to a log."""

    def __init__(self, log: Path, arguments: tuple[str, ...], variables: dict[str, str]) -> None:
        self.log = log
        self._out = log.open("wb")
        self._process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=environment(settings()) | {"PYTHONPATH": str(ROOT)} | variables,
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    @property
    def code(self) -> int | None:
        return self._process.poll()

    def signal(self, number: signal.Signals) -> None:
        """To the process and all its children."""
        os.killpg(self._process.pid, number)

    def kill(self) -> None:
        if self._process.poll() is None:
            self.signal(signal.SIGKILL)
        self._process.wait(10)

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def close(self) -> None:
        self.kill()
        self._out.close()


@contextmanager
def processes(folder: Path) -> Iterator[Callable[..., Process]]:
    """Starts programs for the length of the block."""
    begun: list[Process] = []

    def start(*arguments: str, **variables: str) -> Process:
        begun.append(Process(folder / f"{len(begun)}.log", arguments, variables))
        return begun[-1]

    try:
        yield start
    finally:
        for each in begun:
            each.close()


def until(true: Callable[[], object], what: str, *, within_s: float = 40.0) -> float:
    """Wait until something is so, looking often; returns how long that took."""
    began = time.monotonic()
    while not true():
        if time.monotonic() - began > within_s:
            raise AssertionError(f"not within {within_s:g} s: {what}")
        time.sleep(0.05)
    return time.monotonic() - began
