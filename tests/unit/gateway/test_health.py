"""When work is said to be done, and when not."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from gateway.health import judge
from gateway.reports import Liveness
from shared.contract.scope import SYSTEM_TENANT
from shared.settings import load
from shared.store.jobs import Pass
from shared.store.progress import Counts, StageProgress

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SETTINGS = load(health_period_s=60, sweep_every_s=15)
IDLE = StageProgress(stage="gate", waiting=0, oldest=None, claimable_since=None, done=0, active_at=None)
DONE = Pass(
    tenant_id=SYSTEM_TENANT,
    name="verify",
    slot=NOW,
    state="done",
    attempts=1,
    done=20,
    total=20,
    counts={},
    last_error=None,
    started_at=NOW,
    changed_at=NOW,
    finished_at=NOW,
    lapsed_at=None,
    looked_at=NOW,
)
SWEPT = replace(DONE, name="sweep", slot=None)


def before(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


def judged(*passes: Pass, parked: int = 0, **stage: object) -> Liveness:
    counts = Counts(now=NOW, stages=(replace(IDLE, **stage),), parked=parked, views=(), builds=())  # type: ignore[arg-type]
    return judge(SETTINGS, counts, passes or [SWEPT])


def test_where_nothing_waits_all_is_well() -> None:
    found = judged()
    assert (found.healthy, found.reasons, found.warnings) == (True, (), ())


@pytest.mark.parametrize(
    ("claimable_s", "active_s", "healthy"),
    [(59, None, True), (61, None, False), (61, 59, True), (61, 61, False), (3600, 1, True), (None, None, True)],
)
def test_a_stage_that_leaves_work_alone_for_a_period_is_ill(
    claimable_s: float | None, active_s: float | None, healthy: object
) -> None:
    since = None if claimable_s is None else before(claimable_s)
    found = judged(waiting=3, claimable_since=since, active_at=None if active_s is None else before(active_s))
    assert found.healthy is healthy
    assert all("gate has left work alone for" in reason for reason in found.reasons)


@pytest.mark.parametrize(("ago_s", "healthy"), [(60, True), (61, False)])
def test_a_sweep_that_has_not_ended_for_four_of_its_periods_is_ill(ago_s: float, healthy: object) -> None:
    found = judged(replace(SWEPT, changed_at=before(ago_s)))
    assert found.healthy is healthy
    assert all("the last sweep ended 61 s ago" in reason for reason in found.reasons)


@pytest.mark.parametrize(("ago_s", "healthy"), [(419, True), (421, False)])
def test_a_cold_path_that_has_not_resumed_for_four_leases_and_a_task_is_ill(ago_s: float, healthy: object) -> None:
    resumed = replace(DONE, name="resume", slot=None, changed_at=NOW - timedelta(seconds=ago_s))
    found = judged(SWEPT, resumed)
    assert found.healthy is healthy
    assert all("are beat and quick alive?" in reason for reason in found.reasons)


def test_a_stage_that_only_gives_up_is_ill_and_one_that_gives_up_some_is_not() -> None:
    found = judged(done=0, failed=3)
    assert found.reasons == ("gate has given up every run it ended lately, 3 in all: see `daybook dead list`",)
    assert judged(done=1, failed=3).healthy


def test_before_the_first_sweep_there_is_a_warning() -> None:
    found = judged(DONE)
    assert found.healthy
    assert "no sweep has ended yet" in found.warnings[0]


def test_where_observe_does_the_work_nobody_sweeps() -> None:
    counts = Counts(now=NOW, stages=(IDLE,), parked=0, views=(), builds=())
    found = judge(load(mode="inline"), counts, [replace(SWEPT, changed_at=before(9_999))])
    assert (found.healthy, found.warnings) == (True, ())


def test_a_failed_job_is_ill_and_says_why() -> None:
    found = judged(SWEPT, replace(DONE, tenant_id="acme", state="failed", attempts=5, last_error="ZeroDivisionError"))
    assert found.reasons == ("the job verify of tenant acme failed after 5 attempts: ZeroDivisionError",)


def test_of_a_failed_job_that_no_schedule_starts_it_is_said_what_to_do() -> None:
    (reason,) = judged(SWEPT, replace(DONE, name="reembed", tenant_id="acme", state="failed")).reasons
    assert "`daybook reembed --tenant acme`" in reason


@pytest.mark.parametrize(("ago_s", "healthy"), [(59, True), (61, False)])
def test_a_job_that_nobody_takes_over_is_ill(ago_s: float, healthy: object) -> None:
    found = judged(SWEPT, replace(DONE, state="running", finished_at=None, lapsed_at=before(ago_s)))
    assert found.healthy is healthy
    assert all("left unfinished 61 s ago" in reason for reason in found.reasons)


@pytest.mark.parametrize(("runs", "says"), [(1, "1 run is parked"), (1200, "1,200 runs are parked")])
def test_parked_runs_are_a_warning_and_how_to_learn_why(runs: int, says: str) -> None:
    found = judged(parked=runs)
    assert found.healthy
    assert found.warnings[0].startswith(says)
    assert "daybook dead list" in found.warnings[0]


def test_of_many_tenants_passes_the_newest_and_the_troubled_are_told() -> None:
    passes = [replace(DONE, tenant_id=f"t{n}", started_at=before(n)) for n in range(50)]
    troubled = replace(DONE, tenant_id="u", started_at=before(99), state="failed")
    found = judged(SWEPT, *passes, troubled)
    assert [each.tenant_id for each in found.jobs] == [SYSTEM_TENANT, "t0", "u"]


def test_readings_by_older_rules_are_no_ill_and_are_told_of() -> None:
    checked = replace(DONE, name="rederive", tenant_id="acme", counts={"older": 4, "compared": 9})
    found = judged(SWEPT, checked, replace(checked, tenant_id="zeta", counts={"older": 1}))
    assert found.healthy
    [warning] = found.warnings
    assert "read 5 of the readings" in warning
    assert "of 2 tenants" in warning
    assert judged(SWEPT, replace(checked, counts={"older": 0})).warnings == ()
