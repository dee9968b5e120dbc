"""The temporal channel: what is of the time asked about is found, whatever its words, and no more than that."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from shared import clock
from shared.contract.bundle import Bundle
from shared.contract.scope import Owner, Scope
from shared.store import memories
from shared.store.db import Database, Role, Session
from shared.store.keys import docs_of, places_of

MIRA = Scope(tenant_id="acme", user_id="mira")
TOMAS = Scope(tenant_id="acme", user_id="tomas")
OTHER_MIRA = Scope(tenant_id="globex", user_id="mira")
NOW = datetime(2031, 5, 21, 15, tzinfo=UTC)
QUERY = "What did I do yesterday?"

Tell = Callable[..., None]
Ask = Callable[..., Bundle]


@pytest.fixture(autouse=True)
def _asked_in_may(monkeypatch: pytest.MonkeyPatch, embedder: object) -> None:
    """The machine's clock stands in 2031, and the channel of meaning gives no answer."""
    monkeypatch.setattr(clock, "now", lambda: NOW)

    def fail(_: object) -> None:
        raise RuntimeError("the channel is off")

    monkeypatch.setattr("hotpath._embed.embedder", fail)


def at(text: str, when: datetime, **more: Any) -> dict[str, Any]:
    return {"text": text, "ts": when.isoformat(), **more}


def hits(bundle: Bundle) -> set[str]:
    return {item.text for item in bundle.items if item.rank}


def test_what_was_done_yesterday_is_found_though_it_shares_no_word_with_the_question(tell: Tell, ask: Ask) -> None:
    tell(MIRA, at("Two loaves with Tove.", NOW - timedelta(days=1)), at("Plums planted.", NOW - timedelta(days=2)))
    bundle = ask(MIRA, QUERY)
    assert hits(bundle) == {"Two loaves with Tove."}
    assert any(line.startswith("when: 2031-05-20 until before 2031-05-21") for line in bundle.plan)
    assert hits(ask(MIRA, "What did I do?")) == set()


def test_of_more_than_the_limit_the_newest_are_taken(tell: Tell, opened: Database) -> None:
    tell(MIRA, *[at(f"Loaf number{n}x.", NOW - timedelta(hours=n)) for n in range(1, 9)])
    with opened.transaction(Role.APP, "acme", [Owner("mira")], read_only=True) as session:
        found = memories.within(session, NOW - timedelta(hours=6), NOW - timedelta(hours=1), limit=3)
    assert docs_of(found).tolist() == [2, 3, 4], "the end is not within, and the newest come first"


def test_what_begins_at_the_start_is_within_and_at_the_end_is_not(tell: Tell, ask: Ask) -> None:
    midnight = datetime(2031, 5, 20, tzinfo=UTC)
    tell(
        MIRA,
        at("Loaf on the hour.", midnight),
        at("Loaf a moment before.", midnight - timedelta(microseconds=1)),
        at("Loaf the day after.", midnight + timedelta(days=1)),
        at("Loaf of no time.", midnight) | {"ts": None},
    )
    assert hits(ask(MIRA, QUERY)) == {"Loaf on the hour."}


def test_each_owner_in_sight_is_looked_at_and_nobody_else(tell: Tell, ask: Ask, opened: Database) -> None:
    yesterday = NOW - timedelta(days=1)
    tell(MIRA, at("Mine.", yesterday))
    tell(MIRA, at("In the room.", yesterday), room="harbour", participants=["mira", "tomas"])
    tell(TOMAS, at("Of Tomas.", yesterday))
    tell(OTHER_MIRA, at("Of another tenant.", yesterday))
    assert hits(ask(MIRA, QUERY)) == {"Mine.", "In the room."}
    assert hits(ask(TOMAS, QUERY)) == {"Of Tomas.", "In the room."}
    with opened.transaction(Role.APP, "acme", [Owner("mira")], read_only=True) as session:
        found = memories.within(session, yesterday, NOW, limit=9)
        assert {session.owners[place] for place in places_of(found)} == {"mira", "room:harbour"}


def test_what_was_not_yet_true_or_not_yet_known_is_left_out(tell: Tell, ask: Ask) -> None:
    tell(MIRA, at("Two loaves with Tove.", NOW - timedelta(days=1)))
    morning = datetime(2031, 5, 20, 9, tzinfo=UTC)
    assert hits(ask(MIRA, "What did I do today?", as_of=morning)) == set(), "it happened in the afternoon"
    assert hits(ask(MIRA, "What did I do today?", as_of=morning + timedelta(hours=12))) == {"Two loaves with Tove."}
    assert hits(ask(MIRA, QUERY, known_at=datetime(2020, 1, 1, tzinfo=UTC))) == set()


def test_what_is_forgotten_is_not_found_by_its_time(tell: Tell, ask: Ask, owner: psycopg.Connection) -> None:
    tell(MIRA, at("Two loaves with Tove.", NOW - timedelta(days=1)))
    owner.execute("update memory set closed_at = now(), closed_reason = 'FORGET', closed_by = opened_by")
    assert hits(ask(MIRA, QUERY)) == set()


def test_a_temporal_channel_that_fails_is_named_and_the_others_answer(
    tell: Tell, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, at("Two loaves with Tove.", NOW - timedelta(days=1)))

    def fail(session: Session, *_: object, **__: object) -> None:
        session.execute("select 1 / 0")

    monkeypatch.setattr(memories, "within", fail)
    bundle = ask(MIRA, "Which loaves were there yesterday?")
    assert "temporal" in bundle.degraded
    assert hits(bundle) == {"Two loaves with Tove."}


def test_the_look_up_by_time_goes_by_an_index_as_the_application_role(
    owner: psycopg.Connection, opened: Database
) -> None:
    owner.execute("insert into generation (tenant_id, view, live, changed_at) values ('acme', 'memory', 1, now())")
    owner.execute(
        "insert into memory (tenant_id, generation, memory_id, version, user_id, doc, session_doc, ordinal, kind, "
        "epistemic_type, text, origin, trust, confidence, session_id, valid_from, recorded_at, opened_by) "
        "select 'acme', 1, gen_random_uuid(), 1, 'user-' || n % 2, n / 2 + 1, 1, 0, 'episodic', 'evidence', "
        "repeat('text ', 30), 'user', 4, 1, 'session', timestamptz '2031-05-21' - make_interval(hours => n), now(), 1 "
        "from generate_series(0, 9999) as n"
    )
    owner.execute("analyze")
    parameters = {"start": NOW - timedelta(days=2), "end": NOW, "limit": 50, "known_at": None}
    with opened.transaction(Role.APP, "acme", [Owner("user-1")], read_only=True) as session:
        (row,) = session.rows(f"explain (format json) {memories._SQL['within']}", **parameters)
    read = [each for each in nodes(row["QUERY PLAN"][0]["Plan"]) if each.get("Relation Name", "").startswith("memory")]
    assert len({each["Relation Name"] for each in read}) == 1, "the partition of the tenant and no other"
    assert {each["Node Type"] for each in read} <= {"Index Scan", "Index Only Scan", "Bitmap Heap Scan"}
    by = [each["Index Cond"] for each in nodes(row["QUERY PLAN"][0]["Plan"]) if "Index Cond" in each]
    assert any(all(column in each for column in ("tenant_id", "user_id", "valid_from")) for each in by), by


def nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(each for part in plan.get("Plans", []) for each in nodes(part))]
