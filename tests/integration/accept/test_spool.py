"""Runs that Postgres does not take, kept on disk for who asked for it, and sent on."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import psycopg
import pytest

from coldpath.erase import erase
from gateway import Daybook
from shared.accept import pressure, spool
from shared.accept.accept import send_spooled
from shared.contract.errors import DatabaseUnavailable, InboxFull, InvalidRun, InvalidScope, SpoolFailed
from shared.contract.receipts import Outcome, Receipt
from shared.contract.scope import Scope
from shared.store.db import Database
from shared.testing import RecordingBell
from warmpath import sweep
from warmpath._door import Door
from warmpath._work import Services

MIRA = Scope(tenant_id="acme", user_id="mira")
TURN = UUID(int=7)
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


def test_an_outcome_said_taken_back_and_said_again_on_disk_stands_as_it_was_said_last(
    away: Door, services: Services, bell: RecordingBell, owner: psycopg.Connection, work_off: Callable[[], object]
) -> None:
    say(Door(services))
    work_off()
    [(bees,)] = owner.execute("select memory_id from memory").fetchall()
    for said in ({"used": [bees]}, {"misled": [bees]}, {"used": [bees]}):
        away.outcome(MIRA, TURN, spool=True, **said)
    assert send_spooled(services.database, bell, services.settings).accepted == 2
    work_off()
    assert owner.execute("select used, misled from memory_use").fetchall() == [(1, 0)]


def test_an_outcome_that_is_still_on_disk_when_it_was_accepted_does_not_come_back_over_a_later_one(
    away: Door, services: Services, bell: RecordingBell, owner: psycopg.Connection, work_off: Callable[[], object]
) -> None:
    say(Door(services))
    work_off()
    [(bees,)] = owner.execute("select memory_id from memory").fetchall()
    away.outcome(MIRA, TURN, used=[bees], spool=True)
    (path,) = spooled(services)
    held, at = path.read_text(), path.stat()
    send_spooled(services.database, bell, services.settings)
    Door(services).outcome(MIRA, TURN, misled=[bees])
    path.write_text(held)  # as where its sender was killed before it took it off
    os.utime(path, ns=(at.st_atime_ns, at.st_mtime_ns))
    send_spooled(services.database, bell, services.settings)
    work_off()
    assert spooled(services) == []
    assert owner.execute("select used, misled from memory_use").fetchall() == [(0, 1)]


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


def damaged(services: Services, name: str = "0.json", content: bytes = b"\xff\xfe{") -> Path:
    path = services.settings.data_dir / "spool" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_a_file_of_bytes_that_are_no_text_is_put_aside_and_the_others_are_sent(
    away: Door, services: Services, bell: RecordingBell
) -> None:
    say(away, spool=True)
    damaged(services)
    sent = send_spooled(services.database, bell, services.settings)
    assert (sent.accepted, sent.refused, sent.left) == (1, 1, 0)


def test_a_file_that_cannot_be_read_is_left_and_the_others_are_sent(
    away: Door, services: Services, bell: RecordingBell, caplog: pytest.LogCaptureFixture
) -> None:
    (services.settings.data_dir / "spool" / "0.json").mkdir(parents=True)
    say(away, spool=True)
    sent = send_spooled(services.database, bell, services.settings)
    assert (sent.accepted, sent.refused, sent.left) == (1, 0, 1)
    assert "IsADirectoryError" in caplog.text


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), ZeroDivisionError("what somebody said")])
def test_whatever_is_wrong_with_the_spool_the_sweep_rings(
    services: Services, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:  # fmt: skip
    def fail(*_: object) -> None:
        raise error

    say(Door(services))
    owner.execute("update inbox set changed_at = now() - interval '1 hour'")
    damaged(services)
    monkeypatch.setattr(sweep, "send_spooled", fail)
    assert sweep.run(services) == 1
    assert type(error).__name__ in caplog.text
    assert "somebody" not in caplog.text


def test_a_tenant_whose_inbox_is_full_keeps_no_others_run_from_being_sent(
    away: Door, services: Services, bell: RecordingBell, monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    monkeypatch.setattr(pressure, "LOOK_EVERY_S", 0.0)
    full = Scope(tenant_id="full", user_id="u")
    for run_id in ("run-1", "run-2"):
        away.observe(full, [{"role": "user", "text": "x"}], run_id=run_id, spool=True)
    say(away, spool=True)
    Door(services).observe(full, [{"role": "user", "text": "z"}], run_id="run-0")
    one = services.settings.model_copy(update={"inbox_limit": 1})
    sent = send_spooled(services.database, bell, one)
    assert (sent.accepted, sent.refused, sent.left) == (1, 0, 2)
    assert [record.message for record in caplog.records if "'full'" in record.message][1:] == []


def test_threads_that_keep_the_same_run_at_once_keep_it_whole(services: Services) -> None:
    number, together = 8, threading.Barrier(8)
    payload = "x" * 200_000

    def keep(_: int) -> Path:
        together.wait(60)
        return spool.put(services.settings, UUID(int=1), payload)

    with ThreadPoolExecutor(number) as threads:
        (path,) = set(threads.map(keep, range(number)))
    assert path.read_text() == payload
    assert list(path.parent.iterdir()) == [path]


def test_a_disk_that_takes_nothing_is_an_error_of_ours_that_says_so(away: Door, services: Services) -> None:
    services.settings.data_dir.mkdir(parents=True, exist_ok=True)
    (services.settings.data_dir / "spool").write_text("no folder")
    with pytest.raises(SpoolFailed, match="send the run again"):
        say(away, spool=True)


def test_an_erasure_goes_on_whatever_the_spool_says_and_takes_the_users_runs_off_the_disk(
    away: Door, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    oskar = Scope(tenant_id="acme", user_id="oskar")
    say(away, spool=True)
    refused = services.settings.data_dir / "spool" / "refused"
    refused.mkdir()
    for suffix in (".json", ".reason"):
        (refused / f"1{suffix}").write_text(spooled(services)[0].read_text())
    away.observe(oskar, [{"role": "user", "text": "I like tea."}], run_id="run-2", spool=True)
    kitchen = [{"role": "user", "speaker": name, "text": f"{name} was here."} for name in ("mira", "oskar")]
    away.observe(MIRA, kitchen, run_id="run-3", room="kitchen", participants=["mira", "oskar"], spool=True)
    damaged(services)

    def full(*_: object) -> None:
        raise InboxFull

    monkeypatch.setattr(pressure, "require_room", full)
    assert Daybook(services.settings).erase(MIRA).spooled == 3
    left = "".join(path.read_text() for path in spooled(services))
    assert ("I like tea." in left, "oskar was here." in left) == (True, True)
    assert "beehives" not in left
    assert "mira was here." not in left
    assert not any("beehives" in path.read_text(errors="replace") for path in refused.iterdir())


def test_an_erasure_that_is_refused_leaves_the_disk_alone(away: Door, services: Services) -> None:
    say(away, spool=True)
    with pytest.raises(InvalidScope):
        erase(services.database, replace(MIRA, session_id="monday"), services.settings)
    assert len(spooled(services)) == 1
