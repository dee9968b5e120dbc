"""Invariant 2: the tables are what the ledger comes to, row for row, and can be had from it again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import psycopg
import pytest

from coldpath import _comparing, _shelf
from coldpath.replay import Replayed, replay, replay_streams
from shared.contract.errors import LedgerDamaged
from shared.contract.scope import AUDIT_OWNER, Owner, Scope, room_owner
from shared.store.db import Database
from warmpath._door import Door

MIRA = Scope(tenant_id="acme", user_id="mira")
LONG = " ".join(f"Sentence number {number} of a long letter about the garden." for number in range(90))
DERIVED = ("memory", "memory_evidence", "suppression", "posting", "sparse_stream")

WorkOff = Callable[[], object]


@pytest.fixture(autouse=True)
def _few_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that what is folded goes to its file and comes back from it."""
    monkeypatch.setattr(_shelf, "AT_HAND", 2)
    monkeypatch.setattr(_shelf, "_READ_AHEAD", 2)
    monkeypatch.setattr(_comparing, "_WORDS_AT_ONCE", 2)


@pytest.fixture
def filled(door: Door, work_off: WorkOff) -> Scope:
    """A stream with several sessions, a message of several passages, one that matters, and vectors."""
    door.observe(MIRA, [said("I keep two beehives.", "m1"), said(LONG, "m2"), said("  ", "m3")], run_id="run-1")
    door.observe(MIRA, [{**said("My sister is called Tove.", "m4"), "importance": 0.9}], run_id="run-2")
    door.observe(Scope(tenant_id="acme", user_id="mira", session_id="run-1"), [said("Bees, again.")], run_id="run-3")
    door.observe(MIRA, [said("Who brings the cake?")], run_id="run-4", room="kitchen", participants=["mira", "oskar"])
    work_off()
    return MIRA


def said(text: str, message_id: str | None = None) -> dict[str, object]:
    return {"id": message_id, "role": "user", "ts": "2025-03-04T09:00Z", "text": text}


def verified(opened: Database, owner: str = "mira") -> Replayed:
    return replay(opened, "acme", Owner(owner), verify=True)


def dumped(owner: psycopg.Connection, tables: Sequence[str] = DERIVED) -> dict[str, list[tuple[object, ...]]]:
    """All rows of tables, but how words lie in blocks."""
    return {table: sorted(owner.execute(f"select * from {table}".encode()).fetchall(), key=repr) for table in tables}


def drop(owner: psycopg.Connection, *tables: str) -> None:
    for table in tables:
        owner.execute("select set_config('row_security', 'off', false)")
        owner.execute(f"truncate {table}".encode())


@pytest.mark.parametrize("stream", ["mira", "room:kitchen", "audit:", "nobody"])
def test_what_was_written_live_is_what_the_ledger_comes_to(filled: Scope, opened: Database, stream: str) -> None:
    found = verified(opened, stream)
    assert found.differences == ()
    assert found.fingerprint == found.expected_fingerprint
    assert found.is_equal
    assert found.memories == {"mira": 7, "room:kitchen": 1}.get(stream, 0)


def test_with_every_memory_and_view_dropped_a_replay_brings_all_back_row_for_row(
    filled: Scope, opened: Database, owner: psycopg.Connection
) -> None:
    before = dumped(owner)
    fingerprint = verified(opened).fingerprint
    drop(owner, *DERIVED)
    gone = verified(opened)
    assert not gone.is_equal
    assert gone.fingerprint != gone.expected_fingerprint == fingerprint
    for stream in ("mira", "room:kitchen"):
        rebuilt = replay(opened, "acme", Owner(stream), verify=False)
        assert rebuilt.is_equal
        assert rebuilt.mended > 0
        assert verified(opened, stream).is_equal
    assert dumped(owner) == before
    assert verified(opened).fingerprint == fingerprint


def test_a_replay_of_what_is_right_changes_nothing(filled: Scope, opened: Database, owner: psycopg.Connection) -> None:
    tables = (*DERIVED, "memory_vector", "dense_stream", "event", "event_payload", "stream")
    before = dumped(owner, tables)
    assert replay(opened, "acme", Owner("mira"), verify=False).mended == 0
    assert dumped(owner, tables) == before


DAMAGE = {
    "update memory set text = 'I keep no bees.' where doc = 1": ("memory", "text"),
    "update memory set valid_from = valid_from + interval '1 day' where doc = 1": ("memory", "valid_from"),
    "update memory set session_doc = 1 where doc = 6 and user_id = 'mira'": ("memory", "session_doc"),
    "update memory set confidence = 0.5 where doc = 2": ("memory", "confidence"),
    "update memory set epistemic_type = 'fact' where doc = 1 and user_id = 'mira'": ("memory", "epistemic_type"),
    "update memory set ordinal = -1 where doc = 1 and user_id = 'mira'": ("memory", "unknown"),
    "delete from memory where doc = 3": ("memory", "missing"),
    """
    insert into memory select tenant_id, generation, gen_random_uuid(), version, user_id, 99, 99, ordinal, kind,
        epistemic_type, text, speaker, role, origin, trust, confidence, session_id, agent_id, run_id, valid_from,
        valid_to, recorded_at, closed_at, closed_reason, opened_by, closed_by
    from memory where doc = 1 and user_id = 'mira'
    """: ("memory", "unknown"),
    "update memory_evidence set span_end = span_end - 1 where span_end is not null": ("memory_evidence", "evidence"),
    "insert into suppression values ('acme', 'user:mira', 1, 0, 2147483647, 'mira', 9)": ("suppression", "unknown"),
    "delete from posting where user_id = 'mira' and term = (select min(term) from posting where user_id = 'mira')": (
        "posting",
        "missing",
    ),
    "update posting set term = term || 'x' where user_id = 'mira' and term like 'b%'": ("posting", "entries"),
    "update sparse_stream set length_sum = length_sum + 1 where user_id = 'mira'": ("sparse_stream", "length_sum"),
    "update sparse_stream set sessions = 7 where user_id = 'mira'": ("sparse_stream", "sessions"),
    "update stream set last_doc = 99 where user_id = 'mira'": ("stream", "last_doc"),
    "update memory_vector set text_hash = 'x' where doc = 1 and user_id = 'mira'": ("memory_vector", "text_hash"),
    "update memory_vector set version = 2 where doc = 1 and user_id = 'mira'": ("memory_vector", "version"),
    "update memory_vector set open = false where doc = 1 and user_id = 'mira'": ("memory_vector", "open"),
    "update memory_vector set doc = 99 where doc = 1 and user_id = 'mira'": ("memory_vector", "unknown"),
    "update dense_stream set vectors = 99 where user_id = 'mira'": ("dense_stream", "vectors"),
}


@pytest.mark.parametrize("statement", DAMAGE)
def test_every_sort_of_damage_is_named_and_mended(
    filled: Scope, opened: Database, owner: psycopg.Connection, statement: str
) -> None:
    before = verified(opened).fingerprint
    owner.execute(statement.encode())
    found = verified(opened)
    assert not found.is_equal
    assert DAMAGE[statement] in {(each.table, each.column) for each in found.differences}
    told = repr(found)
    assert not [word for word in ("beehives", "Tove", "garden", "bees") if word in told], "never by what was said"
    assert replay(opened, "acme", Owner("mira"), verify=False).mended >= 1
    assert verified(opened).is_equal
    assert verified(opened).fingerprint == before


def test_vectors_that_fit_stay_through_a_rebuild_and_others_go(
    filled: Scope, opened: Database, owner: psycopg.Connection
) -> None:
    vectors = owner.execute("select doc, embedding from memory_vector where user_id = 'mira' order by doc").fetchall()
    drop(owner, *DERIVED)
    owner.execute("update memory_vector set text_hash = %s where doc = 2", [hashlib.sha256(b"another").digest()])
    replay(opened, "acme", Owner("mira"), verify=False)
    left = owner.execute("select doc, embedding from memory_vector where user_id = 'mira' order by doc").fetchall()
    assert left == [row for row in vectors if row[0] != 2]
    assert owner.execute("select vectors from dense_stream where user_id = 'mira'").fetchone() == (6,)


def damage(owner: psycopg.Connection) -> None:
    """Take the content of an event away without a FORGET, as only the tables' owner can."""
    owner.execute("alter table event_payload disable trigger user")
    for (leaf,) in owner.execute(
        "select inhrelid::regclass::text from pg_inherits where inhparent = 'event_payload'::regclass"
    ):
        owner.execute(f"alter table {leaf} disable trigger user".encode())
    owner.execute("delete from event_payload where stream = 'user:mira' and sequence = 1")


def test_a_damaged_ledger_is_refused_for_its_stream_and_the_others_go_on(
    filled: Scope, opened: Database, owner: psycopg.Connection
) -> None:
    damage(owner)
    tables = dumped(owner)
    for verify in (True, False):
        with pytest.raises(LedgerDamaged, match="no FORGET accounts for"):
            replay(opened, "acme", Owner("mira"), verify=verify)
    assert dumped(owner) == tables
    found = {each.owner: each for each in replay_streams(opened, "acme", verify=True)}
    assert found[Owner("mira")].damage is not None
    assert found[room_owner("kitchen")].is_equal


def test_streams_are_replayed_in_order_and_can_be_gone_on_with(filled: Scope, opened: Database) -> None:
    seen: list[tuple[int, int]] = []
    streams = [each.owner for each in replay_streams(opened, None, verify=True, progress=lambda *at: seen.append(at))]
    assert streams == [MIRA.owner, room_owner("kitchen")]
    assert seen[0][0] == 0
    assert seen[-1][0] == seen[-1][1] > 0
    rest = [each.owner for each in replay_streams(opened, "acme", verify=True, after=("acme", "mira"))]
    assert rest == [room_owner("kitchen")]
    assert AUDIT_OWNER not in streams
