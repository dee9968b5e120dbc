"""Runs that Postgres does not take, kept on disk for who asked for it, and sent on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from shared.accept import pressure, spool
from shared.accept.accept import send_spooled
from shared.contract.errors import DatabaseUnavailable, InboxFull, InvalidRun
from shared.contract.receipts import Outcome, Receipt
from shared.contract.scope import Scope
from shared.store.db import Database
from shared.testing import RecordingBell
from warmpath import sweep
from warmpath._door import Door
from warmpath._work import Services

MIRA = Scope(tenant_id="acme", user_id="mira")
AWAY = "postgresql://nobody:x@127.0.0.1:9/none"


@pytest.fixture
def away(services: Services) -> Door:
    """A door to a Postgres that is not there."""
    database = Database(AWAY, pool_size=1, connect_timeout_s=0.2)
    return Door(replace(services, database=database))


def say(door: Door, text: str = "I keep two beehives.", run_id: str = "run-1", **more: bool) -> Receipt:
    return door.observe(MIRA, [{"id": "m1", "role": "user", "text": text}], run_id=run_id, **more)


def spooled(services: Services) -> list[Path]:
    return spool.waiting(services.settings)


def test_who_did_not_ask_for_it_gets_the_error(away: Door, services: Services) -> None:
    with pytest.raises(DatabaseUnavailable):
        say(away)
    assert spooled(services) == []


def test_the_receipt_says_where_the_run_is(away: Door, services: Services) -> None:
    receipt = say(away, spool=True)
    (path,) = spooled(services)
    assert receipt.outcome is Outcome.SPOOLED
    assert str(path) in receipt.reason
    assert path.stat().st_mode & 0o077 == 0


def test_the_setting_asks_for_it_too(away: Door, services: Services) -> None:
    asking = services.settings.model_copy(update={"spool": True})
    assert say(Door(replace(away.services, settings=asking))).outcome is Outcome.SPOOLED


def test_what_cannot_be_stored_is_refused_all_the_same(away: Door, services: Services) -> None:
    with pytest.raises(InvalidRun):
        away.observe(MIRA, [], run_id="run-1", spool=True)
    assert spooled(services) == []


def test_secrets_do_not_reach_the_disk(away: Door, services: Services) -> None:
    say(away, "my key is sk-ant-REDACTED", spool=True)
    assert "abcdefghijklmnop" not in spooled(services)[0].read_text()


def test_the_sweep_sends_it_on_and_it_is_findable_once(
    away: Door, services: Services, owner: psycopg.Connection, work_off: Callable[[], object]
) -> None:
    before = say(away, spool=True)
    say(away, spool=True)
    assert len(spooled(services)) == 1
    sweep.run(services)
    assert spooled(services) == []
    work_off()
    assert owner.execute("select text from memory").fetchall() == [("I keep two beehives.",)]
    again = say(Door(services))
    assert again.repeated
    assert again.subject == before.subject


def test_what_cannot_be_sent_stays(away: Door, services: Services, bell: RecordingBell) -> None:
    say(away, spool=True)
    with pytest.raises(DatabaseUnavailable):
        send_spooled(away.services.database, bell, services.settings)
    assert len(spooled(services)) == 1


def test_a_full_inbox_spools_too(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise InboxFull

    monkeypatch.setattr(pressure, "require_room", full)
    assert say(Door(services), spool=True).outcome is Outcome.SPOOLED


def test_what_can_never_be_accepted_is_put_aside_with_the_reason(
    away: Door, services: Services, bell: RecordingBell
) -> None:
    say(away, spool=True)
    say(away, "I sold the bees.", run_id="run-2", spool=True)
    say(Door(services), "I keep three beehives.")
    sent = send_spooled(services.database, bell, services.settings)
    assert (sent.accepted, sent.refused, sent.left) == (1, 1, 0)
    refused = services.settings.data_dir / "spool" / "refused"
    (reason,) = refused.glob("*.reason")
    assert "ConflictingMessage" in reason.read_text()
    assert json.loads(reason.with_suffix(".json").read_text())["run_id"] == "run-1"


def test_a_file_that_was_not_finished_is_not_sent(services: Services, bell: RecordingBell) -> None:
    folder = services.settings.data_dir / "spool"
    folder.mkdir(parents=True)
    (folder / ".half").write_text('{"run_id": "run-')
    assert send_spooled(services.database, bell, services.settings) == spool.Sent(accepted=0, refused=0, left=0)


def test_a_damaged_file_is_put_aside_and_the_others_are_sent(
    away: Door, services: Services, bell: RecordingBell
) -> None:
    folder = services.settings.data_dir / "spool"
    folder.mkdir(parents=True)
    (folder / "0.json").write_text("{")
    say(away, spool=True)
    sent = send_spooled(services.database, bell, services.settings)
    assert (sent.accepted, sent.refused, sent.left) == (1, 1, 0)
