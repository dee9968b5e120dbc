"""verify and replay as scheduled: in time they look at every stream, and tell what is wrong until it is not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from coldpath.replay import replay, replay_sample
from coldpath.verify import verify_sample
from gateway.health import judge
from shared import metrics
from shared.contract.scope import SYSTEM_TENANT, Owner, Scope
from shared.settings import Settings, settings
from shared.store import jobs, progress
from shared.store.db import Database
from shared.work.passes import Job, Outcome, Report, carry_out
from shared.work.queues import REPLAY, VERIFY
from shared.work.rounds import MOST_AGAIN, note
from warmpath._door import Door

NIGHT = datetime(2026, 3, 1, 3, tzinfo=UTC)
WHOSE = {"acme": ("ada", "ben", "cleo"), "zeta": ("dora", "emil")}
SAMPLES = {VERIFY: verify_sample, REPLAY: replay_sample}
CODES = {VERIFY: "LedgerDamaged", REPLAY: "ViewsDiffer"}

Night = Callable[..., Report]


@pytest.fixture
def night(opened: Database, environment: Settings) -> Night:
    """One pass of a check, of a slot of its own, over so many streams."""
    nights = iter(range(100))

    def check(name: str, size: int = 10) -> Report:
        slot = NIGHT + timedelta(days=next(nights))
        return carry_out(
            opened, environment, name, SYSTEM_TENANT, lambda job: SAMPLES[name](opened, size, job), slot=slot
        )

    return check


@pytest.fixture
def told(door: Door, work_off: Callable[[], object]) -> None:
    """Five streams of two tenants, each with a memory."""
    for tenant, users in WHOSE.items():
        for user in users:
            told = [{"role": "user", "text": f"I am {user} and keep bees."}]
            door.observe(Scope(tenant_id=tenant, user_id=user), told, run_id="run-1")
    work_off()


def past_the_triggers(owner: psycopg.Connection, statement: str) -> int:
    owner.execute("set session_replication_role = replica")
    changed = owner.execute(statement.encode()).rowcount
    owner.execute("set session_replication_role = origin")
    return changed


DAMAGE = {
    VERIFY: "update event set recorded_at = recorded_at + interval '1 day' where user_id = 'cleo' and sequence = 1",
    REPLAY: "delete from posting where user_id = 'cleo'",
}


def mend(name: str, opened: Database, owner: psycopg.Connection) -> None:
    if name == REPLAY:
        assert replay(opened, "acme", Owner("cleo"), verify=False).is_equal
    else:
        past_the_triggers(
            owner,
            "update event set recorded_at = recorded_at - interval '1 day' where user_id = 'cleo' and sequence = 1",
        )


def differences(name: str) -> float:
    return metrics.DIFFERENCES.labels(check=name)._value.get()


@pytest.mark.parametrize("name", SAMPLES)
def test_in_time_every_stream_is_looked_at_and_none_twice_before_all_were(
    name: str, told: None, night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, str]] = []
    looking = {VERIFY: "coldpath.verify._followed", REPLAY: "coldpath.replay._or_damage"}[name]
    module, function = looking.rsplit(".", 1)
    look = getattr(__import__(module, fromlist=[function]), function)

    def heard(database: Database, tenant_id: str, owner: Owner, **more: bool) -> object:
        seen.append((tenant_id, owner))
        return look(database, tenant_id, owner, **more)

    monkeypatch.setattr(looking, heard)
    for _ in range(4):  # of each tenant a verification makes a stream more
        assert night(name, 2).counts["streams"] == 2
    assert {(tenant, user) for tenant, users in WHOSE.items() for user in users} <= set(seen)
    assert len(set(seen[:5])) == 5


@pytest.mark.parametrize("name", SAMPLES)
def test_what_is_wrong_is_told_by_every_pass_until_it_is_mended_whatever_the_round_is_at(
    name: str, told: None, night: Night, opened: Database, owner: psycopg.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    assert night(name).outcome is Outcome.DONE
    assert past_the_triggers(owner, DAMAGE[name]) > 0
    before = differences(name)
    found = night(name)
    assert found.outcome is Outcome.FAILED
    assert found.error is not None
    assert found.error.startswith(CODES[name])
    assert differences(name) == before + 1
    assert "user:cleo" in caplog.text
    for _ in range(6):
        again = night(name, 1)
        assert again.outcome is Outcome.FAILED, "the round is elsewhere, and it is as wrong as before"
    reasons = judge(settings(), progress.look(opened, timedelta(seconds=60)), jobs.latest(opened)).reasons
    assert any(CODES[name] in reason for reason in reasons)
    mend(name, opened, owner)
    assert night(name, 1).outcome is Outcome.DONE


@pytest.mark.parametrize("name", SAMPLES)
def test_a_pass_that_has_no_time_goes_on_where_it_was(
    name: str, told: None, opened: Database, environment: Settings
) -> None:
    def check(job: Job) -> bool:
        return SAMPLES[name](opened, 4, job)

    def hasty(job: Job) -> bool:
        job.until_s = 0
        return check(job)

    assert carry_out(opened, environment, name, SYSTEM_TENANT, hasty, slot=NIGHT).outcome is Outcome.UNFINISHED
    found = carry_out(opened, environment, name, SYSTEM_TENANT, check, slot=NIGHT)
    assert (found.outcome, found.counts["streams"]) == (Outcome.DONE, 4)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_stream_too_long_for_a_task_is_left_out_and_counted(
    name: str, told: None, night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"coldpath.{name}.LONGEST_SAMPLED", 0)
    found = night(name, 3)
    assert (found.outcome, found.counts["left_out"]) == (Outcome.DONE, 3)


def test_damage_that_was_found_before_a_worker_died_is_told_by_whoever_goes_on(
    told: None, night: Night, opened: Database, environment: Settings, owner: psycopg.Connection
) -> None:
    past_the_triggers(owner, DAMAGE[VERIFY])

    def killed(job: Job) -> bool:
        with pytest.raises(Exception, match="not as it was written"):
            verify_sample(opened, 10, job)
        raise KeyboardInterrupt  # before anything is noted of the pass

    with pytest.raises(KeyboardInterrupt):
        carry_out(opened, environment, VERIFY, SYSTEM_TENANT, killed, slot=NIGHT)
    owner.execute("update job set lease_until = now() - interval '1 second' where state = 'running'")
    found = carry_out(
        opened, environment, VERIFY, SYSTEM_TENANT, lambda job: verify_sample(opened, 10, job), slot=NIGHT
    )
    assert found.outcome is Outcome.FAILED
    query = "select count(*) from event join event_payload using (tenant_id, stream, sequence) where kind = 'verify'"
    assert owner.execute(f"{query} and payload like '%broken_at%'".encode()).fetchone() == (1,)


def test_so_many_places_are_kept_and_no_more(opened: Database, environment: Settings) -> None:
    def finds(job: Job) -> bool:
        for place in range(2 * MOST_AGAIN):
            note(job, place, differs=True)
        note(job, 7, differs=False)
        return True

    carry_out(opened, environment, VERIFY, SYSTEM_TENANT, finds, slot=NIGHT)
    held = jobs.begin(opened, SYSTEM_TENANT, VERIFY, lease=timedelta(minutes=1), attempts=3)
    assert held is not None
    assert len(held.round.again) == MOST_AGAIN - 1
    assert not jobs.latest(opened)[0].counts, "no count of the job's own"
