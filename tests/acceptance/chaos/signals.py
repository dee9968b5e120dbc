"""The processes of a worker or a server, and signals to them by pid."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field

import psutil

from gateway._running import Started
from shared.embedded._process import Process, alive, started

STOPPED = psutil.STATUS_STOPPED


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """A Celery worker: the parent that speaks to the broker, and the child of its pool that does the work."""

    parent: Process
    children: tuple[Process, ...]
    frozen: set[Process] = field(repr=False)
    """Of all workers: whom SIGSTOP was sent, to be let go whatever happens."""

    @classmethod
    def of(cls, process: Started, frozen: set[Process]) -> Worker:
        """The worker as it is now."""
        return cls(
            parent=Process(pid=process.pid, started=process.started),
            children=tuple(known(child.pid) for child in psutil.Process(process.pid).children()),
            frozen=frozen,
        )

    @property
    def both(self) -> tuple[Process, ...]:
        """Parent and child, the parent first, so that it does not replace the child."""
        return (self.parent, *self.children)

    def send(self, number: signal.Signals, to: Iterable[Process]) -> None:
        """Signal some of its processes."""
        for process in to:
            send(number, process)
            if number is signal.SIGSTOP:
                self.frozen.add(process)
            if number is signal.SIGCONT:
                self.frozen.discard(process)


def known(pid: int) -> Process:
    """The process that bears `pid` now."""
    return Process(pid=pid, started=started(pid) or "gone")


def send(number: signal.Signals, process: Process) -> None:
    """Signal a process, if it is still that one."""
    if alive(process):
        with suppress(ProcessLookupError):
            os.kill(process.pid, number)


def gone(processes: Iterable[Process]) -> bool:
    """Whether none of them runs."""
    return not any(alive(process) for process in processes)
