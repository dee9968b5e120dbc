"""Runs that were given up: listed without content, looked at with the reason, tried again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from uuid import UUID, uuid4

import psycopg
import pytest

from gateway.dead import dead_letter, dead_letters, redrive
from gateway.history import history
from shared.contract.errors import NotFound, Permanent
from shared.contract.receipts import Outcome, Stage
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
