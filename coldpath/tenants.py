"""Which tenants a job has work for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from shared.store import streams
from shared.store.db import Database
from shared.work.queues import FILL


def _lacking(database: Database) -> list[str]:
    return sorted({*streams.lacking_tenants(database), *streams.behind_tenants(database)})


_WITH_WORK: Final[Mapping[str, Callable[[Database], list[str]]]] = {FILL: _lacking}


def with_work(database: Database, job: str) -> list[str] | None:
    """Of a job that few tenants have work for: which do; the others have no pass, and no row. None: it may be any."""
    find = _WITH_WORK.get(job)
    return find(database) if find else None
