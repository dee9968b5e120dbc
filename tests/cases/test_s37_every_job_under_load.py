"""S37, with every job: recall finds as much as before while a job is at it, is killed half-way, and is done again."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from coldpath.forget import forget
from coldpath.replay import replay
from shared.contract.scope import Owner, Scope
from shared.embedded import open_database
from shared.models import embedding
from shared.settings import Settings, settings
from tests.cases.adapter import Words, said
from tests.cases.another_model import Stub
from tests.cases.processes import processes, until
from tests.cases.test_s37_rebuilding_the_index_under_load import MODEL, PAUSE_S, PROGRAM, beside, held

EACH = 150
USERS = ("mira", "oskar")
QUERIES = ("word7 thing3", "word55 of the oaks", "The usual tide table")
USUAL = "The usual, please: first the tide table, and then the weather for the fjord."
JOBS = ("dedupe", "promote", "supersede", "consolidate", "link", "prune", "retain", "compress", "graph", "profile")
COMMANDS = {job: (job, "--tenant", "acme") for job in JOBS} | {
    "graph": ("graph", "--tenant", "acme", "--user", "mira", "--regroup"),
    "profile": ("profile", "--tenant", "acme", "--rebuild"),
    "evaluate": ("evaluate", "memory", "--tenant", "acme"),
}


def text_of(number: int) -> str:
    return f"word{number % 60} and thing{number % 37} by the {number % 11} oaks"


@pytest.fixture
def words(reading: Settings, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> Iterator[Words]:
    """Two users with enough for each job to look at, and something for some to do."""
    monkeypatch.setattr(embedding, "_made", {})
    monkeypatch.setattr(embedding, "_make", lambda *_: Stub(*MODEL))
    monkeypatch.setenv("DAYBOOK_JOB_LEASE_S", "1")
    settings.cache_clear()
    made = Words(owner)
    for user in USERS:
        made.ingest("acme", user, "many", [said(text_of(n), f"m{n}") for n in range(EACH)])
        for day in (3, 4, 5):
            usual = said(USUAL, f"u{day}", ts=f"2026-01-{day:02}T08:00Z")
            made.ingest("acme", user, f"usual-{day}", [usual], session=f"s{day}")
    yield made
    settings.cache_clear()


@pytest.mark.parametrize("job", COMMANDS)
def test_s37_no_recall_finds_less_while_a_job_is_at_it_and_what_is_killed_is_done_again(
    job: str, words: Words, owner: psycopg.Connection, tmp_path: Path
) -> None:
    expected = {(user, query): len(words.bundle("acme", user, query, k=30).hits) for user in USERS for query in QUERIES}
    assert min(expected.values()) >= 3
    wrong: list[object] = []
    reads = 0

    def read(over: threading.Event) -> None:
        nonlocal reads
        while not over.wait(PAUSE_S):
            (user, query), least = list(expected.items())[reads % len(expected)]
            bundle = words.bundle("acme", user, query, k=30)
            reads += 1
            if len(bundle.hits) < least or bundle.degraded:
                wrong.append((user, query, len(bundle.hits), least, bundle.degraded))

    arguments = (*PROGRAM, *COMMANDS[job], "--json")
    with beside(read), processes(tmp_path) as start:
        with held(settings().migrate_url.get_secret_value(), "oskar"):  # type: ignore[union-attr]
            first = start(*arguments)
            before = reads
            until(lambda: reads >= before + 20 or first.code is not None, "it has had its time")
            first.kill()
        words.ingest("acme", "mira", "late", [said("The zeppelin arrived late", "m1")])
        again = start(*arguments)
        until(lambda: again.code is not None, "it has ended", within_s=120)
        if "is under way" in again.said() or '"skipped"' in again.said():  # the killed one's lease runs for a second
            again = start(*arguments)
            until(lambda: again.code is not None, "it has ended", within_s=120)
    assert again.code == 0, again.said()
    assert json.loads(again.said())
    assert wrong == []
    assert reads >= 5
    assert words.recall("acme", "mira", "zeppelin", k=5)[0].text == "The zeppelin arrived late"
    database = open_database(settings())
    (item,) = [item for item in words.recall("acme", "mira", "zeppelin", k=5) if "zeppelin" in item.text]
    forget(database, Scope(tenant_id="acme", user_id="mira"), item.id)
    assert not [each for each in words.recall("acme", "mira", "zeppelin", k=5) if "zeppelin" in each.text]
    assert all(replay(database, "acme", Owner(user), verify=True).is_equal for user in USERS)
