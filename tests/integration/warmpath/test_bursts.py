"""A burst is one effect, and a ring or a worker stands for all that waits."""

from __future__ import annotations

import queue
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import timedelta

import psycopg
import pytest

from shared.contract.errors import DatabaseUnavailable, LeaseLost, NotFound
from shared.contract.receipts import Outcome, Stage, Work
from shared.contract.scope import Owner, Scope
from shared.models._vectors import Vectors
from shared.settings import Settings
from shared.store import inbox, ledger
from shared.store.db import Database, Role
from shared.testing import HashEmbedder, RecordingBell, Urls
from warmpath import append
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Done, Services, serve

LEASE = timedelta(seconds=300)
TENANTS = ("acme", "beta", "core")


class Queue:
    """A bell whose rings are heard by whoever asks next, in order."""

    def __init__(self) -> None:
        self.rings: queue.Queue[tuple[Stage, Work]] = queue.Queue()
        self.count = 0

    def ring(self, stage: Stage, work: Work) -> None:
        self.count += 1
        self.rings.put((stage, work))

    def waiting(self) -> Mapping[Stage, int]:
        return {}


@dataclass
class Crew:
    """Workers on threads that do what they are rung for; there is no sweep."""

    services: Services
    bell: Queue
    stages: Mapping[Stage, Callable[..., Sequence[Done]]] = field(default_factory=lambda: dict(STAGES))
    errors: list[Exception] = field(default_factory=list)
    idle: threading.Condition = field(default_factory=threading.Condition)
    busy: int = 0
    accepting: bool = False

    def work(self, _: int) -> None:
        while True:
            with self.idle:
                while self.bell.rings.empty():
                    if not self.busy and not self.accepting:
                        self.idle.notify_all()
                        return
                    self.idle.wait(0.01)
                stage, work = self.bell.rings.get_nowait()
                self.busy += 1
            try:
                serve(self.services, stage, self.stages[stage], work)
            except Exception as error:  # noqa: BLE001 - as a worker process goes on after a task that failed
                self.errors.append(error)
            with self.idle:
                self.busy -= 1
                self.idle.notify_all()


def observe_some(door: Door, seed: int, runs: int) -> Counter[tuple[str, str]]:
    chance = random.Random(seed)
    accepted = Counter[tuple[str, str]]()
    for n in range(runs):
        tenant, user = chance.choice(TENANTS), f"user-{min(chance.randrange(6), chance.randrange(6))}"
        door.observe(
            Scope(tenant_id=tenant, user_id=user), [{"role": "user", "text": f"Crate {n}."}], run_id=f"run-{n}"
        )
        accepted[tenant, user] += 1
    return accepted


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("late", [False, True], ids=["all accepted before", "accepted meanwhile"])
def test_without_failures_nothing_is_left_to_the_sweep(
    services: Services, opened: Database, owner: psycopg.Connection, seed: int, *, late: bool
) -> None:
    bell = Queue()
    crew = Crew(replace(services, bell=bell), bell)
    door = Door(crew.services)
    runs = 90
    if not late:
        observe_some(door, seed, runs)
    crew.accepting = late
    with ThreadPoolExecutor(4) as threads:
        ended = threads.map(crew.work, range(4))
        if late:
            observe_some(door, seed, runs)
            crew.accepting = False
        list(ended)
    assert crew.errors == []
    assert owner.execute("select state, count(*) from inbox group by state").fetchall() == [("done", runs)]
    assert owner.execute("select count(*), count(distinct (tenant_id, text)) from memory").fetchone() == (runs, runs)
    assert owner.execute("select count(*) from receipt").fetchone() == (4 * runs,)
    assert bell.count <= 3 * runs * 3, "rings beget no rings without work being done"
    in_order = owner.execute(
        """
        select bool_and(later) from (
            select
                accepted_at >= lag(accepted_at) over (partition by tenant_id, event.user_id order by sequence) as later
            from event join inbox using (tenant_id, run_id)
            where event_class = 'evidence' and event.user_id = inbox.user_id
        ) as each
        """
    ).fetchone()
    assert in_order == (True,), "a stream's runs are appended in order of acceptance"


def test_a_poison_run_fails_its_burst_once_and_then_itself_alone(
    services: Services, opened: Database, owner: psycopg.Connection
) -> None:
    bell = Queue()
    crew = Crew(replace(services, bell=bell), bell)
    door = Door(crew.services)
    for n in range(12):
        text = "poison" if n == 4 else f"Crate {n}."
        door.observe(Scope(tenant_id="acme", user_id="mira"), [{"role": "user", "text": text}], run_id=f"run-{n}")
    tries = Counter[str]()

    def choke(services: Services, claim: inbox.Claim) -> list[Done]:
        with opened.transaction(Role.WORKER, claim.tenant_id, [claim.owner]) as session:
            rows = inbox.take(session, claim)
        tries.update(row["run_id"] for row in rows)
        if any("poison" in row["payload"] for row in rows):
            raise NotFound("it cannot be swallowed")
        return append.run(services, claim)

    crew.stages = {**STAGES, Stage.APPEND: choke}
    crew.work(0)
    assert {type(error) for error in crew.errors} == {NotFound}
    assert tries == {f"run-{n}": 2 for n in range(12)}
    assert owner.execute("select run_id from inbox where state = 'parked'").fetchall() == [("run-4",)]
    assert owner.execute("select count(*) from inbox where state = 'done'").fetchone() == (11,)
    failed = owner.execute("select run_id, reason from receipt where outcome = %s", [Outcome.FAILED]).fetchall()
    assert failed == [("run-4", "NotFound: it cannot be swallowed")]


def test_what_was_rung_for_and_not_taken_is_rung_for_again_before_the_work_is_done(
    door: Door, services: Services, bell: RecordingBell
) -> None:
    for user in ("mira", "oskar"):
        door.observe(Scope(tenant_id="acme", user_id=user), [{"role": "user", "text": "I keep bees."}], run_id="run-7")
    _, work = bell.rung[-1]
    bell.rung.clear()
    rung: list[tuple[Stage, Work]] = []

    def look(services: Services, claim: inbox.Claim) -> list[Done]:
        rung.extend(bell.rung)
        return STAGES[Stage.APPEND](services, claim)

    serve(services, Stage.APPEND, look, work)
    assert rung == [(Stage.APPEND, work)]


@pytest.mark.parametrize("stage", STAGES)
def test_whoever_wakes_up_after_his_lease_ran_out_has_no_effect(
    services: Services, reading: Settings, bell: RecordingBell, owner: psycopg.Connection, stage: Stage
) -> None:
    services, mira = replace(services, settings=reading), Scope(tenant_id="acme", user_id="mira")
    Door(services).observe(mira, [{"role": "user", "text": "I keep bees."}], run_id="run-7")
    while bell.rung[0][0] is not stage:
        at, work = bell.rung.pop(0)
        serve(services, at, STAGES[at], work)
    claim = inbox.claim_burst(services.database, bell.rung[0][1], stage, lease=LEASE)
    assert claim is not None
    owner.execute("update inbox set lease_until = now() - interval '1 s'")
    assert STAGES[stage](services, claim) == [], "nobody has taken it over yet"
    again = inbox.claim_burst(services.database, bell.rung[0][1], stage, lease=LEASE)
    assert again is not None
    assert STAGES[stage](services, claim) == []
    assert len(STAGES[stage](services, again)) == 1
    assert STAGES[stage](services, again) == []


def test_a_claim_that_is_over_by_the_workers_own_watch_begins_nothing(
    door: Door, services: Services, bell: RecordingBell
) -> None:
    door.observe(Scope(tenant_id="acme", user_id="mira"), [{"role": "user", "text": "I keep bees."}], run_id="run-7")
    _, work = bell.rung.pop()
    claim = inbox.claim_burst(services.database, work, Stage.APPEND, lease=timedelta(0))
    assert claim is not None
    with pytest.raises(LeaseLost):
        append.run(services, claim)


@pytest.fixture
def hasty(urls: Urls) -> Iterator[Database]:
    """A database whose workers may take half a second."""
    one = Database(urls.database_url, pool_size=2, connect_timeout_s=5, work_timeout_s=0.5)
    yield one
    one.close()


@pytest.mark.timeout(60)
def test_a_worker_that_was_stopped_loses_the_streams_lock(hasty: Database, opened: Database) -> None:
    mira = Owner("mira")
    with (  # noqa: PT012 - it is the stopped one that fails, when it goes on
        pytest.raises(DatabaseUnavailable, match="ended the session"),
        hasty.transaction(Role.WORKER, "acme", [mira]) as stopped,
    ):
        ledger.lock(stopped, mira)
        with opened.transaction(Role.WORKER, "acme", [mira], timeout_ms=30_000) as other:
            assert ledger.lock(other, mira).sequence == 0, "it waits for as long as the first is not ended"
        ledger.lock(stopped, mira)


@pytest.mark.timeout(60)
def test_a_workers_statement_is_ended_at_the_deadline_of_a_task(hasty: Database) -> None:
    transaction = hasty.transaction(Role.WORKER, "acme", [Owner("mira")])
    with pytest.raises(DatabaseUnavailable, match="statement timeout"), transaction as session:
        session.execute("select pg_sleep(30)")


@pytest.mark.timeout(60)
def test_work_that_has_a_lease_is_ended_as_a_whole(opened: Database) -> None:
    transaction = opened.transaction(Role.WORKER, "acme", [Owner("mira")], timeout_ms=400)
    with pytest.raises(DatabaseUnavailable), transaction as session:  # noqa: PT012 - no one statement is too long
        while True:
            session.execute("select pg_sleep(0.05)")


def test_vectors_of_a_burst_are_made_in_one_batch_each_memory_once(
    door: Door, services: Services, bell: RecordingBell, owner: psycopg.Connection
) -> None:
    batches: list[int] = []

    class Counting(HashEmbedder):
        def encode_documents(self, texts: Sequence[str]) -> Vectors:
            batches.append(len(texts))
            return super().encode_documents(texts)

    mine = replace(services, embedder=Counting)
    for n in range(5):
        messages = [
            {"role": "user", "text": f"Crate {n}.", "id": f"a{n}"},
            {"role": "user", "text": f"Lamp {n}.", "id": f"b{n}"},
        ]
        door.observe(Scope(tenant_id="acme", user_id="mira"), messages, run_id=f"run-{n // 2}")
    counts = []
    while bell.rung:
        stage, work = bell.rung.pop(0)
        results = serve(mine, stage, STAGES[stage], work)
        counts += [result.counts["vectors"] for result in results if stage is Stage.INDEX]
    assert batches == [10]
    assert sum(counts) == 10
    assert owner.execute("select count(*) from memory_vector").fetchone() == (10,)
