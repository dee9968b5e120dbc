"""S38: a task that takes longer than the broker waits is handed out again and again while it runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from shared.contract.scope import SYSTEM_TENANT
from shared.embedded import open_database
from shared.settings import Settings, settings
from shared.store import jobs
from shared.work.broker import make_app, send
from tests.cases.processes import ROOT, Process, processes, until
from tests.cases.slow_job import NAME, with_its_queue

PROGRAM = str(Path(__file__).parent / "slow_job.py")


def effects(owner: psycopg.Connection) -> int:
    (count,) = owner.execute("select count(*) from event where kind = %s", [NAME]).fetchone() or (0,)
    return int(count)


def times(word: str, *found: Process) -> int:
    return sum(each.said().count(word) for each in found)


def test_s38_it_has_its_effect_once_and_the_other_copies_leave_at_once(
    on_a_broker_of_its_own: Settings, owner: psycopg.Connection, tmp_path: Path
) -> None:
    url = settings().redis_url
    assert url is not None
    with processes(tmp_path) as start:
        variables = {"SLOW_JOB_S": "7", "SLOW_VISIBILITY_S": "2"}
        workers = [
            start(PROGRAM, "worker", "--hostname", f"s38-{n}@%h", "--loglevel", "INFO", **variables) for n in range(2)
        ]
        until(lambda: times("ready.", *workers) == 2, "both workers are ready")
        app = with_its_queue(make_app("s38", settings(), url.get_secret_value))
        for _ in range(2):  # sent twice, beside
            send(app, NAME, SYSTEM_TENANT, "3600", "0", expires_s=60)
        until(lambda: times("outcome=done", *workers) == 1, "it is done")
        until(lambda: times("outcome=skipped", *workers) >= 2, "the second, and the first handed out again, have left")
        (found,) = jobs.latest(open_database(settings()))
        assert (found.state, found.attempts) == ("done", 1)
        assert (times("started attempt", *workers), effects(owner)) == (1, 1)
        assert times("Traceback", *workers) == 0


@pytest.mark.parametrize(
    "program",
    [
        ("-m", "celery", "-A", "warmpath.app", "worker"),
        ("-m", "celery", "-A", "coldpath.app", "worker"),
        ("-m", "gateway", "doctor"),
    ],
    ids=["warmpath", "coldpath", "doctor"],
)
def test_s38_a_visibility_timeout_below_the_longest_task_is_refused_at_the_start(program: tuple[str, ...]) -> None:
    bad = {"DAYBOOK_VISIBILITY_TIMEOUT_S": "60", "DAYBOOK_TASK_DEADLINE_S": "60", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *program], cwd=ROOT, env=os.environ | bad, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "DAYBOOK_VISIBILITY_TIMEOUT_S" in done.stderr
    assert "DAYBOOK_TASK_DEADLINE_S" in done.stderr
