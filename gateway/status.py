"""What runs, and what waits. Starts and changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from gateway.endpoint import url_of
from gateway.health import health
from gateway.processes import Processes
from gateway.reports import Progress, ServiceState, Status, progress_of
from shared import embedded
from shared.contract.errors import DaybookError
from shared.store import inbox
from shared.store.db import database
from shared.store.server import why_unreachable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gateway.processes import State
    from shared.embedded import Service
    from shared.settings import Settings

POSTGRES, BROKER = "postgres", "broker"


def status(settings: Settings) -> Status:
    """Services, processes and backlog."""
    own = {service.name: service for service in embedded.status(settings)}
    postgres = _configured_postgres(settings) if settings.database_url else _embedded(POSTGRES, own["postgres"])
    broker = _configured_broker(settings) if settings.redis_url else _embedded(BROKER, own["valkey"])
    progress, problem = _progress(settings) if postgres.running else (None, postgres.problem)
    processes = tuple(Processes(settings).states())
    return Status(
        data_dir=str(settings.data_dir),
        services=(postgres, broker),
        processes=processes,
        progress=progress,
        problem=problem,
        advice=tuple(_on_the_dead((postgres, broker), processes)),
        health=health(settings) if progress else None,
        health_url=url_of(settings.data_dir.expanduser().resolve()),
    )


def where(url: str) -> str:
    """Host, port and database of a URL, without who and the password."""
    parts = urlsplit(url.partition(";")[0])
    return f"{parts.netloc.rpartition('@')[2] or 'localhost'}{parts.path}"


def _on_the_dead(services: Sequence[ServiceState], processes: Sequence[State]) -> Iterator[str]:
    """What `daybook up` started and nobody ended; servers are kept for as long as its processes are written down."""
    for process in processes:
        if process.died:
            yield f"{process.name} has died: read {process.log}, then run `daybook up`"
    if any(process.running or process.died for process in processes):
        for service in services:
            if service.embedded and not service.running:
                yield f"the embedded {service.name} has died: run `daybook up`"


def _embedded(name: str, service: Service) -> ServiceState:
    return ServiceState(
        name=name,
        embedded=True,
        running=service.running,
        where=f"127.0.0.1:{service.port}" if service.port else str(service.folder),
        pid=service.pid,
        since=service.since,
    )


def _configured_postgres(settings: Settings) -> ServiceState:
    assert settings.database_url is not None
    url = settings.database_url.get_secret_value()
    try:
        with database(url, settings).bare():
            problem = None
    except DaybookError as error:
        problem = why_unreachable(url, timeout_s=settings.connect_timeout_s) or str(error)
    return ServiceState(name=POSTGRES, embedded=False, running=problem is None, where=where(url), problem=problem)


def _configured_broker(settings: Settings) -> ServiceState:
    from shared.work.broker import make_app, reach

    assert settings.redis_url is not None
    url = settings.redis_url.get_secret_value()
    try:
        reach(make_app("daybook-status", settings, lambda: url), timeout_s=settings.broker_timeout_s)
        problem = None
    except DaybookError as error:
        problem = str(error)
    return ServiceState(name=BROKER, embedded=False, running=problem is None, where=where(url), problem=problem)


def _progress(settings: Settings) -> tuple[Progress | None, str | None]:
    url = embedded.endpoints(settings, broker=False).database_url
    try:
        return progress_of(inbox.backlog(database(url, settings))), None
    except DaybookError as error:
        return None, str(error)
