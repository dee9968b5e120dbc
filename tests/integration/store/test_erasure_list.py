"""Invariant 10: no table and no key is left out of an erasure because nobody thought of it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from urllib.parse import urlsplit, urlunsplit
from uuid import UUID

import psycopg
import pytest
import redis

from shared.contract.receipts import Stage, Work
from shared.contract.scope import Owner
from shared.embedded import Endpoints
from shared.settings import load
from shared.store.erasure import QUEUES as ANY_QUEUE
from shared.store.erasure import REDIS, TABLES, Fate
from shared.store.tables import metadata
from shared.work.broker import make_app
from shared.work.doorbell import Doorbell
from shared.work.queues import QUEUES

WORK = Work(tenant_id="acme", owner=Owner("mira"), inbox_id=UUID(int=7))
OF_SOMEBODY = {"tenant_id", "user_id"}
PATIENCE_S = 20.0

COLUMNS = """
    select c.relname as name, a.attname as attribute
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema', 'pg_toast')
        and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition and a.attnum > 0 and not a.attisdropped
"""


def test_every_table_of_the_server_that_has_a_tenant_a_user_or_text_is_in_the_list(owner: psycopg.Connection) -> None:
    columns: dict[str, set[str]] = {}
    for name, attribute in owner.execute(COLUMNS):
        columns.setdefault(name, set()).add(attribute)
    columns.pop("alembic_version")
    assert {name for name, held in columns.items() if held & OF_SOMEBODY} == set(columns), "each is somebody's"
    assert set(columns) == {each.name for each in TABLES}


def test_every_table_that_is_described_is_in_the_list_once_and_says_why() -> None:
    assert sorted(each.name for each in TABLES) == sorted(metadata.tables)
    assert all(each.why for each in (*TABLES, *REDIS))


def test_the_eraser_may_delete_from_every_table_that_is_not_kept(owner: psycopg.Connection) -> None:
    for each in TABLES:
        (may,) = owner.execute(
            "select has_table_privilege('daybook_eraser', %s, 'delete')", [each.name]
        ).fetchone() or (None,)
        # Suppressed stretches are kept by an erasure and written anew by a rebuild.
        assert may == (each.fate is not Fate.KEPT or each.name == "suppression"), each.name


def test_a_table_that_is_new_is_found(owner: psycopg.Connection) -> None:
    owner.execute("create table diary (tenant_id text, user_id text, page text)")
    found = {name for name, _ in owner.execute(COLUMNS)} - {each.name for each in TABLES}
    assert found == {"diary", "alembic_version"}


@pytest.fixture
def broker(servers: Endpoints) -> Iterator[tuple[str, redis.Redis]]:
    """A database of the broker that nobody else uses."""
    url = urlunsplit(urlsplit(servers.redis_url)._replace(path="/8"))
    with redis.Redis.from_url(url) as client:
        client.flushdb()
        yield url, client
        client.flushdb()


def test_redis_holds_rings_alone_and_no_ring_holds_a_text(broker: tuple[str, redis.Redis]) -> None:
    url, client = broker
    bell = Doorbell(load(), lambda: url)
    for stage in (Stage.APPEND, Stage.APPEND, Stage.GATE, Stage.INDEX):
        bell.ring(stage, WORK)
    assert bell.drain(PATIENCE_S)
    app = make_app("looking", load(), lambda: url)
    with app.connection_for_read() as connection:
        channel = connection.channel()
        assert channel.basic_get("append", no_ack=False) is not None, "as a worker that holds one"
        app.control.ping(timeout=0.1)
        keys = {key.decode() for key in client.keys("*")}
        rings = [json.loads(ring) for key in QUEUES for ring in client.lrange(key, 0, -1)]
        rings += [json.loads(held)[0] for held in client.hvals("unacked")]
        channel.close()
    assert {"append", "unacked"} <= keys
    prefixes = tuple(each.name for each in REDIS if each.name != ANY_QUEUE)
    assert {key for key in keys if key not in QUEUES and not key.startswith(prefixes)} == set()
    assert len(rings) == 4
    for ring in rings:
        arguments, named, _ = json.loads(base64.b64decode(ring["body"]))
        assert (arguments, named) == ([WORK.tenant_id, WORK.owner, str(WORK.inbox_id)], {})


def test_a_key_of_another_kind_is_found(broker: tuple[str, redis.Redis]) -> None:
    _, client = broker
    client.set("daybook:context:mira", "what was said")
    prefixes = tuple(each.name for each in REDIS)
    assert not [key for key in client.keys("*") if key.decode().startswith(prefixes) or key.decode() in QUEUES]
