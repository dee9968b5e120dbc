"""What goes wrong inline, after the commit, is noted on the run and never looks like a refusal."""

from __future__ import annotations

import logging
from uuid import uuid4

import psycopg
import pytest

from shared.contract.errors import DatabaseUnavailable
from shared.contract.receipts import Outcome, Stage, Work
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.testing import RecordingBell
from warmpath import sweep
from warmpath._door import Door, InlineBell, services
from warmpath._stages import STAGES

MIRA = Scope(tenant_id="acme", user_id="mira")
BEES = {"id": "m1", "role": "user", "text": "I keep two beehives behind the garage."}


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(
    "error",
    [
        psycopg.errors.InternalError_("beehives"),
        DatabaseUnavailable("away"),
        ZeroDivisionError("beehives"),
        MemoryError(),
        ImportError("onnxruntime"),
    ],
)
@pytest.mark.usefixtures("embedder")
def test_observe_has_accepted_whatever_a_stage_raises_inline(
    reading: Settings,
    owner: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    stage: Stage,
    error: Exception,
) -> None:
    def fail(*_: object) -> None:
        raise error

    made = services(reading, InlineBell())
    with monkeypatch.context() as patch, caplog.at_level(logging.WARNING, "daybook"):
        patch.setitem(STAGES, stage, fail)
        receipt = Door(made).observe(MIRA, [BEES], run_id="run-7")
    assert receipt.outcome is Outcome.ACCEPTED
    assert "failed inline" in caplog.text
    assert "beehives" not in caplog.text
    assert owner.execute("select stage, state from inbox").fetchone() == (stage, "waiting")
    owner.execute("update inbox set retry_at = now() - interval '1 s'")
    assert sweep.run(made) == 1
    assert owner.execute("select state from inbox").fetchone() == ("done",)


def test_a_bell_that_was_never_hung_raises_nothing_either(caplog: pytest.LogCaptureFixture) -> None:
    InlineBell().ring(Stage.APPEND, Work(tenant_id="acme", owner=MIRA.owner, inbox_id=uuid4()))
    assert "RuntimeError" in caplog.text


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.usefixtures("embedder")
def test_what_failed_inline_is_tried_again_when_it_is_observed_again(
    reading: Settings, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch, stage: Stage
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    door = Door(services(reading, InlineBell()))
    with monkeypatch.context() as patch:
        patch.setitem(STAGES, stage, fail)
        door.observe(MIRA, [BEES], run_id="run-7")
    owner.execute("update inbox set retry_at = now() - interval '1 s'")
    assert door.observe(MIRA, [BEES], run_id="run-7").repeated
    assert owner.execute("select state from inbox").fetchone() == ("done",)


@pytest.mark.parametrize("state", ["done", "parked"])
def test_for_a_run_that_waits_for_nothing_nobody_is_rung(
    door: Door, bell: RecordingBell, owner: psycopg.Connection, state: str
) -> None:
    door.observe(MIRA, [BEES], run_id="run-7")
    bell.rung.clear()
    owner.execute("update inbox set state = %s", [state])
    assert door.observe(MIRA, [BEES], run_id="run-7").repeated
    assert bell.rung == []
