"""Invariant 10: forgetting wins over whoever is at work, and reaches whatever was made from what is forgotten."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from uuid import UUID

import psycopg
import pytest

from coldpath.forget import erase, forget
from coldpath.reembed import fill
from coldpath.reindex import Pass, reindex
from coldpath.replay import replay, replay_streams
from hotpath import recall
from shared.contract.candidates import ANSWER
from shared.contract.errors import NotFound
from shared.contract.events import EventClass, NewEvent, memory_id
from shared.contract.operations import AbstractPayload, AddPayload, CorroboratePayload, Payload, WrittenEntry, as_json
from shared.contract.receipts import Receipt, Stage, Work
from shared.contract.records import EpistemicType, EvidenceRef, Kind
from shared.contract.scope import Owner, Scope
from shared.models._vectors import Vectors
from shared.store import decisions, inbox, ledger
from shared.store.db import Database, Role
from shared.testing import HashEmbedder, RecordingBell
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Result, Services, perform

MIRA = Scope(tenant_id="acme", user_id="mira")
LOCKER = "My locker has the number 4471."
PATIENCE_S = 60.0

WorkOff = Callable[[], list[Result]]


def said(text: str, message_id: str | None = None) -> dict[str, object]:
    return {"id": message_id, "role": "user", "ts": "2025-03-04T09:00Z", "text": text}


def held(owner: psycopg.Connection, text: str) -> UUID:
    """The id of the memory of a text that is open."""
    [(found,)] = owner.execute("select memory_id from memory where text = %s and closed_at is null", [text]).fetchall()
    return UUID(str(found))


def count(owner: psycopg.Connection, table: str) -> int:
    return int((owner.execute(f"select count(*) from {table}".encode()).fetchone() or (0,))[0])


def sound(opened: Database, owner: str = "mira") -> None:
    found = replay(opened, "acme", Owner(owner), verify=True)
    assert found.differences == ()
    assert found.is_equal


# Over whoever is at work.


def test_a_worker_that_is_within_its_transaction_is_waited_for_and_what_it_did_is_erased(
    door: Door, services: Services, bell: RecordingBell, opened: Database, owner: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    door.observe(MIRA, [said(LOCKER)], run_id="run-1")
    _, work = bell.rung[0]
    inside, go_on = threading.Event(), threading.Event()
    write = decisions.write

    def slow(*args: object, **more: object) -> None:
        inside.set()
        assert go_on.wait(PATIENCE_S)
        write(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr("warmpath.append.decisions.write", slow)
    with ThreadPoolExecutor(2) as threads:
        worker = threads.submit(perform, services, Stage.APPEND, STAGES[Stage.APPEND], work)
        assert inside.wait(PATIENCE_S)
        eraser = threads.submit(erase, opened, MIRA)
        waits_for_a_lock(owner)
        go_on.set()
        assert worker.result(PATIENCE_S) is not None
        assert eraser.result(PATIENCE_S).memories == 1
    assert (count(owner, "memory"), count(owner, "inbox"), count(owner, "posting")) == (0, 0, 0)
    sound(opened)


@pytest.mark.parametrize("erase_content", [False, True])
def test_an_echo_on_its_way_does_not_bring_the_words_back(
    door: Door, opened: Database, owner: psycopg.Connection, work_off: WorkOff, *, erase_content: bool
) -> None:
    me = dataclasses.replace(MIRA, session_id="monday")
    door.observe(me, [said(LOCKER)], run_id="run-1")
    work_off()
    door.observe(me, [said(LOCKER), said("I keep two beehives.")], run_id="run-2")
    found = forget(opened, MIRA, held(owner, LOCKER), erase_content=erase_content)
    assert (found.messages, found.erased) == (2, 2 if erase_content else 0)
    assert [item.text for item in recall(MIRA, "locker code beehives", deadline_ms=60_000).items] == [
        "I keep two beehives."
    ]
    [(left,)] = owner.execute("select count(*) from inbox where payload like '%4471%'").fetchall()
    assert left == (0 if erase_content else 1)
    work_off()
    assert owner.execute("select text from memory where closed_at is null").fetchall() == [("I keep two beehives.",)]
    [(left,)] = owner.execute("select count(*) from event_payload where payload::text like '%4471%'").fetchall()
    assert left == (0 if erase_content else 2)
    sound(opened)


def test_of_a_message_on_its_way_the_echo_on_its_way_is_forgotten_too(
    door: Door, opened: Database, owner: psycopg.Connection, work_off: WorkOff
) -> None:
    me = dataclasses.replace(MIRA, session_id="monday")
    first = door.observe(me, [said(LOCKER)], run_id="run-1")
    door.observe(me, [said(LOCKER)], run_id="run-2")
    assert forget(opened, MIRA, first.subject).messages == 2
    work_off()
    assert count(owner, "memory") == 0
    sound(opened)


def test_what_another_says_in_the_room_in_the_same_words_is_remembered(
    door: Door, opened: Database, owner: psycopg.Connection, work_off: WorkOff
) -> None:
    def tell(speaker: str, run_id: str) -> Receipt:
        scope = Scope(tenant_id="acme", user_id=speaker, session_id="monday")
        message = {"role": "user", "speaker": speaker, "text": LOCKER}
        return door.observe(scope, [message], run_id=run_id, room="kitchen", participants=["mira", "oskar"])

    tell("mira", "run-1")
    work_off()
    tell("oskar", "run-2")
    tell("mira", "run-3")
    assert forget(opened, MIRA, held(owner, LOCKER), erase_content=True).messages == 2
    work_off()
    assert owner.execute("select speaker from memory where closed_at is null").fetchall() == [("oskar",)]
    sound(opened, "room:kitchen")


def test_a_delivery_to_a_room_loses_what_one_said_oneself_and_nothing_else(
    door: Door, opened: Database, owner: psycopg.Connection, work_off: WorkOff
) -> None:
    messages = [{"role": "user", "speaker": who, "text": f"{who} likes tea."} for who in ("mira", "oskar")]
    sent = door.observe(MIRA, messages, run_id="run-1", room="kitchen", participants=["mira", "oskar"])
    assert forget(opened, MIRA, sent.subject, erase_content=True).messages == 1
    work_off()
    assert owner.execute("select text from memory").fetchall() == [("oskar likes tea.",)]
    sound(opened, "room:kitchen")


def waits_for_a_lock(owner: psycopg.Connection) -> None:
    query = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    for _ in range(1000):
        if owner.execute(query).fetchone():
            return
        threading.Event().wait(0.01)
    raise AssertionError("nobody waits")


def test_a_worker_that_has_claimed_and_not_begun_finds_nothing_to_do(
    door: Door, services: Services, bell: RecordingBell, opened: Database, owner: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    door.observe(MIRA, [said(LOCKER)], run_id="run-1")
    _, work = bell.rung[0]
    claim = inbox.claim

    def claim_and_erase(*args: object, **more: object) -> object:
        claimed = claim(*args, **more)  # type: ignore[arg-type]
        erase(opened, MIRA)
        return claimed

    monkeypatch.setattr("warmpath._work.inbox.claim", claim_and_erase)
    assert perform(services, Stage.APPEND, STAGES[Stage.APPEND], work) is None
    assert (count(owner, "memory"), count(owner, "inbox"), count(owner, "receipt")) == (0, 0, 0)
    assert count(owner, "event where event_class = 'evidence'") == 1, "its identity is kept"
    sound(opened)


@pytest.mark.parametrize("everything", [False, True])
def test_what_is_forgotten_while_it_is_being_embedded_gets_no_vector(
    door: Door,
    services: Services,
    bell: RecordingBell,
    opened: Database,
    owner: psycopg.Connection,
    *,
    everything: bool,
) -> None:
    class Slow(HashEmbedder):
        def encode_documents(self, texts: Sequence[str]) -> Vectors:
            if everything:
                erase(opened, MIRA)
            else:
                forget(opened, MIRA, held(owner, LOCKER))
            return super().encode_documents(texts)

    door.observe(MIRA, [said(LOCKER), said("I keep two beehives.")], run_id="run-1")
    slow = dataclasses.replace(services, embedder=Slow)
    while bell.rung:
        stage, work = bell.rung.pop(0)
        perform(slow, stage, STAGES[stage], work)
    assert count(owner, "memory_vector") == (0 if everything else 1)
    sound(opened)


def test_a_build_that_is_under_way_is_forgotten_from_and_counts_on_after_an_erasure(
    door: Door, work_off: WorkOff, opened: Database, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coldpath.reindex.PORTION", 2)
    door.observe(MIRA, [said(f"Note {number} on the hive.") for number in range(6)], run_id="run-1")
    work_off()
    stopped = Pass(stop=iter([False, False, True]).__next__)
    assert not reindex(opened, "acme", stopped).finished
    for number in (1, 5):
        forget(opened, MIRA, held(owner, f"Note {number} on the hive."))
    assert reindex(opened, "acme", Pass()).finished
    sound(opened)
    assert not reindex(opened, "acme", Pass(stop=iter([False, True]).__next__)).finished
    erase(opened, MIRA)
    door.observe(MIRA, [said("A new hive.")], run_id="run-2")
    work_off()
    sound(opened)
    assert reindex(opened, "acme", Pass()).finished
    sound(opened)
    live = "(select live from generation where view = 'sparse')"
    assert count(owner, f"sparse_stream where documents <> 1 and generation = {live}") == 0


ROUNDS = 6


def observe_and_work(services: Services, user: str) -> None:
    """An agent and its worker: every other run goes into a room."""
    bell = RecordingBell()
    mine = dataclasses.replace(services, bell=bell)
    own, everybody = Scope(tenant_id="acme", user_id=user), Scope.tenant_wide("acme")
    for number in range(ROUNDS):
        spoken = {**said(f"Note {number} of {user} on the hive."), "speaker": user}
        if number % 2:
            run_id, people = f"{user}-{number}", ["mira", "oskar"]
            Door(mine).observe(everybody, [spoken], run_id=run_id, room="kitchen", participants=people)
        else:
            Door(mine).observe(own, [spoken], run_id=f"{user}-{number}")
        do_all(mine, bell)


def erase_again_and_again(opened: Database, user: str) -> None:
    for _ in range(ROUNDS):
        with suppress(NotFound):
            erase(opened, Scope(tenant_id="acme", user_id=user))


def forget_what_there_is(opened: Database, owner: psycopg.Connection) -> None:
    for _ in range(ROUNDS):
        for memory, user in owner.execute("select memory_id, user_id from memory limit 2").fetchall():
            with suppress(NotFound):  # erased meanwhile, or somebody else said it
                scope = Scope(tenant_id="acme", user_id="mira" if user.startswith("room:") else user)
                forget(opened, scope, memory)


def rebuild(opened: Database) -> None:
    for _ in range(ROUNDS // 2):
        reindex(opened, "acme", Pass())
        for user in ("mira", "room:kitchen"):
            replay(opened, "acme", Owner(user), verify=False)


def test_with_everybody_at_work_at_once_nobody_waits_for_ever_and_all_is_equal(
    services: Services, opened: Database, owner: psycopg.Connection
) -> None:
    with ThreadPoolExecutor(6) as threads:
        jobs = [threads.submit(observe_and_work, services, user) for user in ("mira", "oskar")]
        jobs += [threads.submit(erase_again_and_again, opened, user) for user in ("mira", "oskar")]
        jobs += [threads.submit(forget_what_there_is, opened, owner), threads.submit(rebuild, opened)]
        for job in jobs:
            job.result(PATIENCE_S)
    do_what_waits(services, owner)
    assert count(owner, "inbox where state <> 'done'") == 0
    for each in replay_streams(opened, "acme", verify=True):
        assert each.differences == ()
        assert each.is_equal


def do_what_waits(services: Services, owner: psycopg.Connection) -> None:
    owner.execute("update inbox set lease_until = null, attempts = 0")
    bell = RecordingBell()
    for tenant, user, inbox_id, stage in owner.execute(
        "select tenant_id, user_id, inbox_id, stage from inbox where state = 'waiting'"
    ).fetchall():
        bell.ring(Stage(stage), Work(tenant_id=tenant, owner=Owner(user), inbox_id=inbox_id))
    do_all(dataclasses.replace(services, bell=bell), bell)


def do_all(services: Services, bell: RecordingBell) -> None:
    while bell.rung:
        stage, work = bell.rung.pop(0)
        perform(services, stage, STAGES[stage], work)


# What was made from it.


@pytest.fixture
def believed(door: Door, work_off: WorkOff, opened: Database) -> dict[str, UUID]:
    """Beliefs in words of their own, made from messages 1 and 2 and confirmed by 3; and a summary of both."""
    texts = [LOCKER, "The locker is by the door.", "4471, as I said.", "I keep two beehives."]
    for number, text in enumerate(texts, 1):
        door.observe(MIRA, [said(text, f"m{number}")], run_id=f"run-{number}")
    work_off()
    found: dict[str, UUID] = {}
    with opened.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        head = ledger.lock(session, MIRA.owner)
        evidence = [row["sequence"] for row in ledger.with_content(session, MIRA.owner, EventClass.EVIDENCE)]

        def do(payload: Payload) -> UUID:
            nonlocal head
            operation = NewEvent(event_class=EventClass.OPERATION, kind=payload.op, payload=as_json(payload))
            (event,), head = ledger.append(session, head, [operation])
            return memory_id("acme", head.stream, event.sequence, 0)

        found["code"] = do(AddPayload(reason="resolved", entries=(written("The code is 4471.", *evidence[:1]),)))
        found["bees"] = do(AddPayload(reason="resolved", entries=(written("Keeps bees.", evidence[3]),)))
        confirmed = EvidenceRef(sequence=evidence[2])
        do(CorroboratePayload(reason="said_again", memory=found["code"], evidence=(confirmed,), confidence=0.7))
        found["summary"] = do(
            AbstractPayload(
                reason="compressed",
                sources=(found["code"], found["bees"]),
                entry=written("4471 and bees.", evidence[0], evidence[2], evidence[3]),
            )
        )
        derivation = NewEvent(event_class=EventClass.DERIVATION, kind=ANSWER, payload={"quote": "4471"}, run_id="run-1")
        _, head = ledger.append(session, head, [derivation])
        ledger.advance(session, head)
    replay(opened, "acme", MIRA.owner, verify=False)
    fill(opened, HashEmbedder(), "acme", Pass())
    sound(opened)
    return found


def written(text: str, *evidence: int) -> WrittenEntry:
    return WrittenEntry(
        kind=Kind.SEMANTIC,
        epistemic_type=EpistemicType.FACT,
        text=text,
        evidence=tuple(EvidenceRef(sequence=sequence) for sequence in evidence),
        confidence=0.5,
    )


def test_what_was_made_from_it_goes_and_what_it_only_confirmed_is_held_with_less(
    believed: dict[str, UUID], opened: Database, owner: psycopg.Connection
) -> None:
    confirmation = held(owner, "4471, as I said.")
    receipt = forget(opened, MIRA, confirmation)
    assert set(receipt.forgotten) == {confirmation, believed["summary"]}
    assert receipt.revised == (believed["code"],)
    versions = owner.execute(
        "select version, closed_at is null, confidence from memory where memory_id = %s order by 1", [believed["code"]]
    ).fetchall()
    assert versions == [(1, False, 0.5), (2, False, 0.7), (3, True, 0.5)]
    sound(opened)
    receipt = forget(opened, MIRA, held(owner, LOCKER))
    assert believed["code"] in receipt.forgotten
    assert {text for (text,) in owner.execute("select text from memory where closed_at is null")} == {
        "The locker is by the door.",
        "I keep two beehives.",
        "Keeps bees.",
    }
    sound(opened)
    assert replay(opened, "acme", MIRA.owner, verify=False).mended == 0


def test_with_its_content_every_text_and_answer_made_from_it_is_erased_in_the_ledger_too(
    believed: dict[str, UUID], opened: Database, owner: psycopg.Connection
) -> None:
    forget(opened, MIRA, held(owner, LOCKER), erase_content=True)
    kept = [payload for (payload,) in owner.execute("select payload from event_payload") if "4471" in payload]
    assert ["as I said" in payload for payload in kept] == [True], "that was said by itself"
    sound(opened)
    forget(opened, MIRA, held(owner, "4471, as I said."), erase_content=True)
    assert not [1 for (payload,) in owner.execute("select payload from event_payload") if "4471" in payload]
    sound(opened)


def test_a_text_of_a_memory_forgotten_before_is_erased_with_any_of_its_evidence(
    believed: dict[str, UUID], opened: Database, owner: psycopg.Connection
) -> None:
    forget(opened, MIRA, believed["summary"])
    assert {text for (text,) in owner.execute("select text from memory")} == {"The locker is by the door."}
    assert erase(opened, MIRA).memories == 1
    texts = [payload for (payload,) in owner.execute("select payload from event_payload where user_id = 'mira'")]
    assert not [payload for payload in texts if "bees" in payload or "4471" in payload or "door" in payload]
    sound(opened)


def test_erasing_a_user_leaves_no_belief_summary_or_answer(
    believed: dict[str, UUID], opened: Database, owner: psycopg.Connection
) -> None:
    assert erase(opened, MIRA).memories == 7
    left = (
        "event join event_payload using (tenant_id, stream, sequence) where event_class in ('evidence', 'derivation')"
    )
    assert count(owner, left) == 0
    assert {text for (text,) in owner.execute("select payload from event_payload") if "4471" in text} == set()
    sound(opened)
