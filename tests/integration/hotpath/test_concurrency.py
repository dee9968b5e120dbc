"""Many at once, on an event loop and on threads, with fewer connections than askers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from hotpath import arecall
from shared.contract.bundle import Bundle
from shared.contract.scope import Scope
from shared.settings import settings
from shared.store.db import forget_pools
from shared.testing import HashEmbedder
from warmpath import aobserve

BEES = "I keep two beehives behind the garage."

Tell = Callable[..., None]
Ask = Callable[..., Bundle]


def test_from_an_event_loop_many_can_observe_and_recall_at_once(embedder: HashEmbedder, ask: Ask) -> None:
    users = [Scope(tenant_id="acme", user_id=f"user-{number}") for number in range(4)]

    async def talk(scope: Scope) -> Bundle:
        await aobserve(scope, [{"role": "user", "text": f"{BEES} says {scope.user_id}"}], run_id="run-1")
        return await arecall(scope, "beehives", deadline_ms=30_000)

    async def all_at_once() -> list[Bundle]:
        return await asyncio.gather(*map(talk, users))

    for scope, bundle in zip(users, asyncio.run(all_at_once()), strict=True):
        assert [item.text for item in bundle.items] == [f"{BEES} says {scope.user_id}"]


def test_sixteen_threads_share_four_connections_and_nothing_else(
    tell: Tell, ask: Ask, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = [Scope(tenant_id="acme", user_id=f"user-{number}") for number in range(16)]
    for scope in users:
        tell(scope, f"The beehives of {scope.user_id} are fine.")
    forget_pools()
    monkeypatch.setenv("DAYBOOK_POOL_SIZE", "4")
    settings.cache_clear()
    together = threading.Barrier(len(users))

    def three_times(scope: Scope) -> list[Bundle]:
        together.wait(timeout=60)
        return [ask(scope, "beehives") for _ in range(3)]

    with ThreadPoolExecutor(len(users)) as threads:
        answers = list(threads.map(three_times, users))
    for scope, bundles in zip(users, answers, strict=True):
        for bundle in bundles:
            assert bundle.degraded == ()
            assert [item.text for item in bundle.items] == [f"The beehives of {scope.user_id} are fine."]
    row = owner.execute(
        "select count(*) from pg_stat_activity where application_name = 'daybook' and datname = current_database()"
    ).fetchone()
    assert row is not None
    assert 1 <= row[0] <= 4
