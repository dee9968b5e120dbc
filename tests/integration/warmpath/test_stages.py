"""Invariants 3, 4, 6 and 14: accepted is durable, delivery has one effect, and every stage leaves a receipt."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import psycopg
import pytest

from coldpath.forget import forget
from shared.contract.errors import ConflictingMessage, DatabaseUnavailable, InvalidScope
from shared.contract.receipts import Outcome, Stage, Work
from shared.contract.scope import Scope
from shared.models import embedder as configured_embedder
from shared.models._vectors import Vectors
from shared.settings import load
from shared.store import receipts
from shared.store.db import Database, Role
from shared.testing import HashEmbedder, RecordingBell
from warmpath import append, index, sweep
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Result, Services, perform

MIRA = Scope(tenant_id="acme", user_id="mira")
BEES = {"id": "m1", "role": "user", "ts": "2025-03-04T09:00Z", "text": "I keep two beehives behind the garage."}
BAKERY = {"id": "m2", "role": "user", "ts": "2025-03-04T09:01Z", "text": "I start at the bakery on Monday."}

WorkOff = Callable[[], list[Result]]


def count(owner: psycopg.Connection, table: str) -> int:
    row = owner.execute(f"select count(*) from {table}".encode()).fetchone()
    assert row is not None
    return int(row[0])


def outcomes(opened: Database, run_id: str) -> list[tuple[Stage, Outcome]]:
    with opened.transaction(Role.READER, "acme", [MIRA.owner]) as session:
        return [(receipt.stage, receipt.outcome) for receipt in receipts.of_run(session, run_id)]


def test_a_run_goes_through_every_stage_and_leaves_a_receipt_at_each(
    door: Door, work_off: WorkOff, opened: Database, owner: psycopg.Connection
) -> None:
    receipt = door.observe(MIRA, [BEES, {"role": "user", "text": "  "}, BAKERY], run_id="run-7")
    assert (receipt.outcome, receipt.counts["messages"]) == (Outcome.ACCEPTED, 3)
    appended, _, indexed = work_off()
    assert appended.counts == {"messages": 3, "repeated": 0, "ignored": 1, "episodes": 2}
    assert indexed.counts == {"vectors": 2}
    assert outcomes(opened, "run-7") == [
        (Stage.OBSERVE, Outcome.ACCEPTED),
        (Stage.APPEND, Outcome.STORED),
        (Stage.GATE, Outcome.PASSED),
        (Stage.INDEX, Outcome.INDEXED),
    ]
    assert owner.execute("select state, payload from inbox").fetchall() == [("done", None)]
    assert count(owner, "event") == 4, "three messages and the operation that opens two memories"
    assert {rule for (rule,) in owner.execute("select rule from decision").fetchall()} >= {"blank"}


def test_the_same_run_again_is_answered_with_the_first_receipt(
    door: Door, work_off: WorkOff, owner: psycopg.Connection
) -> None:
    first = door.observe(MIRA, [BEES], run_id="run-7")
    work_off()
    again = door.observe(MIRA, [BEES], run_id="run-7")
    assert again.repeated
    assert (again.subject, again.finished_at) == (first.subject, first.finished_at)
    assert work_off() == []
    assert count(owner, "memory") == 1


def test_a_message_that_another_run_brings_again_is_not_new(
    door: Door, work_off: WorkOff, owner: psycopg.Connection
) -> None:
    door.observe(MIRA, [BEES], run_id="run-7")
    work_off()
    door.observe(MIRA, [BEES, BAKERY], run_id="run-8")
    appended, *_ = work_off()
    assert (appended.counts["repeated"], appended.counts["episodes"]) == (1, 1)
    assert count(owner, "memory") == 2


def test_another_text_under_an_id_of_the_same_run_is_refused_and_nothing_written(
    door: Door, owner: psycopg.Connection
) -> None:
    door.observe(MIRA, [BEES], run_id="run-7")
    with pytest.raises(ConflictingMessage, match="'m1' of run 'run-7'"):
        door.observe(MIRA, [{**BEES, "text": "I keep three beehives."}], run_id="run-7")
    assert count(owner, "inbox") == 1


def test_another_run_may_use_an_id_for_another_text(door: Door, work_off: WorkOff, owner: psycopg.Connection) -> None:
    door.observe(MIRA, [BEES], run_id="run-7")
    door.observe(MIRA, [{**BEES, "text": "I keep three beehives."}], run_id="run-8")
    work_off()
    assert count(owner, "memory") == 2


def test_a_stage_that_is_delivered_three_times_has_one_effect(
    door: Door, services: Services, bell: RecordingBell, owner: psycopg.Connection
) -> None:
    door.observe(MIRA, [BEES, BAKERY], run_id="run-7")
    rung = list(bell.rung)
    while rung:
        stage, work = rung.pop(0)
        bell.rung.clear()
        for _ in range(3):
            perform(services, stage, STAGES[stage], work)
        rung = list(bell.rung)
    assert (count(owner, "memory"), count(owner, "memory_vector"), count(owner, "receipt")) == (2, 2, 4)


class Killed(BaseException):
    """As when a process dies: nothing of ours catches it."""


def test_a_worker_that_dies_before_its_commit_leaves_nothing_and_the_sweep_finds_the_run(
    door: Door, services: Services, bell: RecordingBell, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    door.observe(MIRA, [BEES], run_id="run-7")
    (stage, work) = bell.rung.pop()

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(append, "finish", die)
        with pytest.raises(Killed):
            perform(services, stage, append.run, work)
    assert (count(owner, "event"), count(owner, "memory")) == (0, 0)
    assert perform(services, stage, append.run, work) is None, "the dead worker's lease still holds"
    owner.execute("update inbox set lease_until = now() - interval '1 s', changed_at = now() - interval '1 hour'")
    assert sweep.run(services) == 1
    assert bell.rung == [(Stage.APPEND, work)]
    assert perform(services, stage, append.run, work) is not None
    assert count(owner, "memory") == 1


def test_what_the_broker_never_heard_of_is_found_by_the_sweep(
    door: Door, services: Services, bell: RecordingBell, owner: psycopg.Connection
) -> None:
    door.observe(MIRA, [BEES], run_id="run-7")
    bell.rung.clear()
    assert sweep.run(services) == 0, "it may still be on its way"
    owner.execute("update inbox set changed_at = now() - interval '1 hour'")
    assert sweep.run(services) == 1
    assert [stage for stage, _ in bell.rung] == [Stage.APPEND]


def test_where_the_stored_vectors_are_of_another_model_a_run_is_deferred_and_nothing_embedded(
    door: Door, services: Services, work_off: WorkOff, bell: RecordingBell, opened: Database, owner: psycopg.Connection
) -> None:
    class Unasked(HashEmbedder):
        def encode_documents(self, texts: Sequence[str]) -> Vectors:
            raise AssertionError(texts)

    door.observe(MIRA, [BEES], run_id="run-7")
    work_off()
    other = dataclasses.replace(services, embedder=lambda: Unasked(name="other"))
    Door(other).observe(MIRA, [BAKERY], run_id="run-8")
    while bell.rung:
        stage, work = bell.rung.pop(0)
        result = perform(other, stage, STAGES[stage], work)
    assert result is not None
    assert (result.outcome, result.counts) == (Outcome.DEFERRED, {"vectors": 0})
    assert "daybook reembed" in result.reason
    assert outcomes(opened, "run-8")[-1] == (Stage.INDEX, Outcome.DEFERRED)
    assert count(owner, "memory_vector") == 1
    assert owner.execute("select distinct state from inbox").fetchall() == [("done",)]


def test_another_models_vectors_that_come_between_are_found_before_storing(
    door: Door, services: Services, bell: RecordingBell, owner: psycopg.Connection
) -> None:
    class Slow(HashEmbedder):
        def encode_documents(self, texts: Sequence[str]) -> Vectors:
            owner.execute(
                "insert into generation (tenant_id, view, live, model_id, changed_at) values "
                "('acme', 'dense', 1, 'another', now())"
            )
            return super().encode_documents(texts)

    slow = dataclasses.replace(services, embedder=Slow)
    door.observe(MIRA, [BEES], run_id="run-7")
    while bell.rung:
        stage, work = bell.rung.pop(0)
        result = perform(slow, stage, STAGES[stage], work)
    assert result is not None
    assert result.outcome is Outcome.DEFERRED
    assert count(owner, "memory_vector") == 0


def test_with_postgres_away_observe_says_that_nothing_was_accepted(bell: RecordingBell) -> None:
    away = Database("postgresql://daybook:x@127.0.0.1:1/daybook", pool_size=1, connect_timeout_s=0.5)
    services = Services(database=away, settings=load(), bell=bell, embedder=HashEmbedder)
    with pytest.raises(DatabaseUnavailable, match="Postgres"):
        Door(services).observe(MIRA, [BEES], run_id="run-7")
    assert bell.rung == []
    away.close()


def test_messages_to_workers_carry_ids_alone(door: Door, bell: RecordingBell) -> None:
    door.observe(MIRA, [BEES], run_id="run-7")
    ((_, work),) = bell.rung
    assert {field.name for field in dataclasses.fields(Work)} == {"tenant_id", "owner", "inbox_id"}
    assert "beehives" not in repr(work)


def test_who_takes_no_part_in_a_room_cannot_write_himself_into_it(door: Door, owner: psycopg.Connection) -> None:
    alice, mallory = (Scope(tenant_id="acme", user_id=user) for user in ("alice", "mallory"))
    door.observe(alice, [BEES], run_id="run-1", room="kitchen", participants=["alice", "bob"])
    with pytest.raises(InvalidScope, match="'mallory' takes no part in room 'kitchen'"):
        door.observe(mallory, [BAKERY], run_id="run-2", room="kitchen", participants=["mallory"])
    assert owner.execute("select user_id from participant order by 1").fetchall() == [("alice",), ("bob",)]
    door.observe(alice, [BAKERY], run_id="run-3", room="kitchen", participants=["alice", "bob", "mallory"])
    door.observe(mallory, [BEES], run_id="run-4", room="kitchen", participants=["mallory", "alice"])
    assert count(owner, "participant") == 3


def test_who_starts_with_another_model_than_the_stored_vectors_are_of_is_told(
    services: Services, owner: psycopg.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    index.warn_of_other_models(services)
    owner.execute(
        "insert into generation (tenant_id, view, live, model_id, changed_at) values (%s, %s, 1, %s, now())",
        ["acme", "dense", configured_embedder(services.settings).model.key],
    )
    index.warn_of_other_models(services)
    assert caplog.messages == []
    owner.execute("update generation set model_id = 'minilm-int8@another/384'")
    index.warn_of_other_models(services)
    assert "minilm-int8@another/384" in caplog.text
    assert "daybook reembed" in caplog.text


def test_a_receipt_counts_the_vectors_that_were_stored_not_those_that_were_lacking(
    door: Door, services: Services, bell: RecordingBell, opened: Database, owner: psycopg.Connection
) -> None:
    class ForgottenMeanwhile(HashEmbedder):
        def encode_documents(self, texts: Sequence[str]) -> Vectors:
            newest = owner.execute("select memory_id from memory order by doc desc limit %s", [gone]).fetchall()
            for (memory_id,) in newest:
                forget(opened, MIRA, memory_id)
            return super().encode_documents(texts)

    mine = dataclasses.replace(services, embedder=ForgottenMeanwhile)
    results = []
    for gone in (1, 2):
        door.observe(
            MIRA, [{**BEES, "text": f"{gone} hives."}, {**BAKERY, "text": f"{gone} ovens."}], run_id=f"run-{gone}"
        )
        while bell.rung:
            stage, work = bell.rung.pop(0)
            results.append(perform(mine, stage, STAGES[stage], work))
    indexed = [result for result in results if result and "vectors" in result.counts]
    assert [(result.outcome, result.counts["vectors"]) for result in indexed] == [
        (Outcome.INDEXED, 1),
        (Outcome.IGNORED, 0),
    ]
