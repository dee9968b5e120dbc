"""Which views a pass of reindex is of: it says so itself, since whoever goes on with it may be asked for others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from shared.contract.scope import TENANT_OWNER
from shared.store.db import Database, Role
from shared.store.streams import Numbered
from shared.work.passes import Job

VIEWS: Final[tuple[Numbered, ...]] = ("sparse", "graph")
"""What is rebuilt where no view is named, in this order."""


def views_of(counts: Mapping[str, int]) -> tuple[Numbered, ...]:
    """The views that a pass is of, by its counts: `only_<view>` where it is of one, else all."""
    return tuple(view for view in VIEWS if counts.get(_only(view))) or VIEWS


def settled(database: Database, job: Job, wanted: Sequence[Numbered]) -> tuple[Numbered, ...]:
    """The views that a slice goes on with: of a pass that it begins those wanted, else what the pass is of.

    What is wanted of a pass that is begun is written down before anything is done.

    Raises:
        LeaseLost: somebody has taken the job over.
    """
    if job.held.attempt == 1 and set(wanted) != set(VIEWS):
        job.count(**{_only(view): 1 for view in wanted})
        with database.transaction(Role.WORKER, job.held.tenant_id, [TENANT_OWNER]) as session:
            job.keep_within(session)
    return views_of(job.counts)


def _only(view: Numbered) -> str:
    return f"only_{view}"
