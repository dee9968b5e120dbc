"""Programs that use the embedded servers, each in a process of its own, and what is left of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

import shared
from shared import embedded
from shared.embedded._process import started
from shared.settings import Settings, load

ROOT = Path(shared.__file__).parents[1]

_PROGRAM = """
import json, os, sys
from pathlib import Path
from shared import embedded
from shared.settings import load

settings = load(data_dir=Path(sys.argv[1]), database_url=None, migrate_url=None, redis_url=None)

def say(**more):
    found = embedded.status(settings)
    print(json.dumps({"pids": [each.pid for each in found], **more}), flush=True)
"""
USE = """
used = embedded.endpoints(settings)
say(urls=[used.database_url, used.migrate_url, used.redis_url])
sys.stdin.read()
"""


class Program:
    """A process that runs some Python on a data folder and says what it found, as JSON."""

    def __init__(self, data_dir: Path, code: str = USE, *, path: str = str(ROOT)) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", _PROGRAM + textwrap.dedent(code), str(data_dir)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={
                "PATH": "/usr/bin:/bin",
                "PYTHONPATH": os.pathsep.join([path, *filter(None, sys.path)]),
                "PYTHONDONTWRITEBYTECODE": "1",
            },  # no HOME
            cwd="/",
            text=True,
        )
        self.pid = self._process.pid

    def says(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, self._process.communicate()[1]
        return json.loads(line)

    def end(self) -> None:
        """Let it come to its end, and wait until its output is closed: no server may hold that open."""
        _, errors = self._process.communicate("", timeout=60)
        assert self._process.returncode == 0, errors
        assert errors == ""

    def kill(self) -> None:
        """End it as kill -9 does."""
        self._process.kill()
        self._process.communicate(timeout=60)


def embedded_in(data_dir: Path) -> Settings:
    """Settings that leave both servers to us, whatever the environment says."""
    return load(data_dir=data_dir, database_url=None, migrate_url=None, redis_url=None)


def clear(settings: Settings) -> None:
    """Remove the data folder, and see that nothing of it still runs."""
    home = embedded.status(settings)[0].folder.parent
    embedded.discard(settings)
    assert not home.exists()
    assert remaining(settings) == []


def remaining(settings: Settings) -> list[psutil.Process]:
    """What still runs on the data of a data folder."""
    home = str(embedded.status(settings)[0].folder.parent)
    return [each for each in psutil.process_iter(["cmdline"]) if home in " ".join(each.info["cmdline"] or [])]


def kill(pid: int | None) -> None:
    """Kill a process with -9 and wait until it is dead."""
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: started(pid) is None)


def wait_for(happened: Callable[[], bool]) -> None:
    """Return as soon as it has happened."""
    deadline = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.001)
