"""How a worker listens to the broker. Celery loads it by name, in workers alone; whoever only rings is spared it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from celery.worker import state
from celery.worker.consumer import Consumer
from kombu.connection import Connection
from kombu.exceptions import OperationalError
from kombu.transport import redis, virtual

from shared.log import logger

_LOG: Final = logger(__name__)
_PAUSE_S: Final = 1.0


class FreeingQoS(redis.QoS):
    """Which messages of a Redis are with a worker, who may have so many at once.

    A message whose acknowledgement got lost is with the worker no more. With kombu's own it is for ever: of a worker
    that has one message at a time nothing is asked of the broker any more, and nobody notices that its connection is
    dead. Redis hands the message out again when the visibility timeout is over, and it finds its work done.
    """

    def ack(self, delivery_tag: str) -> None:
        """Have the broker forget a message."""
        with self._freeing(delivery_tag):
            super().ack(delivery_tag)  # type: ignore[no-untyped-call]

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:  # noqa: FBT001, FBT002 - as kombu calls it
        """Have the broker forget a message, or hand it out again."""
        with self._freeing(delivery_tag):
            super().reject(delivery_tag, requeue=requeue)  # type: ignore[no-untyped-call]

    @contextmanager
    def _freeing(self, delivery_tag: str) -> Iterator[None]:
        try:
            yield
        finally:
            virtual.QoS.ack(self, delivery_tag)  # type: ignore[no-untyped-call]


class PatientConsumer(Consumer):  # type: ignore[misc]
    """Waits for a broker that refuses what it is told, as a Redis does that is full, as for one that is away.

    Celery's own takes that for a fault of the program and ends the worker; told to try again
    (`broker_channel_error_retry`), it does so without a pause and leaves a connection behind each time.
    """

    connection_errors: tuple[type[Exception], ...]
    """What a broken connection raises."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # What breaks while the worker greets the others comes as kombu's own error, and would end the worker.
        self.connection_errors = (*self.connection_errors, OperationalError)

    def connect(self) -> Connection:
        """A connection on which the broker takes what a worker writes: with Redis, opening one sets a lock.

        Raises:
            WorkerShutdown, WorkerTerminate: the worker was told to end meanwhile.
        """
        refused: str | None = None
        while True:
            connection: Connection = self.connection_for_read(heartbeat=self.amqheartbeat)
            try:
                self._listen(connection)
            except connection.channel_errors as error:
                with suppress(*connection.connection_errors, *connection.channel_errors):
                    connection.close()  # type: ignore[no-untyped-call]
                refused = _told(refused, error)
            else:
                if refused:
                    _LOG.warning("the broker takes messages again")
                return connection
            time.sleep(_PAUSE_S)
            state.maybe_shutdown()

    def _listen(self, connection: Any) -> None:
        channel = connection.default_channel
        if channel.QoS is redis.QoS:
            channel.QoS = FreeingQoS
        if self.hub:
            connection.transport.register_with_event_loop(connection.connection, self.hub)


def _told(before: str | None, error: Exception) -> str:
    """Tell why the broker refuses, once for each reason, which is returned."""
    reason = f"{type(error).__name__}: {error}"
    if reason != before:
        _LOG.error("the broker refuses (%s); the worker waits, and takes no work until it does not", reason)
    return reason
