"""A user of few memories beside one of very many, against the same user in a database that holds nobody else."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from pydantic import SecretStr

import hotpath
from bench.figures import quantiles
from bench.place import Place
from bench.ratios import Ratio
from bench.scopes import SEED, fill_beside, new_scope
from bench.synthetic import Writer
from bench.timing import timed_ms
from hotpath.recipes import FAST
from shared.contract.errors import Permanent
from shared.contract.scope import Scope
from shared.embedded import open_database
from shared.settings import using
from shared.store.migrate import login_of, migrate

if TYPE_CHECKING:
    from rich.progress import Progress

MEMORIES: Final = 30
BOUND: Final = 1.5
_HITS: Final = 10
"""All questions bear on so many of the 30 at least."""


def measure(place: Place, crowded: Scope, progress: Progress, *, measured: int, warm_up: int) -> Ratio:
    """Recalls by a user of 30 memories in the tenant of `crowded`, against the same where there is no other tenant.

    Raises:
        Permanent: a recall did not give exactly as many hits as it was asked for, or lacked something.
    """
    beside = Scope(tenant_id=crowded.tenant_id, user_id="tomas")
    fill_beside(place, beside, MEMORIES)
    pairs: list[tuple[float, float]] = []
    done = progress.add_task("recalls of a few beside many", total=measured + warm_up)
    with _another(place) as quiet:
        alone = new_scope("alone")
        with using(quiet.settings):
            fill_beside(quiet, alone, MEMORIES)
            quiet.index_vectors()
            quiet.settle()
        place.settle()
        for query in Writer(SEED).questions(measured + warm_up):
            beside_ms = _recall_ms(beside, query)
            with using(quiet.settings):
                pairs.append((beside_ms, _recall_ms(alone, query)))
            progress.advance(done)
    kept = pairs[warm_up:]
    return Ratio(
        name=f"recall of {MEMORIES} memories beside the most against {MEMORIES} alone",
        measured=quantiles([beside_ms for beside_ms, _ in kept]),
        against=quantiles([alone_ms for _, alone_ms in kept]),
        bound=BOUND,
    )


def _recall_ms(scope: Scope, query: str) -> float:
    took_ms, bundle = timed_ms(lambda: hotpath.recall(scope, query, recipe=FAST.name, k=_HITS))
    if bundle.degraded or len(bundle.hits) != _HITS:
        raise Permanent(f"{len(bundle.hits)} hits of {_HITS}, without {', '.join(bundle.degraded) or 'nothing'}")
    return took_ms


@contextmanager
def _another(place: Place) -> Iterator[Place]:
    """A database of its own on the same server; dropped afterwards."""
    name = f"daybook_alone_{secrets.token_hex(4)}"
    with psycopg.connect(place.migrate_url, autocommit=True) as connection:
        connection.execute(sql.SQL("create database {} template template0").format(sql.Identifier(name)))
    urls = {which: _renamed(url, name) for which, url in (("app", place.database_url), ("owner", place.migrate_url))}
    try:
        with psycopg.connect(urls["owner"], autocommit=True) as connection:
            connection.execute("create extension if not exists vector")
        migrate(urls["owner"], login=login_of(urls["app"]), partitions=place.settings.partitions)
        # without the log of turns, which would be written when the database is gone
        known = {"database_url": SecretStr(urls["app"]), "query_cache": 0, "bundle_cache": 0, "recall_log": False}
        settings = place.settings.model_copy(update=known)
        with closing(open_database(settings)) as opened:
            yield Place(settings=settings, database=opened, database_url=urls["app"], migrate_url=urls["owner"])
    finally:
        with psycopg.connect(place.migrate_url, autocommit=True) as connection:
            connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


def _renamed(url: str, database: str) -> str:
    parts = conninfo_to_dict(url)
    return f"postgresql://{parts['user']}:{parts['password']}@{parts['host']}:{parts['port']}/{database}"
