"""Child processes to measure in: what they do begins together, and is timed from the first start to the last end."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from threading import Barrier
from typing import TYPE_CHECKING, Final

from shared import clock
from shared.log import write_to_stderr
from shared.settings import Settings
from shared.store.db import Database, database

if TYPE_CHECKING:
    from bench.place import Place

_PATIENCE_S: Final = 120.0
Span = tuple[float, float]
"""When something began and ended, in seconds by a watch that all processes of the machine share."""
_SPAWN: Final = multiprocessing.get_context("spawn")


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


class _Start:
    """Where the children wait for each other."""

    barrier: Barrier | None = None


def _begin(barrier: Barrier) -> None:
    _Start.barrier = barrier
    write_to_stderr("WARNING")


def together(action: Callable[[], object]) -> Span:
    """In a child: wait until each of them is ready, and act."""
    if _Start.barrier is None:
        raise RuntimeError("this process is no child of `children`")
    _Start.barrier.wait(_PATIENCE_S)
    began_s = clock.monotonic_s()
    action()
    return began_s, clock.monotonic_s()


class Children:
    """Some processes that stay, so that each is warm the second time."""

    def __init__(self, pools: Sequence[ProcessPoolExecutor]) -> None:
        self._pools = pools

    def time(self, function: Callable[..., Span], shares: Sequence[tuple[object, ...]]) -> float:
        """Have each child call `function`, which goes through `together`, with its share.

        Returns the seconds from the first start to the last end.
        """
        calls = [pool.submit(function, *share) for pool, share in zip(self._pools, shares, strict=True)]
        spans = [call.result() for call in calls]
        return max(ended_s for _, ended_s in spans) - min(began_s for began_s, _ in spans)


@contextmanager
def children(count: int) -> Iterator[Children]:
    """Start processes that share nothing with this one; they end with the block."""
    barrier = _SPAWN.Barrier(count)
    with ExitStack() as stack:
        yield Children(
            [
                stack.enter_context(
                    ProcessPoolExecutor(1, mp_context=_SPAWN, initializer=_begin, initargs=(barrier,))
                )
                for _ in range(count)
            ]
        )
