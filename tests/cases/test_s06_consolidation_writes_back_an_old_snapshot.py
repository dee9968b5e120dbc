"""S06: what is said and forgotten while a consolidation waits for its model is as it was said and forgotten."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

import warmpath
from coldpath.forget import forget
from coldpath.replay import replay
from shared.contract.scope import Owner
from shared.embedded import open_database
from shared.settings import Settings, settings
from shared.testing import HashEmbedder
from shared.work.broker import make_app, send
from shared.work.passes import request
from shared.work.queues import CONSOLIDATE
from tests.cases.adapter import Words, said, scope
from tests.cases.consolidating import COLOURS, HABIT, answer, asking, fill, slowly, until_asked
from tests.cases.processes import processes, until

PROGRAM = str(Path(__file__).parent / "another_model.py")
WORKER = (PROGRAM, "hash", "1", "384", "worker", "--queues", CONSOLIDATE, "--concurrency", "1", "--loglevel", "INFO")
OTHER = "Takes an umbrella on the early train."


@pytest.mark.timeout(180)
def test_s06_the_new_one_stays_the_forgotten_one_stays_forgotten_and_what_was_read_is_in_the_ledger(
    on_a_broker_of_its_own: Settings,
    owner: psycopg.Connection,
    embedder: HashEmbedder,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    words, url = Words(owner), settings().redis_url
    assert url is not None
    fill(words, "acme", "mira")
    second = words.current("acme", "mira")[1]
    replies = answer((HABIT, [1, 2, 3]), (OTHER, [4, 5, 6]), sort="insight")
    with asking(monkeypatch, slowly(replies)) as server, processes(tmp_path) as start:
        database = open_database(settings())
        assert request(database, settings(), CONSOLIDATE, "acme")
        worker = start(*WORKER, "--hostname", "s06@%h")
        until(lambda: "ready." in worker.said(), "the worker is ready")
        send(make_app("s06", settings(), url.get_secret_value), CONSOLIDATE, "acme", expires_s=60)
        until(until_asked(server), "the model is asked")
        monkeypatch.setenv("DAYBOOK_EXTRACTION", "false")
        settings.cache_clear()
        warmpath.observe(
            scope("acme", "mira", {}), [said("Mira's sister is called Tove.", "n1")], run_id="late", inline=True
        )
        forget(database, scope("acme", "mira", {}), second["memory_id"])
        assert "outcome=done" not in worker.said(), "all of that while the model is asked"
        until(lambda: "outcome=done" in worker.said(), "the consolidation is done", within_s=90.0)
        assert "Traceback" not in worker.said()
    assert any("Tove" in each.text for each in words.recall("acme", "mira", "sister"))
    held = [row["text"] for row in words.current("acme", "mira")]
    assert not any(COLOURS[1] in text for text in held)
    assert HABIT not in held, "what would rest on what is forgotten is not concluded"
    (asked,) = [event for event in words.ledger("acme", "mira") if event.kind == "consolidation"]
    read = [tuple(each) for each in (asked.payload or {})["shown"]]
    assert (str(second["memory_id"]), 1) in read
    assert len(read) == len(COLOURS)
    assert replay(database, "acme", Owner("mira"), verify=True).is_equal
