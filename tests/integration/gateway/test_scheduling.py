"""`daybook schedule`: what is done when, what became of it, and what is late."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import timedelta

import psycopg
import pytest

from gateway import Daybook
from gateway.cli import FAILED, OK, run
from schedules.table import schedule
from shared import clock
from shared.contract.errors import Misconfigured
from shared.contract.scope import SYSTEM_TENANT, Scope
from shared.settings import Settings
from shared.store import jobs
from shared.store.db import Database
from shared.work.passes import Job, carry_out
from shared.work.queues import DEDUPE, VERIFY
from warmpath._door import Door


def known(owner: psycopg.Connection, *tenants: str) -> None:
    for tenant_id in tenants:
        owner.execute(
            "insert into stream select %s, 'user:u', 'u', 0, decode(repeat('00', 32), 'hex'), now(), 0", [tenant_id]
        )


def test_what_is_due_late_done_and_failed_is_told_of_the_slot_that_is_now(
    opened: Database, environment: Settings, owner: psycopg.Connection
) -> None:
    known(owner, "acme", "globex")
    nightly = next(entry for entry in schedule(environment) if entry.task == DEDUPE)
    now = clock.now()
    slot = nightly.slot_at(now)
    is_over = now - slot >= timedelta(seconds=nightly.spread_s)

    def look() -> dict[str, object]:
        return {each.job: each for each in Daybook(environment).schedule()}  # type: ignore[return-value]

    fresh = look()[DEDUPE]
    assert (fresh.done, fresh.ended_at, fresh.next_at) == (0, None, slot + timedelta(days=1))  # type: ignore[attr-defined]
    if is_over:
        assert fresh.due == 2  # type: ignore[attr-defined]
        assert fresh.lag_s > 0  # type: ignore[attr-defined, operator]

    def fails(_: Job) -> bool:
        raise Misconfigured("the model is missing")

    carry_out(opened, environment, DEDUPE, "acme", lambda _: True, slot=slot)
    carry_out(opened, environment, DEDUPE, "globex", fails, slot=slot)
    after = look()[DEDUPE]
    assert (after.done, after.failed, after.due, after.lag_s) == (1, 1, 0, 0.0)  # type: ignore[attr-defined]
    assert (after.outcome, after.error) == ("failed", "Misconfigured: the model is missing")  # type: ignore[attr-defined]


def test_what_the_installation_does_once_is_due_until_it_is_begun(opened: Database, environment: Settings) -> None:
    verify = next(entry for entry in schedule(environment) if entry.task == VERIFY)
    assert {each.job: each.due for each in Daybook(environment).schedule()}[VERIFY] == 1
    carry_out(opened, environment, VERIFY, SYSTEM_TENANT, lambda _: True, slot=verify.slot_at(clock.now()))
    assert {each.job: each.due for each in Daybook(environment).schedule()}[VERIFY] == 0


def test_every_entry_of_the_table_is_shown_and_says_why(
    opened: Database, environment: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["schedule", "--why"]) == OK
    text = capsys.readouterr().out
    for entry in schedule(environment):
        assert entry.task in text
        assert entry.reason[:20] in text
    assert run(["schedule", "--json"]) == OK
    found = json.loads(capsys.readouterr().out)["schedule"]
    assert [each["job"] for each in found] == [entry.task for entry in schedule(environment)]


def test_a_failed_pass_is_an_exit_code_of_its_own(
    opened: Database, environment: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(_: Job) -> bool:
        raise Misconfigured("the model is missing")

    carry_out(opened, environment, VERIFY, SYSTEM_TENANT, fails)
    assert run(["schedule"]) == FAILED
    assert "the model is missing" in capsys.readouterr().err


def test_a_job_that_somebody_is_at_says_who_wherever_it_is_asked_for(
    opened: Database, door: Door, work_off: Callable[[], object], capsys: pytest.CaptureFixture[str]
) -> None:
    door.observe(Scope(tenant_id="acme", user_id="mira"), [{"role": "user", "text": "I keep bees."}], run_id="run-1")
    work_off()
    assert jobs.begin(opened, "acme", DEDUPE, lease=timedelta(minutes=5), attempts=3)
    who = f"/{os.getpid()}"
    for arguments, code in (
        (["dedupe", "--tenant", "acme"], FAILED),
        (["dedupe", "--tenant", "acme", "--background"], FAILED),
        (["batches", "--tenant", "acme"], OK),
        (["schedule"], OK),
    ):
        assert run(arguments) == code
        shown = capsys.readouterr()
        said = " ".join(f"{shown.out} {shown.err}".split())
        assert "dedupe of 'acme' is held by" in said, arguments
        assert who in said
        assert "takes it over" in said
    assert run(["batches", "--tenant", "acme", "--json"]) == OK
    assert json.loads(capsys.readouterr().out)["held"][0]["name"] == DEDUPE


def test_a_tenant_whose_pass_failed_is_told_of_although_anothers_was_done_since(
    opened: Database, environment: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(_: Job) -> bool:
        raise Misconfigured("the model is missing")

    slot = next(entry for entry in schedule(environment) if entry.task == DEDUPE).slot_at(clock.now())
    carry_out(opened, environment, DEDUPE, "acme", fails, slot=slot)
    carry_out(opened, environment, DEDUPE, "globex", lambda _: True, slot=slot)
    assert run(["schedule"]) == FAILED
    assert "dedupe: Misconfigured: the model is missing" in " ".join(capsys.readouterr().err.split())
