"""Runs that are appended together come to what they come to one by one."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from shared.contract import block
from shared.contract.receipts import Stage, Work
from shared.contract.scope import Scope
from shared.store.columns import CHARS, ROWS
from shared.store.db import Database
from shared.testing import RecordingBell
from warmpath import append
from warmpath._door import Door
from warmpath._work import Services, perform, serve

BEES = "I keep two hives of bees on the roof of the bakery."
PORTO = "My sister has lived in Porto since the spring."
RECALLED = block.render(
    "0" * 16,
    [block.Item(ordinal=n, memory_id="a" * 12, label="Mira", text=text) for n, text in ((1, BEES), (2, PORTO))],
)
TORN = RECALLED[RECALLED.index("bees on the roof") :]
RUNS: tuple[tuple[str | None, list[dict[str, Any]]], ...] = (
    ("morning", [{"role": "user", "text": BEES}, {"role": "assistant", "text": "How much honey do they give?"}]),
    ("morning", [{"role": "user", "text": BEES}, {"role": "user", "text": "Twelve jars in a good year, honestly."}]),
    (None, [{"role": "user", "text": BEES}]),
    (None, [{"role": "user", "text": f"{RECALLED}\n{BEES}"}]),
    (None, [{"role": "user", "text": TORN}, {"role": "user", "text": "The kayak leaks at the seam again."}]),
    (None, [{"role": "user", "text": PORTO, "id": "letter-1"}, {"role": "user", "text": "ok thanks"}]),
    ("evening", [{"role": "user", "text": PORTO, "id": "letter-1"}]),
    ("morning", [{"role": "user", "text": "Nothing else for today, the bakery opens at four."}]),
)
SEEN = {
    "memory": "doc, session_doc, ordinal, text, speaker, session_id, run_id, opened_by",
    "memory_evidence": "sequence, span_start, span_end, independent",
    "event": "sequence, event_class, kind, run_id, message_digest, session_id, caused_by",
    "event_payload": "sequence, payload",
    "decision": "sequence, stage, action, rule, reason, confidence",
    "posting": "term, block, entries",
    "sparse_stream": "documents, length_sum, sessions, doc",
    "stream": "last_sequence, last_doc",
    "receipt": "stage, run_id, outcome, reason, counts::text",
    "inbox": "run_id, stage, state, attempts, payload",
}


def accept_all(door: Door, bell: RecordingBell, tenant: str) -> list[Work]:
    bell.rung.clear()
    for n, (session, messages) in enumerate(RUNS):
        door.observe(Scope(tenant_id=tenant, user_id="mira", session_id=session), messages, run_id=f"run-{n}")
    return [work for _, work in bell.rung]


def held(owner: psycopg.Connection, table: str, tenant: str) -> list[tuple[Any, ...]]:
    query = psycopg.sql.SQL("select {} from {} where tenant_id = %s order by {}").format(
        columns := psycopg.sql.SQL(SEEN[table]), psycopg.sql.Identifier(table), columns
    )
    return owner.execute(query, [tenant]).fetchall()


@pytest.fixture
def appended(door: Door, services: Services, bell: RecordingBell) -> None:
    """Tenant `acme` in one burst, `beta` run by run."""
    hint, *_ = accept_all(door, bell, "acme")
    assert len(serve(services, Stage.APPEND, append.run, hint)) == len(RUNS)
    for work in accept_all(door, bell, "beta"):
        assert perform(services, Stage.APPEND, append.run, work)


@pytest.mark.usefixtures("appended")
@pytest.mark.parametrize("table", SEEN)
def test_a_burst_writes_what_its_runs_write_alone(owner: psycopg.Connection, table: str) -> None:
    together, alone = held(owner, table, "acme"), held(owner, table, "beta")
    assert together == alone
    assert together


@pytest.mark.usefixtures("appended")
def test_a_run_of_a_burst_knows_what_those_before_it_said(owner: psycopg.Connection) -> None:
    rules = owner.execute(
        "select run_id, array_agg(rule order by sequence) from decision join event using (tenant_id, stream, sequence) "
        "where tenant_id = 'acme' group by run_id order by run_id"
    ).fetchall()
    assert dict(rules) == {
        "run-0": ["default", "default"],
        "run-1": ["exact_repeat", "default"],
        "run-2": ["default"],
        "run-3": ["exact_repeat"],
        "run-4": ["recalled_block", "default"],
        "run-5": ["default", "acknowledgement"],
        "run-7": ["default"],
    }


def test_a_run_larger_than_a_statement_takes_is_written_whole(
    door: Door, services: Services, bell: RecordingBell, opened: Database, owner: psycopg.Connection
) -> None:
    many = [{"role": "user", "text": f"Crate {n} holds lamps."} for n in range(ROWS + 1)]
    large = [{"role": "user", "text": "lamp " * (CHARS // 5)}]
    door.observe(Scope(tenant_id="acme", user_id="mira"), [*many, *large], run_id="run-1")
    (_, work), *_ = bell.rung
    assert perform(services, Stage.APPEND, append.run, work)
    count = len(many) + len(large)
    assert owner.execute("select count(*), max(sequence) from event").fetchone() == (count + 1, count + 1)
    assert owner.execute("select count(*) from decision").fetchone() == (count,)
    assert owner.execute("select count(distinct run_id), max(doc) = count(*) from memory").fetchone() == (1, True)
