"""Servers and processes together: up as a whole, down as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gateway.interruption import ignore_interruptions
from gateway.processes import Processes
from gateway.runbook.stale import try_to_sweep
from shared import embedded
from shared.accept.configured import require_configured
from shared.contract.errors import ServiceFailed
from shared.store.db import database

if TYPE_CHECKING:
    from gateway.processes import State
    from shared.embedded import Endpoints, Service
    from shared.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What ran, and runs no more."""

    processes: tuple[State, ...]
    services: tuple[Service, ...]


def up(settings: Settings) -> list[State]:
    """Start what is missing of servers and processes and return when all are ready; they outlive this process.

    An embedded database is brought to this code's schema; a configured one must have it. If anything fails, what was
    started here is ended again, but for servers that somebody else uses or has asked to be kept.

    Raises:
        ServiceFailed: a server or process did not start.
        SchemaMismatch, DatabaseUnavailable, BrokerUnavailable, Misconfigured: what is configured does not fit.
    """
    require_configured(settings)
    try_to_sweep(settings.data_dir)
    with embedded.hold(settings, keep=True) as endpoints:
        try:
            _require(settings, endpoints)
            return Processes(settings).start(endpoints, require_servers=lambda: require_servers(settings))
        except BaseException:
            ignore_interruptions()
            raise


def down(settings: Settings) -> Ended:
    """End the processes, then the embedded servers; returns what ran. Nothing is lost, nothing is deleted.

    Raises:
        ServiceFailed: a server does not end.
    """
    ended = Processes(settings).stop()
    return Ended(processes=tuple(ended), services=tuple(embedded.stop(settings)))


def require_servers(settings: Settings) -> None:
    """Make sure that the embedded servers that workers are being started for still run.

    Raises:
        ServiceFailed: somebody has ended them meanwhile.
    """
    embedded_ones = {"postgres": settings.database_url is None, "valkey": settings.redis_url is None}
    gone = [each.name for each in embedded.status(settings) if embedded_ones[each.name] and not each.running]
    if gone:
        msg = f"{' and '.join(gone)} was ended while workers were being started, as `daybook down` does: nothing runs"
        raise ServiceFailed(f"{msg}; call `daybook up` again", services=gone)


def _require(settings: Settings, endpoints: Endpoints) -> None:
    """Find out here what would end each worker with an error in its log."""
    from shared.work.broker import make_app, reach

    if settings.database_url is None:
        embedded.open_database(settings)
    else:
        database(endpoints.database_url, settings).check()
    app = make_app("daybook-up", settings, lambda: endpoints.redis_url)
    reach(app, timeout_s=settings.connect_timeout_s)
