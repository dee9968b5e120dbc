"""Whose turn it is, and what goes together."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import psycopg
import pytest

from shared.contract.receipts import Stage, Work
from shared.contract.scope import Owner
from shared.store import inbox
from shared.store.db import Database, Role
from shared.store.queries import queries

LEASE = timedelta(seconds=300)
TENANTS = ("acme", "beta", "core")


def wait_at(
    owner: psycopg.Connection, tenant: str, user: str, runs: int, *, messages: int = 1, stage: Stage = Stage.APPEND
) -> list[Work]:
    """Runs that wait behind all that wait already, in order."""
    rows = owner.execute(
        """
        insert into inbox (
            tenant_id, inbox_id, user_id, run_id, message_digests, messages, stage, accepted_at, changed_at
        )
        select %s, gen_random_uuid(), %s, 'run-' || n, '{}', %s, %s, clock_timestamp() + n * interval '1 us', now()
        from generate_series(1, %s) as n
        returning inbox_id, accepted_at
        """,
        (tenant, user, messages, stage, runs),
    ).fetchall()
    return [Work(tenant_id=tenant, owner=Owner(user), inbox_id=row[0]) for row in sorted(rows, key=lambda row: row[1])]


def take(opened: Database, hint: Work, stage: Stage = Stage.APPEND) -> inbox.Claim | None:
    return inbox.claim_burst(opened, hint, stage, lease=LEASE)


def taken(opened: Database, hint: Work) -> inbox.Claim:
    claim = take(opened, hint)
    assert claim is not None
    return claim


def let_go(opened: Database, claim: inbox.Claim) -> None:
    with opened.transaction(Role.WORKER, claim.tenant_id, [claim.owner]) as session:
        for inbox_id in claim.inbox_ids:
            inbox.advance(session, inbox_id, None)


def test_tenants_take_turns_whoever_is_rung_for(opened: Database, owner: psycopg.Connection) -> None:
    big = wait_at(owner, "acme", "mira", 100)
    wait_at(owner, "beta", "oskar", 25)
    wait_at(owner, "core", "tove", 1)
    served = []
    for _ in range(5):
        claim = taken(opened, big[-1])
        served.append((claim.tenant_id, len(claim.inbox_ids)))
        let_go(opened, claim)
    assert served == [("acme", 20), ("beta", 20), ("core", 1), ("acme", 20), ("beta", 5)]


def test_a_tenant_that_was_served_long_ago_or_never_comes_before_all_others(
    opened: Database, owner: psycopg.Connection
) -> None:
    big = wait_at(owner, "beta", "mira", 200)
    for _ in range(3):
        let_go(opened, taken(opened, big[-1]))
    wait_at(owner, "core", "tove", 1)
    assert taken(opened, big[-1]).tenant_id == "core"
    wait_at(owner, "core", "hana", 1)
    wait_at(owner, "acme", "oskar", 1)
    assert taken(opened, big[-1]).tenant_id == "acme"
    assert taken(opened, big[-1]).tenant_id == "beta"


def test_of_more_tenants_than_a_claim_looks_at_each_has_its_turn(opened: Database, owner: psycopg.Connection) -> None:
    many = [f"tenant-{n:03}" for n in range(100)]
    hints = [wait_at(owner, tenant, "mira", 21)[-1] for tenant in many]
    served = Counter[str]()
    for _ in many:
        claim = taken(opened, hints[0] if served["tenant-000"] == 0 else hints[50])
        served[claim.tenant_id] += 1
        let_go(opened, claim)
    assert served == Counter(many)


def test_a_burst_is_the_oldest_runs_of_one_stream_within_both_bounds(
    opened: Database, owner: psycopg.Connection
) -> None:
    first = wait_at(owner, "acme", "mira", 3, messages=150)
    wait_at(owner, "acme", "oskar", 1)
    second = wait_at(owner, "acme", "mira", 30, messages=2)
    large = wait_at(owner, "acme", "tove", 1, messages=9_000)
    wait_at(owner, "acme", "tove", 1)
    claim = taken(opened, large[0])
    assert claim.owner == "mira"
    assert set(claim.inbox_ids) == {work.inbox_id for work in [*first, *second[:17]]}
    let_go(opened, claim)
    assert [taken(opened, large[0]).owner for _ in range(2)] == ["oskar", "mira"]
    assert taken(opened, large[0]).inbox_ids == (large[0].inbox_id,), "above the bound, so alone"


def test_messages_bound_a_burst(opened: Database, owner: psycopg.Connection) -> None:
    works = wait_at(owner, "acme", "mira", 10, messages=150)
    assert set(taken(opened, works[9]).inbox_ids) == {work.inbox_id for work in works[:3]}


def test_what_failed_before_is_taken_alone(opened: Database, owner: psycopg.Connection) -> None:
    works = wait_at(owner, "acme", "mira", 6)
    owner.execute("update inbox set attempts = 1 where inbox_id = any(%s)", [[works[0].inbox_id, works[3].inbox_id]])
    claims = []
    for _ in range(3):
        claims.append(taken(opened, works[3] if len(claims) == 2 else works[5]))
        let_go(opened, claims[-1])
    assert [claim.attempt for claim in claims] == [2, 1, 2]
    assert [set(claim.inbox_ids) for claim in claims] == [
        {works[0].inbox_id},
        {works[n].inbox_id for n in (1, 2, 4, 5)},
        {works[3].inbox_id},
    ]


def test_nobody_gets_a_stream_that_somebody_is_at(opened: Database, owner: psycopg.Connection) -> None:
    miras = wait_at(owner, "acme", "mira", 30)
    oskars = wait_at(owner, "acme", "oskar", 1)
    gate = wait_at(owner, "acme", "mira", 1, stage=Stage.GATE)
    at_it = taken(opened, miras[25])
    assert taken(opened, miras[25]).inbox_ids == (oskars[0].inbox_id,)
    assert take(opened, miras[25]) is None, "all that waits is of streams that somebody is at"
    assert take(opened, gate[0], Stage.GATE) is not None, "of that stream nobody is at this stage"
    assert inbox.next_of_stream(opened, "acme", Owner("mira"), Stage.APPEND) is None
    let_go(opened, at_it)
    assert inbox.next_of_stream(opened, "acme", Owner("mira"), Stage.APPEND) == miras[20]


def test_a_stream_behind_a_long_backlog_that_somebody_is_at_is_found_by_its_own_ring(
    opened: Database, owner: psycopg.Connection
) -> None:
    backlog = wait_at(owner, "acme", "mira", 700)
    (work,) = wait_at(owner, "acme", "oskar", 1)
    taken(opened, backlog[0])
    assert taken(opened, work).inbox_ids == (work.inbox_id,)


def test_behind_such_a_backlog_too_a_streams_oldest_run_comes_first(
    opened: Database, owner: psycopg.Connection
) -> None:
    backlog = wait_at(owner, "acme", "mira", 700)
    oskars = wait_at(owner, "acme", "oskar", 30)
    taken(opened, backlog[0])
    assert set(taken(opened, oskars[25]).inbox_ids) == {work.inbox_id for work in oskars[:20]}


def test_a_ring_for_what_is_done_takes_what_is_next_and_is_not_kept(
    opened: Database, owner: psycopg.Connection
) -> None:
    """Else those who wait behind a backlog that was done in bursts would wait for all its stale rings."""
    done, waiting = wait_at(owner, "acme", "mira", 2)
    (other,) = wait_at(owner, "beta", "oskar", 1)
    owner.execute("update inbox set state = 'done' where inbox_id = %s", [done.inbox_id])
    claims = [taken(opened, done) for _ in range(2)]
    assert {each.inbox_ids for each in claims} == {(waiting.inbox_id,), (other.inbox_id,)}
    assert not any(each.passes_over for each in claims)
    assert take(opened, done) is None


def test_workers_that_claim_at_the_same_moment_never_get_one_stream(
    opened: Database, owner: psycopg.Connection
) -> None:
    works = [work for n in range(12) for work in wait_at(owner, TENANTS[n % 3], f"user-{n}", 25)]
    barrier = Barrier(6)

    def claim(thread: int) -> list[inbox.Claim]:
        barrier.wait(30)
        return [taken(opened, works[-1 - thread]) for _ in range(2)]

    with ThreadPoolExecutor(6) as threads:
        claims = [each for claims in threads.map(claim, range(6)) for each in claims]
    assert len({(each.tenant_id, each.owner) for each in claims}) == 12
    assert Counter(each.tenant_id for each in claims) == dict.fromkeys(TENANTS, 4)
    assert all(len(each.inbox_ids) == 20 for each in claims)


@pytest.mark.parametrize("name", ["whose_turn", "claim_burst", "next_of_stream", "is_free", "claim", "mark_rung"])
def test_a_claim_reads_no_more_of_a_long_inbox_than_of_a_short_one(owner: psycopg.Connection, name: str) -> None:
    work = wait_at(owner, "acme", "mira", 10_000)[0]
    for tenant in TENANTS:
        for n in range(40):
            wait_at(owner, tenant, f"user-{n}", 50)
    owner.execute("analyze inbox")
    parameters = {
        "tenant_id": "acme",
        "inbox_id": work.inbox_id,
        "owner": "mira",
        "stage": Stage.APPEND,
        "stages": [Stage.APPEND, Stage.GATE],
        "lease": LEASE,
        "idle": LEASE,
        "again_after": LEASE,
        "limit": 500,
        "front": 500,
        "tenants": 64,
        "most_runs": 20,
        "most_messages": 500,
    }
    plan = owner.execute(f"explain {queries('inbox')[name]}".encode(), parameters).fetchall()
    assert "Seq Scan on inbox" not in str(plan)
    assert "inbox_" in str(plan)


@pytest.mark.parametrize(
    ("statement", "index"),
    [
        (queries("inbox")["unfinished"], "inbox_parked"),
        (queries("dead")["letters"], "inbox_parked"),
        (queries("dead")["called"], "inbox_p"),
    ],
)
def test_what_is_not_done_is_counted_without_reading_what_is(
    owner: psycopg.Connection, statement: str, index: str
) -> None:
    wait_at(owner, "acme", "mira", 5_000)
    owner.execute("update inbox set state = 'done', stage = 'done'")
    works = wait_at(owner, "acme", "oskar", 5)
    owner.execute("update inbox set state = 'parked' where inbox_id = %s", [works[0].inbox_id])
    owner.execute("vacuum analyze inbox")
    one = works[0].inbox_id
    parameters = {"tenant_id": "acme", "first": one, "last": one, "limit": 10, "until": None}
    plan = str(owner.execute(f"explain {statement}".encode(), parameters).fetchall())
    assert "Seq Scan" not in plan
    assert index in plan


def test_unfinished_says_of_what_is_not_done_what_backlog_says(opened: Database, owner: psycopg.Connection) -> None:
    for tenant in TENANTS:
        works = wait_at(owner, tenant, "mira", 4)
        wait_at(owner, tenant, "mira", 2, stage=Stage.GATE)
        owner.execute("update inbox set state = 'parked' where inbox_id = %s", [works[0].inbox_id])
        owner.execute("update inbox set state = 'done', stage = 'done' where inbox_id = %s", [works[1].inbox_id])
    for tenant in (None, "beta"):
        expected = [row for row in inbox.backlog(opened, tenant) if row["state"] != inbox.DONE]
        assert sorted(inbox.unfinished(opened, tenant), key=str) == sorted(expected, key=str)


@pytest.mark.timeout(60)
def test_what_is_given_back_is_locked_in_order_of_acceptance(opened: Database, owner: psycopg.Connection) -> None:
    """Whoever locks the same rows in that order, as an eraser does, waits for its end and makes no ring."""
    works = wait_at(owner, "acme", "mira", 3)
    claim = taken(opened, works[0])
    last, *_, first = sorted(claim.inbox_ids)
    for n, inbox_id in enumerate(sorted(claim.inbox_ids)):
        owner.execute("update inbox set accepted_at = now() - %s * interval '1 s' where inbox_id = %s", [n, inbox_id])
    with ThreadPoolExecutor(1) as threads:
        with owner.transaction():
            owner.execute("select from inbox where inbox_id = %s for update", [first])
            given = threads.submit(give_back, opened, claim)
            wait_until_blocked(owner)
            owner.execute("select from inbox where inbox_id = %s for update nowait", [last])
        assert given.result() == 3


def give_back(opened: Database, claim: inbox.Claim) -> int:
    with opened.transaction(Role.WORKER, claim.tenant_id, [claim.owner]) as session:
        session.execute("set local enable_indexscan = off")  # which would give them in that order by chance
        session.execute("set local enable_bitmapscan = off")
        return inbox.give_back(session, claim, error="Own", after=timedelta(0))


def wait_until_blocked(owner: psycopg.Connection) -> None:
    blocked = "select count(*) from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))"
    while owner.execute(blocked).fetchone() == (0,):
        owner.execute("select pg_stat_clear_snapshot()")
