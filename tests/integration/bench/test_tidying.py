"""Scopes loaded in bulk, and the jobs of a night measured on them."""

from __future__ import annotations

import psycopg
import pytest
from rich.progress import Progress

import hotpath
from bench import loading, scopes, tidying
from bench.place import Place
from bench.ratios import n_log_n
from bench.rebuilding import JOBS
from shared.contract.errors import Permanent
from shared.store.db import Database

QUIET = Progress(disable=True)


def counted(owner: psycopg.Connection, table: str) -> int:
    row = owner.execute(f"select count(*) from {table}").fetchone()
    return int(row[0]) if row else 0


def test_what_is_loaded_is_what_its_ledger_comes_to_and_can_be_found(where: Place, owner: psycopg.Connection) -> None:
    scope = scopes.new_scope("loaded")
    loading.fill(where, {60: scope}, QUIET)
    assert (counted(owner, "memory"), counted(owner, "memory_vector")) == (60, 60)
    JOBS["replay, comparing"](where.database, scope)
    row = owner.execute("select text from memory where epistemic_type = 'evidence' and doc = 2").fetchone()
    assert row
    found = hotpath.recall(scope, row[0], deadline_ms=30_000).items
    assert min((each for each in found if each.rank), key=lambda each: each.rank or 0).text == row[0]


def test_who_is_killed_loads_the_rest_and_nothing_twice(
    where: Place, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "PORTION", 20)
    scope, killed = scopes.new_scope("loaded"), pytest.MonkeyPatch()
    killed.setattr(loading, "vectors_of", _killed)
    with pytest.raises(KeyboardInterrupt):
        loading.fill(where, {40: scope}, QUIET)
    killed.undo()
    loading.fill(where, {60: scope}, QUIET)
    assert (counted(owner, "memory"), counted(owner, "memory_vector")) == (60, 60)
    JOBS["replay, comparing"](where.database, scope)


def _killed(*_: object) -> None:
    raise KeyboardInterrupt


def test_each_job_of_a_night_is_measured_on_loaded_scopes(where: Place, owner: psycopg.Connection) -> None:
    filled = {size: scopes.new_scope("loaded") for size in (60, 120)}
    loading.fill(where, filled, QUIET)
    measured = tidying.measure(where, filled, QUIET, recalls=4, warm_up=1)
    besides, growth = measured.ratios[: len(tidying.BESIDE)], measured.ratios[len(tidying.BESIDE) :]
    assert {(each.bound, each.at, each.measured.n) for each in besides} == {(2, "p95", 4)}
    assert len(growth) == 2 * len(tidying.JOBS)
    assert {each.bound for each in growth} == {n_log_n(60, 120)}
    assert all(costs[size].seconds.n == 1 for costs in measured.costs.values() for size in filled)
    merged = owner.execute("select count(*) from event where kind = 'merge'").fetchone()
    assert merged
    assert merged[0] > 0, "beliefs that say the same are there to be merged"


def test_a_job_that_was_not_done_is_no_measure_of_one(opened: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = type("Failed", (), {"outcome": "failed", "error": "no disk"})
    monkeypatch.setattr("bench.tidying.settings", lambda: None)
    monkeypatch.setattr("bench.tidying.tidying.tidy", lambda *_: failed)
    with pytest.raises(Permanent, match="ended as failed: no disk"):
        tidying.tidy("dedupe", opened, scopes.new_scope("none"))
