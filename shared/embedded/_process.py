"""Which process is meant, and proof that a pid still stands for it."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from shared.clock import monotonic_s

_PAUSE_S: Final = 0.005
_STATE, _START_TICKS = 0, 19
"""Fields of /proc/<pid>/stat, counted from after the command's name (proc_pid_stat(5): fields 3 and 22)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process, told from every other that will ever bear its pid."""

    pid: int
    started: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server found running."""

    process: Process
    port: int
    ready: bool


def started(pid: int) -> str | None:
    """When `pid` started, as a word to compare; None if it is not running (a zombie is not).

    Boot id and clock ticks since boot, where there is a /proc: unlike a date they do not move when the clock is set.
    """
    if not _has_proc():
        return _started_elsewhere(pid)
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    return None if fields[_STATE] in b"ZX" else f"{_boot()} {fields[_START_TICKS].decode()}"


def alive(process: Process) -> bool:
    """Whether that very process still runs. Some 30 µs."""
    return started(process.pid) == process.started


def prove(pid: int, *, uid: int, program: str, argument: str) -> Process | None:
    """The process at `pid`, if it is `program` of user `uid`, started with `argument`; else None."""
    since = started(pid)
    if since is None:
        return None
    command = _command(pid)
    ours = bool(command) and Path(command[0]).name == program and argument in command[1:] and _uid(pid) == uid
    return Process(pid=pid, started=since) if ours and started(pid) == since else None


def is_another(pid: int, folder: Path) -> bool:
    """Whether `pid` is taken by something that does not work in `folder`, as a Postgres does in its data.

    A dead process that nobody has buried counts: in a container without an init it keeps its pid for good.
    """
    import psutil

    try:
        return psutil.pid_exists(pid) and Path(psutil.Process(pid).cwd()) != folder
    except psutil.NoSuchProcess as error:
        return isinstance(error, psutil.ZombieProcess)
    except psutil.AccessDenied:
        return True


def end(process: Process, signals: Sequence[tuple[int, float]]) -> bool:
    """Send each signal in turn and wait that many seconds for the process to end; whether it has."""
    for number, patience_s in signals:
        deadline = monotonic_s() + patience_s
        if alive(process):
            os.kill(process.pid, number)
        while alive(process):
            if monotonic_s() > deadline:
                break
            time.sleep(_PAUSE_S)
    return not alive(process)


@lru_cache(maxsize=1)
def _has_proc() -> bool:
    return Path("/proc/self/stat").exists()


@lru_cache(maxsize=1)
def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def _command(pid: int) -> list[str]:
    if not _has_proc():
        return _command_elsewhere(pid)
    try:
        return [os.fsdecode(word) for word in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")]
    except OSError:
        return []


def _uid(pid: int) -> int | None:
    if not _has_proc():
        return _uid_elsewhere(pid)
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    return next((int(line.split()[2]) for line in lines if line.startswith("Uid:")), None)


# Without a /proc (macOS) psutil answers; with one it is left alone: its import takes longer than all of the above.


def _started_elsewhere(pid: int) -> str | None:
    import psutil

    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else f"{process.create_time():.2f}"
    except psutil.Error:
        return None


def _command_elsewhere(pid: int) -> list[str]:
    import psutil

    try:
        return psutil.Process(pid).cmdline()
    except psutil.Error:
        return []


def _uid_elsewhere(pid: int) -> int | None:
    import psutil

    try:
        return psutil.Process(pid).uids().effective
    except psutil.Error:
        return None
