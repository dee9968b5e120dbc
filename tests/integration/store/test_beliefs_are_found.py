"""Beliefs are looked up by indexes of theirs: what that costs does not grow with what else is remembered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from shared.contract.scope import Owner
from shared.store import accounts, candidates, memories, reviews, vectors
from shared.store.db import Database, Role

MANY = 20_000


@pytest.fixture
def _crowded(owner: psycopg.Connection) -> None:
    """A tenant with many episodes of a user, of which one in a thousand is a belief, and as many candidates."""
    owner.execute(
        """
        insert into generation (tenant_id, view, live, changed_at) values ('acme', 'memory', 1, now());
        insert into memory (
            tenant_id, generation, memory_id, version, user_id, doc, session_doc, ordinal, kind, epistemic_type, text,
            origin, trust, confidence, recorded_at, opened_by
        )
        select 'acme', 1, gen_random_uuid(), 1, 'user-' || n % 2, n, n, 0, 'semantic',
            case when n % 1000 < 2 then 'fact' else 'evidence' end, 'text', 'user', 4, 0.5, now(), n
        from generate_series(1, 20000) as n;
        insert into candidate (
            tenant_id, stream, sequence, user_id, run_id, reading, claim_key, message_id, message_digest, trust, state
        )
        select 'acme', 'user:user-' || n % 2, n, 'user-' || n % 2, 'run-' || n, 1, 'key', 'm', 'd', 4, 'stored'
        from generate_series(1, 20000) as n;
        insert into decision (tenant_id, stream, sequence, stage, user_id, action, rule, reason, confidence, decided_at)
        select 'acme', 'user:user-' || n % 2, n, 'append', 'user-' || n % 2, 'store', 'default', 'why', 0.5, now()
        from generate_series(1, 20000) as n;
        analyze memory; analyze candidate; analyze decision;
        """
    )


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for each in plan.get("Plans", []):
        yield from nodes(each)


@pytest.mark.usefixtures("_crowded")
@pytest.mark.parametrize(
    ("statement", "table", "given", "condition"),
    [
        (memories._SQL["beliefs"], "memory", {"keyed": False, "limit": 300}, "user_id"),
        (candidates._SQL["numbered"], "candidate", {"sequences": [2, 4]}, "stream"),
        (candidates._SQL["remove"], "candidate", {"sequences": [2, 4]}, "stream"),
        (accounts._SQL["proposed"], "candidate", {"sequences": [2], "run_ids": ["run-4"]}, "stream"),
        (accounts._SQL["admitted"], "decision", {"sequences": [2, 4]}, "stream"),
        (reviews._SQL["remove"], "review", {"sequences": [2, 4]}, "stream"),
    ],
    ids=["beliefs", "candidates", "candidates that go", "proposals", "verdicts", "reviews that go"],
)
def test_it_is_found_by_an_index(
    opened: Database, statement: Any, table: str, given: dict[str, Any], condition: str
) -> None:
    with opened.transaction(Role.ERASER, "acme", [Owner("user-0")]) as session:
        (row,) = session.rows(f"explain (format json) {statement}", stream="user:user-0", **given)
        session.connection.execute("set local enable_seqscan = off")
        (forced,) = session.rows(f"explain (format json) {statement}", stream="user:user-0", **given)
    shown = list(nodes((forced if table == "review" else row)["QUERY PLAN"][0]["Plan"]))
    reads = [
        each
        for each in shown
        if each.get("Relation Name", "").rpartition("_")[0] == table or each.get("Relation Name") == table
    ]
    assert reads
    assert {each["Node Type"] for each in reads} <= {"Index Scan", "Bitmap Heap Scan", "Delete", "ModifyTable"}
    of_table = [each for each in shown if re.match(rf"{table}_", each.get("Index Name", ""))]
    assert any(condition in f"{each.get('Index Cond')}" for each in of_table)


@pytest.mark.usefixtures("_crowded")
def test_the_newest_beliefs_are_read_and_no_episode_is(opened: Database) -> None:
    with opened.transaction(Role.READER, "acme", [Owner("user-0")], read_only=True) as session:
        (row,) = session.rows(f"explain (analyze, format json) {memories._SQL['beliefs']}", keyed=False, limit=300)
    reads = [
        each for each in nodes(row["QUERY PLAN"][0]["Plan"]) if each.get("Relation Name", "").startswith("memory_")
    ]
    assert max(each["Actual Rows"] + each.get("Rows Removed by Filter", 0) for each in reads) <= MANY // 1000


@pytest.mark.usefixtures("_crowded")
def test_what_a_job_has_written_is_looked_up_batch_by_batch(opened: Database, owner: psycopg.Connection) -> None:
    owner.execute(
        """
        insert into batch (tenant_id, user_id, batch_id, job, first_sequence, last_sequence, refused, committed_at)
        select 'acme', 'user-0', gen_random_uuid(), 'link', n * 40, n * 40 + 39, '{}', now()
        from generate_series(1, 400) as n
        """
    )
    with opened.transaction(Role.READER, "acme", [Owner("user-0")], read_only=True) as session:
        (row,) = session.rows(f"explain (analyze, format json) {memories._SQL['made_by']}", job="link")
    plan = row["QUERY PLAN"][0]["Plan"]
    assert plan["Actual Rows"] == 16, "every thousandth of 16,000"
    looked_up = [each for each in nodes(plan) if "written" in each.get("Index Name", "")]
    assert looked_up
    assert all("opened_by" in each["Index Cond"] for each in looked_up)
    reads = [
        (each["Actual Rows"] + each.get("Rows Removed by Filter", 0)) * each["Actual Loops"]
        for each in nodes(plan)
        if each.get("Relation Name", "").startswith("memory_")
    ]
    assert max(reads) <= MANY // 1000


@pytest.mark.usefixtures("_crowded")
def test_what_lacks_its_vector_is_found_without_a_look_at_those_before(
    opened: Database, owner: psycopg.Connection
) -> None:
    owner.execute(
        """
        insert into memory_vector (
            tenant_id, generation, user_id, model_id, doc, session_doc, memory_id, version, kind, open, text_hash,
            embedding
        )
        select 'acme', 2, 'user-0', 'model', doc, doc, memory_id, 1, 'semantic', true, ''::bytea, '[1, 0]'::halfvec
        from memory where user_id = 'user-0' and doc <= 19000;
        analyze memory_vector;
        """
    )
    given = {"generation": 2, "model_id": "model", "after": 19_000, "limit": 64}
    with opened.transaction(Role.WORKER, "acme", [Owner("user-0")]) as session:
        (row,) = session.rows(f"explain (analyze, format json) {vectors._SQL['lacking']}", **given)
    reads = [
        (each["Actual Rows"] + each.get("Rows Removed by Filter", 0)) * each["Actual Loops"]
        for each in nodes(row["QUERY PLAN"][0]["Plan"])
        if each.get("Relation Name", "").startswith("memory_")
    ]
    assert reads
    assert max(reads) <= 64 + 1
