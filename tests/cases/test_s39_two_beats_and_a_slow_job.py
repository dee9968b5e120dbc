"""S39: two beats ring for one job, which is slower than its period; a beat and a worker are killed."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path

import psycopg

from shared.settings import Settings, settings
from shared.work.broker import lengths, make_app
from tests.cases.processes import Process, processes, until
from tests.cases.slow_job import NAME, with_its_queue

PROGRAM = str(Path(__file__).parent / "slow_job.py")
PERIOD_S = 1.0
JOB_S = 3.5


def slots(owner: psycopg.Connection) -> list[str]:
    """The slot of each effect."""
    query = "select payload::json ->> 'slot' from event_payload where payload like '%%slot%%' order by sequence"
    return [slot for (slot,) in owner.execute(query).fetchall()]


def queued() -> int:
    url = settings().redis_url
    assert url is not None
    return lengths(with_its_queue(make_app("s39", settings(), url.get_secret_value)), [NAME])[NAME]


def beat_arguments(tmp_path: Path, n: int) -> tuple[str, ...]:
    return (PROGRAM, "beat", "--schedule", str(tmp_path / f"beat-{n}"), "--pidfile", str(tmp_path / f"{n}.pid"))


def test_s39_each_slot_has_one_effect_and_nothing_piles_up(
    on_a_broker_of_its_own: Settings, owner: psycopg.Connection, tmp_path: Path
) -> None:
    variables = {"SLOW_JOB_S": str(JOB_S), "SLOW_EVERY_S": str(PERIOD_S)}
    with processes(tmp_path) as start:
        one = start(PROGRAM, "worker", "--hostname", "s39-0@%h", **variables)
        beats = [start(*beat_arguments(tmp_path, n), **variables) for n in range(2)]
        until(lambda: len(slots(owner)) >= 2, "it has been done twice")
        assert queued() <= 2, "two beats that ring at the same moment, and no more however long it takes"
        beats[0].kill()
        before = len(slots(owner))
        until(lambda: len(slots(owner)) >= before + 2, "one beat will do")
        beats[1].kill()
        found = slots(owner)
        until(lambda: queued() <= 1, "the queue is empty but for a ring", within_s=2 * JOB_S)
        assert len(set(found)) == len(found)
        assert "Traceback" not in one.said()
        assert owner.execute("select count(*) from job where state = 'failed' or attempts > 1").fetchone() == (0,)


def test_s39_a_killed_worker_keeps_no_slot_longer_than_its_lease(
    on_a_broker_of_its_own: Settings, owner: psycopg.Connection, tmp_path: Path
) -> None:
    variables = {"SLOW_JOB_S": "1.5", "SLOW_EVERY_S": str(PERIOD_S), "DAYBOOK_JOB_LEASE_S": "2"}

    def worker(n: int) -> Process:
        return start(PROGRAM, "worker", "--hostname", f"s39-{n}@%h", **variables)

    with processes(tmp_path) as start:
        workers = [worker(0), worker(1)]
        start(*beat_arguments(tmp_path, 0), **variables)
        until(lambda: len(slots(owner)) >= 1, "it has been done")
        holder = until_one_is_at_it(workers)
        holder.kill()
        killed = time.monotonic()
        before = len(slots(owner))
        until(lambda: len(slots(owner)) > before, "another goes on")
        assert time.monotonic() - killed < 2 + 2 * PERIOD_S + 1.5 + 2, "lease, two periods, the job, a busy machine"
        assert len(set(slots(owner))) == len(slots(owner))
        (attempts,) = owner.execute("select max(attempts) from job").fetchone() or (0,)
        assert attempts == 2
        until(lambda: len(slots(owner)) > before + 1, "and the slots go on")


def until_one_is_at_it(workers: list[Process]) -> Process:
    """The worker that has just begun."""
    begun = [each.said().count("started") for each in workers]
    until(lambda: [each.said().count("started") for each in workers] != begun, "somebody begins")
    time.sleep(timedelta(milliseconds=300).total_seconds())  # in the midst of it
    now = [each.said().count("started") for each in workers]
    return next(each for each, one, two in zip(workers, begun, now, strict=True) if two > one)
