"""How a job is carried out: once, in slices, kept alive, given up, and without effect once it is somebody else's."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Any

import psycopg
import pytest

from coldpath.verify import verify_sample
from shared import clock
from shared.contract.errors import BrokerUnavailable, Misconfigured
from shared.contract.events import EventClass, NewEvent
from shared.contract.scope import AUDIT_OWNER, SYSTEM_TENANT, Owner
from shared.settings import Settings
from shared.store import holdings, jobs, ledger
from shared.store.db import Database, Role
from shared.work.passes import Job, Outcome, Report, carry_out, carry_out_for_each_tenant, request

NIGHT = datetime(2026, 3, 1, 3, tzinfo=UTC)
SLOT_S = timedelta(seconds=1)

Do = Callable[..., Report]


@pytest.fixture
def hasty(environment: Settings) -> Settings:
    return environment.model_copy(update={"job_lease_s": 0.3, "task_attempts": 3})


@pytest.fixture
def do(opened: Database, hasty: Settings) -> Do:
    """Carries out the job prune of acme."""

    def call(function: Callable[[Job], bool], **more: Any) -> Report:
        return carry_out(opened, hasty, "prune", "acme", function, **more)

    return call


def write(database: Database, job: Job, tenant_id: str = "acme") -> None:
    """An effect: an event in the tenant's audit stream."""
    event = NewEvent(event_class=EventClass.AUDIT, kind="pruned", payload={"attempt": job.held.attempt})
    with database.transaction(Role.WORKER, tenant_id, [AUDIT_OWNER]) as session:
        job.fence(session)
        _, head = ledger.append(session, ledger.lock(session, AUDIT_OWNER), [event])
        ledger.advance(session, head)


def effects(owner: psycopg.Connection) -> int:
    (count,) = owner.execute("select count(*) from event where kind in ('pruned', 'verify')").fetchone() or (0,)
    return int(count)


def lapse(owner: psycopg.Connection) -> None:
    owner.execute("update job set lease_until = now() - interval '1 second' where state = 'running'")


def finished(job: Job) -> bool:
    job.count(pruned=2)
    return True


@pytest.mark.parametrize(
    ("now", "every_s", "at_s", "slot"),
    [
        (NIGHT, 3600, 0, NIGHT),
        (NIGHT + timedelta(minutes=59), 3600, 0, NIGHT),
        (NIGHT + timedelta(hours=1), 3600, 0, NIGHT + timedelta(hours=1)),
        (NIGHT, 86_400, 3 * 3600, NIGHT),
        (NIGHT - SLOT_S, 86_400, 3 * 3600, NIGHT - timedelta(days=1)),
        (NIGHT + timedelta(hours=20, minutes=59), 86_400, 3 * 3600, NIGHT),
    ],
)
def test_a_moment_is_in_the_slot_that_began_last(now: datetime, every_s: float, at_s: float, slot: datetime) -> None:
    assert clock.slot_of(now, every_s, at_s) == slot


def test_a_slot_is_done_once(do: Do) -> None:
    first = do(finished, slot=NIGHT)
    assert (first.outcome, first.counts) == (Outcome.DONE, {"pruned": 2})
    assert do(finished, slot=NIGHT).outcome is Outcome.SKIPPED
    assert do(finished, slot=NIGHT + SLOT_S).outcome is Outcome.DONE


def test_while_one_is_at_it_others_leave_at_once(do: Do) -> None:
    inner = []

    def ask(job: Job) -> bool:
        inner.append(do(finished, slot=NIGHT + SLOT_S))
        return finished(job)

    assert do(ask, slot=NIGHT).outcome is Outcome.DONE
    assert [report.outcome for report in inner] == [Outcome.SKIPPED]


def test_the_lease_is_kept_for_as_long_as_the_job_takes_and_its_progress_is_seen(
    do: Do, opened: Database, hasty: Settings
) -> None:
    never = Event()

    def slow(job: Job) -> bool:
        job.progress(3, 9)
        never.wait(4 * hasty.job_lease_s)
        (seen,) = jobs.latest(opened)
        assert (seen.lapsed_at, seen.done, seen.total) == (None, 3, 9)
        return True

    assert do(slow, slot=NIGHT).outcome is Outcome.DONE


def test_a_job_in_slices_is_gone_on_with_and_keeps_its_counts(do: Do) -> None:
    def third(job: Job) -> bool:
        job.count(moved=1)
        return job.counts["moved"] == 3

    outcomes = [do(third).outcome, do(third, resume=True).outcome, do(third, resume=True).outcome]
    assert outcomes == [Outcome.UNFINISHED, Outcome.UNFINISHED, Outcome.DONE]
    assert do(third, resume=True).outcome is Outcome.SKIPPED, "nothing is left to go on with"


def test_a_slice_ends_well_before_the_deadline_of_a_task(opened: Database, environment: Settings) -> None:
    settings = environment.model_copy(update={"task_deadline_s": 1})
    seen = []

    def wait(job: Job) -> bool:
        seen.append(job.time_is_up)
        while not job.time_is_up:
            Event().wait(0.01)
        return False

    assert carry_out(opened, settings, "prune", "acme", wait).outcome is Outcome.UNFINISHED
    assert seen == [False]


def test_what_somebody_left_of_an_earlier_slot_is_done_first_and_then_ones_own(
    do: Do, owner: psycopg.Connection
) -> None:
    assert do(lambda _: False, slot=NIGHT).outcome is Outcome.UNFINISHED
    slots = []

    def note(job: Job) -> bool:
        slots.append(job.held.slot)
        return True

    assert do(note, slot=NIGHT + SLOT_S).outcome is Outcome.DONE
    assert slots == [NIGHT, NIGHT + SLOT_S]


def test_one_that_was_overtaken_has_no_effect_and_says_so(do: Do, opened: Database, owner: psycopg.Connection) -> None:
    def frozen(job: Job) -> bool:
        lapse(owner)
        assert do(lambda other: write(opened, other) is None, slot=NIGHT).outcome is Outcome.DONE
        write(opened, job)
        return True

    late = do(frozen, slot=NIGHT)
    assert late.outcome is Outcome.SKIPPED
    assert "attempt 1 at prune of acme is over" in (late.error or "")
    assert effects(owner) == 1


def test_one_that_is_overtaken_while_it_only_works_is_told(do: Do, opened: Database, owner: psycopg.Connection) -> None:
    def works(job: Job) -> bool:
        lapse(owner)
        assert do(finished, slot=NIGHT).outcome is Outcome.DONE
        for step in range(1000):
            Event().wait(0.01)
            job.progress(step, 1000)
        raise AssertionError("nobody told it")

    assert do(works, slot=NIGHT).outcome is Outcome.SKIPPED


def test_a_failed_attempt_is_followed_by_others_and_then_the_slot_has_failed(
    do: Do, opened: Database, owner: psycopg.Connection
) -> None:
    def fail(_: Job) -> bool:
        raise BrokerUnavailable("it does not answer")

    for attempt in (1, 2, 3):
        report = do(fail, slot=NIGHT)
        assert (report.outcome, report.error) == (Outcome.FAILED, "BrokerUnavailable: it does not answer")
        assert do(finished, slot=NIGHT).outcome is Outcome.SKIPPED, "it pauses, or has failed"
        (seen,) = jobs.latest(opened)
        assert (seen.attempts, seen.state) == (attempt, "failed" if attempt == 3 else "running")
        lapse(owner)


def test_where_trying_again_cannot_help_the_slot_has_failed_at_once(do: Do, opened: Database) -> None:
    def fail(_: Job) -> bool:
        raise Misconfigured("the model is missing")

    assert do(fail, slot=NIGHT).outcome is Outcome.FAILED
    (seen,) = jobs.latest(opened)
    assert (seen.state, seen.last_error) == ("failed", "Misconfigured: the model is missing")


def test_what_is_no_error_of_ours_is_noted_by_its_kind_and_raised(do: Do, opened: Database) -> None:
    def fail(_: Job) -> bool:
        raise ZeroDivisionError("what somebody said")

    with pytest.raises(ZeroDivisionError):
        do(fail, slot=NIGHT)
    assert jobs.latest(opened)[0].last_error == "ZeroDivisionError"


def test_a_requested_pass_waits_for_whoever_resumes_it(do: Do, opened: Database, hasty: Settings) -> None:
    assert request(opened, hasty, "prune", "acme")
    assert request(opened, hasty, "prune", "acme"), "an unfinished one will do"
    assert do(finished, resume=True).outcome is Outcome.DONE
    assert do(finished, resume=True).outcome is Outcome.SKIPPED


def test_each_tenant_has_a_pass_of_its_own(opened: Database, hasty: Settings, owner: psycopg.Connection) -> None:
    for tenant_id in ("acme", "zeta"):
        streams(owner, tenant_id)

    def go(function: Callable[[Job], bool]) -> Report:
        return carry_out_for_each_tenant(opened, hasty, "prune", function, slot=NIGHT)

    def work(job: Job) -> bool:
        """What waits for something else is not asked again at once."""
        write(opened, job, job.held.tenant_id)
        return job.held.tenant_id != "zeta" or job.held.attempt > 1

    assert go(work) == Report(outcome=Outcome.UNFINISHED, counts={"done": 1, "unfinished": 1})
    assert go(work) == Report(outcome=Outcome.DONE, counts={"done": 1})
    assert go(work) == Report(outcome=Outcome.DONE)
    assert effects(owner) == 3


def test_a_tenant_that_needs_more_than_its_share_of_the_time_lets_the_others_have_theirs_first(
    opened: Database, hasty: Settings, owner: psycopg.Connection
) -> None:
    for tenant_id in ("a-huge", "small", "tiny"):
        streams(owner, tenant_id)
    turns: list[str] = []
    quick = hasty.model_copy(update={"task_deadline_s": 6.0})  # a ring's work is 3 s, a share of three tenants 1 s

    def work(job: Job) -> bool:
        turns.append(job.held.tenant_id)
        needs_more = job.held.tenant_id == "a-huge" and turns.count("a-huge") < 3
        while needs_more and not job.time_is_up:
            time.sleep(0.01)
        return not needs_more

    assert carry_out_for_each_tenant(opened, quick, "prune", work, slot=NIGHT).outcome is Outcome.UNFINISHED
    assert turns == ["a-huge", "small", "tiny", "a-huge"]
    assert carry_out_for_each_tenant(opened, quick, "prune", work, slot=NIGHT).outcome is Outcome.DONE
    assert turns == ["a-huge", "small", "tiny", "a-huge", "a-huge"]


def streams(owner: psycopg.Connection, tenant_id: str) -> None:
    owner.execute(
        "insert into stream select %s, stream, owner, 0, decode(repeat('00', 32), 'hex'), now(), 0"
        " from (values ('user:u', 'u'), ('user:v', 'v'), ('room:w', 'room:w'), ('audit', 'audit:'))"
        " as new (stream, owner)",
        [tenant_id],
    )


def test_a_verification_that_is_taken_over_checks_each_stream_of_its_sample_once(
    opened: Database, hasty: Settings, owner: psycopg.Connection
) -> None:
    streams(owner, "acme")
    streams(owner, "zeta")

    def verify(job: Job) -> bool:
        return verify_sample(opened, 7, job)

    def killed(job: Job) -> bool:
        job.until_s = 0
        assert not verify(job), "it stops where its time is up"
        job.until_s = 1e12
        assert verify(job)
        raise KeyboardInterrupt  # all is written, and that is not noted

    with pytest.raises(KeyboardInterrupt):
        carry_out(opened, hasty, "verify", SYSTEM_TENANT, killed, slot=NIGHT)
    assert effects(owner) == 7
    lapse(owner)
    again = carry_out(opened, hasty, "verify", SYSTEM_TENANT, verify, slot=NIGHT)
    assert again.outcome is Outcome.DONE
    assert effects(owner) == 7
    carry_out(opened, hasty, "verify", SYSTEM_TENANT, verify, slot=NIGHT + SLOT_S)
    assert effects(owner) == 14
    with opened.transaction(Role.READER, "acme", [AUDIT_OWNER], read_only=True) as session:
        assert {event.payload["sound"] for event in ledger.read(session, Owner("audit:")) if event.payload} == {True}


def test_whoever_finds_a_pass_held_is_told_by_whom_since_when_and_until_when(
    opened: Database, environment: Settings
) -> None:
    held = jobs.begin(opened, "acme", "prune", lease=timedelta(minutes=5), attempts=3)
    assert held is not None
    jobs.renew(opened, held, timedelta(minutes=5), 30, 400)
    report = carry_out(opened, environment, "prune", "acme", finished)
    (holding,) = holdings.held(opened, tenant_id="acme")
    assert (report.outcome, report.error) == (Outcome.SKIPPED, holding.says)
    for part in (socket.gethostname(), f"/{os.getpid()}", f"{holding.held_since:%H:%M:%S}", "30 of 400"):
        assert part in holding.says
    assert f"whoever comes after {holding.lease_until:%Y-%m-%d %H:%M:%S}" in holding.says
    assert holdings.held(opened, tenant_id="globex") == []
    assert carry_out(opened, environment, "prune", "globex", finished).error is None


def test_a_pass_that_pauses_after_a_failure_says_so(opened: Database, environment: Settings) -> None:
    held = jobs.begin(opened, "acme", "prune", lease=timedelta(minutes=5), attempts=3)
    assert held is not None
    jobs.fail(opened, held, "Misconfigured: no model", again_after=timedelta(minutes=2))
    said = carry_out(opened, environment, "prune", "acme", finished).error or ""
    assert "failed and is tried again after" in said
    assert "Misconfigured: no model" in said
