"""A pass is one worker's at a time, a slot has one pass, and whoever lost it has no effect."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from threading import Barrier

import psycopg
import pytest

from shared.contract.errors import LeaseLost
from shared.contract.scope import SYSTEM_TENANT, TENANT_OWNER
from shared.store import jobs
from shared.store.db import Database, Role
from shared.store.jobs import Held
from shared.store.queries import queries

LEASE = timedelta(seconds=60)
NIGHT = datetime(2026, 3, 1, 3, tzinfo=UTC)


def begin(database: Database, slot: datetime | None = None, *, resume: bool = False, tenant_id: str = "acme"):
    return jobs.begin(database, tenant_id, "prune", lease=LEASE, attempts=3, slot=slot, resume=resume)


def begun(database: Database, slot: datetime | None = None, *, tenant_id: str = "acme") -> Held:
    held = begin(database, slot, tenant_id=tenant_id)
    assert held is not None
    return held


def lapse(owner: psycopg.Connection) -> None:
    owner.execute("update job set lease_until = now() - interval '1 second' where state = 'running'")


def test_a_pass_is_somebodys_until_it_ends_and_of_one_tenant(opened: Database) -> None:
    held = begun(opened)
    assert begin(opened) is None
    begun(opened, tenant_id="other")
    assert jobs.finish(opened, held, {"closed": 3})
    (found,) = jobs.latest(opened, "acme")
    assert (found.state, found.counts, found.attempts) == ("done", {"closed": 3}, 1)
    assert begun(opened).job_id != held.job_id


def test_a_slot_has_one_pass_whether_it_went_well_or_not(opened: Database) -> None:
    for hours, end in enumerate(
        (lambda held: jobs.finish(opened, held, {}), lambda held: jobs.fail(opened, held, "x"))
    ):
        slot = NIGHT + timedelta(hours=hours)
        end(begun(opened, slot))
        assert begin(opened, slot) is None


def test_of_many_who_begin_a_slot_at_once_one_does(opened: Database) -> None:
    barrier = Barrier(6)

    def ask(_: int) -> Held | None:
        barrier.wait(30)
        return begin(opened, NIGHT)

    with ThreadPoolExecutor(6) as threads:
        assert sum(held is not None for held in threads.map(ask, range(6))) == 1


def test_a_pass_whose_lease_ran_out_is_taken_over_before_a_new_slot_is_begun(
    opened: Database, owner: psycopg.Connection
) -> None:
    first = begun(opened, NIGHT)
    lapse(owner)
    second = begun(opened, NIGHT + timedelta(days=1))
    assert (second.job_id, second.slot, second.attempt) == (first.job_id, NIGHT, 2)
    assert not jobs.renew(opened, first, LEASE, 1, 2)
    assert not jobs.finish(opened, first, {})
    assert not jobs.fail(opened, first, "late")
    assert not jobs.release(opened, first, {}, 0, 0)
    assert jobs.renew(opened, second, LEASE, 1, 2)


def test_after_so_many_fruitless_attempts_a_slot_has_failed_and_the_next_is_begun(
    opened: Database, owner: psycopg.Connection
) -> None:
    for attempt in (1, 2, 3):
        assert begun(opened, NIGHT).attempt == attempt
        lapse(owner)
    following = begun(opened, NIGHT + timedelta(days=1))
    assert (following.slot, following.attempt) == (NIGHT + timedelta(days=1), 1)
    failed = owner.execute("select state, last_error from job where slot = %s", [NIGHT]).fetchone()
    assert failed == ("failed", "given up: its lease ran out at attempt 3 of 3")


def test_slices_that_end_well_are_no_fruitless_attempts(opened: Database, owner: psycopg.Connection) -> None:
    for n in range(5):
        held = begun(opened)
        assert (held.attempt, held.fruitless, held.counts) == (n + 1, 1, {"moved": n} if n else {})
        assert jobs.release(opened, held, {"moved": n + 1}, n, 9)
    for fruitless in (1, 2, 3):
        held = begun(opened)
        assert held.fruitless == fruitless
        lapse(owner)
    assert begin(opened, resume=True) is None
    (found,) = jobs.latest(opened)
    assert (found.state, found.done, found.total, found.counts) == ("failed", 4, 9, {"moved": 5})


def test_who_only_resumes_begins_nothing(opened: Database) -> None:
    assert begin(opened, resume=True) is None
    held = begun(opened)
    jobs.release(opened, held, {}, 0, 0)
    resumed = begin(opened, resume=True)
    assert resumed is not None
    assert resumed.job_id == held.job_id
    jobs.finish(opened, resumed, {})
    assert begin(opened, resume=True) is None


def test_a_failed_attempt_is_followed_by_another_only_after_its_pause(
    opened: Database, owner: psycopg.Connection
) -> None:
    jobs.fail(opened, begun(opened, NIGHT), "Broken", again_after=timedelta(minutes=5))
    assert begin(opened, NIGHT) is None
    lapse(owner)
    assert begun(opened, NIGHT).attempt == 2
    (found,) = jobs.latest(opened)
    assert (found.state, found.last_error) == ("running", "Broken")


@pytest.mark.parametrize("role", [Role.WORKER, Role.ERASER])
@pytest.mark.parametrize("tenant_id", ["acme", SYSTEM_TENANT])
def test_an_effect_of_an_attempt_that_is_over_is_refused(
    opened: Database, owner: psycopg.Connection, role: Role, tenant_id: str
) -> None:
    held = begun(opened, tenant_id=tenant_id)
    with opened.transaction(role, "acme", [TENANT_OWNER]) as session:
        before = session.row("select current_user as who, current_setting('daybook.tenant') as tenant")
        jobs.fence(session, held)
        assert session.row("select current_user as who, current_setting('daybook.tenant') as tenant") == before
    lapse(owner)
    begun(opened, tenant_id=tenant_id)
    with (
        opened.transaction(role, "acme", [TENANT_OWNER]) as session,
        pytest.raises(LeaseLost, match="attempt 1 at prune"),
    ):
        jobs.fence(session, held)


def test_while_an_effect_is_under_way_nobody_takes_the_pass_over(opened: Database, owner: psycopg.Connection) -> None:
    held = begun(opened, NIGHT)
    with opened.transaction(Role.WORKER, "acme", [TENANT_OWNER]) as session:
        jobs.fence(session, held)
        with ThreadPoolExecutor(1) as threads:  # a second effect of the same attempt
            with opened.transaction(Role.WORKER, "acme", [TENANT_OWNER]) as other:
                jobs.fence(other, held)
            owner.execute("set lock_timeout = '100ms'")
            with pytest.raises(psycopg.errors.LockNotAvailable):
                lapse(owner)
            assert threads.submit(begin, opened, NIGHT).result(20) is None
    owner.execute("set lock_timeout = 0")
    lapse(owner)
    assert begun(opened, NIGHT).attempt == 2


def test_the_one_effect_and_its_end_are_one_transaction(opened: Database, owner: psycopg.Connection) -> None:
    held = begun(opened, NIGHT)
    with suppress(ZeroDivisionError), opened.transaction(Role.WORKER, "acme", [TENANT_OWNER]) as session:
        jobs.finish_within(session, held, {"n": 1})
        raise ZeroDivisionError
    assert jobs.latest(opened)[0].state == "running"
    with opened.transaction(Role.WORKER, "acme", [TENANT_OWNER]) as session:
        jobs.finish_within(session, held, {"n": 1})
    assert jobs.latest(opened)[0].state == "done"
    with opened.transaction(Role.WORKER, "acme", [TENANT_OWNER]) as session, pytest.raises(LeaseLost):
        jobs.finish_within(session, held, {"n": 1})


def test_a_note_keeps_one_row(opened: Database) -> None:
    jobs.note(opened, SYSTEM_TENANT, "sweep", {"rung": 1})
    first = jobs.latest(opened)
    jobs.note(opened, SYSTEM_TENANT, "sweep", {"rung": 2})
    (second,) = jobs.latest(opened)
    assert (second.state, second.counts) == ("done", {"rung": 2})
    assert second.changed_at > first[0].changed_at


def test_what_nobody_took_over_is_found(opened: Database, owner: psycopg.Connection) -> None:
    begun(opened)
    begun(opened, tenant_id="other")
    assert jobs.lapsed(opened, since=timedelta(0), limit=9) == []
    owner.execute("update job set lease_until = now() - interval '30 seconds' where tenant_id = 'acme'")
    assert jobs.lapsed(opened, since=timedelta(seconds=20), limit=9) == [("acme", "prune")]
    assert jobs.lapsed(opened, since=timedelta(seconds=40), limit=9) == []
    assert jobs.latest(opened, "acme")[0].lapsed_at is not None
    assert jobs.latest(opened, "other")[0].lapsed_at is None


def test_a_slot_is_due_for_the_tenants_that_have_not_had_it(opened: Database, owner: psycopg.Connection) -> None:
    for tenant_id in ("a", "b", "c", "d", "e"):
        owner.execute(
            "insert into stream values (%s, 'user:x', 'x', 1, 'h', now(), 0), (%s, 'user:y', 'y', 1, 'h', now(), 0)",
            [tenant_id, tenant_id],
        )
    jobs.finish(opened, begun(opened, NIGHT, tenant_id="a"), {})
    begun(opened, NIGHT, tenant_id="b")
    jobs.release(opened, begun(opened, NIGHT, tenant_id="c"), {}, 0, 0)
    jobs.finish(opened, begun(opened, NIGHT - timedelta(days=1), tenant_id="d"), {})
    assert jobs.due(opened, "prune", NIGHT, now=NIGHT, limit=9) == ["d", "e", "c"], "who has had a turn comes last"
    assert jobs.due(opened, "prune", NIGHT, now=NIGHT, limit=1, but=["d"]) == ["e"]
    became = jobs.slot_of(opened, "prune", NIGHT)
    assert (became.done, became.failed, became.running, became.started) == (1, 0, 2, 3)
    last = jobs.last(opened, "prune")
    assert last is not None
    assert (last.tenant_id, last.state) == ("d", "done")
    assert jobs.last(opened, "verify") is None


def test_tenants_come_within_the_spread_each_at_the_same_moment_of_every_slot(
    opened: Database, owner: psycopg.Connection
) -> None:
    everybody = [f"t{n}" for n in range(40)]
    for tenant_id in everybody:
        owner.execute(
            "insert into stream select %s, 'user:u', 'u', 0, decode(repeat('00', 32), 'hex'), now(), 0", [tenant_id]
        )

    def due(slot: datetime, minutes: int) -> set[str]:
        moment, spread = slot + timedelta(minutes=minutes), timedelta(minutes=30)
        return set(jobs.due(opened, "prune", slot, now=moment, spread=spread, limit=99))

    assert due(NIGHT, 30) == set(everybody)
    assert 5 < len(due(NIGHT, 15)) < 35
    assert due(NIGHT, 10) < due(NIGHT, 20)
    assert due(NIGHT, 15) == due(NIGHT + timedelta(days=1), 15)
    assert due(NIGHT, -1) == set()


def test_the_newest_passes_are_found_by_the_index_however_many_there_are(
    opened: Database, owner: psycopg.Connection
) -> None:
    owner.execute(
        """
        insert into job (
            tenant_id, job_id, name, state, attempts, done, total, counts, started_at, changed_at, finished_at
        )
        select 't' || t, gen_random_uuid(), name, 'done', 1, h, 0, '{}', at, at, at
        from generate_series(1, 5) as t, unnest(array['fill', 'reembed']) as name, generate_series(1, 2000) as h,
            lateral (select now() - h * interval '1 hour' as at) as moment
        """
    )
    owner.execute("analyze job")
    found = [(each.tenant_id, each.name, each.done) for each in jobs.latest(opened)]
    assert found == [(f"t{t}", name, 1) for t in range(1, 6) for name in ("fill", "reembed")]
    assert [each.name for each in jobs.latest(opened, "t3")] == ["fill", "reembed"]
    assert jobs.latest(opened, "t2a") == []
    with opened.claiming() as connection:
        plan = connection.execute("explain (analyze) " + queries("jobs")["latest"], {"tenant_id": None}).fetchall()
    text = "\n".join(str(row) for row in plan)
    assert "Seq Scan" not in text
    assert "job_latest" in text


def test_of_some_tenants_alone_it_is_asked_which_are_due(opened: Database, owner: psycopg.Connection) -> None:
    for tenant_id in ("a", "b", "c"):
        owner.execute(
            "insert into stream select %s, 'user:u', 'u', 0, decode(repeat('00', 32), 'hex'), now(), 0", [tenant_id]
        )
    assert jobs.due(opened, "prune", NIGHT, now=NIGHT, limit=9, among=["c", "a", "z"]) == ["a", "c"]
    assert jobs.due(opened, "prune", NIGHT, now=NIGHT, limit=9, among=[]) == []
