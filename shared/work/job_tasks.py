"""The task of a job: what it is told by a ring, and what it does then.

A ring says whose job it is and, where beat rings, how to work out the slot that is now. The state is in Postgres, so a
ring that is lost, late or there twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from shared import clock
from shared.contract.errors import BrokerUnavailable
from shared.log import logger
from shared.work.broker import send, task
from shared.work.doorbell import ring_life_s
from shared.work.passes import JobFunction, Outcome, Report, carry_out, carry_out_for_each_tenant
from shared.work.queues import EVERY_TENANT

if TYPE_CHECKING:
    from celery import Celery

    from shared.settings import Settings
    from shared.store.db import Database

_LOG: Final = logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where jobs are carried out: a process, as its tasks find it when they are called."""

    app: Celery
    settings: Callable[[], Settings]
    database: Callable[[], Database]
    among: Callable[[Database, str], Collection[str] | None] = lambda *_: None
    """Of a job by its name: the tenants that it has work for; None where it may be any."""
    longest_slice_s: float | None = None
    """How long one ring is worked at where the process has more pressing work; None: half a task's deadline."""


def declare(place: Place, name: str, function: JobFunction) -> None:
    """Make the task of a job, by its name."""

    @task(name)
    def do(tenant_id: str, *when: str) -> None:
        if answer(place, name, function, tenant_id, *when).outcome is Outcome.UNFINISHED:
            ring(place, name, tenant_id, *when)


def answer(place: Place, name: str, function: JobFunction, tenant_id: str, *when: str) -> Report:
    """Do what a ring asks for.

    `when` is a period, where in it a slot begins and over how long tenants come, in seconds: the slot that is now is
    done, for the tenant or for each (`EVERY_TENANT`). Without it, the tenant's unfinished pass is gone on with, if
    there is one.

    Raises:
        See `passes.carry_out`.
    """
    database, settings = place.database(), place.settings()
    until_s = None if place.longest_slice_s is None else clock.monotonic_s() + place.longest_slice_s
    if not when:
        return carry_out(database, settings, name, tenant_id, function, resume=True, until_s=until_s)
    every_s, at_s, spread_s = (float(each) for each in (*when, "0", "0")[:3])
    slot = clock.slot_of(clock.now(), every_s, at_s)
    if tenant_id != EVERY_TENANT:
        return carry_out(database, settings, name, tenant_id, function, slot=slot, until_s=until_s)
    return carry_out_for_each_tenant(
        database,
        settings,
        name,
        function,
        slot=slot,
        spread=timedelta(seconds=spread_s),
        among=place.among(database, name),
        until_s=until_s,
    )


def ring(place: Place, name: str, *arguments: str) -> None:
    """Tell whoever works for a job's queue that something waits there; `resume` makes up for a ring that is lost."""
    try:
        send(place.app, name, *arguments, expires_s=ring_life_s(place.settings()))
    except BrokerUnavailable as error:
        _LOG.warning("ring job=%s: %s; it will be resumed", name, error)
