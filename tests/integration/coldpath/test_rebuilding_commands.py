"""What `daybook reindex` and `daybook reembed` say, and with which exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from gateway.cli import run
from shared.contract.scope import Scope
from shared.settings import settings
from shared.store import jobs
from shared.store.db import Database
from shared.testing import HashEmbedder
from warmpath._door import Door

Call = Callable[..., tuple[int, Any]]


@pytest.fixture
def call(opened: Database, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    monkeypatch.setattr("shared.models.embedding._made", {})
    monkeypatch.setattr("shared.models.embedding._make", lambda *_: HashEmbedder())

    def call(*arguments: str) -> tuple[int, Any]:
        code = run([*arguments, "--json"])
        return code, json.loads(capsys.readouterr().out)

    return call


@pytest.fixture
def told(door: Door, work_off: Callable[[], object]) -> Door:
    for tenant in ("acme", "beta"):
        scope = Scope(tenant_id=tenant, user_id="mira")
        door.observe(scope, [{"role": "user", "text": "I keep two beehives."}], run_id="run-1")
    work_off()
    return door


@pytest.mark.parametrize("command", ["reindex", "reembed"])
def test_every_tenant_is_done_and_told_of(command: str, told: Door, call: Call) -> None:
    code, found = call(command)
    assert code == 0
    assert [(each["tenant_id"], each["outcome"], each["memories"]) for each in found["rebuilt"]] == [
        ("acme", "done", 1),
        ("beta", "done", 1),
    ]


@pytest.mark.parametrize("more", [(), ("--background",), ("--back",)], ids=str)
def test_a_tenant_of_whom_nothing_is_known_is_wrong_input_and_nothing_is_made_of_it(
    more: tuple[str, ...], told: Door, call: Call, owner: Any
) -> None:
    code, found = call("reindex", "--tenant", "acmee", *more)
    assert (code, found["error"]["code"]) == (2, "NotFound")
    assert owner.execute("select count(*) from generation where tenant_id = 'acmee'").fetchone() == (0,)
    assert owner.execute("select count(*) from job").fetchone() == (0,)


def test_what_somebody_else_is_at_is_no_success(
    told: Door, opened: Database, capsys: pytest.CaptureFixture[str], call: Call
) -> None:
    assert jobs.begin(opened, "acme", "reindex", lease=timedelta(minutes=1), attempts=5)
    code = run(["reindex", "--tenant", "acme"])
    shown = capsys.readouterr()
    assert (code, "skipped" in shown.out) == (1, True)
    assert "DAYBOOK_JOB_LEASE_S" in shown.err
    assert call("reindex", "--tenant", "beta")[0] == 0


def test_what_is_left_to_the_workers_waits_for_them_and_is_shown(told: Door, opened: Database, call: Call) -> None:
    code, found = call("reindex", "--tenant", "acme", "--background")
    assert (code, found["rebuilt"][0]["outcome"]) == (0, "requested")
    (waiting,) = jobs.latest(opened, "acme")
    assert (waiting.state, waiting.lapsed_at is not None) == ("running", True)
    code, found = call("reindex", "--tenant", "acme")  # nobody is at it, so it is done here
    assert (code, found["rebuilt"][0]["outcome"]) == (0, "done")


def test_one_goes_back_and_back_again(told: Door, call: Call) -> None:
    assert call("reindex", "--tenant", "acme", "--back")[0] == 2
    call("reindex", "--tenant", "acme")
    code, found = call("reindex", "--tenant", "acme", "--back")
    assert (code, found["live"]["generation"], found["previous"]["generation"]) == (0, 1, 2)
    assert call("reindex", "--tenant", "acme", "--back")[1]["live"]["generation"] == 2


@pytest.mark.parametrize("more", [(), ("--tenant", "acme", "--background")], ids=str)
def test_going_back_is_for_one_tenant_and_at_once(more: tuple[str, ...], told: Door, call: Call) -> None:
    code, found = call("reindex", "--back", *more)
    assert (code, found["error"]["code"]) == (2, "Usage")


def test_a_tenant_that_fails_is_named_and_the_others_are_done(
    told: Door, call: Call, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner.execute("update generation set model_id = 'other@1/384' where tenant_id = 'acme' and view = 'dense'")
    code, found = call("reembed", "--missing")
    assert code == 1
    assert [each["outcome"] for each in found["rebuilt"]] == ["failed", "done"]
    assert "other@1/384" in found["rebuilt"][0]["error"]
    assert settings().mode == "inline"
