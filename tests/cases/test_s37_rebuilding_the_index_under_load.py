"""S37: a view is built anew while it is read, written and forgotten from, and whoever builds it is killed half-way."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import psycopg
import pytest

from coldpath.forget import forget
from coldpath.replay import replay
from gateway import Daybook
from shared.contract.scope import Owner, Scope
from shared.embedded import open_database
from shared.models import embedding
from shared.settings import Settings, settings
from shared.store import jobs
from shared.testing import Urls
from tests.cases.adapter import Words, said
from tests.cases.another_model import Stub
from tests.cases.processes import processes, until

USERS = [f"user-{n}" for n in range(4)]
HELD = "user-2"
"""Whose stream is held: the builder, which goes by name, stops there with half of all behind it."""
MEMORIES = 5_000
EACH = MEMORIES // len(USERS)
RUN = 250
INGESTED = 50
PAUSE_S = 0.05
LEASE_S = "1"
MODEL = ("stub", "1", 64)
PROGRAM = (str(Path(__file__).parent / "another_model.py"), *map(str, MODEL), "daybook")
Command = Literal["reindex", "reembed"]
WHOLE = {
    "reindex": """
        select count(*) from stream
        left join sparse_stream as view using (tenant_id, user_id)
        where stream.tenant_id = 'acme' and stream.last_doc > 0 and view.doc = stream.last_doc
            and view.generation = (
                select live from generation where tenant_id = 'acme' and view = 'sparse' and live > 1
            )
    """,
    "reembed": """
        select count(*) from stream
        join generation on generation.tenant_id = 'acme' and view = 'dense' and live = 2
        where stream.tenant_id = 'acme' and last_doc > 0 and not exists (
            select from memory_vector as old
            where old.tenant_id = 'acme' and old.user_id = stream.user_id and old.generation = 1 and not exists (
                select from memory_vector as new
                where new.tenant_id = 'acme' and new.user_id = old.user_id and new.doc = old.doc and new.generation = 2
            )
        )
    """,
}
"""How many owners the new generation is live and whole for."""
ENTERED = {
    "reindex": "select coalesce(sum(documents), 0)::int from sparse_stream where tenant_id = 'acme' and generation = 2",
    "reembed": "select count(*)::int from memory_vector where tenant_id = 'acme' and generation = 2",
}


@pytest.fixture
def words(environment: Settings, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> Words:
    monkeypatch.setattr(embedding, "_made", {})
    monkeypatch.setattr(embedding, "_make", lambda *_: Stub(*MODEL))
    monkeypatch.setenv("DAYBOOK_JOB_LEASE_S", LEASE_S)
    settings.cache_clear()
    made = Words(owner)
    for user in USERS:
        for run in range(EACH // RUN):
            texts = [text_of(user, run * RUN + n) for n in range(RUN)]
            made.ingest("acme", user, f"run-{run}", [said(text, f"m{n}") for n, text in enumerate(texts)])
    return made


def text_of(user: str, number: int) -> str:
    if number < 3:
        return f"secret{user[-1]}x{number} of the old house"
    return f"word{number % 100} and thing{number % 37} by the {number % 11} oaks"


@dataclass
class Reader:
    """Recalls about twenty times a second, and keeps what came back with too little."""

    words: Words
    expected: dict[tuple[str, str], int] = field(default_factory=dict)
    wrong: list[object] = field(default_factory=list)
    times: int = 0

    def learn(self) -> None:
        for user in USERS:
            for query in ("word7 thing3", "word55 of the oaks", "thing20"):
                self.expected[user, query] = self.count(user, query)
        assert min(self.expected.values()) >= 10

    def count(self, user: str, query: str) -> int:
        bundle = self.words.bundle("acme", user, query, k=30)
        if bundle.degraded:
            self.wrong.append((user, query, bundle.degraded))
        return len(bundle.hits)

    def read(self, over: threading.Event) -> None:
        while not over.wait(PAUSE_S):
            (user, query), expected = list(self.expected.items())[self.times % len(self.expected)]
            found = self.count(user, query)
            if found < expected:
                self.wrong.append((user, query, found, expected))
            self.times += 1


@dataclass
class Watcher:
    """Reads the status all along: a job that is done has nothing left to do."""

    owner: psycopg.Connection
    command: Command
    wrong: list[object] = field(default_factory=list)
    states: Counter[str] = field(default_factory=Counter)

    def watch(self, over: threading.Event) -> None:
        while not over.wait(4 * PAUSE_S):
            found = Daybook().health()
            mine = [each for each in found.jobs if each.name == self.command]
            self.states.update(each.state for each in mine)
            if any(each.state == "done" for each in mine) and self.whole() < len(USERS):
                self.wrong.append(found)

    def whole(self) -> int:
        (count,) = self.owner.execute(WHOLE[self.command].encode()).fetchone() or (0,)
        return int(count)


@contextmanager
def beside(*bodies: Callable[[threading.Event], None]) -> Iterator[None]:
    """Threads for the length of the block; what one raises is raised."""
    over = threading.Event()
    with ThreadPoolExecutor(len(bodies)) as pool:
        running: list[Future[None]] = [pool.submit(body, over) for body in bodies]
        try:
            yield
        finally:
            over.set()
    for each in running:
        each.result()


@contextmanager
def held(urls: str, user: str) -> Iterator[None]:
    """Nobody writes to a stream for the length of the block."""
    with psycopg.connect(urls) as connection:
        connection.execute("select from stream where tenant_id = 'acme' and user_id = %s for update", [user])
        yield


def add(words: Words, numbers: Sequence[int], users: Sequence[str]) -> None:
    for number in numbers:
        user = users[number % len(users)]
        words.ingest("acme", user, f"late-{number}", [said(f"late{number} arrived", "m1")])
        assert words.recall("acme", user, f"late{number}", k=5)[0].text == f"late{number} arrived"


def take_away(words: Words, users: Sequence[str], nth: int) -> None:
    for user in users:
        text = text_of(user, nth)
        (item,) = [item for item in words.recall("acme", user, text, k=5) if item.text == text]
        forget(open_database(settings()), Scope(tenant_id="acme", user_id=user), item.id)
        assert is_gone(words, user, nth)


def is_gone(words: Words, user: str, nth: int) -> bool:
    return text_of(user, nth) not in [item.text for item in words.recall("acme", user, text_of(user, nth), k=30)]


@pytest.mark.parametrize("command", ["reindex", "reembed"])
def test_s37_the_old_view_serves_whole_until_the_new_one_is_and_nothing_falls_between(
    command: Command, words: Words, owner: psycopg.Connection, urls: Urls, tmp_path: Path
) -> None:
    reader, watcher = Reader(words), Watcher(owner, command)
    reader.learn()
    Daybook().migrate()  # makes the vector index, which waits for whoever is at anything, as `held` is below
    others = [user for user in USERS if user != HELD]
    arguments = (*PROGRAM, command, "--tenant", "acme", "--json")
    with beside(reader.read, watcher.watch), processes(tmp_path) as start:
        with held(urls.migrate_url, HELD):
            killed = start(*arguments)
            until(lambda: entered(owner, command) >= 2 * EACH, "it has come to the stream that is held")
            add(words, range(INGESTED // 2), others)
            take_away(words, others, 0)
            take_away(words, others[:2], 2)
            running = Daybook().health()
            killed.kill()
        done_before = entered(owner, command)
        until(lambda: jobs.latest(open_database(settings()), "acme")[0].lapsed_at, "the job is nobody's")
        again = start(*arguments)
        add(words, range(INGESTED // 2, INGESTED), USERS)
        take_away(words, [HELD], 0)
        take_away(words, USERS, 1)
        until(lambda: again.code is not None, "it has ended", within_s=120)
        assert again.code == 0, again.said()
        until(lambda: watcher.states["done"], "the status says that it is done")
        (rebuilt,) = json.loads(again.said())["rebuilt"]
    assert (reader.wrong, watcher.wrong) == ([], [])
    assert watcher.states["running"] > 0
    assert reader.times >= 20
    assert [(each.state, each.done < each.total) for each in running.jobs if each.name == command] == [
        ("running", True)
    ]
    assert [(each.generation, each.done < each.total) for each in running.builds] == [(2, True)]
    assert watcher.whole() == len(USERS)
    assert rebuilt["outcome"] == "done"
    assert 0 < rebuilt["memories"] < 0.6 * MEMORIES
    assert rebuilt["memories"] + done_before >= MEMORIES
    for number in range(INGESTED):
        users = others if number < INGESTED // 2 else USERS
        user = users[number % len(users)]
        assert words.recall("acme", user, f"late{number}", k=5)[0].text == f"late{number} arrived"
    forgotten = [*((user, nth) for user in USERS for nth in (0, 1)), *((user, 2) for user in others[:2])]
    assert (len(forgotten), all(is_gone(words, *each) for each in forgotten)) == (10, True)
    database = open_database(settings())
    assert all(replay(database, "acme", Owner(user), verify=True).is_equal for user in USERS)


def entered(owner: psycopg.Connection, command: Command) -> int:
    (count,) = owner.execute(ENTERED[command].encode()).fetchone() or (0,)
    return int(count)
