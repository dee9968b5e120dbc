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
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Protocol

from shared import metrics
from shared.contract.errors import DaybookError
from shared.contract.receipts import Stage, Work
from shared.log import logger
from shared.work.queues import FOLLOWING

if TYPE_CHECKING:
    from celery import Celery

    from shared.settings import Settings

_LOG: Final = logger(__name__)
_MOST_WAITING: Final = 10_000
_SWEEPS: Final = 4
_VOID_AFTER_S: Final = 7 * 86_400.0
"""The hearer compares his clock with the sender's, so this is far above what clocks differ by. Age makes no ring wrong:
one for what has been done is answered by a glance at Postgres."""


class Bell(Protocol):
    """Whatever can tell that work waits at a stage."""

    def ring(self, stage: Stage, work: Work) -> None:
        """Tell; never raises, never blocks."""

    def waiting(self) -> Mapping[Stage, int]:
        """How many rings wait to be heard at each stage; a stage that is not named has none.

        Raises:
            BrokerUnavailable, Misconfigured: nobody can say.
        """


def ring_life_s(settings: Settings) -> float:
    """Seconds after which the sweep may ring for a stream again while rings wait in the stage's queue.

    At least the deadline of a task, as a worker may be that long at what comes before it; and some sweeps, so that a
    busy queue is not filled with rings for what it will come to anyway.
    """
    return max(lost_after_s(settings), settings.task_deadline_s)


def lost_after_s(settings: Settings) -> float:
    """Seconds after which the sweep takes its ring for lost where none waits in the stage's queue.

    Had somebody heard it, the stream would be his. The broker refused it, dropped it, or lost who was handed it. Some
    sweeps, so that it may still be on its way.
    """
    return _SWEEPS * settings.sweep_every_s


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
        try:
            self._start()
            self._rings.put_nowait((stage.value, work))
        except (queue.Full, RuntimeError):  # RuntimeError: the system gives no more threads, or Python is ending
            metrics.RINGS_LOST.inc()

    def waiting(self) -> Mapping[Stage, int]:
        """How many rings the broker holds for each stage. Waits for the broker."""
        from shared.work import broker

        lengths = broker.lengths(self._app(), [stage.value for stage in FOLLOWING])
        return {Stage(name): length for name, length in lengths.items()}

    def drain(self, timeout_s: float) -> bool:
        """Wait until the rings so far are sent or lost; False if that took longer."""
        with self._rings.all_tasks_done:
            return self._rings.all_tasks_done.wait_for(lambda: self._rings.unfinished_tasks == 0, timeout_s)

    def _start(self) -> None:
        with self._starting:
            if self._pid != os.getpid():
                self._rings = queue.Queue(_MOST_WAITING)
                threading.Thread(target=self._send_all, name="daybook-doorbell", daemon=True).start()
                self._pid = os.getpid()
                atexit.register(self.drain, self._settings.broker_timeout_s)

    def _app(self) -> Celery:
        from shared.work import broker

        # Asked for here and not by the app, which forgets its whole configuration when that fails.
        url = self._redis_url()
        return broker.make_app("daybook-doorbell", self._settings, lambda: url, only_sends=True)

    def _send_all(self) -> None:
        app: Celery | None = None
        while True:
            task, work = self._rings.get()
            try:
                app = app or self._app()
                self._send(app, task, work)
            except Exception as error:  # noqa: BLE001 - nobody would see this thread die, and every later ring with it
                metrics.RINGS_LOST.inc()
                why = str(error) if isinstance(error, DaybookError) else type(error).__name__
                _LOG.warning("ring_lost task=%s: %s; the sweep will find the work", task, why)
                self._drop_waiting()
            finally:
                self._rings.task_done()

    def _send(self, app: Celery, task: str, work: Work) -> None:
        from shared.work import broker

        arguments = (work.tenant_id, work.owner, str(work.inbox_id))
        broker.send(app, task, *arguments, expires_s=_VOID_AFTER_S)

    def _drop_waiting(self) -> None:
        """Lose what waits behind a failed ring: each would wait for its own time-out, and the sweep finds all of it."""
        while True:
            try:
                self._rings.get_nowait()
            except queue.Empty:
                return
            metrics.RINGS_LOST.inc()
            self._rings.task_done()
