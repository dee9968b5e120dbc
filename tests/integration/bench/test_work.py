"""Runs worked off by processes of their own, beside bare INSERTs of the rows they came to."""

from __future__ import annotations

from collections.abc import Mapping

import psycopg
import pytest
from rich.progress import Progress

from bench import bare, work
from bench.crowd import Crowd, Filler
from bench.place import Place
from bench.work import Rings
from shared.contract.errors import Permanent
from shared.contract.receipts import Stage
from warmpath import append
from warmpath._work import Services, serve

ONE_USER = Crowd(tenants=1, users=1, runs=2)
TABLES = ("event", "event_payload", "decision", "memory", "memory_evidence", "posting")


def test_append_and_claims_are_measured_by_real_workers(where: Place) -> None:
    crowds = work.Crowds(
        appended=Crowd(tenants=1, users=2, runs=2),
        single=Crowd(tenants=2, users=1, runs=1),
        bursts=Crowd(tenants=1, users=1, runs=3),
    )
    measured = work.measure(where, Progress(disable=True), crowds=crowds, rounds=1, warm_up=1)
    assert [(ratio.bound, ratio.at_least) for ratio in measured.ratios] == [
        *[(0.4, True)] * 2,
        *[(0.85, True)] * 2,
    ]
    assert all(ratio.value > 0 and ratio.measured.n == 1 for ratio in measured.ratios)


def test_the_bare_rows_are_those_that_append_wrote(where: Place, owner: psycopg.Connection) -> None:
    filler = Filler(where, "twins", ONE_USER)
    runs = filler.fill()
    append_all(where, Rings([run.work for run in runs]))
    with bare.connected(where.database_url) as connection:
        for run in runs:
            bare.insert(connection, bare.read(where.database, run, filler.again(run)))
    product, by_hand = (
        counts(owner, tenant) for tenant in (runs[0].scope.tenant_id, f"{runs[0].scope.tenant_id}-bare")
    )
    assert {**product, "posting": 0} == {**by_hand, "posting": 0}
    assert product["event"] == product["memory"] + len(runs), (
        "each run has one event more: that which opens its memories"
    )
    assert by_hand["posting"] > product["posting"] > 0, "by hand, a term that both runs hold stands in two rows"
    ends = owner.execute("select distinct last_sequence, last_hash, last_doc from stream").fetchall()
    assert len(ends) == 1
    steps = owner.execute("select distinct stage, state, payload is null from inbox").fetchall()
    assert steps == [("gate", "waiting", True)]


def counts(owner: psycopg.Connection, tenant_id: str) -> Mapping[str, int]:
    found = {}
    for table in TABLES:
        query = psycopg.sql.SQL("select count(*) from {} where tenant_id = %s").format(psycopg.sql.Identifier(table))
        row = owner.execute(query, [tenant_id]).fetchone()
        found[table] = row[0] if row else 0
    return found


def append_all(where: Place, bell: Rings) -> None:
    services = Services(database=where.database, settings=where.settings, bell=bell, embedder=lambda: where.embedder)
    while bell.kept:
        serve(services, Stage.APPEND, append.run, bell.kept.popleft())


def test_others_work_that_waits_is_not_mixed_with_what_is_measured(where: Place) -> None:
    Filler(where, "others", ONE_USER).fill()
    with pytest.raises(Permanent, match="2 runs wait or are parked at append"):
        work.measure(where, Progress(disable=True), rounds=1, warm_up=0)
