"""Connections to Postgres that remember why connecting failed, and that do not wait for ever."""

from __future__ import annotations

from selectors import EVENT_READ, DefaultSelector
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

Given = TypeVar("Given")


class Watched(psycopg.Connection[dict[str, Any]]):
    """A connection that stops waiting for the server at an instant that can be set.

    A statement time-out is kept by the server, so it is none where the server has fallen silent: stopped, cut off by a
    network that swallows what is sent, or its machine gone. What such a server would still send belongs to nobody, so
    the connection is closed then; a server that wakes up sees that and ends what it was at.
    """

    give_up_at_s: float | None = None
    """By `clock.monotonic_s`; None: never."""

    def wait(self, gen: PQGen[Given], interval: float = _LOOK_AGAIN_S, timeout: float | None = None) -> Given:
        """Wait for the server as psycopg does, but not beyond `give_up_at_s`.

        Raises:
            Late: that has passed, so nothing was asked, and the connection is as it was, unless it was in a pipeline;
                or there was next to no time to answer in, and it is closed.
            psycopg.OperationalError: the server has been silent until then; the connection is closed.
        """
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


def remembering(refusals: list[str]) -> type[Watched]:
    """A connection class that keeps why the last attempt to connect failed: the pool tries on and tells nobody."""

    class Remembering(Watched):
        @classmethod
        def connect(cls, *arguments: Any, **options: Any) -> Self:
            try:
                return super().connect(*arguments, **options)
            except psycopg.Error as error:
                refusals[:] = [reason(error)]
                raise psycopg.OperationalError(refusals[0]) from None  # the pool logs it

    return Remembering


def check(connection: Watched) -> None:
    """Make sure that a connection which lay idle is still one, without asking the server where it has said nothing.

    A server that ends a session says so or closes it, which can be seen from here; a round trip before each transaction
    would find no more, for a server that is silent would leave it waiting.

    Raises:
        psycopg.Error: it is none.
    """
    with DefaultSelector() as selector:
        selector.register(connection.fileno(), EVENT_READ)
        if not selector.select(0):
            return
    connection.give_up_at_s = clock.monotonic_s() + _CHECK_S
    try:
        ConnectionPool.check_connection(connection)
    finally:
        connection.give_up_at_s = None
