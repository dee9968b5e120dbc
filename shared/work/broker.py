"""Celery, set up the one way Daybook uses it. The only module that knows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlsplit

from billiard import pool
from celery import Celery, shared_task, signals
from celery.beat import PersistentScheduler
from kombu.connection import Connection
from kombu.entity import Exchange, Queue
from kombu.exceptions import KombuError

from shared.contract.errors import BrokerUnavailable, DaybookError, Misconfigured, Permanent
from shared.log import logger
from shared.settings import Settings
from shared.work.eviction import warn_of_eviction
from shared.work.queues import QUEUES

SCHEDULER: Final = f"{__name__}:OneRing"
"""The scheduler of beat."""
_CONSUMER: Final = "shared.work.consumer:PatientConsumer"
"""What a worker listens with."""

_LOG: Final = logger(__name__)

_RESTORE_EVERY_S: Final = 1
"""Kombu looks for messages whose worker vanished every tenth time: its default, ten times ten seconds, took 94 s."""

_UNKNOWN_QUEUE: Final = "404"
"""The code with which AMQP answers, and kombu where it stands in for it. A full Redis refuses to count too."""

_DOES_NOT_FIT: Final = 2
"""The exit code of the command line too where something is not set up as it must be."""
_LOOKS_BEFORE_EXIT: Final = 20
"""A pool's child that is told to end looks so often, a tenth of a second apart, whether its parent has heard of its
last task; by default for 30 s. A parent that is ending too may never hear, and a message that is not acknowledged for
that is delivered again and finds its work done."""

_AT_ONCE: Final = {"max_retries": 1, "interval_start": 0, "interval_step": 0}
"""Kombu's connections try again for 6 s by default, even where a message is sent with `retry=False`."""


def make_app(name: str, settings: Settings, redis_url: Callable[[], str], *, only_sends: bool = False) -> Celery:
    """A Celery app of Daybook's queues. `redis_url` is asked when the app first needs a broker, not before.

    Late acknowledgement, one message at a time, no results: Postgres is where state lives, and a message that is
    delivered again finds its work done. A task that overruns its deadline is stopped.
    """
    app = Celery(name, set_as_current=False)
    app.add_defaults(lambda: _configuration(settings, redis_url(), only_sends=only_sends))
    return app


def send(app: Celery, task: str, *args: str, expires_s: float) -> None:
    """Send a task's message to the queue of its name; after `expires_s` it is void.

    Raises:
        BrokerUnavailable: the broker did not take it.
        Misconfigured: there can be no broker by that URL.
    """
    with _typed(app, f"did not take a message for {task}"):
        app.send_task(task, args=args, queue=task, expires=expires_s, retry=False, ignore_result=True)


def reach(app: Celery, *, timeout_s: float) -> None:
    """Make sure that the broker answers.

    Raises:
        BrokerUnavailable: it does not.
        Misconfigured: there can be no broker by that URL.
    """
    with _typed(app, "does not answer"), app.connection_for_write() as connection:
        connection.ensure_connection(max_retries=1, interval_start=0, timeout=timeout_s)


def answering(app: Celery, *, timeout_s: float) -> set[str]:
    """Names of the workers, of anybody's, that answer within `timeout_s`: they are connected and take work.

    Raises:
        BrokerUnavailable: the broker does not answer.
        Misconfigured: there can be no broker by that URL.
    """
    reach(app, timeout_s=timeout_s)  # the ping itself tries for longer
    with _typed(app, "does not answer"):
        replies: list[dict[str, Any]] = app.control.ping(timeout=timeout_s)
    return {name for reply in replies for name in reply}


def lengths(app: Celery, queues: Iterable[str]) -> dict[str, int]:
    """How many messages wait in each queue; 0 for one that the broker does not know yet.

    Raises:
        BrokerUnavailable: the broker does not answer.
        Misconfigured: there can be no broker by that URL.
    """
    with _typed(app, "does not answer"), app.connection_for_write() as connection:
        connection.ensure_connection(**_AT_ONCE)
        return {queue: _length(connection, queue) for queue in queues}


def _length(connection: Connection, queue: str) -> int:
    # A channel of its own: AMQP closes the one on which an unknown queue is asked for.
    channel = connection.channel()  # type: ignore[no-untyped-call]
    try:
        return int(channel.queue_declare(queue=queue, passive=True).message_count)
    except connection.channel_errors as error:
        if str(getattr(error, "reply_code", "")) != _UNKNOWN_QUEUE:
            raise
        return 0
    finally:
        channel.close()


@contextmanager
def _typed(app: Celery, failed: str) -> Iterator[None]:
    """Have whatever goes wrong with the broker within the block come out as one of our errors."""
    try:
        yield
    except DaybookError:
        raise
    except (KombuError, OSError) as error:
        raise BrokerUnavailable(f"the broker at {app.connection_for_write().as_uri()} {failed}: {error}") from error
    except (ImportError, LookupError, ValueError) as error:
        raise Misconfigured(_no_broker(app, error)) from error
    except Exception as error:  # each transport raises what its client library does
        raise BrokerUnavailable(f"the broker {failed}: {type(error).__name__}: {error}") from error


def _no_broker(app: Celery, error: Exception) -> str:
    # Where a password has to be escaped and is not, the parser takes it for another part, and says which.
    why = type(error).__name__ if "@" in str(app.conf.broker_url) else error
    return (
        f"DAYBOOK_REDIS_URL names no broker that can be used ({why}): it must look like redis://host:6379/0 or "
        "amqp://user:password@host:5672//, special characters in a password as %XX, the transport's packages installed"
    )


def task(name: str) -> Callable[[Callable[..., None]], object]:
    """Make a function a task of every app of this process, called `name` and sent to the queue of that name.

    A permanent error is expected now and then, stands on the run's receipt, and is logged without a traceback.
    """
    return shared_task(name=name, throws=(Permanent,))  # type: ignore[no-any-return]


def before_beat(check: Callable[[], None]) -> None:
    """Have beat call `check` before it rings for anything; a `Permanent` error keeps it from starting (exit 2)."""

    def checked(**_: object) -> None:
        try:
            check()
        except Permanent as error:
            _LOG.critical("beat does not start: %s", error)
            raise SystemExit(_DOES_NOT_FIT) from error

    signals.beat_init.connect(checked, weak=False)


def before_work(check: Callable[[], None]) -> None:
    """Have a worker call `check` before it takes its first task; a `Permanent` error keeps it from starting (exit 2).

    Where a service does not answer yet, it starts all the same: its tasks will find out. A broker that drops keys is
    warned of in the worker's log.
    """

    def checked(sender: Any, **_: object) -> None:
        pool.GUARANTEE_MESSAGE_CONSUMPTION_RETRY_LIMIT = _LOOKS_BEFORE_EXIT
        try:
            check()
        except Permanent as error:
            _LOG.critical("the worker does not start: %s", error)
            raise SystemExit(_DOES_NOT_FIT) from error  # of other errors Celery only makes a line in its log
        except DaybookError as error:
            _LOG.warning("the worker starts although %s", error)
        warn_of_eviction(str(sender.app.conf.broker_url))

    signals.worker_init.connect(checked, weak=False)


def before_exit(finish: Callable[[], None]) -> None:
    """Have each process of a worker's pool call `finish` before it ends by itself; one that is killed does not."""

    def finished(**_: object) -> None:
        finish()

    signals.worker_process_shutdown.connect(finished, weak=False)


class OneRing(PersistentScheduler):  # type: ignore[misc]
    """Beat's scheduler. It does not ring again for what nobody has heard yet: nothing piles up behind a slow worker."""

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        """Ring for an entry that is due, unless a ring waits in its queue, or the broker does not answer."""
        queue = entry.options["queue"]
        try:
            waiting = lengths(self.app, [queue])[queue]
        except DaybookError as error:
            _LOG.warning("ring task=%s: %s", entry.task, error)
            return
        if not waiting:
            super().apply_entry(entry, producer=producer)


def _configuration(settings: Settings, url: str, *, only_sends: bool) -> dict[str, Any]:
    return {
        "broker_url": url,
        "broker_connection_retry_on_startup": True,
        "broker_channel_error_retry": True,  # what a full Redis refuses would end the worker
        "broker_transport_options": _transport(settings, url, only_sends=only_sends),
        "task_queues": [Queue(name, Exchange(name), routing_key=name) for name in QUEUES],  # type: ignore[no-untyped-call]
        "task_default_queue": QUEUES[0],
        "task_create_missing_queues": False,
        "task_routes": {name: {"queue": name} for name in QUEUES},
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        "task_ignore_result": True,
        "task_time_limit": settings.task_deadline_s,
        "task_serializer": "json",
        "accept_content": ["json"],
        "worker_consumer": _CONSUMER,
        "worker_prefetch_multiplier": 1,
        "worker_hijack_root_logger": False,
        "worker_cancel_long_running_tasks_on_connection_loss": True,
        "enable_utc": True,
    }


def _transport(settings: Settings, url: str, *, only_sends: bool) -> dict[str, Any]:
    at_once = _AT_ONCE if only_sends else {}
    if not urlsplit(url).scheme.startswith("redis"):
        return at_once
    return {
        **at_once,
        "visibility_timeout": settings.visibility_timeout_s,
        "unacked_restore_interval": _RESTORE_EVERY_S,
        "socket_connect_timeout": settings.broker_timeout_s,
        "socket_keepalive": True,
        **({"socket_timeout": settings.broker_timeout_s} if only_sends else {}),
    }
