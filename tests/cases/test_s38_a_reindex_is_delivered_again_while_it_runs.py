"""S38, with reindex as the long task: its messages come twice, and again while it runs; it is done once."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import psycopg

from coldpath.replay import replay
from shared.contract.scope import Owner
from shared.embedded import open_database
from shared.settings import Settings, settings
from shared.store import generations, jobs, progress
from shared.testing import HashEmbedder, Urls
from shared.work.broker import make_app, send
from shared.work.passes import request
from shared.work.queues import REINDEX
from tests.cases.adapter import Words, said
from tests.cases.processes import Process, processes, until

PROGRAM = str(Path(__file__).parent / "another_model.py")
WORKER = (PROGRAM, "hash", "1", "384", "worker", "--queues", REINDEX, "--concurrency", "1", "--loglevel", "INFO")


def times(word: str, *found: Process) -> int:
    return sum(each.said().count(word) for each in found)


def test_s38_one_worker_builds_and_the_other_copies_leave_at_once(
    on_a_broker_of_its_own: Settings,
    owner: psycopg.Connection,
    urls: Urls,
    embedder: HashEmbedder,
    tmp_path: Path,
) -> None:
    words, url = Words(owner), settings().redis_url
    assert url is not None
    for user in ("mira", "oskar"):
        words.ingest("acme", user, "run-1", [said(f"I keep beehive number {n}.", f"m{n}") for n in range(40)])
    database = open_database(settings())
    assert request(database, settings(), REINDEX, "acme")
    with processes(tmp_path) as start:
        workers = [start(*WORKER, "--hostname", f"s38-{n}@%h", VISIBILITY_S="2") for n in range(2)]
        until(lambda: times("ready.", *workers) == 2, "both workers are ready")
        app = make_app("s38", settings(), url.get_secret_value)
        with psycopg.connect(urls.migrate_url) as holding:
            holding.execute("select from stream where tenant_id = 'acme' and user_id = 'oskar' for update")
            for _ in range(2):
                send(app, REINDEX, "acme", expires_s=60)
            until(lambda: progress_of_build() == 40, "one of them has come to the stream that is held")
            until(lambda: times("outcome=skipped", *workers) >= 2, "copies have been handed out, and left")
            assert times("outcome=done", *workers) == 0
        until(lambda: times("outcome=done", *workers) == 1, "it is done")
        left = times("outcome=skipped", *workers)
        send(app, REINDEX, "acme", expires_s=60)
        until(lambda: times("outcome=skipped", *workers) > left, "a copy that comes after it is left too")
        assert times("outcome=done", *workers) == 1
        assert times("Traceback", *workers) == 0
    (found,) = [each for each in jobs.latest(database, "acme") if each.name == REINDEX]
    counts = {"memories": 80, "sparse_switched": 1, "graph": 80}
    assert (found.state, found.attempts, found.counts) == ("done", 2, counts)  # asked for, and done
    with words.session("acme", "mira") as session:
        kept = generations.of(session, "sparse")
    assert kept is not None
    assert [each.generation for each in kept.kept] == [2, 1]
    assert all(replay(database, "acme", Owner(user), verify=True).is_equal for user in ("mira", "oskar"))


def progress_of_build() -> int:
    found = progress.look(open_database(settings()), timedelta(minutes=1)).builds
    return found[0].done if found else 0
