"""recall on a real database: who finds what, from when on, how much, and what it leaves behind."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest

from hotpath import _fresh, _recall
from hotpath._plan import Plan, plan
from shared.contract.bundle import Bundle, Verdict
from shared.contract.scope import Owner, Scope
from shared.store import inbox, ledger
from shared.store.db import Database, Role, Session
from shared.testing import HashEmbedder
from warmpath._door import Door
from warmpath._work import Result

MIRA = Scope(tenant_id="acme", user_id="mira")
TOMAS = Scope(tenant_id="acme", user_id="tomas")
EVE = Scope(tenant_id="acme", user_id="eve")
OTHER_MIRA = Scope(tenant_id="globex", user_id="mira")
EVERYBODY = Scope.tenant_wide("acme")

BEES = "I keep two beehives behind the garage."
BAKERY = "I start at the bakery on Monday."

Tell = Callable[..., None]
Ask = Callable[..., Bundle]
WorkOff = Callable[[], list[Result]]


def texts(bundle: Bundle) -> list[str]:
    return [item.text for item in bundle.items]


def hits(bundle: Bundle) -> list[str]:
    return [item.text for item in sorted(bundle.items, key=lambda item: item.rank or 0) if item.rank]


def test_what_was_said_is_found_with_its_evidence_time_speaker_and_verdict(tell: Tell, ask: Ask) -> None:
    tell(MIRA, {"id": "m1", "text": BEES, "ts": "2025-03-04T09:00Z", "speaker": "Mira"}, BAKERY, run_id="run-7")
    bundle = ask(MIRA, "Where are the beehives?", explain=True)
    (first,) = [item for item in bundle.items if item.rank == 1]
    assert (first.text, first.speaker, first.event_time) == (BEES, "Mira", datetime(2025, 3, 4, 9, tzinfo=UTC))
    assert [(source.run_id, source.message_id, source.stream) for source in first.sources] == [
        ("run-7", "m1", "user:mira")
    ]
    assert (bundle.verdict, bundle.degraded, bundle.omitted) == (Verdict.SUPPORTED, (), 0)
    assert BEES in bundle.text
    assert first.scores["words"] > 0
    assert first.scores["meaning"] > 0
    assert {"plan", "embed", "search", "fuse", "expand", "assemble", "total", "database"} <= set(bundle.timings_ms)
    assert [(mark.owner, mark.last_sequence) for mark in bundle.watermarks] == [("mira", 3)]
    assert ask(MIRA, "Where are the beehives?").items[0].scores == {}, "only with explain"


def test_what_the_app_says_matters_counts_for_more_and_what_it_says_does_not_for_less(tell: Tell, ask: Ask) -> None:
    told = {"bow": None, "stern": 0.0, "keel": 1.0}
    for place, importance in told.items():
        tell(MIRA, {"text": f"The boat leaks at the {place}.", "ts": "2025-03-04T09:00Z", "importance": importance})
    items = ask(MIRA, "Where does the boat leak?", explain=True).items
    boost = {item.text.removeprefix("The boat leaks at the ").removesuffix("."): item.scores["boost"] for item in items}
    assert boost["stern"] < boost["bow"] == 1.0 < boost["keel"]


def test_each_participant_of_a_room_finds_what_was_said_there_and_an_outsider_does_not(tell: Tell, ask: Ask) -> None:
    tell(MIRA, BEES, room="harbour", participants=["mira", "tomas"])
    for participant in (MIRA, TOMAS):
        assert texts(ask(participant, "beehives")) == [BEES]
    for outsider in (EVE, OTHER_MIRA, EVERYBODY, Scope(tenant_id="acme", user_id="harbour")):
        bundle = ask(outsider, "beehives")
        assert (bundle.items, bundle.hits, bundle.watermarks, bundle.text) == ((), (), (), "")
        assert bundle.verdict is Verdict.UNKNOWN


def test_what_is_said_to_the_whole_tenant_is_found_by_its_users_and_by_no_other_tenant(tell: Tell, ask: Ask) -> None:
    tell(EVERYBODY, BEES)
    for user in (MIRA, TOMAS, EVERYBODY):
        assert texts(ask(user, "beehives")) == [BEES]
    assert ask(OTHER_MIRA, "beehives").items == ()
    assert ask(Scope.tenant_wide("globex"), "beehives").items == ()


def test_a_run_is_found_before_any_worker_has_seen_it_and_once_afterwards(
    tell: Tell, ask: Ask, work_off: WorkOff
) -> None:
    tell(MIRA, {"id": "m1", "text": BEES}, BAKERY, run_id="run-7", work=False)
    before = ask(MIRA, "beehives garage")
    assert [(item.text, item.fresh, item.rank) for item in before.items] == [(BEES, True, 1)]
    assert [(source.run_id, source.message_id) for source in before.hits[0].sources] == [("run-7", "m1")]
    assert (before.fresh_runs, before.verdict) == (1, Verdict.SUPPORTED)
    assert "not yet processed" in before.text
    work_off()
    after = ask(MIRA, "beehives garage")
    assert [item.text for item in after.items if item.rank == 1] == [BEES]
    assert (texts(after).count(BEES), after.fresh_runs) == (1, 0)
    assert not any(item.fresh for item in after.items)


def test_the_fresh_tail_of_a_room_is_its_participants(tell: Tell, ask: Ask) -> None:
    tell(MIRA, BAKERY, room="harbour", participants=["mira", "tomas"])
    tell(MIRA, BEES, room="harbour", participants=["mira", "tomas"], work=False)
    assert texts(ask(TOMAS, "beehives")) == [BEES]
    assert (ask(EVE, "beehives").items, ask(EVE, "beehives").fresh_runs) == ((), 0)


def test_outcomes_on_their_way_take_no_room_from_messages_on_theirs(tell: Tell, ask: Ask, door: Door) -> None:
    tell(MIRA, BEES, work=False)
    for number in range(1, 61):
        door.outcome(MIRA, UUID(int=number), abstained=True)
    bundle = ask(MIRA, "beehives")
    assert (texts(bundle), bundle.fresh_runs, bundle.degraded) == ([BEES], 1, ())


def test_that_more_runs_wait_than_are_read_is_said(tell: Tell, ask: Ask) -> None:
    for number in range(50):
        tell(MIRA, f"Note {number} about the beehives.", work=False)
    bundle = ask(MIRA, "beehives")
    assert (bundle.fresh_runs, bundle.degraded) == (50, ())
    tell(MIRA, BEES, work=False)
    bundle = ask(MIRA, "beehives")
    assert (bundle.fresh_runs, bundle.degraded) == (50, ("fresh",))


def test_that_a_run_on_its_way_is_too_large_to_be_read_is_said(
    tell: Tell, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_fresh, "LONGEST_CHARS", 1_000)
    tell(MIRA, BEES, work=False)
    tell(MIRA, "beehives " * 200, work=False)
    bundle = ask(MIRA, "beehives")
    assert (texts(bundle), bundle.fresh_runs, bundle.degraded) == ([BEES], 1, ("fresh",))


def test_the_fresh_tail_is_read_by_its_index_from_the_newest_on(owner: psycopg.Connection, opened: Database) -> None:
    owner.execute(
        "insert into inbox (tenant_id, inbox_id, user_id, run_id, message_digests, payload, messages, stage, "
        "accepted_at, changed_at) select 'acme', gen_random_uuid(), 'mira', 'run-' || n, case n % 3 when 0 then "
        "'{\"m1\": \"x\"}' else '{}' end::jsonb, '{}', 1, case n % 100 when 0 then 'append' else 'index' end, now(), "
        "now() from generate_series(1, 20000) as n"
    )
    owner.execute("analyze inbox")
    with opened.transaction(Role.APP, "acme", [Owner("mira")], read_only=True) as session:
        explained = session.rows(f"explain {inbox._SQL['fresh']}", limit=50, longest_chars=1_000)
        assert len(inbox.fresh(session, limit=500, longest_chars=1_000)) == 66
        assert {row["payload"] for row in inbox.fresh(session, limit=500, longest_chars=1)} == {None}
    assert any("inbox_fresh" in line for row in explained for line in row.values())


def test_a_conversation_that_is_sent_again_with_each_turn_is_found_once(tell: Tell, ask: Ask) -> None:
    first, second = {"id": "m1", "text": BEES}, {"id": "m2", "text": "The beehives need a new roof."}
    tell(MIRA, first)
    tell(MIRA, first, second, work=False)
    tell(MIRA, first, second, {"id": "m3", "text": "The beehives swarm."}, work=False)
    bundle = ask(MIRA, "beehives")
    assert sorted((item.text, item.fresh) for item in bundle.items) == [
        (BEES, False),
        ("The beehives need a new roof.", True),
        ("The beehives swarm.", True),
    ]
    assert bundle.fresh_runs == 2


def test_fresh_hits_and_others_are_ranked_together_and_counted_alike(tell: Tell, ask: Ask) -> None:
    tell(MIRA, BEES)
    tell(MIRA, "The beehives need a new roof.", work=False)
    bundle = ask(MIRA, "beehives")
    assert sorted(item.rank or 0 for item in bundle.items) == [1, 2]
    assert (ask(MIRA, "beehives", budget_tokens=0).omitted, len(bundle.hits)) == (2, 2)
    assert len(ask(MIRA, "beehives", k=1).hits) == 1


def test_a_run_that_a_worker_takes_in_while_it_is_asked_for_is_found_once(
    tell: Tell, ask: Ask, work_off: WorkOff, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES, work=False)
    search = _fresh.search

    def after_a_worker(*arguments: Any) -> Any:
        work_off()
        return search(*arguments)

    monkeypatch.setattr(_fresh, "search", after_a_worker)
    assert texts(ask(MIRA, "beehives")) == [BEES]
    assert texts(ask(MIRA, "beehives")) == [BEES]


def test_as_of_asks_for_what_was_so_then_and_known_at_for_what_was_known(tell: Tell, ask: Ask) -> None:
    tell(
        MIRA,
        {"text": BEES, "ts": "2025-03-04T09:00Z"},
        {"text": "A third of the beehives swarmed.", "ts": "2025-06-01"},
    )
    start = datetime(2025, 3, 4, 9, tzinfo=UTC)
    assert ask(MIRA, "beehives", as_of=start - timedelta(seconds=1)).items == ()
    assert texts(ask(MIRA, "beehives", as_of=start)) == [BEES]
    assert len(ask(MIRA, "beehives", as_of=start + timedelta(days=365)).items) == 2
    now = datetime.now(UTC)
    assert ask(MIRA, "beehives", known_at=now - timedelta(hours=1)).items == ()
    assert len(ask(MIRA, "beehives", known_at=now + timedelta(hours=1)).items) == 2


def test_what_is_closed_is_found_at_the_time_it_was_held_and_not_now(
    tell: Tell, ask: Ask, owner: psycopg.Connection
) -> None:
    tell(MIRA, BEES, BAKERY)
    held = datetime.now(UTC)
    owner.execute(
        "update memory set closed_at = %s, closed_reason = 'retract', closed_by = 99 where text = %s",
        [held + timedelta(minutes=1), BEES],
    )
    assert BEES not in texts(ask(MIRA, "beehives"))
    assert BEES not in texts(ask(MIRA, "beehives", known_at=held + timedelta(minutes=2)))
    assert BEES in texts(ask(MIRA, "beehives", known_at=held))


def test_a_run_on_its_way_was_not_known_at_any_time_before(tell: Tell, ask: Ask) -> None:
    tell(MIRA, BEES, work=False)
    later = datetime.now(UTC) + timedelta(days=400)
    assert ask(MIRA, "beehives", known_at=later).items == ()
    assert ask(MIRA, "beehives", as_of=later).items == ()


def test_of_two_alike_the_one_in_the_time_asked_for_comes_first(tell: Tell, ask: Ask) -> None:
    tell(MIRA, {"text": "We harvested the honey early.", "ts": "2024-07-01"}, run_id="a")
    tell(MIRA, {"text": "We harvested the honey late.", "ts": "2025-08-20"}, run_id="b")
    for day, first in (("1 July 2024", "early"), ("20 August 2025", "late")):
        bundle = ask(MIRA, f"How did the honey harvest go on {day}?", explain=True)
        assert hits(bundle)[0].endswith(f"{first}.")
        assert [item.scores["date"] for item in sorted(bundle.items, key=lambda item: item.rank or 0)] == [1.0, 0.0]


def test_k_bounds_the_hits_and_the_budget_the_text(tell: Tell, ask: Ask) -> None:
    for number in range(6):
        tell(MIRA, f"Beehive number {number} is painted {'very ' * number}blue.")
    assert len(ask(MIRA, "beehive").hits) == 6
    bundle = ask(MIRA, "beehive", k=2)
    assert (len(bundle.hits), sum(item.rank is not None for item in bundle.items)) == (2, 2)
    assert bundle.hits == ask(MIRA, "beehive").hits[:2]
    for budget in (0, 120, 200, 400):
        bundle = ask(MIRA, "beehive", budget_tokens=budget)
        assert bundle.tokens <= budget
        assert bundle.omitted == 6 - sum(item.rank is not None for item in bundle.items)
    assert (bundle.counter, len(bundle.hits)) == ("conservative-v1", 6)


def test_a_hit_brings_the_turn_before_and_the_two_after_it_and_of_no_other_session(tell: Tell, ask: Ask) -> None:
    tell(MIRA, "First of all, lunch.", "Then some tea.", BEES, "It hums there.", "Nobody minds.", "Rain tomorrow.")
    tell(MIRA, "Another session altogether.")
    bundle = ask(MIRA, "beehives", k=1)
    assert texts(bundle) == ["Then some tea.", BEES, "It hums there.", "Nobody minds."]
    assert [item.rank for item in bundle.items] == [None, 1, None, None]
    assert all(item.score < bundle.hits[0].score for item in bundle.items if item.rank is None)


def test_small_talk_asks_nothing_of_the_memory(tell: Tell, ask: Ask) -> None:
    tell(MIRA, "Good morning, the bees are up.")
    bundle = ask(MIRA, "Good morning!")
    assert (bundle.items, bundle.text, bundle.verdict, bundle.degraded) == ((), "", Verdict.UNKNOWN, ())


@pytest.mark.parametrize(
    "query",
    ["\x00 bee\x00hives", "' or 1=1; drop table memory --", "\\ % _ & | ! : * ( )", "蜂 \ud800", "bee " * 10_000],
)
def test_any_query_is_answered(query: str, tell: Tell, ask: Ask) -> None:
    tell(MIRA, BEES)
    assert ask(MIRA, query).degraded == ()
    assert texts(ask(MIRA, "beehives")) == [BEES]


def test_recall_writes_nothing_and_could_not(
    tell: Tell, ask: Ask, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES, room="harbour", participants=["mira"])
    tell(MIRA, BAKERY, work=False)
    seen: list[dict[str, Any]] = []
    watermarks = ledger.watermarks

    def looked_at(session: Session) -> Any:
        seen.extend(
            session.rows(
                "select current_user as role, current_setting('transaction_read_only') as read_only, "
                "pg_current_xact_id_if_assigned() as written"
            )
        )
        return watermarks(session)

    monkeypatch.setattr(ledger, "watermarks", looked_at)
    before = contents(owner)
    assert len(ask(MIRA, "beehives bakery", explain=True).items) == 2
    assert contents(owner) == before
    assert seen == [{"role": "daybook_app", "read_only": "on", "written": None}]


def contents(owner: psycopg.Connection) -> dict[str, object]:
    """A digest of every table."""
    tables = owner.execute(
        "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1"
    ).fetchall()
    return {
        name: owner.execute(
            f'select count(*), sum(hashtextextended(row::text, 0)) from "{name}" row'.encode()
        ).fetchone()
        for (name,) in tables
    }


def test_the_model_is_at_work_while_the_query_is_planned_and_not_for_small_talk(
    tell: Tell, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES)
    begun, encode, planned = threading.Event(), HashEmbedder.encode_query, plan
    waited: list[bool] = []

    def noted(model: HashEmbedder, query: str) -> Any:
        begun.set()
        return encode(model, query)

    def late(*args: Any, **given: Any) -> Plan:
        waited.append(begun.wait(10))
        return planned(*args, **given)

    monkeypatch.setattr(HashEmbedder, "encode_query", noted)
    assert ask(MIRA, "Thank you!").reason == "small talk: nothing was asked"
    assert not begun.is_set()
    monkeypatch.setattr(_recall, "plan", late)
    assert texts(ask(MIRA, "Where are the beehives?")) == [BEES]
    assert waited == [True]
