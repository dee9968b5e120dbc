"""The ratios that recall and observe are held to: each of two things measured in turn, in one process, warm."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeVar
from unittest.mock import patch
from uuid import uuid4

import psycopg
from psycopg.rows import dict_row

import hotpath
from bench.figures import Quantiles, quantiles
from bench.ratios import Ratio
from bench.scopes import SEED, new_scope
from bench.synthetic import Writer
from hotpath import _recall
from hotpath._ask import Progress as Spending
from hotpath._embed import Embedded, Embedding
from hotpath._plan import Plan
from shared import clock
from shared.contract.errors import Permanent
from shared.embedded import endpoints
from shared.settings import Settings
from shared.store.db import Role
from shared.work.doorbell import Doorbell
from warmpath._door import Door
from warmpath._work import Services

if TYPE_CHECKING:
    from rich.progress import Progress

    from bench.place import Place
    from shared.contract.scope import Scope

Result = TypeVar("Result")
_Connection = psycopg.Connection[dict[str, Any]]

MEASURED: Final = 300
WARM_UP: Final = 30
OWN_BOUND: Final = 0.5
GROWTH_BOUND: Final = 2.0
OBSERVE_BOUND: Final = 5.0

_DRAIN_S: Final = 10.0
_ROW: Final = """
    select tenant_id, user_id, run_id, message_digests::text, payload, messages, stage, accepted_at, changed_at
    from inbox where tenant_id = %s and user_id = %s and inbox_id = %s
"""
_BARE_INSERT: Final = """
    insert into inbox (
        tenant_id, user_id, run_id, message_digests, payload, messages, stage, accepted_at, changed_at, inbox_id
    ) values (
        %(tenant_id)s, %(user_id)s, %(run_id)s, %(message_digests)s, %(payload)s, %(messages)s, %(stage)s,
        %(accepted_at)s, %(changed_at)s, %(inbox_id)s
    )
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """All figures of speed."""

    ratios: tuple[Ratio, ...]
    timings_ms: Mapping[int, Mapping[str, Quantiles]]
    """By memories in scope and step of recall."""


def measure(
    place: Place,
    scopes: Mapping[int, Scope],
    progress: Progress,
    *,
    measured: int = MEASURED,
    warm_up: int = WARM_UP,
) -> Speed:
    """Measure recall in scopes that are filled, by how many memories each has, ascending; and observe in another.

    Raises:
        Permanent: a recall was degraded, so its time would be no recall's.
    """
    sizes = list(scopes)
    timings = _recalls(place, scopes, progress, measured=measured, warm_up=warm_up)
    observed = _observes(place, progress, measured=measured, warm_up=warm_up)
    return Speed(
        ratios=(_own(timings, sizes[0]), *_growth(timings, sizes), observed),
        timings_ms={
            size: {step: quantiles([each[step] for each in recalls]) for step in recalls[0]}
            for size, recalls in timings.items()
        },
    )


_Timings = Mapping[int, Sequence[Mapping[str, float]]]


def _recalls(place: Place, scopes: Mapping[int, Scope], progress: Progress, *, measured: int, warm_up: int) -> _Timings:
    """Timings of the same queries in each scope, and of embedding each alone; who goes first changes each time.

    Each is asked twice: with the query embedded before all else, which tells recall's own work whole, and as always.
    """
    timings: dict[int, list[Mapping[str, float]]] = {size: [] for size in scopes}
    done = progress.add_task("recalls timed", total=measured + warm_up)
    order = list(scopes)
    for number, query in enumerate(Writer(SEED).questions(measured + warm_up)):
        for size in order:
            with patch.object(_recall, "Embedding", _EmbeddedFirst):
                own = _own_ms(_recall_ms(scopes[size], query))
            found = _recall_ms(scopes[size], query)
            alone = _embedding_ms(place, query)
            if number >= warm_up:
                timings[size].append({**found, "own": own, "exposed": _exposed_ms(found), "embed_alone": alone})
        order.reverse()
        progress.advance(done)
    return timings


def _recall_ms(scope: Scope, query: str) -> Mapping[str, float]:
    bundle = hotpath.recall(scope, query)
    if bundle.degraded:
        raise Permanent(f"a recall lacked {', '.join(bundle.degraded)}; its time says nothing")
    return bundle.timings_ms


class _EmbeddedFirst(Embedding):
    """A query's vector that is waited for before all else, so that nothing of recall's work passes beside it."""

    def __init__(self, configured: Settings, plan: Plan, progress: Spending) -> None:
        super().__init__(configured, plan, progress)
        self._found = super().result()
        progress.timings_ms["embed"] = progress.waited_s * 1000  # waking up counts as waiting, as it does for Postgres

    def result(self) -> Embedded:
        """The vector."""
        return self._found


def _embedding_ms(place: Place, query: str) -> float:
    began = clock.monotonic_s()
    place.embedder.encode_query(query)
    return (clock.monotonic_s() - began) * 1000


def _own_ms(timings: Mapping[str, float]) -> float:
    """All that a recall did besides embedding and waiting for Postgres, where it did one thing after the other."""
    return timings["total"] - timings["embed"] - timings["database"]


def _exposed_ms(timings: Mapping[str, float]) -> float:
    """What of a recall is left over where both embedding and Postgres ran at once with other work: for information."""
    waiting = timings["database"] - timings["database_beside_embed"]
    return timings["total"] - timings["embed"] - waiting


def _own(timings: _Timings, size: int) -> Ratio:
    return Ratio(
        name=f"recall's own work, all of it, against the query's embedding, {size:,} memories",
        measured=quantiles([each["own"] for each in timings[size]]),
        against=quantiles([each["embed_alone"] for each in timings[size]]),
        bound=OWN_BOUND,
    )


def _growth(timings: _Timings, sizes: Sequence[int]) -> list[Ratio]:
    totals = {size: quantiles([each["total"] for each in timings[size]]) for size in sizes}
    return [
        Ratio(
            name=f"recall of {large:,} memories against {small:,}",
            measured=totals[large],
            against=totals[small],
            bound=GROWTH_BOUND,
        )
        for small, large in pairwise(sizes)
    ]


def _observes(place: Place, progress: Progress, *, measured: int, warm_up: int) -> Ratio:
    """Runs of two messages observed, with a real doorbell, against one INSERT of the row that each wrote."""
    scope = new_scope("observe")
    bell = Doorbell(place.settings, lambda: endpoints(place.settings).redis_url)
    door = Door(Services(database=place.database, settings=place.settings, bell=bell, embedder=lambda: place.embedder))
    pairs: list[tuple[float, float]] = []
    done = progress.add_task("observes timed", total=measured + warm_up)
    with _bare(place.database_url, scope) as connection:
        for number, run in enumerate(_runs(measured + warm_up)):
            pairs.append(_observe_and_insert(door, connection, scope, run, f"run-{number}"))
            progress.advance(done)
    bell.drain(_DRAIN_S)
    return Ratio(
        name="observe against one bare INSERT of its row",
        measured=quantiles([observe_ms for observe_ms, _ in pairs[warm_up:]]),
        against=quantiles([insert_ms for _, insert_ms in pairs[warm_up:]]),
        bound=OBSERVE_BOUND,
    )


def _runs(count: int) -> Iterator[list[dict[str, str]]]:
    texts = iter(Writer(SEED).sentences(2 * count))
    for asked, answered in zip(texts, texts, strict=True):
        yield [{"role": "user", "text": asked}, {"role": "assistant", "text": answered}]


def _observe_and_insert(
    door: Door, connection: _Connection, scope: Scope, run: Sequence[Mapping[str, str]], run_id: str
) -> tuple[float, float]:
    """Milliseconds of both."""
    observe_ms, receipt = _timed(partial(door.observe, scope, run, run_id=run_id))
    row = connection.execute(_ROW, (scope.tenant_id, scope.user_id, receipt.subject)).fetchone()
    copy = {**(row or {}), "inbox_id": uuid4()}
    insert_ms, _ = _timed(partial(connection.execute, _BARE_INSERT, copy))
    return observe_ms, insert_ms


def _timed(action: Callable[[], Result]) -> tuple[float, Result]:
    began = clock.monotonic_s()
    result = action()
    return (clock.monotonic_s() - began) * 1000, result


def _bare(database_url: str, scope: Scope) -> _Connection:
    """A connection in autocommit that may write the scope's rows, once and for all."""
    connection = psycopg.connect(database_url, autocommit=True, row_factory=dict_row)
    connection.execute(
        "select set_config('role', %s, false), set_config('daybook.tenant', %s, false), "
        "set_config('daybook.users', %s, false)",
        (str(Role.APP), scope.tenant_id, scope.user_id),
    )
    return connection
