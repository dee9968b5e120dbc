"""The Celery app of the cold path: one task a job, each with a queue of its own."""

from __future__ import annotations

from typing import Final

from celery import Celery

from coldpath.verify import verify_sample
from shared.embedded import endpoints, open_database
from shared.settings import settings
from shared.work.broker import make_app, task
from shared.work.queues import VERIFY

app: Final[Celery] = make_app("coldpath", settings(), lambda: endpoints(settings()).redis_url)


@task(VERIFY)
def _verify() -> None:
    verify_sample(open_database(settings()), settings().verify_sample)
