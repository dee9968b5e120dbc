"""A killed worker's runs are not waited for: its machine knows that it is gone, and gives its leases back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from shared.contract.receipts import Stage
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.store import inbox
from shared.store.db import Role
from shared.store.inbox import Claim
from shared.testing import RecordingBell
from warmpath import _holding, sweep
from warmpath._door import Door
from warmpath._holding import FOLDER, give_back_of_the_dead, noted
from warmpath._stages import STAGES
from warmpath._work import Services, perform, serve

MIRA = Scope(tenant_id="acme", user_id="mira")
BEES = {"role": "user", "text": "I keep two beehives."}


@pytest.fixture
def other() -> Iterator[subprocess.Popen[bytes]]:
    """Another process, in the place of a worker."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def killed(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


@pytest.fixture
def held(
    door: Door, bell: RecordingBell, services: Services, other: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> Claim:
    """Two runs of a stream that the other process has taken."""
    for number in range(2):
        door.observe(MIRA, [BEES], run_id=f"run-{number}")
    _, work = bell.rung[0]
    bell.rung.clear()
    claim = inbox.claim_burst(services.database, work, Stage.APPEND, lease=timedelta(seconds=300))
    assert claim is not None
    assert len(claim.inbox_ids) == 2
    with monkeypatch.context() as patched:
        patched.setattr(_holding.os, "getpid", lambda: other.pid)
        assert _holding._write(services.settings, claim)
    return claim


def notes(settings: Settings) -> list[Path]:
    return sorted((settings.data_dir / FOLDER).iterdir())


def test_the_runs_of_a_killed_worker_are_rung_for_by_the_next_sweep_and_not_after_its_lease(
    held: Claim, services: Services, bell: RecordingBell, other: subprocess.Popen[bytes], owner: psycopg.Connection
) -> None:
    assert sweep.run(services) == 0
    assert give_back_of_the_dead(services.database, services.settings) == 0, "it is at work"
    killed(other)
    assert sweep.run(services) == 1
    assert notes(services.settings) == []
    ((stage, work),) = bell.rung
    with services.database.transaction(Role.WORKER, "acme", [held.owner]) as session:
        assert inbox.take(session, held) == [], "whoever held them commits nothing, should he live after all"
    for _ in range(2):
        assert serve(services, stage, STAGES[stage], work)
    rows = owner.execute("select stage, attempts from inbox").fetchall()
    assert Stage.APPEND not in {each for each, _ in rows}
    assert owner.execute("select count(*) from memory").fetchone() == (2,), "each has had its effect, once"


def test_a_run_that_somebody_steps_on_with_is_passed_over_and_looked_at_again(
    held: Claim, services: Services, other: subprocess.Popen[bytes]
) -> None:
    killed(other)
    with services.database.transaction(Role.WORKER, "acme", [held.owner]) as session:
        assert len(inbox.take(session, held)) == 2
        assert give_back_of_the_dead(services.database, services.settings) == 0
        assert len(notes(services.settings)) == 1
    assert give_back_of_the_dead(services.database, services.settings) == 2
    assert notes(services.settings) == []


def test_a_lease_that_another_has_by_now_is_left_to_him(
    held: Claim, services: Services, other: subprocess.Popen[bytes], owner: psycopg.Connection
) -> None:
    owner.execute("update inbox set attempts = 2")
    killed(other)
    assert give_back_of_the_dead(services.database, services.settings) == 0
    assert owner.execute("select count(*) from inbox where lease_until > now()").fetchone() == (2,)


def test_processes_of_another_machine_are_not_judged_and_what_is_old_goes(
    held: Claim, services: Services, other: subprocess.Popen[bytes]
) -> None:
    killed(other)
    (note,) = notes(services.settings)
    note.write_text(json.dumps(json.loads(note.read_text()) | {"host": "elsewhere"}))
    note.with_name("damaged").write_text("{")
    assert give_back_of_the_dead(services.database, services.settings) == 0
    assert len(notes(services.settings)) == 2
    for each in notes(services.settings):
        os.utime(each, (1, 1))
    assert give_back_of_the_dead(services.database, services.settings) == 0
    assert notes(services.settings) == []


@pytest.mark.parametrize("doing", [perform, serve])
def test_there_is_a_note_for_as_long_as_a_process_is_at_a_run_and_a_disk_that_takes_none_stops_nothing(
    door: Door, bell: RecordingBell, services: Services, doing: object, tmp_path: Path
) -> None:
    seen: list[int] = []

    def stage(_: Services, claim: Claim) -> tuple[()]:
        seen.append(len(notes(services.settings)))
        return ()

    door.observe(MIRA, [BEES], run_id="run-1")
    _, work = bell.rung[0]
    doing(services, Stage.APPEND, stage, work)  # type: ignore[operator]
    assert seen == [1]
    assert notes(services.settings) == []
    (tmp_path / "file").write_text("")
    claim = Claim(
        stage=Stage.APPEND, tenant_id="acme", owner=MIRA.owner, inbox_ids=(work.inbox_id,), attempt=1,
        lease=inbox._ends(timedelta(seconds=1)),
    )  # fmt: skip
    with noted(replace_dir(services.settings, tmp_path / "file"), claim):
        pass


def replace_dir(settings: Settings, data_dir: Path) -> Settings:
    return settings.model_copy(update={"data_dir": data_dir})
