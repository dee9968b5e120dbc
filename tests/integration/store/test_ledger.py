"""Invariants 1 and 3: the ledger under concurrency, and what finds damage in it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from coldpath.verify import verify
from shared.contract.events import EventClass, NewEvent
from shared.contract.scope import AUDIT_OWNER, TENANT_OWNER, Owner, room_owner, stream_of
from shared.store import ledger
from shared.store.db import Database, Role

MIRA = Owner("mira")
OWNERS = (MIRA, room_owner("harbour"), TENANT_OWNER, AUDIT_OWNER)


def note(text: str) -> NewEvent:
    return NewEvent(event_class=EventClass.EVIDENCE, kind="message", payload={"text": text})


def append(database: Database, owner: Owner, *texts: str, tenant: str = "acme") -> None:
    with database.transaction(Role.WORKER, tenant, [owner]) as session:
        _, head = ledger.append(session, ledger.lock(session, owner), [note(text) for text in texts])
        ledger.advance(session, head)


def sequences(database: Database, owner: Owner, tenant: str = "acme") -> list[int]:
    with database.transaction(Role.READER, tenant, [owner]) as session:
        return [event.sequence for event in ledger.read(session, owner)]


@pytest.mark.parametrize("owner", OWNERS)
def test_a_stream_is_gapless_and_chained_whoever_it_belongs_to(opened: Database, owner: Owner) -> None:
    append(opened, owner, "one", "two")
    append(opened, owner, "three")
    assert sequences(opened, owner) == [1, 2, 3]
    found = verify(opened, "acme", owner)
    assert (found.fault, found.stream) == (None, stream_of(owner))
    assert found.events == 3


def test_many_writers_of_one_stream_leave_no_gap_and_no_fork(opened: Database) -> None:
    writers, rounds = 6, 8
    barrier = threading.Barrier(writers)

    def write(writer: int) -> None:
        barrier.wait()
        for turn in range(rounds):
            append(opened, MIRA, f"{writer}-{turn}", "and more")

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sequences(opened, MIRA) == list(range(1, 2 * writers * rounds + 1))
    assert verify(opened, "acme", MIRA).fault is None


def test_recorded_times_never_run_backwards_within_a_stream(opened: Database, owner: psycopg.Connection) -> None:
    append(opened, MIRA, "one")
    owner.execute("update stream set last_recorded_at = now() + interval '1 hour'")
    append(opened, MIRA, "two")
    with opened.transaction(Role.READER, "acme", [MIRA]) as session:
        first, second = ledger.read(session, MIRA)
    assert second.recorded_at > first.recorded_at
    append(opened, MIRA, "three")
    with opened.transaction(Role.READER, "acme", [MIRA]) as session:
        times = [event.recorded_at for event in ledger.read(session, MIRA)]
    assert times == sorted(times)


def test_one_owner_reads_nothing_of_another(opened: Database) -> None:
    append(opened, MIRA, "mine")
    append(opened, MIRA, "another tenant's", tenant="beta")
    assert sequences(opened, Owner("oskar")) == []
    with opened.transaction(Role.APP, "acme", [Owner("oskar")], read_only=True) as session:
        assert session.connection.execute("select count(*) as n from event").fetchone() == {"n": 0}


Damage = Callable[[psycopg.Connection], object]


def damage(statement: str) -> Damage:
    def do(connection: psycopg.Connection) -> None:
        connection.execute("set session_replication_role = replica")  # past the triggers, as a superuser can
        connection.execute(statement.encode())

    return do


@pytest.mark.parametrize(
    ("harm", "sequence", "words"),
    [
        (damage("update event_payload set payload = '{}' where sequence = 2"), 2, "content was changed"),
        (damage("update event set speaker = 'oskar' where sequence = 2"), 2, "changed after"),
        (damage("delete from event where sequence = 2"), 2, "is missing"),
        (damage("delete from event where sequence = 3"), 2, "missing"),
        (damage("update event set hash = '\\x00' where sequence = 3"), 3, "changed after"),
        (damage("update stream set last_sequence = 2 where stream = 'user:mira'"), 3, "end was changed"),
    ],
)
def test_verify_finds_and_locates_what_a_superuser_did(
    opened: Database, owner: psycopg.Connection, harm: Damage, sequence: int, words: str
) -> None:
    append(opened, MIRA, "one", "two", "three")
    harm(owner)
    fault = verify(opened, "acme", MIRA).fault
    assert fault is not None
    assert fault.sequence == sequence
    assert words in fault.reason


def test_an_erased_payload_leaves_the_chain_whole(opened: Database, owner: psycopg.Connection) -> None:
    append(opened, MIRA, "one", "two", "three")
    damage("delete from event_payload where sequence = 2")(owner)
    found = verify(opened, "acme", MIRA)
    assert (found.fault, found.events, found.erased) == (None, 3, 1)


def test_a_verification_is_itself_written_into_the_audit_stream(opened: Database) -> None:
    append(opened, MIRA, "one")
    verify(opened, "acme", MIRA)
    with opened.transaction(Role.READER, "acme", [AUDIT_OWNER]) as session:
        (event,) = ledger.read(session, AUDIT_OWNER)
    assert event.event_class is EventClass.AUDIT
    assert event.payload == {"stream": "user:mira", "events": 1, "erased": 0, "sound": True}


MANY_EVENTS = """
    insert into event (tenant_id, stream, sequence, user_id, event_class, kind, precision, recorded_at, origin, run_id,
        schema_version, payload_hash, previous_hash, hash)
    select 'acme', 'user:mira', n, 'mira', 'evidence', case n % 500 when 0 then 'outcome' else 'message' end, 'second',
        now(), 'user', 'run-' || n / 10, 1, '', '', ''
    from generate_series(1, 20000) as n
"""


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for each in plan.get("Plans", []):
        yield from nodes(each)


@pytest.mark.parametrize(
    ("query", "parameters", "condition"),
    [
        ("outcomes", {"since": None, "limit": None}, "user_id"),
        ("outcomes", {"since": None, "limit": 20_000}, "user_id"),
        ("outcomes_of", {"run_ids": ["run-50", "run-51"]}, "run_id"),
    ],
)
def test_outcomes_are_found_by_an_index_and_not_by_going_through_the_stream(
    opened: Database, owner: psycopg.Connection, query: str, parameters: dict[str, Any], condition: str
) -> None:
    owner.execute(MANY_EVENTS.encode())
    owner.execute("analyze event, event_payload")
    with opened.transaction(Role.WORKER, "acme", [MIRA]) as session:
        (row,) = session.rows(f"explain (analyze, format json) {ledger._SQL[query]}", **parameters)
    reads = [each for each in nodes(row["QUERY PLAN"][0]["Plan"]) if each.get("Alias") == "event"]
    assert reads
    assert not [each for each in reads if each["Node Type"] == "Seq Scan" and each["Actual Loops"]]
    assert sum(each.get("Rows Removed by Filter", 0) * each["Actual Loops"] for each in reads) == 0
    conditions = [str(each.get("Index Cond")) for each in nodes(row["QUERY PLAN"][0]["Plan"])]
    assert any(condition in each for each in conditions)
