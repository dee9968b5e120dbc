"""What is too old goes in portions, after what was left is rung for, and its failure stops nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import psycopg
import pytest

from coldpath import _pruning, app
from coldpath._pruning import prune
from shared.contract.errors import DatabaseUnavailable
from shared.contract.scope import SYSTEM_TENANT
from shared.settings import Settings
from shared.store import jobs, recalls
from shared.store.db import Database
from shared.work.queues import RESUME, VERIFY

PASSES = """
    insert into job (tenant_id, job_id, name, state, attempts, done, total, counts, started_at, changed_at, finished_at)
    select 'acme', gen_random_uuid(), 'verify', 'done', 1, 0, 0, '{}', at, at, at
    from (select now() - make_interval(days => n) as at from generate_series(21, 40) as n) as ended
"""
RECALLS = """
    insert into recall_log (tenant_id, turn_id, user_id, recalled_at, verdict, recipe, tokens, watermark)
    select case n % 2 when 0 then 'acme' else 'globex' end, gen_random_uuid(), 'mira', now() - make_interval(days => n),
        'unknown', 'fast', 0, 1
    from generate_series(21, 45) as n
"""
ITEMS = "insert into recall_item select tenant_id, turn_id, gen_random_uuid(), user_id, 1, 0.5, 1 from recall_log"


@pytest.fixture
def old(owner: psycopg.Connection) -> psycopg.Connection:
    """Eleven passes and sixteen recalls that are thirty days old or more, and nine of each that are not."""
    for statement in (PASSES, RECALLS, ITEMS):
        owner.execute(statement.encode())
    return owner


def left(owner: psycopg.Connection, table: str) -> int:
    (count,) = owner.execute(f"select count(*) from {table}".encode()).fetchone() or (0,)
    return int(count)


def test_the_oldest_go_in_portions_of_every_tenant_and_how_many_is_said(
    old: psycopg.Connection, opened: Database, environment: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_pruning, "PORTION", 4)
    monkeypatch.setattr(_pruning, "MOST_PORTIONS", 3)
    assert [prune(opened, environment) for _ in range(3)] == [
        {"passes": 11, "recalls": 12},
        {"passes": 0, "recalls": 4},
        {"passes": 0, "recalls": 0},
    ]
    assert (left(old, "job"), left(old, "recall_log"), left(old, "recall_item")) == (9, 9, 9)


def test_a_portion_is_no_larger_than_it_may_be_and_is_of_the_oldest(old: psycopg.Connection, opened: Database) -> None:
    assert jobs.prune(opened, timedelta(days=30), limit=3) == 3
    assert recalls.prune(opened, timedelta(days=30), limit=3) == 3
    for table, at, days in (("job", "finished_at", 37), ("recall_log", "recalled_at", 42)):
        oldest = f"select extract(day from now() - min({at}))::integer from {table}"
        assert old.execute(oldest.encode()).fetchone() == (days,)


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """What `resume` rings for."""
    found: list[tuple[str, ...]] = []
    monkeypatch.setattr(app, "ring", lambda _place, name, *whom: found.append((name, *whom)))
    return found


def failing(*_: object, **__: object) -> int:
    raise DatabaseUnavailable("canceling statement due to statement timeout")


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize("what", [(jobs,), (recalls,), (jobs, recalls)], ids=["passes", "recalls", "both"])
def test_what_was_left_is_rung_for_whatever_becomes_of_what_is_too_old(
    what: tuple[object, ...],
    old: psycopg.Connection,
    opened: Database,
    rung: list[tuple[str, ...]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert jobs.begin(opened, "acme", VERIFY, lease=timedelta(seconds=1), attempts=3)
    old.execute("update job set lease_until = now() - interval '1 day' where state = 'running'")
    for module in what:
        monkeypatch.setattr(module, "prune", failing)
    resume: Callable[[], object] = app.app.tasks[RESUME]
    resume()
    assert rung == [(VERIFY, "acme")]
    assert [each.counts for each in jobs.latest(opened, SYSTEM_TENANT)] == [{"lapsed": 1}]
    assert (left(old, "recall_log") < 25) == (recalls not in what)
