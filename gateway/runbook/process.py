"""A command that runs for a bounded time and writes a bounded amount, with no shell, in a process group of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, NamedTuple

import psutil

from shared import clock

_LOOK_EVERY_S: Final = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What became of a command."""

    code: int
    """Its exit code; minus the number of the signal that ended it."""
    stdout: bytes
    stderr: bytes
    """Each up to the bound and no further."""
    timed_out: bool
    overflowed: bool
    """It wrote more than it may."""
    elapsed_s: float


def run(
    command: Sequence[str],
    *,
    given: bytes,
    folder: Path,
    environment: Mapping[str, str],
    timeout_s: float,
    most_bytes: int,
) -> Ran:
    """Run a command in a folder, `given` on its stdin, and end it and all it has started when it is over or overdue.

    What it starts is ended by process group, and by descent where it has left the group. A process that has left both
    is not found.

    Raises:
        OSError: it cannot be started.
    """
    began_s = clock.monotonic_s()
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        stdin.write(given)
        stdin.seek(0)
        streams = _Streams(stdin, stdout, stderr)
        process = _started(command, folder, environment, streams)
        try:
            overdue = _watched(process, streams, began_s + timeout_s, most_bytes)
        finally:
            _end(process)
        return Ran(
            code=process.returncode,
            stdout=_start_of(stdout, most_bytes),
            stderr=_start_of(stderr, most_bytes),
            timed_out=overdue,
            overflowed=streams.written() > most_bytes,
            elapsed_s=clock.monotonic_s() - began_s,
        )


class _Streams(NamedTuple):
    """Files rather than pipes: nobody waits for a reader, and a child that outlives the command holds nothing up."""

    stdin: IO[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]

    def written(self) -> int:
        """Bytes of the longer of the two outputs."""
        return max(os.fstat(each.fileno()).st_size for each in (self.stdout, self.stderr))


def _started(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], streams: _Streams
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - the command is the operator's own, a list and no shell
        list(command),
        cwd=folder,
        env=dict(environment),
        stdin=streams.stdin,
        stdout=streams.stdout,
        stderr=streams.stderr,
        start_new_session=True,
    )


def _watched(process: subprocess.Popen[bytes], streams: _Streams, deadline_s: float, most_bytes: int) -> bool:
    """Wait until the command is over, overdue (then True), or has written too much. Does not reap it."""
    while not _is_over(process.pid):
        if streams.written() > most_bytes:
            return False
        left_s = deadline_s - clock.monotonic_s()
        if left_s <= 0:
            return True
        time.sleep(min(_LOOK_EVERY_S, left_s))
    return False


def _is_over(pid: int) -> bool:
    """Whether a child has ended; it stays unreaped, so that its number is nobody else's while its group is ended."""
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # whoever embeds us reaps every child
        return True


def _end(process: subprocess.Popen[bytes]) -> None:
    started: list[psutil.Process] = []
    with suppress(psutil.Error):
        started = psutil.Process(process.pid).children(recursive=True)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for each in started:
        with suppress(psutil.Error):
            each.kill()
    process.wait()


def _start_of(file: IO[bytes], most_bytes: int) -> bytes:
    file.seek(0)
    return file.read(most_bytes)
