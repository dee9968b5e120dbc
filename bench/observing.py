"""What observe costs beside one bare INSERT of the row that it writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import psycopg
from psycopg.rows import dict_row

from bench.figures import quantiles
from bench.ratios import Ratio
from bench.scopes import SEED, new_scope
from bench.statements import connected
from bench.synthetic import Writer
from bench.timing import timed_ms
from shared.embedded import endpoints
from shared.work.doorbell import Doorbell
from warmpath._door import Door
from warmpath._work import Services

if TYPE_CHECKING:
    from rich.progress import Progress

    from bench.place import Place
    from shared.contract.scope import Scope

BOUND: Final = 5.0

_Connection = psycopg.Connection[dict[str, Any]]
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


def measure(place: Place, progress: Progress, *, measured: int, warm_up: int) -> Ratio:
    """Runs of two messages observed, with a real doorbell, against one INSERT of the row that each wrote."""
    scope = new_scope("observe")
    bell = Doorbell(place.settings, lambda: endpoints(place.settings).redis_url)
    door = Door(Services(database=place.database, settings=place.settings, bell=bell, embedder=lambda: place.embedder))
    pairs: list[tuple[float, float]] = []
    done = progress.add_task("observes timed", total=measured + warm_up)
    with connected(place.database_url, scope, row_factory=dict_row) as connection:
        for number, run in enumerate(_runs(measured + warm_up)):
            pairs.append(_observe_and_insert(door, connection, scope, run, f"run-{number}"))
            progress.advance(done)
    bell.drain(_DRAIN_S)
    return Ratio(
        name="observe against one bare INSERT of its row",
        measured=quantiles([observe_ms for observe_ms, _ in pairs[warm_up:]]),
        against=quantiles([insert_ms for _, insert_ms in pairs[warm_up:]]),
        bound=BOUND,
    )


def _runs(count: int) -> Iterator[list[dict[str, str]]]:
    texts = iter(Writer(SEED).sentences(2 * count))
    for asked, answered in zip(texts, texts, strict=True):
        yield [{"role": "user", "text": asked}, {"role": "assistant", "text": answered}]


def _observe_and_insert(
    door: Door, connection: _Connection, scope: Scope, run: Sequence[Mapping[str, str]], run_id: str
) -> tuple[float, float]:
    """Milliseconds of both."""
    observe_ms, receipt = timed_ms(partial(door.observe, scope, run, run_id=run_id))
    row = connection.execute(_ROW, (scope.tenant_id, scope.user_id, receipt.subject)).fetchone()
    copy = {**(row or {}), "inbox_id": uuid4()}
    insert_ms, _ = timed_ms(partial(connection.execute, _BARE_INSERT, copy))
    return observe_ms, insert_ms
