"""A1: while one tenant's two thousand runs keep every slot busy, another's one is done within a few jobs' time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import psycopg
import pytest

import warmpath
from shared.contract.receipts import Receipt, Stage
from shared.settings import Settings
from tests.cases.adapter import Words, said, scope
from tests.cases.workers import Worker, environment_of_workers, until

BIG = 2_000
SLOTS = 4
FEW_JOBS = 5


@pytest.fixture
def words(environment: Settings, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> Iterator[Words]:
    with environment_of_workers(environment, monkeypatch, 11):
        yield Words(owner)


@pytest.fixture
def start(words: Words, tmp_path: Path) -> Iterator[Callable[[], Worker]]:
    """Starts the worker, once there is something for it to do."""
    begun: list[Worker] = []

    def begin() -> Worker:
        begun.append(Worker(tmp_path / "a1.log", "a1", "-c", str(SLOTS)))
        return begun[0]

    yield begin
    for each in begun:
        each.kill()


def appended(words: Words, tenant: str) -> int:
    row = words.owner.execute(
        "select count(*) from receipt where tenant_id = %s and stage = 'append'", [tenant]
    ).fetchone()
    assert row is not None
    return int(row[0])


def mean_job_s(words: Words, stage: Stage) -> float:
    """How long a slot is at what it took at once: the receipts that one transaction has written."""
    row = words.owner.execute(
        """
        select avg(extract(epoch from took))
        from (
            select max(finished_at) - min(started_at) as took
            from receipt
            where tenant_id = 'big' and stage = %s
            group by xmin::text
        ) as job
        """,
        [stage],
    ).fetchone()
    assert row is not None
    return float(row[0])


def is_done(words: Words, tenant: str) -> bool:
    row = words.owner.execute(
        "select count(*) from inbox where tenant_id = %s and state <> 'done'", [tenant]
    ).fetchone()
    return row == (0,)


def waits_s(found: list[Receipt]) -> dict[Stage, float]:
    """How long a run waited for each stage to begin with it."""
    return {after.stage: (after.started_at - before.finished_at).total_seconds() for before, after in pairwise(found)}


@pytest.mark.timeout(180)
@pytest.mark.parametrize("users", [1, 100], ids=["of one user", "of a hundred users"])
def test_a1_a_small_tenants_run_waits_for_a_few_jobs_of_a_big_ones_backfill(
    words: Words, start: Callable[[], Worker], users: int
) -> None:
    for n in range(BIG):
        messages = [said(f"Crate number {n} holds {n % 7} lamps.", "m1")]
        warmpath.observe(scope("big", f"user-{n % users}", {}), messages, run_id=f"run-{n}")
    worker = start()
    until(lambda: appended(words, "big") >= 60, "the backfill is under way", worker=worker)
    warmpath.observe(scope("small", "tove", {}), [said("I keep two beehives.", "m1")], run_id="run-1")
    until(lambda: is_done(words, "small"), "the small tenant's run is done", worker=worker)
    left = BIG - appended(words, "big")

    job_s = mean_job_s(words, Stage.APPEND)
    waits = waits_s(words.receipts("small", "tove", "run-1"))
    assert left > BIG / 4, "the backfill went on all the while"
    assert max(waits.values()) < FEW_JOBS * job_s, waits
