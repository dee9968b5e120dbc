"""Celery, set up the one way Daybook uses it. The only module that knows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlsplit

from celery import Celery, shared_task, signals
from kombu.entity import Exchange, Queue
from kombu.exceptions import KombuError

from shared.contract.errors import BrokerUnavailable, Permanent
from shared.settings import Settings
from shared.work.queues import QUEUES

_RESTORE_EVERY_S: Final = 1
"""How often kombu looks for messages whose worker vanished: its default, ten polls of ten seconds, took 94 s."""


def make_app(name: str, settings: Settings, redis_url: Callable[[], str], *, only_sends: bool = False) -> Celery:
    """A Celery app of Daybook's queues. `redis_url` is asked when the app first needs a broker, not before.

    Late acknowledgement, one message at a time, no results: Postgres is where state lives, and a message that is
    delivered again finds its work done. A task that overruns its deadline is stopped.
    """
    app = Celery(name, set_as_current=False)
    app.add_defaults(lambda: _configuration(settings, redis_url(), only_sends=only_sends))
    return app


def send(app: Celery, task: str, *args: str) -> None:
    """Send a task's message to the queue of its name.

    Raises:
        BrokerUnavailable: the broker did not take it.
    """
    try:
        app.send_task(task, args=args, queue=task, retry=False, ignore_result=True)
    except (KombuError, OSError, *app.connection_for_write().connection_errors) as error:
        raise BrokerUnavailable(f"the broker did not take a message for {task}: {error}") from error


def reach(app: Celery, *, timeout_s: float) -> None:
    """Make sure that the broker answers.

    Raises:
        BrokerUnavailable: it does not.
    """
    with app.connection_for_write() as connection:
        try:
            connection.ensure_connection(max_retries=1, interval_start=0, timeout=timeout_s)
        except (KombuError, OSError, *connection.connection_errors) as error:
            raise BrokerUnavailable(f"the broker at {connection.as_uri()} does not answer: {error}") from error


def answering(app: Celery, *, timeout_s: float) -> set[str]:
    """Names of the workers, of anybody's, that answer within `timeout_s`: they are connected and take work.

    Raises:
        BrokerUnavailable: the broker does not answer.
    """
    reach(app, timeout_s=timeout_s)  # the ping itself tries for longer
    try:
        replies: list[dict[str, Any]] = app.control.ping(timeout=timeout_s)
    except (KombuError, OSError, *app.connection_for_write().connection_errors) as error:
        raise BrokerUnavailable(f"the broker does not answer: {error}") from error
    return {name for reply in replies for name in reply}


def task(name: str) -> Callable[[Callable[..., None]], object]:
    """Make a function a task of every app of this process, called `name` and sent to the queue of that name.

    A permanent error is expected now and then, stands on the run's receipt, and is logged without a traceback.
    """
    return shared_task(name=name, throws=(Permanent,))  # type: ignore[no-any-return]


def before_work(check: Callable[[], None]) -> None:
    """Have a worker call `check` before it takes its first task; if that raises, the worker does not start."""

    def checked(**_: object) -> None:
        check()

    signals.worker_init.connect(checked, weak=False)


def before_exit(finish: Callable[[], None]) -> None:
    """Have each process of a worker's pool call `finish` before it ends by itself; one that is killed does not."""

    def finished(**_: object) -> None:
        finish()

    signals.worker_process_shutdown.connect(finished, weak=False)


def _configuration(settings: Settings, url: str, *, only_sends: bool) -> dict[str, Any]:
    return {
        "broker_url": url,
        "broker_connection_retry_on_startup": True,
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
        "worker_prefetch_multiplier": 1,
        "worker_hijack_root_logger": False,
        "worker_cancel_long_running_tasks_on_connection_loss": True,
        "enable_utc": True,
    }


def _transport(settings: Settings, url: str, *, only_sends: bool) -> dict[str, Any]:
    if not urlsplit(url).scheme.startswith("redis"):
        return {}
    return {
        "visibility_timeout": settings.visibility_timeout_s,
        "unacked_restore_interval": _RESTORE_EVERY_S,
        "socket_connect_timeout": settings.broker_timeout_s,
        "socket_keepalive": True,
        **({"socket_timeout": settings.broker_timeout_s} if only_sends else {}),
    }
