"""What came of a recall: accepted like a run, written into the ledger, and counted for the memories it names."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

import warmpath
from coldpath.forget import erase, forget
from coldpath.replay import replay
from shared.accept.clean import digest_of
from shared.contract.errors import InvalidInput, InvalidScope
from shared.contract.events import OUTCOME, Event, message_id_on_its_way
from shared.contract.receipts import Outcome, Receipt, Stage, Work
from shared.contract.scope import Owner, Scope, room_owner
from shared.settings import Settings
from shared.store import ledger, receipts
from shared.store.db import Database, Role, Session
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Result, Services, serve

MIRA = Scope(tenant_id="acme", user_id="mira", agent_id="helper", session_id="monday")
OSKAR = Scope(tenant_id="acme", user_id="oskar")
KITCHEN = room_owner("kitchen")
TURN, OTHER_TURN = UUID(int=7), UUID(int=8)

WorkOff = Callable[[], list[Result]]
Uses = list[tuple[str, int, int]]


@pytest.fixture
def told(door: Door, work_off: WorkOff, owner: psycopg.Connection) -> Callable[..., list[UUID]]:
    """Observe texts, and give the ids of their memories."""

    def tell(scope: Scope, *texts: str, **more: Any) -> list[UUID]:
        door.observe(scope, [{"role": "user", "text": text} for text in texts], run_id=f"run-{uuid4()}", **more)
        work_off()
        rows = owner.execute("select text, memory_id from memory where text = any(%s)", [list(texts)])
        found: dict[str, UUID] = dict(rows.fetchall())
        return [found[text] for text in texts]

    return tell


@pytest.fixture
def uses(owner: psycopg.Connection) -> Callable[[], Uses]:
    """What is counted: owner, used, misled."""

    def read() -> Uses:
        query = "select user_id, used, misled from memory_use order by user_id, doc"
        return owner.execute(query).fetchall()

    return read


def appended(opened: Database, receipt: Receipt) -> Receipt:
    with opened.transaction(Role.READER, "acme", [receipt.owner], read_only=True) as session:
        found = receipts.of_subject(session, receipt.subject, Stage.APPEND)
    assert found is not None
    return found


def outcomes(opened: Database, owner: Owner = MIRA.owner) -> list[dict[str, Any]]:
    with opened.transaction(Role.READER, "acme", [owner], read_only=True) as session:
        return [event.payload or {} for event in ledger.read(session, owner) if event.kind == OUTCOME]


def is_as_the_ledger_says(opened: Database, owner: Owner) -> bool:
    found = replay(opened, "acme", owner, verify=True)
    assert found.differences == ()
    return found.is_equal


def test_an_outcome_is_accepted_written_and_counted(
    door: Door, told: Callable[..., list[UUID]], work_off: WorkOff, opened: Database, uses: Callable[[], Uses]
) -> None:
    bees, bread, cheese = told(MIRA, "I keep bees.", "I bake bread.", "I make cheese.")
    receipt = door.outcome(MIRA, TURN, used=[bees, str(bread)], misled=[cheese], corrected=True)
    assert (receipt.stage, receipt.outcome, receipt.run_id) == (Stage.OBSERVE, Outcome.ACCEPTED, str(TURN))
    assert receipt.counts == {"used": 2, "misled": 1}
    assert uses() == []
    work_off()
    done = appended(opened, receipt)
    assert (done.outcome, done.counts) == (Outcome.STORED, {"used": 2, "misled": 1, "refused": 0})
    assert uses() == [("mira", 1, 0), ("mira", 1, 0), ("mira", 0, 1)]
    said = {"turn_id": str(TURN), "used": [str(bees), str(bread)], "misled": [str(cheese)], "corrected": True}
    assert outcomes(opened) == [said]
    assert is_as_the_ledger_says(opened, MIRA.owner)


def test_the_same_outcome_again_is_answered_with_the_first_receipt_and_counts_once(
    door: Door, told: Callable[..., list[UUID]], work_off: WorkOff, opened: Database, uses: Callable[[], Uses]
) -> None:
    [bees] = told(MIRA, "I keep bees.")
    first = door.outcome(MIRA, TURN, used=[bees])
    work_off()
    again = door.outcome(MIRA, TURN, used=[bees, bees])
    work_off()
    assert (again.subject, again.repeated, first.repeated) == (first.subject, True, False)
    assert uses() == [("mira", 1, 0)]
    assert len(outcomes(opened)) == 1


def test_each_turn_counts_and_what_is_said_last_of_a_memory_in_a_turn_stands(
    door: Door, told: Callable[..., list[UUID]], work_off: WorkOff, opened: Database, uses: Callable[[], Uses]
) -> None:
    bees, bread = told(MIRA, "I keep bees.", "I bake bread.")
    door.outcome(MIRA, TURN, used=[bees, bread])
    door.outcome(MIRA, OTHER_TURN, used=[bees])
    work_off()
    assert uses() == [("mira", 2, 0), ("mira", 1, 0)]
    door.outcome(MIRA, TURN, misled=[bread])
    work_off()
    assert uses() == [("mira", 2, 0), ("mira", 0, 1)]
    assert is_as_the_ledger_says(opened, MIRA.owner)


@pytest.mark.parametrize("worked_off_between", [True, False])
def test_what_was_said_taken_back_and_said_again_stands_and_so_does_what_follows(
    door: Door,
    told: Callable[..., list[UUID]],
    work_off: WorkOff,
    opened: Database,
    uses: Callable[[], Uses],
    *,
    worked_off_between: bool,
) -> None:
    [bees] = told(MIRA, "I keep bees.")
    given: list[dict[str, Any]] = [{"used": [bees]}, {"misled": [bees]}, {"used": [bees]}, {"misled": [bees]}]
    subjects = set()
    for number, said in enumerate(given, 1):
        first, again = door.outcome(MIRA, TURN, **said), door.outcome(MIRA, TURN, **said)
        assert (first.repeated, again.repeated) == (False, True)
        assert again.subject == first.subject
        subjects.add(first.subject)
        if worked_off_between:
            work_off()
            assert uses() == [("mira", number % 2, 1 - number % 2)]
            assert door.outcome(MIRA, TURN, **said).repeated
    work_off()
    assert len(subjects) == len(given)
    assert uses() == [("mira", 0, 1)]
    assert len(outcomes(opened)) == len(given)
    assert is_as_the_ledger_says(opened, MIRA.owner)


def test_a_replacing_outcome_reads_no_event_but_those_of_its_turn_and_changes_no_other_memory(
    door: Door,
    told: Callable[..., list[UUID]],
    work_off: WorkOff,
    opened: Database,
    uses: Callable[[], Uses],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bees, bread = told(MIRA, "I keep bees.", "I bake bread.")
    door.outcome(MIRA, OTHER_TURN, used=[bees, bread])
    door.outcome(MIRA, TURN, used=[bees])
    work_off()
    asked: list[object] = []
    read = ledger.outcomes

    def noting(session: Session, run_ids: set[str] | None = None) -> list[Event]:
        asked.append(run_ids)
        return read(session, run_ids)

    monkeypatch.setattr(ledger, "outcomes", noting)
    door.outcome(MIRA, TURN, misled=[bees])
    work_off()
    assert asked == [{str(TURN)}]
    assert uses() == [("mira", 1, 1), ("mira", 1, 0)]
    assert is_as_the_ledger_says(opened, MIRA.owner)


def test_two_outcomes_of_a_turn_in_one_burst_come_to_what_was_said_last(
    door: Door, told: Callable[..., list[UUID]], work_off: WorkOff, opened: Database, uses: Callable[[], Uses]
) -> None:
    [bees] = told(MIRA, "I keep bees.")
    door.outcome(MIRA, TURN, misled=[bees])
    door.outcome(MIRA, TURN, used=[bees])
    door.outcome(MIRA, OTHER_TURN, used=[bees])
    work_off()
    assert uses() == [("mira", 2, 0)]
    assert is_as_the_ledger_says(opened, MIRA.owner)


def test_memories_of_others_and_of_nobody_are_refused_and_the_receipt_says_how_many(
    door: Door, told: Callable[..., list[UUID]], work_off: WorkOff, opened: Database, uses: Callable[[], Uses]
) -> None:
    [bees] = told(MIRA, "I keep bees.")
    [secret] = told(OSKAR, "I dislike bees.")
    some = door.outcome(MIRA, TURN, used=[bees, secret], misled=[uuid4()])
    none = door.outcome(MIRA, OTHER_TURN, used=[secret])
    work_off()
    assert appended(opened, some).counts == {"used": 1, "misled": 0, "refused": 2}
    assert "2 memories" in appended(opened, some).reason
    refused = appended(opened, none)
    assert (refused.outcome, refused.counts["refused"]) == (Outcome.IGNORED, 1)
    assert uses() == [("mira", 1, 0)]
    assert str(secret) not in str(outcomes(opened))


def test_an_answer_that_was_not_given_is_an_outcome_without_memories(
    door: Door, told: Callable[..., list[UUID]], work_off: WorkOff, opened: Database
) -> None:
    told(MIRA, "I keep bees.")
    receipt = door.outcome(MIRA, TURN, abstained=True)
    work_off()
    assert appended(opened, receipt).outcome == Outcome.STORED
    assert outcomes(opened) == [{"turn_id": str(TURN), "abstained": True}]
    assert is_as_the_ledger_says(opened, MIRA.owner)


def test_what_is_said_of_a_rooms_memory_goes_into_the_rooms_stream(
    door: Door, told: Callable[..., list[UUID]], work_off: WorkOff, opened: Database, uses: Callable[[], Uses]
) -> None:
    [bees] = told(MIRA, "I keep bees.")
    [soup] = told(MIRA, "We cook soup.", room="kitchen", participants=["mira", "oskar"])
    receipt = door.outcome(MIRA, TURN, used=[bees, soup], corrected=True)
    assert (receipt.owner, receipt.counts) == ("mira", {"used": 2, "misled": 0})
    work_off()
    assert uses() == [("mira", 1, 0), (KITCHEN, 1, 0)]
    assert outcomes(opened) == [{"turn_id": str(TURN), "used": [str(bees)], "corrected": True}]
    assert outcomes(opened, KITCHEN) == [{"turn_id": str(TURN), "used": [str(soup)]}]
    assert is_as_the_ledger_says(opened, KITCHEN)


def test_a_room_that_somebody_takes_no_part_in_is_not_theirs_to_report_of(
    door: Door, told: Callable[..., list[UUID]], work_off: WorkOff, opened: Database, uses: Callable[[], Uses]
) -> None:
    [soup] = told(MIRA, "We cook soup.", room="kitchen", participants=["mira"])
    receipt = door.outcome(OSKAR, TURN, used=[soup])
    work_off()
    assert appended(opened, receipt).counts["refused"] == 1
    assert uses() == []


@pytest.mark.parametrize("erase_content", [True, False])
def test_a_forgotten_memory_takes_its_count_along_and_a_late_outcome_of_it_is_refused(
    door: Door,
    told: Callable[..., list[UUID]],
    work_off: WorkOff,
    opened: Database,
    uses: Callable[[], Uses],
    *,
    erase_content: bool,
) -> None:
    bees, bread = told(MIRA, "I keep bees.", "I bake bread.")
    door.outcome(MIRA, TURN, used=[bees, bread])
    work_off()
    late = door.outcome(MIRA, OTHER_TURN, used=[bees])
    forget(opened, MIRA, bees, erase_content=erase_content)
    work_off()
    assert uses() == [("mira", 1, 0)]
    assert appended(opened, late).counts["refused"] == 1
    assert is_as_the_ledger_says(opened, MIRA.owner)


def test_who_is_erased_takes_their_outcomes_along_those_in_rooms_and_on_their_way_too(
    door: Door,
    told: Callable[..., list[UUID]],
    work_off: WorkOff,
    opened: Database,
    uses: Callable[[], Uses],
    owner: psycopg.Connection,
) -> None:
    told(MIRA, "I keep bees.")
    [soup] = told(OSKAR, "We cook soup.", room="kitchen", participants=["mira", "oskar"])
    door.outcome(MIRA, TURN, used=[soup])
    door.outcome(OSKAR, OTHER_TURN, used=[soup])
    work_off()
    assert uses() == [(KITCHEN, 2, 0)]
    door.outcome(MIRA, UUID(int=9), misled=[soup])
    erase(opened, Scope(tenant_id="acme", user_id="mira"))
    work_off()
    assert uses() == [(KITCHEN, 1, 0)]
    assert [each["turn_id"] for each in outcomes(opened, KITCHEN) if each] == [str(OTHER_TURN)]
    assert is_as_the_ledger_says(opened, KITCHEN)
    assert is_as_the_ledger_says(opened, MIRA.owner)
    held = owner.execute("select count(*) from inbox where payload like '%%mira%%'").fetchone()
    assert held == (0,)


def test_a_rebuild_writes_the_counts_anew(
    door: Door,
    told: Callable[..., list[UUID]],
    work_off: WorkOff,
    opened: Database,
    uses: Callable[[], Uses],
    owner: psycopg.Connection,
) -> None:
    bees, bread = told(MIRA, "I keep bees.", "I bake bread.")
    door.outcome(MIRA, TURN, used=[bees], misled=[bread])
    work_off()
    before = uses()
    owner.execute("update memory_use set used = used + 1")
    damaged = replay(opened, "acme", MIRA.owner, verify=True)
    assert {(each.table, each.column) for each in damaged.differences} >= {("memory_use", "used")}
    assert not damaged.is_equal
    owner.execute("delete from memory_use where doc = 2")
    assert ("memory_use", "missing") in {
        (each.table, each.column) for each in replay(opened, "acme", MIRA.owner, verify=True).differences
    }
    replay(opened, "acme", MIRA.owner, verify=False)
    assert uses() == before
    assert is_as_the_ledger_says(opened, MIRA.owner)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({}, "at least one of"),
        ({"used": "m1"}, "must be a list"),
        ({"used": ["no id"]}, "is no id"),
        ({"used": [TURN], "misled": [TURN]}, "misled"),
        ({"used": [UUID(int=n) for n in range(1001)]}, "limit is 1000"),
        ({"used": ["m3"]}, "was not logged"),
        ({"corrected": "no"}, "must be True or False"),
    ],
)
def test_an_outcome_that_does_not_fit_is_refused_and_says_why(door: Door, given: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason):
        door.outcome(MIRA, TURN, **given)


def test_a_turn_that_is_none_and_a_scope_that_is_none_are_refused(door: Door) -> None:
    with pytest.raises(InvalidInput, match="turn_id"):
        door.outcome(MIRA, "yesterday's", abstained=True)
    with pytest.raises(InvalidScope):
        door.outcome("mira", TURN, abstained=True)  # type: ignore[arg-type]


@pytest.mark.usefixtures("embedder")
def test_with_inline_mode_an_outcome_is_counted_when_it_returns(
    environment: Settings, told: Callable[..., list[UUID]], uses: Callable[[], Uses]
) -> None:
    [bees] = told(MIRA, "I keep bees.")
    warmpath.outcome(MIRA, TURN, used=[bees])
    asyncio.run(warmpath.aoutcome(MIRA, OTHER_TURN, misled=[bees]))
    assert uses() == [("mira", 1, 1)]


def test_an_outcome_in_the_burst_of_the_messages_that_it_names_finds_their_memories(
    door: Door, services: Services, opened: Database, uses: Callable[[], Uses], owner: psycopg.Connection
) -> None:
    first = door.observe(MIRA, [{"id": "m1", "text": "I keep bees."}, {"id": "m2", "text": ""}], run_id="run-1")
    said = [("m1", "I keep bees."), ("m2", "")]
    bees, nothing = (
        message_id_on_its_way("acme", "user:mira", message_id, digest_of(text)) for message_id, text in said
    )
    report = door.outcome(MIRA, TURN, used=[bees], misled=[nothing])
    work = Work(tenant_id="acme", owner=MIRA.owner, inbox_id=first.subject)
    assert len(serve(services, Stage.APPEND, STAGES[Stage.APPEND], work)) == 2
    assert appended(opened, report).counts == {"used": 1, "misled": 0, "refused": 1}
    assert uses() == [("mira", 1, 0)]
    assert is_as_the_ledger_says(opened, MIRA.owner)
