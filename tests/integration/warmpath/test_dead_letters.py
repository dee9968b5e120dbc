"""A run that fails is tried again, parked with its content and a receipt, and can be tried anew."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import psycopg
import pytest

from shared.contract.errors import NotFound
from shared.contract.receipts import Outcome, Stage
from shared.contract.scope import Owner, Scope
from shared.store import dead, inbox, receipts
from shared.store.db import Database, Role
from shared.testing import RecordingBell
from warmpath import sweep
from warmpath._door import Door
from warmpath._work import Result, Services, perform

MIRA = Scope(tenant_id="acme", user_id="mira")
BEES = {"id": "m1", "role": "user", "ts": "2025-03-04T09:00Z", "text": "I keep two beehives behind the garage."}

WorkOff = Callable[[], list[Result]]


class Killed(BaseException):
    """As when a process dies: nothing of ours catches it."""


def count(owner: psycopg.Connection, table: str) -> int:
    row = owner.execute(f"select count(*) from {table}".encode()).fetchone()
    assert row is not None
    return int(row[0])


def outcomes(opened: Database, run_id: str) -> list[tuple[Stage, Outcome]]:
    with opened.transaction(Role.READER, "acme", [MIRA.owner]) as session:
        return [(receipt.stage, receipt.outcome) for receipt in receipts.of_run(session, run_id)]


def test_a_run_that_keeps_failing_is_parked_with_its_content_and_a_receipt(
    door: Door, services: Services, bell: RecordingBell, opened: Database, owner: psycopg.Connection
) -> None:
    door.observe(MIRA, [BEES], run_id="run-7")
    _, work = bell.rung.pop()

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    pauses = []
    for _ in range(services.settings.task_attempts):
        with pytest.raises(ZeroDivisionError):
            perform(services, Stage.APPEND, fail, work)
        assert perform(services, Stage.APPEND, fail, work) is None, "it is not to be tried again yet"
        pauses += owner.execute("select round(extract(epoch from retry_at - changed_at)) from inbox").fetchone() or ()
        owner.execute("update inbox set retry_at = now() - interval '1 s'")
    assert pauses == [2, 4, 8, 16, None]
    assert outcomes(opened, "run-7")[-1] == (Stage.APPEND, Outcome.FAILED)
    state, payload, error = owner.execute("select state, payload, last_error from inbox").fetchone() or ("", None, "")
    assert (state, payload is not None) == ("parked", True)
    assert "ZeroDivisionError" in error
    assert sweep.run(services) == 0


def test_a_run_that_kills_each_of_its_workers_is_parked_after_as_many_attempts(
    door: Door, services: Services, bell: RecordingBell, opened: Database, owner: psycopg.Connection
) -> None:
    door.observe(MIRA, [BEES], run_id="run-7")
    _, work = bell.rung.pop()

    def die(*_: object) -> None:
        raise Killed

    for _ in range(services.settings.task_attempts):
        with pytest.raises(Killed):
            perform(services, Stage.APPEND, die, work)
        owner.execute("update inbox set lease_until = now() - interval '1 s'")
    assert perform(services, Stage.APPEND, die, work) is None
    assert outcomes(opened, "run-7")[-1] == (Stage.APPEND, Outcome.FAILED)
    assert owner.execute("select state, last_error from inbox").fetchone() == ("parked", "given up after 5 attempts")


def test_of_our_own_errors_the_message_is_kept_and_of_others_the_kind_alone(
    door: Door, services: Services, bell: RecordingBell, owner: psycopg.Connection
) -> None:
    errors = [NotFound("nothing has the number 7"), ValueError("beehives")]
    for number, error in enumerate(errors):
        door.observe(MIRA, [BEES], run_id=f"run-{number}")
        _, work = bell.rung.pop()
        owner.execute("update inbox set attempts = 4 where run_id = %s", [f"run-{number}"])

        def fail(*_: object, error: Exception = error) -> None:
            raise error

        with pytest.raises(type(error)):
            perform(services, Stage.APPEND, fail, work)
    found = owner.execute("select last_error from inbox where state = 'parked' order by run_id").fetchall()
    assert found == [("NotFound: nothing has the number 7",), ("ValueError",)]


def test_a_dead_letter_is_listed_shown_redriven_and_its_receipt_mended(
    door: Door,
    services: Services,
    bell: RecordingBell,
    opened: Database,
    owner: psycopg.Connection,
    work_off: WorkOff,
) -> None:
    door.observe(MIRA, [BEES], run_id="run-7")
    _, work = bell.rung.pop()

    def refuse(*_: object) -> None:
        raise NotFound("not there yet")

    with pytest.raises(NotFound):
        perform(services, Stage.APPEND, refuse, work)
    assert dead.letters(opened, "beta", limit=10) == []
    (listed,) = dead.letters(opened, limit=10)
    assert (listed["inbox_id"], listed["stage"], listed["attempts"]) == (work.inbox_id, "append", 1)
    assert listed.keys().isdisjoint({"payload", "run_id", "last_error"})
    with opened.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        shown = dead.letter(session, work.inbox_id)
    assert shown is not None
    assert (shown["run_id"], shown["last_error"]) == ("run-7", "NotFound: not there yet")
    with opened.transaction(Role.WORKER, "acme", [Owner("oskar")]) as session:
        assert inbox.redrive(session, work.inbox_id) is None, "another's"
    with opened.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        assert inbox.redrive(session, work.inbox_id) == work
        assert inbox.redrive(session, work.inbox_id) is None
    bell.ring(Stage.APPEND, work)
    work_off()
    assert outcomes(opened, "run-7") == [
        (Stage.OBSERVE, Outcome.ACCEPTED),
        (Stage.APPEND, Outcome.STORED),
        (Stage.GATE, Outcome.PASSED),
        (Stage.INDEX, Outcome.INDEXED),
    ]
    assert count(owner, "memory") == 1
    assert dead.letters(opened, limit=10) == []


def test_a_receipt_that_says_what_was_done_stays(
    door: Door, services: Services, work_off: WorkOff, opened: Database, owner: psycopg.Connection
) -> None:
    door.observe(MIRA, [BEES], run_id="run-7")
    work_off()
    (before, *_) = owner.execute("select * from receipt where stage = 'append'").fetchall()
    with opened.transaction(Role.READER, "acme", [MIRA.owner]) as session:
        known = receipts.of_run(session, "run-7")[1]
    with opened.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        assert not receipts.write(session, dataclasses.replace(known, outcome=Outcome.FAILED))
    assert owner.execute("select * from receipt where stage = 'append'").fetchall() == [before]
