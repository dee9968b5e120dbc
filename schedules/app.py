"""The Celery app that beat runs."""

from __future__ import annotations

from typing import Final

from celery import Celery

from schedules.table import schedule
from shared.embedded import endpoints
from shared.settings import settings
from shared.work.broker import make_app

app: Final[Celery] = make_app("schedules", settings(), lambda: endpoints(settings()).redis_url)


def _beat() -> dict[str, object]:
    settings().data_dir.mkdir(parents=True, exist_ok=True)
    return {
        # A task that waited longer than its period is replaced by the next one, so nothing piles up behind a slow job.
        "beat_schedule": {
            entry.task: {
                "task": entry.task,
                "schedule": entry.every_s,
                "options": {"queue": entry.task, "expires": entry.every_s},
            }
            for entry in schedule(settings())
        },
        "beat_schedule_filename": str(settings().data_dir / "beat-schedule"),
    }


app.add_defaults(_beat)
