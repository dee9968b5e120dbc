"""Connections to Postgres that remember why connecting failed, and that do not wait for ever."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from select import POLLIN, poll
from typing import Any, Final, Self, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.waiting import Ready
from psycopg_pool import ConnectionPool

from shared import clock
from shared.store.reasons import reason

_LOOK_AGAIN_S: Final = 0.1
"""How often a wait looks whether it was interrupted; psycopg's own."""
_CHECK_S: Final = 1.0
_SILENT_S: Final = 0.1
"""What is silent for less than this, until the deadline, may well have been about to answer."""

PATIENCE_S: Final = 0.1
"""Who waited for a connection for less was in a hurry, which says nothing of the server."""

Given = TypeVar("Given")


@dataclass(slots=True)
class Seen:
    """What a process has seen of a server: how it refused, when it was heard last, and how many are at it."""

    most: int
    """Connections that there may be."""
    refusal: str = ""
    """Why the last attempt to connect failed; empty once one went well."""
    heard_s: float = float("-inf")
    """When it answered last, by `clock.monotonic_s`."""
    _in_use: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def use(self) -> Iterator[None]:
        """Count whoever has a connection."""
        with self._lock:
            self._in_use += 1
        try:
            yield
        finally:
            with self._lock:
                self._in_use -= 1

    def is_busy(self, *, since_s: float) -> bool:
        """Whether who has had no connection since an instant had to wait for others of this process, or was in a hurry.

        The server refuses nobody, and all connections are given out or it has answered others meanwhile.
        """
        if self.refusal:
            return False
        hurried = clock.monotonic_s() - since_s < PATIENCE_S
        return hurried or self._in_use >= self.most or self.heard_s >= since_s


class Watched(psycopg.Connection[dict[str, Any]]):
    """A connection that stops waiting for the server at an instant that can be set.

    A statement time-out is kept by the server, so it is none where the server has fallen silent: stopped, cut off by a
    network that swallows what is sent, or its machine gone. What such a server would still send belongs to nobody, so
    the connection is closed then; a server that wakes up sees that and ends what it was at.
    """

    seen: Seen | None = None
    """Who is told when the server has answered."""
    give_up_at_s: float | None = None
    """By `clock.monotonic_s`; None: never."""

    def wait(self, gen: PQGen[Given], interval: float = _LOOK_AGAIN_S, timeout: float | None = None) -> Given:
        """Wait for the server as psycopg does, but not beyond `give_up_at_s`.

        Raises:
            Late: that has passed, so nothing was asked, and the connection is as it was, unless it was in a pipeline;
                or there was next to no time to answer in, and it is closed.
            psycopg.OperationalError: the server has been silent until then; the connection is closed.
        """
        answer = self._waited(gen, interval, timeout)
        if self.seen is not None:
            self.seen.heard_s = clock.monotonic_s()
        return answer

    def _waited(self, gen: PQGen[Given], interval: float, timeout: float | None) -> Given:
        more = {} if timeout is None else {"timeout": timeout}  # which psycopg before 3.3 does not know
        if self.give_up_at_s is None:
            return super().wait(gen, interval, **more)
        left_s = self.give_up_at_s - clock.monotonic_s()
        if left_s <= 0:
            if self.pgconn.pipeline_status:  # what was sent before would be answered to somebody else
                self.pgconn.finish()
            raise Late("the deadline had passed before the server was asked")
        try:
            return super().wait(_until(self.give_up_at_s, gen), min(interval, left_s), **more)
        except _Silent as error:
            self.pgconn.finish()
            if left_s < _SILENT_S:
                raise Late("the deadline came before the server could answer") from error
            raise


class Late(psycopg.errors.QueryCanceled):
    """Of a caller whose time is over. It says nothing of the server."""


class _Silent(psycopg.OperationalError):
    """Of a server that does not answer."""


def _until(at_s: float, waiting: PQGen[Given]) -> PQGen[Given]:
    """What psycopg waits for, until an instant: it is asked again at each interval in which nothing came."""
    try:
        wanted = next(waiting)
        while True:
            came = yield wanted
            if came == Ready.NONE and clock.monotonic_s() >= at_s:
                raise _Silent("it was silent until the deadline")
            wanted = waiting.send(came)
    except StopIteration as ended:
        answer: Given = ended.value
        return answer


def remembering(kept: Seen) -> type[Watched]:
    """A connection class that keeps why the last attempt to connect failed: the pool tries on and tells nobody."""

    class Remembering(Watched):
        seen = kept

        @classmethod
        def connect(cls, *arguments: Any, **options: Any) -> Self:
            try:
                made = super().connect(*arguments, **options)
            except psycopg.Error as error:
                kept.refusal = reason(error)
                raise psycopg.OperationalError(kept.refusal) from None  # the pool logs it
            kept.refusal, kept.heard_s = "", clock.monotonic_s()
            return made

    return Remembering


def check(connection: Watched) -> None:
    """Make sure that a connection which lay idle is still one, without asking the server where it has said nothing.

    A server that ends a session says so or closes it, which can be seen from here; a round trip before each transaction
    would find no more, for a server that is silent would leave it waiting.

    Raises:
        psycopg.Error: it is none.
    """
    heard = poll()  # a selector would have the system make an object for it first, which took twelve times as long
    heard.register(connection.fileno(), POLLIN)
    if not heard.poll(0):
        return
    connection.give_up_at_s = clock.monotonic_s() + _CHECK_S
    try:
        ConnectionPool.check_connection(connection)
    finally:
        connection.give_up_at_s = None
