"""sweep: finds work by its state in Postgres and rings for it again, whatever became of the first ring."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from shared.log import logger
from shared.store import inbox
from warmpath._work import Services

_LOG: Final = logger(__name__)
_MOST_AT_A_TIME: Final = 1_000


def run(services: Services) -> int:
    """Ring for each run that waits, is nobody's, and has been left alone for a sweep's period; returns how many."""
    idle = timedelta(seconds=services.settings.sweep_every_s)
    found = inbox.waiting(services.database, idle=idle, limit=_MOST_AT_A_TIME)
    for stage, work in found:
        services.bell.ring(stage, work)
    if found:
        _LOG.info("sweep rung=%d", len(found))
    return len(found)
