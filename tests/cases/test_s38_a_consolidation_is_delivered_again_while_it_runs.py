"""S38, with a consolidation as the long task: its copies leave at once, and its model is asked once."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from coldpath.replay import replay
from shared.contract.scope import Owner
from shared.embedded import open_database
from shared.settings import Settings, settings
from shared.store import jobs
from shared.testing import HashEmbedder
from shared.work.broker import make_app, send
from shared.work.passes import request
from shared.work.queues import CONSOLIDATE
from tests.cases.adapter import Words
from tests.cases.consolidating import HABIT, answer, asking, fill, slowly, until_asked
from tests.cases.processes import Process, processes, until

PROGRAM = str(Path(__file__).parent / "another_model.py")
WORKER = (PROGRAM, "hash", "1", "384", "worker", "--queues", CONSOLIDATE, "--concurrency", "1", "--loglevel", "INFO")


def times(word: str, *found: Process) -> int:
    return sum(each.said().count(word) for each in found)


@pytest.mark.timeout(180)
def test_s38_one_worker_asks_and_the_other_copies_leave_at_once(
    on_a_broker_of_its_own: Settings,
    owner: psycopg.Connection,
    embedder: HashEmbedder,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    words, url = Words(owner), settings().redis_url
    assert url is not None
    fill(words, "acme", "mira")
    with asking(monkeypatch, slowly(answer((HABIT, [1, 2, 3])))) as server, processes(tmp_path) as start:
        database = open_database(settings())
        assert request(database, settings(), CONSOLIDATE, "acme")
        workers = [start(*WORKER, "--hostname", f"s38-{n}@%h", VISIBILITY_S="2") for n in range(2)]
        until(lambda: times("ready.", *workers) == 2, "both workers are ready")
        app = make_app("s38", settings(), url.get_secret_value)
        for _ in range(2):
            send(app, CONSOLIDATE, "acme", expires_s=60)
        until(until_asked(server), "one of them asks")
        until(lambda: times("outcome=skipped", *workers) >= 2, "copies have been handed out, and left")
        assert times("outcome=done", *workers) == 0
        until(lambda: times("outcome=done", *workers) == 1, "it is done", within_s=90.0)
        left = times("outcome=skipped", *workers)
        send(app, CONSOLIDATE, "acme", expires_s=60)
        until(lambda: times("outcome=skipped", *workers) > left, "a copy that comes after it is left too")
        assert (times("outcome=done", *workers), times("Traceback", *workers)) == (1, 0)
        assert len(server.requests) == 1
    (found,) = [each for each in jobs.latest(database, "acme") if each.name == CONSOLIDATE]
    assert (found.state, found.counts["gate_asked"], found.counts["accepted"]) == ("done", 1, 1)
    kinds = [event.kind for event in words.ledger("acme", "mira")]
    assert [kinds.count(kind) for kind in ("consolidation", "conclusions", "abstract")] == [1, 1, 1]
    assert replay(database, "acme", Owner("mira"), verify=True).is_equal
