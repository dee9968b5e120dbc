"""Views built anew at an operator's word, tenant by tenant, in this process or by the workers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from shared.settings import Settings
    from shared.store.db import Database
    from shared.store.generations import Build, View
    from shared.store.streams import Numbered
    from shared.work.passes import JobFunction, Report

Rebuilding = Literal["reindex", "reembed", "fill"]
Heard = Callable[[int, int], None]
"""Takes how many memories are done and how many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuild:
    """What came of rebuilding a tenant's view."""

    tenant_id: str
    job: str
    outcome: str
    """`done`, `skipped` (somebody else is at it), `failed`, or `requested` of the workers."""
    memories: int
    """Memories that this call took in."""
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WentBack:
    """What is live after going back."""

    tenant_id: str
    view: str
    live: Build
    previous: Build | None
    lacking_vectors: int
    """Memories that came in while another model was live: words find them, and `daybook reembed --missing` mends it."""


def rebuild(
    database: Database, settings: Settings, job: Rebuilding, tenant_id: str, heard: Heard, view: Numbered | None = None
) -> Rebuild:
    """Do a rebuilding here, from its beginning or from where another left it, to its end; of reindex, of one `view`.

    A pass of reindex that was left unfinished is gone on with first, whichever views it is of; where those are not what
    is asked for, this one's own follows.
    """
    from coldpath._views import VIEWS, views_of
    from shared.work.passes import Outcome, carry_out

    function = _function(database, settings, job, heard, view)
    call = partial(carry_out, database, settings, job, tenant_id, function, until_s=math.inf)
    report = call()
    done = _rebuild(job, tenant_id, report)
    wanted = {view} if view else set(VIEWS)
    if job != "reindex" or report.outcome is not Outcome.DONE or wanted <= set(views_of(report.counts)):
        return done
    own = _rebuild(job, tenant_id, call())
    return replace(own, memories=done.memories + own.memories)


def request(database: Database, settings: Settings, job: Rebuilding, tenant_id: str) -> Rebuild:
    """Have the workers do a rebuilding; they go on with it whatever becomes of any of them.

    A build of the model configured here is opened at once: workers that have another one refuse it and say so.
    """
    from coldpath.reindex import open_build
    from shared.models import embedder
    from shared.work.passes import at_it
    from shared.work.passes import request as leave

    left = leave(database, settings, job, tenant_id)
    if left and job == "reembed":
        open_build(database, tenant_id, "dense", model_id=embedder(settings).model.key)
    outcome, error = ("requested", None) if left else ("skipped", at_it(database, job, tenant_id))
    return Rebuild(tenant_id=tenant_id, job=job, outcome=outcome, memories=0, error=error)


def tenants(database: Database, tenant_id: str | None) -> list[str]:
    """The one tenant, or every tenant that has had a memory.

    Raises:
        NotFound: nothing was ever stored of the one.
    """
    from shared.contract.errors import NotFound
    from shared.store import streams

    if tenant_id is None:
        return streams.tenants(database)
    if not streams.is_known(database, tenant_id):
        msg = f"nothing was ever stored of tenant {tenant_id!r}: there is nothing to rebuild"
        raise NotFound(msg, tenant_id=tenant_id)
    return [tenant_id]


def go_back(database: Database, tenant_id: str, view: View) -> WentBack:
    """Make the generation before the live one live again.

    Raises:
        NotFound, Misconfigured: see `coldpath.reindex.go_back`; nothing has changed.
    """
    from coldpath import reindex
    from shared.store import streams

    now = reindex.go_back(database, tenant_id, view)
    lacking = streams.lacking_vectors(database, tenant_id, now.live.generation) if view == "dense" else []
    return WentBack(
        tenant_id=tenant_id,
        view=view,
        live=now.live,
        previous=now.previous,
        lacking_vectors=sum(number for _, number in lacking),
    )


def _function(
    database: Database, settings: Settings, job: Rebuilding, heard: Heard, view: Numbered | None
) -> JobFunction:
    from coldpath import reembed, reindex
    from coldpath._views import VIEWS
    from shared.models import embedder

    match job:
        case "reindex":
            return partial(reindex.carry_on, database, heard=heard, views=[view] if view else VIEWS)
        case "reembed":
            return partial(reembed.carry_on, database, embedder(settings), heard=heard, replacing=True)
        case "fill":
            return partial(reembed.fill_on, database, embedder(settings), heard=heard)


def _rebuild(job: str, tenant_id: str, report: Report) -> Rebuild:
    return Rebuild(
        tenant_id=tenant_id,
        job=job,
        outcome=report.outcome,
        memories=report.counts.get("memories", 0),
        error=report.error,
    )
