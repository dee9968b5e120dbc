"""What is of no use to anybody any more goes, by its age: passes that ended long ago, and logged recalls."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from shared.contract.errors import DaybookError
from shared.log import logger
from shared.store import jobs, recalls

if TYPE_CHECKING:
    from shared.settings import Settings
    from shared.store.db import Database

_LOG: Final = logger(__name__)
PASSES_KEPT: Final = timedelta(days=30)
"""How long a pass can be looked up: a month's, to compare with the month before."""
PORTION: Final = 2_000
"""Rows of one statement, each with some 30 that go with it: a second's, far from any time-out."""
MOST_PORTIONS: Final = 20
"""Of one call: after a long stop the next calls do the rest."""


def prune(database: Database, settings: Settings) -> dict[str, int]:
    """Take away what is too old, portion by portion; returns how many rows went, by what they were.

    Each portion is a transaction of its own. What cannot be done now is logged, and left to the next call.
    """
    days = timedelta(days=settings.recall_log_days)
    return {
        "passes": _in_portions("passes", partial(jobs.prune, database, PASSES_KEPT, limit=PORTION)),
        "recalls": _in_portions("recalls", partial(recalls.prune, database, days, limit=PORTION)),
    }


def _in_portions(what: str, prune_some: Callable[[], int]) -> int:
    gone = 0
    try:
        for _ in range(MOST_PORTIONS):
            last = prune_some()
            gone += last
            if last < PORTION:
                break
    except DaybookError as error:
        _LOG.warning("prune %s gone=%d: %s; the rest is left to the next time", what, gone, error)
    return gone
