"""Child processes to measure in: warm from one call to the next, and begun together where there are several."""

from __future__ import annotations

import multiprocessing
import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from multiprocessing.synchronize import Barrier, Event
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from shared import clock
from shared.log import write_to_stderr
from shared.settings import Settings
from shared.store.db import Database, database

if TYPE_CHECKING:
    from bench.place import Place

Result = TypeVar("Result")
Span = tuple[float, float]
"""When something began and ended, in seconds by a watch that all processes of the machine share."""
_PATIENCE_S: Final = 120.0
_SPAWN: Final = multiprocessing.get_context("spawn")
_STATUS: Final = Path("/proc/self/status")


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """The place as a child process is told of it."""

    settings: Settings
    database_url: str = field(repr=False)

    @classmethod
    def of(cls, place: Place) -> Where:
        """Where children of this process find the database; they must end before the place does."""
        return cls(settings=place.settings, database_url=place.database_url)

    @property
    def database(self) -> Database:
        """The process's own."""
        return database(self.database_url, self.settings)


class _Signals:
    """What a child and its siblings and its parent have in common."""

    ready: Barrier
    over: Event


def _begin(ready: Barrier, over: Event) -> None:
    _Signals.ready, _Signals.over = ready, over
    write_to_stderr("WARNING")


def together(action: Callable[[], object]) -> Span:
    """In a child: wait until each of its siblings is ready too, and act."""
    _Signals.ready.wait(_PATIENCE_S)
    began_s = clock.monotonic_s()
    action()
    return began_s, clock.monotonic_s()


def over_and_over(action: Callable[[], object]) -> int:
    """In a child: act again and again until the parent has had enough; returns how often."""
    _Signals.ready.wait(_PATIENCE_S)
    times = 0
    while not _Signals.over.is_set():
        action()
        times += 1
    return times


def peak_bytes() -> int:
    """The most memory that the process has had at once.

    Linux lets `ru_maxrss` begin with what the parent had, so it is read elsewhere there.
    """
    if _STATUS.exists():
        (line,) = (line for line in _STATUS.read_text("ascii").splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


class Children:
    """Some processes that share nothing with this one but the database."""

    def __init__(self, pools: Sequence[ProcessPoolExecutor], over: Event) -> None:
        self._pools = pools
        self._over = over

    def ask(self, function: Callable[..., Result], *given: object) -> Future[Result]:
        """Have the first child call a function of a module."""
        return self._pools[0].submit(function, *given)

    def time(self, function: Callable[..., Span], shares: Sequence[tuple[object, ...]]) -> float:
        """Have each child call `function`, which goes through `together`, with its share.

        Returns the seconds from the first start to the last end.
        """
        spans = self.gather(function, shares)
        return max(ended_s for _, ended_s in spans) - min(began_s for began_s, _ in spans)

    def gather(self, function: Callable[..., Result], shares: Sequence[tuple[object, ...]]) -> list[Result]:
        """Have each child call `function`, which goes through `together`, with its share; what came of it, in order."""
        calls = [pool.submit(function, *share) for pool, share in zip(self._pools, shares, strict=True)]
        return [call.result() for call in calls]

    def enough(self) -> None:
        """Let who does something over and over do it no more."""
        self._over.set()


@contextmanager
def children(count: int) -> Iterator[Children]:
    """Start processes that end with the block."""
    over = _SPAWN.Event()
    signals: dict[str, Any] = {"initializer": _begin, "initargs": (_SPAWN.Barrier(count), over)}
    with ExitStack() as stack:
        pools = [stack.enter_context(ProcessPoolExecutor(1, mp_context=_SPAWN, **signals)) for _ in range(count)]
        stack.callback(over.set)
        yield Children(pools, over)
