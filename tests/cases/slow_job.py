"""A worker or a beat of one slow job, whose only effect is an event in a tenant's audit stream.

    python slow_job.py worker|beat [arguments of celery worker or beat]

`SLOW_JOB_S` is how long it takes, `SLOW_EVERY_S` the period of its slots, `SLOW_VISIBILITY_S` after how long the broker
hands it out again. Run by the tests of cases S38 and S39.
"""

from __future__ import annotations

import os
import sys
import time

from celery import Celery
from kombu.entity import Exchange, Queue

import coldpath.app
import schedules.app
from schedules.table import Entry, Whose
from shared.contract.events import EventClass, NewEvent
from shared.contract.scope import AUDIT_OWNER
from shared.embedded import open_database
from shared.settings import settings
from shared.store import ledger
from shared.store.db import Role
from shared.work.job_tasks import declare
from shared.work.passes import Job

NAME = "slow"
TENANT = "acme"


def with_its_queue(app: Celery) -> Celery:
    """An app that knows the job's queue, beside those of Daybook."""
    app.conf.task_queues = [*app.conf.task_queues, Queue(NAME, Exchange(NAME), routing_key=NAME)]
    return app


def slow(job: Job) -> bool:
    """Takes its time, then has its effect and ends in one transaction."""
    sys.stdout.write(f"started attempt={job.held.attempt} slot={job.held.slot}\n")
    sys.stdout.flush()
    time.sleep(float(os.environ["SLOW_JOB_S"]))
    event = NewEvent(event_class=EventClass.AUDIT, kind=NAME, payload={"slot": str(job.held.slot)})
    with open_database(settings()).transaction(Role.WORKER, TENANT, [AUDIT_OWNER]) as session:
        _, head = ledger.append(session, ledger.lock(session, AUDIT_OWNER), [event])
        ledger.advance(session, head)
        job.finish_within(session)
    return True


def worker(arguments: list[str]) -> None:
    declare(coldpath.app.PLACE, NAME, slow)
    app = with_its_queue(coldpath.app.app)
    if visibility_s := os.environ.get("SLOW_VISIBILITY_S"):
        hasty = {"visibility_timeout": float(visibility_s), "unacked_restore_throttle": 1}
        app.conf.broker_transport_options = app.conf.broker_transport_options | hasty
    app.worker_main(["worker", "--queues", NAME, "--concurrency", "1", *arguments])


def beat(arguments: list[str]) -> None:
    entry = Entry(task=NAME, every_s=float(os.environ["SLOW_EVERY_S"]), whose=Whose.SYSTEM, reason="for a test")
    app = with_its_queue(schedules.app.app)
    app.conf.update(schedules.app.beat([entry], settings()))
    app.start(["beat", *arguments])


if __name__ == "__main__":
    {"worker": worker, "beat": beat}[sys.argv[1]](sys.argv[2:])
