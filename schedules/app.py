"""The Celery app that beat runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from celery import Celery

from schedules.table import Entry, schedule
from shared.accept.configured import require_configured
from shared.embedded import endpoints
from shared.settings import Settings, settings
from shared.work.broker import SCHEDULER, before_beat, make_app

app: Final[Celery] = make_app("schedules", settings(), lambda: endpoints(settings()).redis_url)


def beat(entries: Iterable[Entry], configured: Settings) -> dict[str, object]:
    """The configuration of a beat that rings for `entries`; any number of beats may."""
    configured.data_dir.mkdir(parents=True, exist_ok=True)
    return {
        "beat_schedule": {
            entry.task: {
                "task": entry.task,
                "schedule": entry.ring_every_s,
                "args": entry.arguments,
                "options": {"queue": entry.task},
            }
            for entry in entries
        },
        "beat_schedule_filename": str(configured.data_dir / "beat-schedule"),
        "beat_scheduler": SCHEDULER,
    }


app.add_defaults(lambda: beat(schedule(settings()), settings()))
before_beat(lambda: require_configured(settings()))
