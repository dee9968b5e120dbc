"""The ratios that recall and observe are held to: each of two things measured in turn, in one process, warm.

Nothing is cached where recalls are timed, but for the line that says what a cached one costs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import psycopg

import hotpath
from bench import neighbours, observing, starting, statements, threads
from bench.figures import Quantiles, quantiles
from bench.ratios import Ratio
from bench.scopes import SEED
from bench.synthetic import Writer
from bench.timing import timed_ms
from hotpath import _recall, _rerank
from hotpath._ask import Progress as Spending
from hotpath._breaker import Breakers
from hotpath._embed import Embedded, Embedding
from hotpath.recipes import BALANCED, FAST, Recipe
from shared.contract.errors import Permanent
from shared.settings import Settings, using

if TYPE_CHECKING:
    from rich.progress import Progress

    from bench.place import Place
    from shared.contract.scope import Scope

MEASURED: Final = 200
WARM_UP: Final = 20
ROUNDS: Final = 5
"""Of what is measured as a whole: threads, and new processes."""
RECALLS: Final = 160
"""Of each round of threads."""

OWN_BOUND: Final = 0.5
BARE_BOUND: Final = 1.5
BARE_P95_BOUND: Final = 2.0
RERANK_BOUND: Final = 1.3
GROWTH_BOUND: Final = 1.5
CACHED_BOUND: Final = 0.25
_SPARE_MS: Final = 60_000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """All figures of speed."""

    ratios: tuple[Ratio, ...]
    timings_ms: Mapping[int, Mapping[str, Quantiles]]
    """By memories in scope and step of recall."""


_Timings = Mapping[int, Sequence[Mapping[str, float]]]


def measure(
    place: Place,
    scopes: Mapping[int, Scope],
    progress: Progress,
    *,
    measured: int = MEASURED,
    warm_up: int = WARM_UP,
    rounds: int = ROUNDS,
    recalls: int = RECALLS,
) -> Speed:
    """Measure recall in scopes that are filled, by how many memories each has, ascending; and observe in another.

    Raises:
        Permanent: a recall was degraded, so its time would be no recall's.
    """
    sizes = list(scopes)
    smallest, largest = scopes[sizes[0]], scopes[sizes[-1]]
    few = {"measured": measured, "warm_up": warm_up}
    with using(place.settings.model_copy(update={"query_cache": 0, "bundle_cache": 0})):
        timings = _recalls(place, scopes, progress, **few)
        beside = neighbours.measure(place, largest, progress, **few)
        together = threads.measure(smallest, progress, rounds=rounds, recalls=recalls)
    started = starting.measure(place, smallest, progress, rounds=rounds)
    cached = _cached(smallest, timings[sizes[0]], progress, **few)
    observed = observing.measure(place, progress, **few)
    against_bare = _against_bare(timings, sizes[0])
    growth = _growth(timings, sizes)
    return Speed(
        ratios=(*against_bare, *growth, beside, *started, together, cached, _own(timings, sizes[0]), observed),
        timings_ms={
            size: {step: quantiles([each[step] for each in recalls]) for step in recalls[0]}
            for size, recalls in timings.items()
        },
    )


def _recalls(place: Place, scopes: Mapping[int, Scope], progress: Progress, *, measured: int, warm_up: int) -> _Timings:
    """Timings of the same queries in each scope; who goes first changes each time."""
    timings: dict[int, list[Mapping[str, float]]] = {size: [] for size in scopes}
    bare = {size: statements.connected(place.database_url, scope) for size, scope in scopes.items()}
    done = progress.add_task("recalls timed", total=measured + warm_up)
    order = list(scopes)
    for number, query in enumerate(Writer(SEED).questions(measured + warm_up)):
        for size in order:
            timed = _in_turn(place, scopes[size], bare[size], query)
            if number >= warm_up:
                timings[size].append(timed)
        order.reverse()
        progress.advance(done)
    for each in bare.values():
        each.close()
    return timings


def _in_turn(place: Place, scope: Scope, bare: psycopg.Connection[Any], query: str) -> Mapping[str, float]:
    """Milliseconds of a recall's steps, of its own time, and of what it rests on without it.

    Asked three times: for its statements, with the query embedded before all else, and as always.
    """
    with statements.noted() as noted:
        _fast_ms(scope, query)
    with patch.object(_recall, "Embedding", _EmbeddedFirst):
        in_turn_ms = _own_in_turn_ms(_fast_ms(scope, query))
    found = _fast_ms(scope, query)
    balanced_ms, rerank_ms = _balanced_ms(scope, query)
    embed_ms, _ = timed_ms(lambda: place.embedder.encode_query(query))
    statements_ms, _ = timed_ms(lambda: statements.run(bare, noted))
    return {
        **found,
        "own": _own_ms(found),
        "own_in_turn": in_turn_ms,
        "embed_alone": embed_ms,
        "statements_alone": statements_ms,
        "bare": embed_ms + statements_ms,
        "balanced": balanced_ms,
        "rerank_alone": rerank_ms,
        "fast_and_rerank": found["fast"] + rerank_ms,
    }


def _fast_ms(scope: Scope, query: str) -> Mapping[str, float]:
    took_ms, timings_ms = _recall_ms(scope, query, FAST)
    return {**timings_ms, "fast": took_ms}


def _balanced_ms(scope: Scope, query: str) -> tuple[float, float]:
    """Milliseconds of a balanced recall, and of reading the same hits again alone."""
    given: list[tuple[Any, ...]] = []

    def note(*arguments: Any) -> Any:
        given.append(arguments)
        return _rerank.rerank(*arguments)

    with patch.object(_recall, "rerank", note):
        balanced_ms, _ = _recall_ms(scope, query, BALANCED)
    _, plan, _, evidence, configured = given[0]
    read = _rerank.reader(plan, configured, asker=scope.user_id, spare_ms=_SPARE_MS)
    most = _rerank.depth(plan, configured)
    rerank_ms, _ = timed_ms(lambda: _rerank.reranked(evidence.hits, evidence.around, read, most=most))
    return balanced_ms, rerank_ms


def _recall_ms(scope: Scope, query: str, recipe: Recipe) -> tuple[float, Mapping[str, float]]:
    took_ms, bundle = timed_ms(lambda: hotpath.recall(scope, query, recipe=recipe.name))
    if bundle.degraded:
        raise Permanent(f"a recall lacked {', '.join(bundle.degraded)}; its time says nothing")
    return took_ms, bundle.timings_ms


class _EmbeddedFirst(Embedding):
    """A query's vector that is waited for before all else, so that nothing of recall's work passes beside it."""

    def __init__(
        self, configured: Settings, query: str, progress: Spending, breakers: Breakers, *, asked: bool = True
    ) -> None:
        super().__init__(configured, query, progress, breakers, asked=asked)
        self._found = super().result()
        progress.timings_ms["embed"] = progress.waited_s * 1000  # waking up counts as waiting, as it does for Postgres

    def result(self) -> Embedded:
        """The vector."""
        return self._found


def _own_in_turn_ms(timings: Mapping[str, float]) -> float:
    """All the work that a recall did besides embedding and waiting for Postgres, one thing after the other."""
    return timings["total"] - timings["embed"] - timings["database"]


def _own_ms(timings: Mapping[str, float]) -> float:
    """What of a recall as it is was neither embedding nor Postgres: its own time."""
    waiting = timings["database"] - timings["database_beside_embed"]
    return timings["total"] - timings["embed"] - waiting


def _against_bare(timings: _Timings, size: int) -> tuple[Ratio, ...]:
    name = f"fast recall against embedding and its statements bare, {size:,} memories"
    fast, bare = (quantiles([each[what] for each in timings[size]]) for what in ("fast", "bare"))
    return (
        Ratio(name=name, measured=fast, against=bare, bound=BARE_BOUND),
        Ratio(name=f"{name}, p95", measured=fast, against=bare, bound=BARE_P95_BOUND, at="p95"),
        Ratio(
            name=f"balanced recall against fast and the bare reranker, {size:,} memories",
            measured=quantiles([each["balanced"] for each in timings[size]]),
            against=quantiles([each["fast_and_rerank"] for each in timings[size]]),
            bound=RERANK_BOUND,
        ),
    )


def _growth(timings: _Timings, sizes: Sequence[int]) -> list[Ratio]:
    totals = {size: quantiles([each["fast"] for each in timings[size]]) for size in sizes}
    return [
        Ratio(
            name=f"fast recall of {large:,} memories against {small:,}",
            measured=totals[large],
            against=totals[small],
            bound=GROWTH_BOUND,
        )
        for small, large in pairwise(sizes)
    ]


def _own(timings: _Timings, size: int) -> Ratio:
    return Ratio(
        name=f"recall's own time, neither embedding nor database, against the query's embedding, {size:,} memories",
        measured=quantiles([each["own"] for each in timings[size]]),
        against=quantiles([each["embed_alone"] for each in timings[size]]),
        bound=OWN_BOUND,
    )


def _cached(
    scope: Scope, timings: Sequence[Mapping[str, float]], progress: Progress, *, measured: int, warm_up: int
) -> Ratio:
    """The same question again at once, against one that is asked for the first time."""
    taken: list[float] = []
    done = progress.add_task("cached recalls timed", total=measured + warm_up)
    for query in Writer(SEED).questions(measured + warm_up):
        hotpath.recall(scope, query, recipe=FAST.name)
        took_ms, bundle = timed_ms(lambda query=query: hotpath.recall(scope, query, recipe=FAST.name))  # type: ignore[misc]
        taken += [took_ms] if bundle.cached else []  # no minute began in between
        progress.advance(done)
    return Ratio(
        name="a cached recall against one that is made",
        measured=quantiles(taken[warm_up:]),
        against=quantiles([each["fast"] for each in timings]),
        bound=CACHED_BOUND,
    )
