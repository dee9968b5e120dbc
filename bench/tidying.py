"""What the jobs of a night cost as memories grow, and what recall pays for them meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from bench import rebuilding
from bench.carried import Carried
from bench.jobs import tidied
from bench.rebuilding import Action, Costs, Rebuilding, costs_of, growth_of, recall_beside
from coldpath import profile
from coldpath.reindex import Pass
from gateway import tidying
from shared.contract.scope import Scope
from shared.settings import settings
from shared.store.db import Database
from shared.work.queues import COMPRESS, CONSOLIDATE, DEDUPE, LINK, PROMOTE, PRUNE, SUPERSEDE

if TYPE_CHECKING:
    from rich.progress import Progress

    from bench.place import Place

NIGHT: Final = (DEDUPE, SUPERSEDE, LINK, CONSOLIDATE, PROMOTE, PRUNE, COMPRESS)
"""The jobs that propose, in the order they are measured: what takes memories out of the hot tier comes last."""
RECALLS: Final = 150


def tidy(job: str, database: Database, scope: Scope) -> None:
    """Do a job that proposes to its end, by the settings in force.

    Raises:
        Permanent: it was not done.
    """
    tidied(database, settings(), scope.tenant_id, job)


def look(job: str, database: Database, scope: Scope) -> None:
    """Have a job propose, and do nothing of it: as often as wanted."""
    tidying.rehearse(database, settings(), scope.tenant_id, job, lambda *_: None)


def fold_profiles(database: Database, scope: Scope) -> None:
    """Build the profile view anew."""
    profile.rebuild(database, scope.tenant_id, Pass())


BESIDE: Final[Mapping[str, Action]] = {
    "a profile that is built anew": fold_profiles,
    "a replay that compares": rebuilding.JOBS["replay, comparing"],
    "a dedupe that is rehearsed": partial(look, DEDUPE),
}
"""What recall is asked beside: what can be done again and again."""
JOBS: Final[Mapping[str, Action]] = {
    "reindex": rebuilding.JOBS["reindex"],
    "profile, built anew": fold_profiles,
    **{job: partial(tidy, job) for job in NIGHT},
    "replay after them, comparing": rebuilding.JOBS["replay, comparing"],
    "reembed, vectors given": rebuilding.JOBS["reembed, vectors given"],
}
"""In the order they are measured, each once: a second pass over the same would find nothing to do.

After the last, the scopes' vectors are none that recall can use.
"""


def measure(
    place: Place,
    scopes: Mapping[int, Scope],
    progress: Progress,
    *,
    carried: Carried | None = None,
    recalls: int = RECALLS,
    warm_up: int = rebuilding.WARM_UP,
) -> Rebuilding:
    """Measure in scopes that are loaded, by how many memories each has, ascending; recall in the smallest of them.

    What `carried` has is not measured again.

    Raises:
        Permanent: a recall was degraded, a job was not done, or a replay found a difference.
    """
    carried = carried or Carried(None)
    smallest = (min(scopes), scopes[min(scopes)])
    asked = {"recalls": recalls, "warm_up": warm_up}
    beside = [
        carried.ratio(job[0], smallest[0], partial(recall_beside, place, job, smallest, progress, **asked))
        for job in BESIDE.items()
    ]
    costs = {job: _costs(place, job, scopes, progress, carried) for job in JOBS}
    growth = [ratio for job, by_size in costs.items() for ratio in growth_of(job, by_size)]
    return Rebuilding(ratios=(*beside, *growth), costs=costs)


def _costs(
    place: Place, job: str, scopes: Mapping[int, Scope], progress: Progress, carried: Carried
) -> dict[int, Costs]:
    def of(size: int) -> Costs:
        return costs_of(place, job, JOBS[job], {size: scopes[size]}, progress, 1)[size]

    return {size: carried.costs(job, size, partial(of, size)) for size in scopes}
