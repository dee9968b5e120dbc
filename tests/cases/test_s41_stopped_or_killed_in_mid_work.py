"""S41: workers are stopped and killed all through their work; each run has one effect, and none is left behind."""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest

import warmpath
from shared.settings import Settings, settings
from tests.cases.adapter import Words, said, scope
from tests.cases.workers import PATIENCE_S, Worker, environment_of_workers, until
from warmpath import sweep
from warmpath._door import services

RUNS = 40
LEASE_S = 4
SWEEP_S = 1.0
GRACE_S = 10.0
SLACK_S = 6.0
"""What a busy machine may add before a worker comes to what it was rung for."""
DEATHS = [
    *(
        (stage, moment, "KILL")
        for moment in ("claimed", "written", "committed", "rung")
        for stage in ("append", "index")
    ),
    ("gate", "committed", "KILL"),
    *((stage, moment, "TERM") for stage, moment in (("append", "written"), ("gate", "claimed"), ("index", "rung"))),
]


@pytest.fixture
def words(environment: Settings, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> Iterator[Words]:
    hasty = {"TASK_DEADLINE_S": str(LEASE_S), "SWEEP_EVERY_S": str(SWEEP_S), "TASK_ATTEMPTS": "20"}
    hasty |= {"EXTRACTION_DEADLINE_S": "1"}
    with environment_of_workers(environment, monkeypatch, 10, **hasty):
        yield Words(owner)


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Callable[..., Worker]]:
    begun: list[Worker] = []

    def start(**variables: str) -> Worker:
        name = f"s41-{len(begun)}"
        begun.append(Worker(tmp_path / f"{name}.log", name, "-c", "1", "--prefetch-multiplier", "4", **variables))
        return begun[-1]

    yield start
    for worker in begun:
        worker.kill()


@dataclass
class Shift:
    """Two workers at a time; each dies at its point, and one with a new host name follows it."""

    begin: Callable[..., Worker]
    deaths: list[tuple[str, str, str]]
    alive: list[tuple[Worker, str]] = field(default_factory=list)
    exits: list[tuple[str, int]] = field(default_factory=list)
    last_death_s: float = 0.0

    def fill(self) -> None:
        while len(self.alive) < 2:
            stage, moment, by = self.deaths.pop(0) if self.deaths else ("", "", "")
            point = {"DIE_AT": f"{stage}:{moment}", "DIE_BY": by} if by else {}
            self.alive.append((self.begin(**point), by))

    def bury(self) -> None:
        for worker, by in [each for each in self.alive if each[0].ended]:
            self.alive.remove((worker, by))
            self.exits.append((by, worker.process.returncode))
            self.last_death_s = time.monotonic()

    def end(self) -> None:
        """Stop those that have outlived the work, and see that they do within the grace period."""
        for worker, _ in self.alive:
            until(lambda worker=worker: " ready." in worker.said(), "it has started", worker=worker)
        for worker, _ in self.alive:
            if "Warm shutdown" not in worker.said():  # one that has just been told to end is not told twice
                worker.process.terminate()
        began_s = time.monotonic()
        self.exits += [("TERM", worker.process.wait(GRACE_S)) for worker, _ in self.alive]
        assert time.monotonic() - began_s < GRACE_S


def is_done(words: Words) -> bool:
    return words.owner.execute("select count(*) from inbox where state = 'done'").fetchone() == (RUNS,)


def left_behind(words: Words) -> list[tuple[str, str]]:
    """What has been somebody's beyond the end of his lease, though a sweep and a worker had time to come."""
    return words.owner.execute(
        "select run_id, stage from inbox where state = 'waiting' and lease_until < now() - make_interval(secs => %s)",
        [SWEEP_S + SLACK_S],
    ).fetchall()


@pytest.mark.timeout(180)
def test_s41_at_every_point_where_a_worker_dies_forty_runs_have_one_effect_each(
    words: Words, begin: Callable[..., Worker]
) -> None:
    for n in range(RUNS):
        messages = [said(f"Crate number {n} holds {n % 7} lamps.", "m1")]
        warmpath.observe(scope("acme", f"user-{n}", {}), messages, run_id=f"run-{n}")
    shift, swept_s = Shift(begin, list(DEATHS)), 0.0
    give_up_s = time.monotonic() + PATIENCE_S
    while not is_done(words):
        assert time.monotonic() < give_up_s, (shift, [worker.said()[-1500:] for worker, _ in shift.alive])
        shift.bury()
        shift.fill()
        if time.monotonic() > swept_s + SWEEP_S:
            sweep.run(services(settings()))
            swept_s = time.monotonic()
        # A ring that a worker took with him when he died is a lost one, and sent again in time.
        if shift.last_death_s and time.monotonic() > shift.last_death_s + LEASE_S + SWEEP_S + SLACK_S:
            assert left_behind(words) == []
        time.sleep(0.02)
    shift.end()

    assert shift.deaths == [], "all was done before every death had been died"
    exits = Counter(shift.exits)
    assert exits.pop(("KILL", -signal.SIGKILL)) == sum(by == "KILL" for *_, by in DEATHS)
    assert set(exits) == {("TERM", 0)}, "whoever was told to end, and the last, ended in order"
    counts = [words.count(table) for table in ("memory", "memory_vector", "receipt")]
    assert counts == [RUNS, RUNS, 4 * RUNS]
    assert len({row["text"] for n in range(RUNS) for row in words.current("acme", f"user-{n}")}) == RUNS
    assert words.owner.execute("select count(*) from event where event_class = 'evidence'").fetchone() == (RUNS,)
    assert words.owner.execute("select count(*) from receipt where outcome = 'failed'").fetchone() == (0,)


@pytest.mark.timeout(180)
@pytest.mark.parametrize("moment", ["claimed", "written"])
def test_s41_one_kill_does_not_hold_a_users_runs_up_for_the_length_of_a_lease(
    environment: Settings, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch, begin: Callable[..., Worker],
    moment: str,
) -> None:  # fmt: skip
    with environment_of_workers(environment, monkeypatch, 10, SWEEP_EVERY_S=str(SWEEP_S)):
        for n in range(3):
            warmpath.observe(scope("acme", "mira", {}), [said(f"Crate {n} holds lamps.", "m1")], run_id=f"run-{n}")
        first = begin(DIE_AT=f"append:{moment}", DIE_BY="KILL")
        until(lambda: first.ended, "it has died", worker=first)
        assert owner.execute("select count(*) from inbox where lease_until > now() + '2 min'").fetchone() != (0,)
        second = begin()
        while owner.execute("select count(*) from inbox where state = 'done'").fetchone() != (3,):
            sweep.run(services(settings()))
            until(lambda: " ready." in second.said(), "it has started", worker=second)
            time.sleep(SWEEP_S / 4)
        assert owner.execute("select count(*) from memory").fetchone() == (3,)
        assert owner.execute("select max(finished_at) - min(finished_at) < '100 s' from receipt").fetchone() == (True,)
