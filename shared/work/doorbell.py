"""Ringing a worker: telling the broker that some work waits.

A ring is sent by a thread of its own, so nobody waits for the broker, and is lost when the broker does not answer in
time or the bell rings faster than it can be heard: the sweep finds the work by its state in Postgres. Lost rings are
counted.
"""

from __future__ import annotations

import atexit
import os
import queue
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Protocol

from shared import metrics
from shared.contract.errors import Retryable
from shared.contract.receipts import Stage, Work
from shared.log import logger

if TYPE_CHECKING:
    from shared.settings import Settings

_LOG: Final = logger(__name__)
_MOST_WAITING: Final = 10_000


class Bell(Protocol):
    """Whatever can tell that work waits at a stage."""

    def ring(self, stage: Stage, work: Work) -> None:
        """Tell; never raises, never blocks."""


class Doorbell:
    """The bell of this process. Its thread starts at the first ring, anew after a fork."""

    def __init__(self, settings: Settings, redis_url: Callable[[], str]) -> None:
        self._settings = settings
        self._redis_url = redis_url
        self._rings: queue.Queue[tuple[str, Work]] = queue.Queue(_MOST_WAITING)
        self._starting = threading.Lock()
        self._pid: int | None = None

    def ring(self, stage: Stage, work: Work) -> None:
        """Tell a worker that `work` waits at `stage`."""
        self._start()
        try:
            self._rings.put_nowait((stage.value, work))
        except queue.Full:
            metrics.RINGS_LOST.inc()

    def drain(self, timeout_s: float) -> bool:
        """Wait until the rings so far are sent or lost; False if that took longer."""
        with self._rings.all_tasks_done:
            return self._rings.all_tasks_done.wait_for(lambda: self._rings.unfinished_tasks == 0, timeout_s)

    def _start(self) -> None:
        with self._starting:
            if self._pid != os.getpid():
                self._pid = os.getpid()
                self._rings = queue.Queue(_MOST_WAITING)
                threading.Thread(target=self._send_all, name="daybook-doorbell", daemon=True).start()
                atexit.register(self.drain, self._settings.broker_timeout_s)

    def _send_all(self) -> None:
        from shared.work import broker

        app = broker.make_app("daybook-doorbell", self._settings, self._redis_url, only_sends=True)
        while True:
            task, work = self._rings.get()
            try:
                broker.send(app, task, work.tenant_id, work.owner, str(work.inbox_id))
            except Retryable as error:
                metrics.RINGS_LOST.inc()
                _LOG.warning("ring_lost task=%s: %s; the sweep will find the work", task, error)
                self._drop_waiting()
            finally:
                self._rings.task_done()

    def _drop_waiting(self) -> None:
        """Lose what waits behind a failed ring: each would wait for its own time-out, and the sweep finds all of it."""
        while True:
            try:
                self._rings.get_nowait()
            except queue.Empty:
                return
            metrics.RINGS_LOST.inc()
            self._rings.task_done()
