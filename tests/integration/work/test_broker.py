"""Rings on a real broker: countable by stage, and void by no clock."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from urllib.parse import urlsplit, urlunsplit
from uuid import UUID

import pytest
import redis

from shared import clock
from shared.contract.receipts import Stage, Work
from shared.contract.scope import Owner
from shared.embedded import Endpoints
from shared.settings import load
from shared.work.doorbell import Doorbell
from shared.work.queues import FOLLOWING

WORK = Work(tenant_id="acme", owner=Owner("mira"), inbox_id=UUID(int=7))
PATIENCE_S = 20.0


@pytest.fixture
def url(servers: Endpoints) -> Iterator[str]:
    """A database of the broker that nobody else uses."""
    url = urlunsplit(urlsplit(servers.redis_url)._replace(path="/9"))
    with redis.Redis.from_url(url) as client:
        client.flushdb()
        yield url
        client.flushdb()


def test_rings_that_nobody_hears_are_counted_by_stage(url: str) -> None:
    bell = Doorbell(load(), lambda: url)
    assert set(bell.waiting().values()) == {0}, "queues that the broker has never heard of"
    for stage in (Stage.INDEX, Stage.INDEX, Stage.APPEND):
        bell.ring(stage, WORK)
    assert bell.drain(PATIENCE_S)
    assert bell.waiting() == {**dict.fromkeys(FOLLOWING, 0), Stage.APPEND: 1, Stage.INDEX: 2}


def test_a_ring_outlives_what_clocks_differ_by(url: str) -> None:
    """Whether it is void, the hearer decides by his own clock."""
    bell = Doorbell(load(), lambda: url)
    bell.ring(Stage.APPEND, WORK)
    assert bell.drain(PATIENCE_S)
    with redis.Redis.from_url(url) as client:
        (message,) = client.lrange("append", 0, -1)
    void = datetime.fromisoformat(json.loads(message)["headers"]["expires"])
    assert (void - clock.now()) > timedelta(days=6)
