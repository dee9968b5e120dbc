"""Beliefs are looked up by indexes of theirs: what that costs does not grow with what else is remembered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from shared.contract.scope import Owner
from shared.store import accounts, batches, candidates, ledger, memories, reviews, vectors
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


@pytest.fixture(params=["with_statistics", "without_statistics"])
def analyzed(request: pytest.FixtureRequest, owner: psycopg.Connection) -> bool:
    """A user's stream with 6,000 messages, each of a run of its own with one review that was decided.

    Every tenth is a belief's, and its review a question that was answered. Gives whether the planner has statistics.
    """
    owner.execute(
        """
        insert into generation (tenant_id, view, live, changed_at) values ('acme', 'memory', 1, now());
        insert into event (
            tenant_id, stream, sequence, user_id, event_class, kind, precision, recorded_at, origin, run_id,
            schema_version, payload_hash, previous_hash, hash
        )
        select 'acme', 'user:user-0', n, 'user-0', 'evidence', 'message', 'unknown', now(), 'user', 'run-' || n, 1, '',
            '', ''
        from generate_series(1, 6000) as n;
        insert into event_payload (tenant_id, stream, sequence, user_id, salt, payload)
        select 'acme', 'user:user-0', n, 'user-0', '', '{}' from generate_series(1, 6000) as n;
        insert into memory (
            tenant_id, generation, memory_id, version, user_id, doc, session_doc, ordinal, kind, epistemic_type, text,
            origin, trust, confidence, recorded_at, opened_by
        )
        select 'acme', 1, ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 1, 'user-0', n, n, 0,
            'semantic', case when n % 10 = 0 then 'fact' else 'evidence' end, 'text', 'user', 4, 0.5, now(), n
        from generate_series(1, 6000) as n;
        insert into memory_evidence (
            tenant_id, generation, memory_id, version, stream, sequence, user_id, independent
        )
        select 'acme', 1, ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 1, 'user:user-0', n, 'user-0',
            true
        from generate_series(1, 6000) as n;
        insert into candidate (
            tenant_id, stream, sequence, user_id, run_id, reading, message_id, message_digest, trust, state
        )
        select 'acme', 'user:user-0', n, 'user-0', 'run-' || n, 1, 'm', 'd', 4, 'ignored'
        from generate_series(1, 6000) as n;
        insert into review (
            tenant_id, review_id, user_id, stream, sequence, policy, state, asked_at, due_at, decided_at, decided_by
        )
        select 'acme', gen_random_uuid(), 'user-0', 'user:user-0', n,
            case when n % 10 = 0 then 'contradiction' else 'default' end, 'rejected', now(), now(), now(), 'ana'
        from generate_series(1, 6000) as n;
        """
    )
    if request.param == "with_statistics":
        owner.execute("analyze event, event_payload, memory, memory_evidence, candidate, review")
    return bool(request.param == "with_statistics")


@pytest.mark.parametrize(
    ("statement", "given", "found"),
    [
        (memories._SQL["resting_on"], {"sequences": [3000, 3001, 3002], "only_beliefs": True}, 1),
        (ledger._SQL["recorded"], {"sequences": [3000, 3001, 3002]}, 3),
        (reviews._SQL["decided"], {"run_ids": ["run-3000", "run-3001"]}, 2),
        (reviews._SQL["in_states"], {"policy": "contradiction", "states": ["approved", "rejected"], "after": 5980}, 2),
    ],
    ids=["beliefs", "recorded", "writes", "answers"],
)
def test_what_was_decided_is_looked_up_by_what_is_cited_whatever_else_was_decided(
    opened: Database, statement: Any, given: dict[str, Any], found: int, *, analyzed: bool
) -> None:
    with opened.transaction(Role.WORKER, "acme", [Owner("user-0")]) as session:
        (row,) = session.rows(f"explain (analyze, format json) {statement}", stream="user:user-0", **given)
    plan = row["QUERY PLAN"][0]["Plan"]
    assert plan["Actual Rows"] == found
    reads = [
        (each["Actual Rows"] + each.get("Rows Removed by Filter", 0)) * each["Actual Loops"]
        for each in nodes(plan)
        # Which candidates a run has is read off all of the tenant's as long as the planner knows nothing of them.
        if each.get("Relation Name", "candidate_")[:10] != "candidate_" or (analyzed and "Relation Name" in each)
    ]
    assert reads
    assert max(reads) <= 20, plan


def test_batches_that_were_taken_back_before_an_event_are_not_looked_at_again(
    opened: Database, owner: psycopg.Connection
) -> None:
    owner.execute(
        """
        insert into batch (
            tenant_id, user_id, batch_id, job, first_sequence, last_sequence, refused, committed_at, reverted_at
        )
        select 'acme', 'user-0', gen_random_uuid(), 'supersede', n * 10, n * 10 + 5, '{}', now(), now()
        from generate_series(1, 400) as n
        """
    )
    with opened.transaction(Role.WORKER, "acme", [Owner("user-0")]) as session:
        found = batches.reverted(session, "supersede", after=3995)
        assert [(each.first_sequence, each.last_sequence) for each in found] == [(4000, 4005)]
        assert len(batches.reverted(session, "supersede")) == 400
