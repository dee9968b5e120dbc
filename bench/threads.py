"""How much more many threads of one process recall than one does."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Final

import hotpath
from bench.figures import quantiles
from bench.ratios import Ratio
from bench.scopes import SEED
from bench.synthetic import Writer
from bench.timing import timed_ms
from hotpath.recipes import FAST
from shared.contract.errors import Permanent
from shared.settings import Settings, settings, using

if TYPE_CHECKING:
    from rich.progress import Progress

    from shared.contract.scope import Scope

THREADS: Final = 16
BOUND: Final = 1.3
_DEADLINE_MS: Final = 60_000  # a throughput is measured, and nobody waits


def measure(scope: Scope, progress: Progress, *, rounds: int, recalls: int) -> Ratio:
    """Recalls a second by sixteen threads against one, over rounds in turn.

    Raises:
        Permanent: a recall was degraded, so something stood in another's way.
    """
    queries = Writer(SEED + 1).questions(recalls)
    one, many = [], []
    done = progress.add_task("rounds of threads", total=rounds)
    _recall_all(scope, queries[: 2 * THREADS], THREADS)  # so many connections are opened once
    for _ in range(rounds):
        one.append(_recall_all(scope, queries, 1))
        many.append(_recall_all(scope, queries, THREADS))
        progress.advance(done)
    return Ratio(
        name=f"recalls by {THREADS} threads against one",
        measured=quantiles(many),
        against=quantiles(one),
        bound=BOUND,
        unit="recalls/s",
        at_least=True,
    )


def _recall_all(scope: Scope, queries: Sequence[str], threads: int) -> float:
    """Recalls a second."""
    recall = partial(_degraded, settings(), scope)
    with ThreadPoolExecutor(threads) as pool:
        took_ms, lacking = timed_ms(lambda: set().union(*pool.map(recall, queries)))
    if lacking:
        raise Permanent(f"recalls of {threads} threads lacked {', '.join(sorted(lacking))}; their number says nothing")
    return 1000 * len(queries) / took_ms


def _degraded(configured: Settings, scope: Scope, query: str) -> tuple[str, ...]:
    """What a recall lacked."""
    with using(configured):  # a thread begins with the process's own
        return hotpath.recall(scope, query, recipe=FAST.name, deadline_ms=_DEADLINE_MS).degraded
