"""The command `daybook` as a program of its own, on a data folder of its own, of which nothing may be left running."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

import gateway
from gateway import lifecycle
from gateway.demo.stage import demo_settings
from shared import embedded
from shared.settings import Settings, load

ROOT = Path(gateway.__file__).parents[1]
PATIENCE_S = 120.0


@dataclass(frozen=True)
class Daybook:
    """Runs commands as somebody at a terminal would, from a folder that is not the project's."""

    settings: Settings
    folder: Path
    begun: list[subprocess.Popen[str]] = field(default_factory=list)
    variables: Mapping[str, str] = field(default_factory=dict)
    """Of the environment, beside the data folder."""

    def begin(self, *arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "gateway", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env={
                "PATH": "/usr/bin:/bin",
                "PYTHONPATH": str(ROOT),
                "PYTHONDONTWRITEBYTECODE": "1",
                "LANG": "C.UTF-8",
                "DAYBOOK_DATA_DIR": str(self.settings.data_dir),
                **self.variables,
            },
        )
        self.begun.append(process)
        return process

    def run(self, *arguments: str, feed: str = "", code: int | None = 0) -> str:
        process = self.begin(*arguments)
        out, err = process.communicate(feed, timeout=PATIENCE_S)
        assert code in {None, process.returncode}, f"{arguments}: exit {process.returncode}\n{out}\n{err}"
        return out

    def json(self, *arguments: str, feed: str = "", code: int | None = 0) -> Any:
        return json.loads(self.run(*arguments, "--json", feed=feed, code=code))

    def running(self) -> list[str]:
        """Command lines of all that works for the data folder or below it."""
        data = str(self.settings.data_dir)
        homes = [data, str(embedded.status(self.settings)[0].folder.parent)]
        return [" ".join(words) for words, folder in _processes() if _is_of(words, folder, data, homes)]


@pytest.fixture
def daybook(tmp_path: Path) -> Iterator[Daybook]:
    one = Daybook(load(data_dir=tmp_path / "data"), tmp_path)
    yield one
    for process in one.begun:
        process.terminate()
        process.communicate(timeout=PATIENCE_S)
    for settings in (one.settings, demo_settings(one.settings)):
        lifecycle.down(settings)
        embedded.discard(settings)
    assert one.running() == []


def until(true: Callable[[], bool], what: str) -> None:
    """Wait until something is true, looking often."""
    deadline = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < deadline, f"not within {PATIENCE_S:g} s: {what}"
        time.sleep(0.05)


def _processes() -> Iterator[tuple[list[str], str]]:
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.status() != psutil.STATUS_ZOMBIE:
                yield process.cmdline(), process.environ().get("DAYBOOK_DATA_DIR", "")
        except psutil.Error:
            continue


def _is_of(words: Sequence[str], folder: str, data: str, homes: Sequence[str]) -> bool:
    return folder.startswith(data) or any(home in word for home in homes for word in words)
