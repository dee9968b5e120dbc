"""A1, with a consolidation of the big tenant under way: no run and no pass of a small tenant waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

import warmpath
from shared.embedded import open_database
from shared.settings import Settings, settings
from shared.store import jobs
from shared.testing import HashEmbedder
from shared.work.broker import make_app, send
from shared.work.queues import CONSOLIDATE, EVERY_TENANT
from tests.cases.adapter import Words, said, scope
from tests.cases.consolidating import HABIT, answer, asking, fill, slowly, until_asked
from tests.cases.processes import processes
from tests.cases.workers import Worker, environment_of_workers, until

PROGRAM = str(Path(__file__).parent / "another_model.py")
COLD = (PROGRAM, "hash", "1", "384", "worker", "--queues", CONSOLIDATE, "--concurrency", "1", "--loglevel", "INFO")
BIG = 200


@pytest.fixture
def words(
    environment: Settings, owner: psycopg.Connection, embedder: HashEmbedder, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Words]:
    del embedder
    with environment_of_workers(environment, monkeypatch, 12):
        yield Words(owner)


def is_done(words: Words, tenant: str) -> bool:
    return words.owner.execute(
        "select count(*) from inbox where tenant_id = %s and state <> 'done'", [tenant]
    ).fetchone() == (0,)


def passes(tenant: str) -> list[str]:
    return [each.state for each in jobs.latest(open_database(settings()), tenant) if each.name == CONSOLIDATE]


@pytest.mark.timeout(240)
def test_a1_a_run_of_a_small_tenant_is_done_while_a_big_ones_consolidation_and_backfill_go_on(
    words: Words, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fill(words, "big", "user-0")
    for n in range(BIG):
        warmpath.observe(scope("big", f"user-{n % 20}", {}), [said(f"Crate {n} holds lamps.", "m1")], run_id=f"b-{n}")
    url = settings().redis_url
    assert url is not None
    slow = slowly(answer((HABIT, [1, 2, 3])), every_s=0.03)
    with asking(monkeypatch, slow) as server, processes(tmp_path) as start:
        cold = start(*COLD, "--hostname", "a1-cold@%h")
        until(lambda: "ready." in cold.said(), "the cold worker is ready")
        send(make_app("a1", settings(), url.get_secret_value), CONSOLIDATE, "big", "86400", "0", expires_s=60)
        until(until_asked(server), "the big tenant's consolidation has asked its model")
        warm = Worker(tmp_path / "warm.log", "a1-warm", "-c", "2", DAYBOOK_EXTRACTION="false")
        try:
            warmpath.observe(scope("small", "tove", {}), [said("I keep two beehives.", "m1")], run_id="run-1")
            until(lambda: is_done(words, "small"), "the small tenant's run is done", worker=warm)
            assert passes("big") == ["running"], "the consolidation goes on all the while"
            assert not is_done(words, "big"), "and so does the backfill"
        finally:
            warm.kill()
        until(lambda: passes("big") == ["done"], "the consolidation is done")
        send(make_app("a1", settings(), url.get_secret_value), CONSOLIDATE, EVERY_TENANT, "86400", "0", expires_s=60)
        until(lambda: passes("small") == ["done"], "the small tenant has its pass too")
        assert len(server.requests) == 1
        assert "Traceback" not in cold.said()
