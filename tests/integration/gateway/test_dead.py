"""Runs that were given up: listed without content, looked at with the reason, tried again."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from uuid import UUID, uuid4

import psycopg
import pytest

from gateway.cli import FAILED, OK, WRONG_INPUT, run
from gateway.dead import dead_letter, dead_letters, redrive, redrive_all
from gateway.history import history
from shared.contract.errors import DatabaseUnavailable, NotFound, Permanent
from shared.contract.receipts import Outcome, Receipt, Stage, Work
from shared.contract.scope import Scope
from shared.store.db import Database
from shared.testing import RecordingBell
from warmpath._door import Door
from warmpath._work import Services, perform

MIRA = Scope(tenant_id="acme", user_id="mira")
SAID = "I keep two beehives."


@pytest.fixture
def given_up(door: Door, services: Services, bell: RecordingBell) -> UUID:
    """A run whose append failed for good."""

    def fail(*_: object) -> list[object]:
        raise Permanent("the moon is full")

    receipt = door.observe(MIRA, [{"role": "user", "text": SAID}], run_id="run-1")
    (_, work) = bell.rung.pop()
    with pytest.raises(Permanent):
        perform(services, Stage.APPEND, fail, work)  # type: ignore[arg-type]
    return receipt.subject


def test_a_list_shows_every_tenants_and_nothing_of_what_they_say(
    given_up: UUID, opened: Database, services: Services
) -> None:
    (letter,) = dead_letters(opened)
    assert (letter.inbox_id, letter.tenant_id, letter.owner, letter.stage) == (given_up, "acme", "mira", "append")
    assert (letter.run_id, letter.reason) == (None, None)
    assert dead_letters(opened, "acme") == [letter]
    assert dead_letters(opened, "beta") == []


def test_one_is_shown_with_its_run_and_the_reason(given_up: UUID, opened: Database) -> None:
    letter = dead_letter(opened, "acme", given_up)
    assert (letter.run_id, letter.messages, letter.attempts) == ("run-1", 1, 1)
    assert letter.reason == "Permanent: the moon is full"
    assert dead_letter(opened, "acme", given_up.hex[:12]) == letter


@pytest.mark.parametrize("tenant", ["acme", "beta"])
def test_an_unknown_id_and_a_foreign_one_are_not_found(tenant: str, given_up: UUID, opened: Database) -> None:
    unknown = given_up if tenant == "beta" else uuid4()
    for look in (dead_letter, redrive):
        with pytest.raises(NotFound, match="has no dead letter"):
            look(opened, tenant, unknown)


def test_a_redriven_run_goes_through_and_its_receipt_says_so(
    given_up: UUID,
    opened: Database,
    bell: RecordingBell,
    work_off: Callable[[], object],
    owner: psycopg.Connection,
) -> None:
    before = history(opened, MIRA, "run-1")
    assert [each.outcome for each in before.receipts] == [Outcome.ACCEPTED, Outcome.FAILED]
    bell.ring(Stage.APPEND, redrive(opened, "acme", given_up))
    work_off()
    outcomes = {each.stage: each.outcome for each in history(opened, MIRA, "run-1").receipts}
    assert outcomes[Stage.APPEND] is Outcome.STORED
    assert outcomes[Stage.INDEX] is Outcome.INDEXED
    assert owner.execute("select text from memory").fetchall() == [(SAID,)]
    assert owner.execute("select kind from event where stream = 'audit'").fetchall() == [("redrive",)]
    assert dead_letters(opened) == []


def test_it_is_redriven_once(given_up: UUID, opened: Database) -> None:
    redrive(opened, "acme", given_up)
    with pytest.raises(NotFound):
        redrive(opened, "acme", given_up)


def test_what_fails_again_is_given_up_again(
    given_up: UUID, opened: Database, services: Services, bell: RecordingBell
) -> None:
    def fail(*_: object) -> list[object]:
        raise RuntimeError("secret words")

    work = redrive(opened, "acme", given_up)
    hasty = replace(services, settings=services.settings.model_copy(update={"task_attempts": 1}))
    with pytest.raises(RuntimeError):
        perform(hasty, Stage.APPEND, fail, work)  # type: ignore[arg-type]
    letter = dead_letter(opened, "acme", given_up)
    assert letter.reason == "RuntimeError"
    assert letter.attempts == 1


@pytest.fixture
def give_up(door: Door, services: Services, bell: RecordingBell) -> Callable[[str], UUID]:
    """Has a run given up, and says which delivery that is."""

    def fail(*_: object) -> list[object]:
        raise Permanent("the moon is full")

    def do(run_id: str) -> UUID:
        receipt = door.observe(MIRA, [{"role": "user", "text": SAID}], run_id=run_id)
        with pytest.raises(Permanent):
            perform(services, bell.rung.pop()[0], fail, work_of(receipt))  # type: ignore[arg-type]
        return receipt.subject

    return do


def work_of(receipt: Receipt) -> Work:
    return Work(tenant_id=receipt.tenant_id, owner=receipt.owner, inbox_id=receipt.subject)


def test_one_is_found_however_many_there_are(
    give_up: Callable[[str], UUID], opened: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = give_up("run-1")
    monkeypatch.setattr("shared.store.dead.letters", lambda *_, **__: pytest.fail("all are listed to find one"))
    assert dead_letter(opened, "acme", wanted).inbox_id == wanted
    assert redrive(opened, "acme", wanted).inbox_id == wanted


def test_what_the_audit_stream_cannot_be_told_is_not_redriven(
    give_up: Callable[[str], UUID], opened: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = give_up("run-1")
    with monkeypatch.context() as patch:
        patch.setattr("gateway.dead.ledger.append", broken)
        with pytest.raises(DatabaseUnavailable):
            redrive(opened, "acme", wanted)
    assert dead_letter(opened, "acme", wanted).inbox_id == wanted


def broken(*_: object) -> None:
    raise DatabaseUnavailable("the connection broke")


def test_all_are_redriven_however_many_a_list_holds_and_whoever_else_does_it_too(
    give_up: Callable[[str], UUID], opened: Database, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.dead.dead_letters", partial(dead_letters, limit=3))
    expected = [give_up(f"run-{n}") for n in reversed(range(8))][::-1]
    others = expected.pop(1)
    found = []
    for letter, work in redrive_all(opened, "acme"):
        assert letter.inbox_id == work.inbox_id
        if not found:
            redrive(opened, "acme", others)
            owner.execute("update inbox set state = 'parked', changed_at = now() where inbox_id = %s", [work.inbox_id])
        found.append(work.inbox_id)
    assert found == expected, "the newest first; not the one that somebody else did, and none twice"
    assert [letter.inbox_id for letter in dead_letters(opened)] == found[:1], "given up again meanwhile"
    assert owner.execute("select count(*) from event where stream = 'audit'").fetchone() == (8,)


def test_of_several_ids_one_that_is_no_dead_letter_keeps_none_of_the_others_from_it(
    give_up: Callable[[str], UUID], opened: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, unknown = give_up("run-1"), give_up("run-2"), uuid4()
    ids = [str(each) for each in (first, unknown, second)]
    assert run(["dead", "redrive", *ids, "--tenant", "acme", "--json"]) == FAILED
    shown = capsys.readouterr()
    assert [each["inbox_id"] for each in json.loads(shown.out)["redriven"]] == [str(first), str(second)]
    assert str(unknown) in shown.err.replace("\n", "")
    assert run(["dead", "redrive", str(unknown), "--tenant", "acme"]) == WRONG_INPUT


def test_all_of_a_tenant_are_redriven_by_one_command(
    give_up: Callable[[str], UUID], opened: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    for n in range(3):
        give_up(f"run-{n}")
    assert run(["dead", "redrive", "--all", "--tenant", "acme"]) == OK
    assert "3 runs" in capsys.readouterr().out
    assert dead_letters(opened) == []
