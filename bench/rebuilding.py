"""What building views anew and replaying cost as memories grow, and what recall pays for it meanwhile."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import hotpath
from bench.children import Where, children, over_and_over, peak_bytes
from bench.embedders import MadeUp
from bench.figures import Quantiles, quantiles
from bench.ratios import Ratio, n_log_n
from bench.scopes import SEED
from bench.synthetic import Writer
from coldpath.reembed import reembed
from coldpath.reindex import Pass, reindex
from coldpath.replay import replay
from shared import clock
from shared.contract.errors import Permanent
from shared.contract.scope import Owner, Scope
from shared.store.db import Database

if TYPE_CHECKING:
    from rich.progress import Progress

    from bench.place import Place

PASSES: Final = 3
RECALLS: Final = 300
"""Of each kind: half of those at rest come before, half after."""
WARM_UP: Final = 20
RECALL_BOUND: Final = 2.0
LEAST_MB: Final = 1.0
"""Less memory than this is counted as this: it says what the allocator had left over."""
_MB: Final = 1_000_000


Action = Callable[[Database, Scope], None]
"""A job on a scope; a function of a module, for a child does it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one pass over one size took."""

    seconds: float
    peak_mb: float
    """Above what the process had when it began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What the passes of a job over one size took."""

    seconds: Quantiles
    peak_mb: Quantiles


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilding:
    """All figures of rebuilding."""

    ratios: tuple[Ratio, ...]
    costs: Mapping[str, Mapping[int, Costs]]
    """By job and memories in scope."""


def _reindex(database: Database, scope: Scope) -> None:
    reindex(database, scope.tenant_id, Pass())


def _verify(database: Database, scope: Scope) -> None:
    _replay(database, scope, verify=True)


def _rebuild(database: Database, scope: Scope) -> None:
    _replay(database, scope, verify=False)


def _replay(database: Database, scope: Scope, *, verify: bool) -> None:
    found = replay(database, scope.tenant_id, Owner(scope.user_id), verify=verify)
    if not found.is_equal:
        msg = f"the tables of {scope.tenant_id} are not what its ledger comes to: {found.count} places differ"
        raise Permanent(msg)


def _reembed(database: Database, scope: Scope) -> None:
    reembed(database, MadeUp(f"made-up-{secrets.token_hex(4)}"), scope.tenant_id, Pass())


JOBS: Final[Mapping[str, Action]] = {
    "reindex": _reindex,
    "replay, comparing": _verify,
    "replay, writing anew": _rebuild,
    "reembed, vectors given": _reembed,
}
"""In the order they are measured: after the last, the scopes' vectors are none that recall can use."""


def measure(
    place: Place,
    scopes: Mapping[int, Scope],
    progress: Progress,
    *,
    passes: int = PASSES,
    recalls: int = RECALLS,
    warm_up: int = WARM_UP,
) -> Rebuilding:
    """Measure in scopes that are filled, by how many memories each has, ascending; recall in the smallest of them.

    Raises:
        Permanent: a recall was degraded, or a replay found a difference.
    """
    smallest = min(scopes)
    asked = {"recalls": recalls, "warm_up": warm_up}
    beside = recall_beside(place, ("a reindex", _reindex), (smallest, scopes[smallest]), progress, **asked)
    costs = {job: costs_of(place, job, action, scopes, progress, passes) for job, action in JOBS.items()}
    growth = [ratio for job, by_size in costs.items() for ratio in growth_of(job, by_size)]
    return Rebuilding(ratios=(beside, *growth), costs=costs)


def costs_of(
    place: Place, job: str, action: Action, scopes: Mapping[int, Scope], progress: Progress, passes: int
) -> Mapping[int, Costs]:
    """What a job takes of each size in turn, again and again, each time in a process that has done nothing before."""
    found: dict[int, list[Cost]] = {size: [] for size in scopes}
    done = progress.add_task(job, total=passes * len(scopes))
    for _ in range(passes):
        for size, scope in scopes.items():
            place.settle()
            with children(1) as process:
                found[size].append(process.ask(_cost, Where.of(place), action, scope).result())
            progress.advance(done)
    return {
        size: Costs(
            seconds=quantiles([cost.seconds for cost in costs]), peak_mb=quantiles([cost.peak_mb for cost in costs])
        )
        for size, costs in found.items()
    }


def _cost(where: Where, action: Action, scope: Scope) -> Cost:
    """In a child: do a job once."""
    database = where.database
    database.check()
    before, began_s = peak_bytes(), clock.monotonic_s()
    action(database, scope)
    return Cost(seconds=clock.monotonic_s() - began_s, peak_mb=max(LEAST_MB, (peak_bytes() - before) / _MB))


def growth_of(job: str, costs: Mapping[int, Costs]) -> Iterator[Ratio]:
    """How what a job takes grows from each size to the next, held against n log n."""
    for small, large in pairwise(costs):
        bound, whose = n_log_n(small, large), f"of {job}, {large:,} memories against {small:,}"
        yield Ratio(
            name=f"time {whose}", measured=costs[large].seconds, against=costs[small].seconds, bound=bound, unit="s"
        )
        yield Ratio(
            name=f"peak memory {whose}",
            measured=costs[large].peak_mb,
            against=costs[small].peak_mb,
            bound=bound,
            unit="MB",
        )


def recall_beside(
    place: Place,
    job: tuple[str, Action],
    asked: tuple[int, Scope],
    progress: Progress,
    *,
    recalls: int = RECALLS,
    warm_up: int = WARM_UP,
) -> Ratio:
    """The p95 of recalls while a child does a job on the same tenant over and over, against those before and after.

    `job` is what it is called and the function of a module that does it; `asked` a scope, behind its memories' number.

    Raises:
        Permanent: a recall was degraded.
    """
    (name, action), (size, scope) = job, asked
    done = progress.add_task(f"recalls beside {name}", total=warm_up + 2 * recalls)
    queries = iter(Writer(SEED).questions(warm_up + 2 * recalls))

    def ask(count: int) -> list[float]:
        return [_recall_ms(scope, next(queries), lambda: progress.advance(done)) for _ in range(count)]

    with children(1) as process:
        process.ask(_cost, Where.of(place), action, scope).result()  # from here on it is warm
        ask(warm_up)
        before = ask(recalls // 2)
        working = process.ask(_on, Where.of(place), action, scope)
        during = ask(recalls)
        process.enough()
        working.result()
        after = ask(recalls - recalls // 2)
    return Ratio(
        name=f"recall's p95 during {name} against at rest, {size:,} memories",
        measured=quantiles(during),
        against=quantiles([*before, *after]),
        bound=RECALL_BOUND,
        at="p95",
    )


def _on(where: Where, action: Action, scope: Scope) -> int:
    """In a child: do a job over and over."""
    return over_and_over(lambda: action(where.database, scope))


def _recall_ms(scope: Scope, query: str, advance: Callable[[], None]) -> float:
    bundle = hotpath.recall(scope, query)
    if bundle.degraded:
        raise Permanent(f"a recall beside a job lacked {', '.join(bundle.degraded)}; its time says nothing")
    advance()
    return bundle.timings_ms["total"]
