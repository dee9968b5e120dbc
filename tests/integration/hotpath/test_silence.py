"""Invariant 11 where the server says nothing at all, or one part of it nothing in time; and what rests after that."""

from __future__ import annotations

import os
import selectors
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from hotpath import _breaker, _expand, _fresh, recall
from shared import clock
from shared.contract.bundle import Bundle, Verdict
from shared.contract.scope import Scope
from shared.settings import settings
from shared.store import ledger, memories, postings, vectors
from shared.store.db import Session, forget_pools
from shared.testing import HashEmbedder, Urls

MIRA = Scope(tenant_id="acme", user_id="mira")
BEES = "I keep two beehives behind the garage."
DEADLINE_MS = 2_000
GRACE = 1.2
"""How many times its deadline a recall may take: what is left to do then is to say so."""
QUICK = 0.2

Tell = Callable[..., None]
Ask = Callable[..., Bundle]


@pytest.fixture(autouse=True)
def _asked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBOOK_QUERY_CACHE", "0")
    monkeypatch.setenv("DAYBOOK_BUNDLE_CACHE", "0")


class Proxy:
    """Passes on what a client and a server say to each other, until it is told to swallow it."""

    def __init__(self, port: int) -> None:
        self._to = ("127.0.0.1", port)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._ends: dict[socket.socket, socket.socket] = {}
        self._ready = selectors.DefaultSelector()
        self._ready.register(self._listening, selectors.EVENT_READ)
        self._over, self._wake = socket.socketpair()
        self._ready.register(self._over, selectors.EVENT_READ)
        self.swallows = False
        self.port: int = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._pass_on)
        self._thread.start()

    def close(self) -> None:
        self._wake.send(b"x")
        self._thread.join()
        for each in (*self._ends, self._listening, self._over, self._wake):
            each.close()
        self._ready.close()

    def _pass_on(self) -> None:
        while True:
            for key, _ in self._ready.select():
                if key.fileobj is self._over:
                    return
                if key.fileobj is self._listening:
                    self._accept()
                else:
                    self._move(key.data)

    def _accept(self) -> None:
        client = self._listening.accept()[0]
        server = socket.create_connection(self._to)
        self._ends |= {client: server, server: client}
        for each in (client, server):
            self._ready.register(each, selectors.EVENT_READ, each)

    def _move(self, one: socket.socket) -> None:
        if one not in self._ends:
            return  # closed by what was read from the other just now
        other = self._ends[one]
        try:
            said = one.recv(65_536)
            if said and not self.swallows:
                other.sendall(said)
        except OSError:
            said = b""
        if not said:
            for each in (one, other):
                self._ready.unregister(each)
                del self._ends[each]
                each.close()


@pytest.fixture
def proxy(urls: Urls, environment: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """Between recall and the server; whoever tells has gone past it."""
    parts = conninfo_to_dict(urls.database_url)
    made = Proxy(int(str(parts["port"])))
    try:
        yield made
    finally:
        forget_pools()
        made.close()


@contextmanager
def through(proxy: Proxy, urls: Urls, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    parts = conninfo_to_dict(urls.database_url)
    with monkeypatch.context() as patch:
        url = f"postgresql://{parts['user']}:{parts['password']}@127.0.0.1:{proxy.port}/{parts['dbname']}"
        patch.setenv("DAYBOOK_DATABASE_URL", url)
        settings.cache_clear()
        yield
    settings.cache_clear()


def is_empty(bundle: Bundle) -> bool:
    assert bundle.timings_ms["total"] < GRACE * DEADLINE_MS
    return (bundle.items, bundle.text, bundle.verdict) == ((), "", Verdict.UNKNOWN) and bundle.degraded != ()


def test_a_server_that_falls_silent_is_not_waited_for_beyond_the_deadline_and_the_next_answer_is_whole(
    proxy: Proxy, urls: Urls, tell: Tell, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES)
    with through(proxy, urls, monkeypatch):
        assert [item.text for item in ask(MIRA, "beehives").items] == [BEES]
        proxy.swallows = True
        bundle = ask(MIRA, "beehives", deadline_ms=DEADLINE_MS)
        assert is_empty(bundle)
        assert bundle.degraded == ("deadline",)
        proxy.swallows = False
        assert [item.text for item in ask(MIRA, "beehives").items] == [BEES]


@pytest.mark.parametrize("function", ["postings.fetch", "memories.whole"])
def test_a_server_that_falls_silent_in_the_middle_is_not_waited_for_either(
    function: str, proxy: Proxy, urls: Urls, tell: Tell, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES)
    module = {"postings": postings, "memories": memories}[function.partition(".")[0]]
    asks = getattr(module, function.partition(".")[2])

    def cut_off(*arguments: Any, **more: Any) -> Any:
        proxy.swallows = True
        return asks(*arguments, **more)

    with through(proxy, urls, monkeypatch):
        ask(MIRA, "beehives")
        monkeypatch.setattr(f"shared.store.{function}", cut_off)
        assert is_empty(ask(MIRA, "beehives", deadline_ms=DEADLINE_MS))


def test_a_server_that_takes_a_connection_and_says_nothing_is_not_waited_for(
    proxy: Proxy, urls: Urls, tell: Tell, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES)
    proxy.swallows = True
    with through(proxy, urls, monkeypatch):
        assert is_empty(ask(MIRA, "beehives", deadline_ms=DEADLINE_MS))


@contextmanager
def stopped(owner: psycopg.Connection) -> Iterator[None]:
    """Every server process that serves us is stopped, as by an operator or a debugger."""
    rows = owner.execute(
        "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
    ).fetchall()
    assert rows
    with ExitStack() as stack:
        for (pid,) in rows:
            os.kill(pid, signal.SIGSTOP)
            stack.callback(os.kill, pid, signal.SIGCONT)
        yield


def test_a_server_process_that_is_stopped_is_not_waited_for_and_another_answers_next(
    tell: Tell, ask: Ask, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES)
    forget_pools()
    monkeypatch.setenv("DAYBOOK_POOL_SIZE", "1")
    monkeypatch.setenv("DAYBOOK_RECALL_LOG", "false")
    settings.cache_clear()
    ask(MIRA, "beehives")
    with stopped(owner):
        bundle = ask(MIRA, "beehives", deadline_ms=DEADLINE_MS)
        assert is_empty(bundle)
        assert bundle.degraded == ("deadline",)
        assert [item.text for item in ask(MIRA, "beehives").items] == [BEES]


def test_a_connection_that_the_server_ended_while_it_lay_idle_is_another_one_by_the_next_time(
    tell: Tell, ask: Ask, owner: psycopg.Connection
) -> None:
    tell(MIRA, BEES)
    ask(MIRA, "beehives")
    for _ in range(2):
        owner.execute(
            "select pg_terminate_backend(pid, 10000) from pg_stat_activity "
            "where datname = current_database() and pid <> pg_backend_pid()"
        )
        assert ask(MIRA, "beehives").degraded == ()
        tell(MIRA, "The beehives hum.")


CHANNELS = [
    ("fresh", _fresh, "search"),
    ("sparse", postings, "fetch"),
    ("dense", vectors, "nearest"),
    ("temporal", memories, "within"),
]
QUERY = "What of the beehives on 4 March 2025?"


def slow(session: Session, *_: object, **__: object) -> None:
    session.execute("select pg_sleep(60)")


@pytest.mark.parametrize("channel", CHANNELS, ids=[name for name, *_ in CHANNELS])
def test_a_channel_that_takes_too_long_is_ended_on_the_server_and_leaves_time_for_the_others(
    channel: tuple[str, object, str],
    tell: Tell,
    ask: Ask,
    owner: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tell(MIRA, {"text": BEES, "ts": "2025-03-04T09:00Z"})
    ask(MIRA, QUERY)
    name, module, function = channel
    monkeypatch.setattr(module, function, slow)
    bundle = ask(MIRA, QUERY, deadline_ms=DEADLINE_MS)
    assert bundle.degraded == (name,)
    assert [item.text for item in bundle.items] == [BEES]
    assert bundle.timings_ms["total"] < 0.7 * DEADLINE_MS
    running = "select count(*) from pg_stat_activity where state = 'active' and query like '%%pg_sleep(60)%%'"
    assert owner.execute(f"{running} and pid <> pg_backend_pid()".encode()).fetchone() == (0,)


def test_of_channels_that_all_take_too_long_each_has_its_share_and_the_whole_is_kept(
    tell: Tell, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES)
    ask(MIRA, QUERY)
    for _, module, function in CHANNELS:
        monkeypatch.setattr(module, function, slow)
    bundle = ask(MIRA, QUERY, deadline_ms=DEADLINE_MS)
    assert bundle.degraded == ("fresh", "sparse", "temporal", "dense")
    assert bundle.timings_ms["total"] < DEADLINE_MS


def test_a_channel_that_asks_twice_has_one_share_for_both(
    tell: Tell, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES)
    ask(MIRA, "beehives")

    def twice(session: Session, *_: object, **__: object) -> None:
        session.execute(f"select pg_sleep({0.3 * DEADLINE_MS / 1000})".encode())  # type: ignore[arg-type]
        slow(session)

    monkeypatch.setattr(postings, "fetch", twice)
    bundle = ask(MIRA, "beehives", deadline_ms=DEADLINE_MS)
    assert bundle.degraded == ("sparse",)
    assert bundle.timings_ms["total"] < 0.7 * DEADLINE_MS


def test_a_channel_that_keeps_hanging_is_given_a_rest_and_then_another_try(
    tell: Tell, ask: Ask, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES)
    ask(MIRA, "beehives")
    monkeypatch.setattr(_breaker, "FIRST_PAUSE_S", 60.0)
    with owner.transaction():
        owner.execute("lock table memory_vector in access exclusive mode")
        hanging = [ask(MIRA, "beehives", deadline_ms=DEADLINE_MS) for _ in range(_breaker.FAILURES)]
        resting = ask(MIRA, "beehives", deadline_ms=DEADLINE_MS)
    assert [each.degraded for each in hanging] == [("dense",)] * _breaker.FAILURES
    assert resting.degraded == ("dense",)
    assert "embed" not in resting.timings_ms
    assert resting.timings_ms["total"] < QUICK * DEADLINE_MS
    assert [item.text for item in resting.items] == [BEES]
    assert resting.plan[-1] == "not asked, since it failed time and again just now: dense"
    assert ask(Scope(tenant_id="globex", user_id="eve"), "beehives").degraded == (), "one scope's vectors may be many"
    monkeypatch.setattr(_breaker.State, "admits", lambda *_: True)  # the pause is over
    assert ask(MIRA, "beehives").degraded == ()
    monkeypatch.undo()


def test_a_channel_that_hangs_for_several_scopes_is_given_a_rest_for_all(
    tell: Tell, ask: Ask, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES)
    ask(MIRA, "beehives")
    monkeypatch.setattr(_breaker, "FIRST_PAUSE_S", 60.0)
    with owner.transaction():
        owner.execute("lock table memory_vector in access exclusive mode")
        for number in range(_breaker.FAILURES):
            ask(Scope(tenant_id="acme", user_id=f"user-{number}"), "beehives", deadline_ms=DEADLINE_MS)
    assert ask(MIRA, "beehives").degraded == ("dense",)


def test_a_channel_of_which_a_part_answers_is_given_its_rest_and_keeps_it(
    tell: Tell, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES)
    ask(MIRA, "beehives")
    monkeypatch.setattr(_breaker, "FIRST_PAUSE_S", 60.0)
    with monkeypatch.context() as patch:
        patch.setattr(postings, "fetch", slow)
        patch.setattr(vectors, "cosines", slow)
        failing = [ask(MIRA, "beehives", deadline_ms=DEADLINE_MS) for _ in range(_breaker.FAILURES)]
    assert [each.degraded for each in failing] == [("sparse", "dense")] * _breaker.FAILURES
    assert [ask(MIRA, "beehives").degraded for _ in range(3)] == [("sparse", "dense")] * 3


@pytest.fixture
def backends(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Which server processes have served recalls."""
    seen: list[int] = []
    watermarks = ledger.watermarks

    def noting(session: Session) -> Any:
        seen.append(session.connection.info.backend_pid)
        return watermarks(session)

    monkeypatch.setattr(ledger, "watermarks", noting)
    return seen


def past(asks: Callable[..., Any], *, after: bool) -> Callable[..., Any]:
    """The same, but the deadline passes in Python before or after it."""

    def passing(session: Session, *arguments: Any, **more: Any) -> Any:
        found = asks(session, *arguments, **more) if after else None
        session.connection.give_up_at_s = clock.monotonic_s() - 1  # type: ignore[attr-defined]
        return found if after else asks(session, *arguments, **more)

    return passing


def test_what_was_gathered_is_given_though_the_deadline_passes_before_the_transaction_ends(
    tell: Tell, ask: Ask, backends: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES)
    monkeypatch.setattr("hotpath._recall.hits_and_around", past(_expand.hits_and_around, after=True))
    for _ in range(2):
        bundle = ask(MIRA, "beehives")
        assert (bundle.degraded, [item.text for item in bundle.items]) == ((), [BEES])
    assert len({*backends}) == 1, "and the connection serves again"


def test_what_was_gathered_is_given_though_the_server_is_gone_before_the_transaction_ends(
    tell: Tell, ask: Ask, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES)

    def cut_off(session: Session, *arguments: Any, **more: Any) -> Any:
        found = _expand.hits_and_around(session, *arguments, **more)
        owner.execute("select pg_terminate_backend(%s, 10000)", [session.connection.info.backend_pid])
        return found

    with monkeypatch.context() as patch:
        patch.setattr("hotpath._recall.hits_and_around", cut_off)
        assert [item.text for item in ask(MIRA, "beehives").items] == [BEES]
    assert ask(MIRA, "beehives").degraded == ()


def test_a_deadline_that_passes_in_python_costs_neither_the_connection_nor_anybodys_next_answer(
    tell: Tell, ask: Ask, backends: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES)
    monkeypatch.setattr(_breaker, "PATIENCE_S", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr("hotpath._recall.hits_and_around", past(_expand.hits_and_around, after=False))
        for number in range(_breaker.FAILURES):
            for scope in (MIRA, Scope(tenant_id="acme", user_id=f"user-{number}")):
                ask(scope, "beehives")
        assert ask(MIRA, "beehives").degraded == ("deadline",)
    assert ask(MIRA, "beehives").degraded == ()
    assert len({*backends}) == 1


def test_statements_that_take_too_long_give_the_database_no_rest(
    tell: Tell, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES)
    ask(MIRA, "beehives")
    with monkeypatch.context() as patch:
        patch.setattr(memories, "whole", slow)
        late = [ask(MIRA, "beehives", deadline_ms=700).degraded for _ in range(_breaker.FAILURES)]
    assert late == [("deadline",)] * _breaker.FAILURES
    assert ask(MIRA, "beehives").degraded == ()


def test_a_reranker_that_keeps_failing_is_given_a_rest_and_the_fused_order_stands(
    tell: Tell, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES, "The beehives hum.")
    fused = [hit.memory_id for hit in ask(MIRA, "beehives", recipe="fast").hits]

    def gone(*_: object, **__: object) -> None:
        raise ConnectionResetError("the model's process has ended")

    monkeypatch.setattr("hotpath._rerank.reranked", gone)
    monkeypatch.setattr(_breaker, "FIRST_PAUSE_S", 60.0)
    failing = [ask(MIRA, "beehives").degraded for _ in range(_breaker.FAILURES)]
    resting = ask(MIRA, "beehives")
    assert failing == [("rerank",)] * _breaker.FAILURES
    assert resting.degraded == ("rerank",)
    assert "rerank" not in resting.timings_ms
    assert [hit.memory_id for hit in resting.hits] == fused


def test_what_one_scope_holds_gives_no_channel_a_rest(tell: Tell, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    tell(MIRA, BEES)

    def broken(session: Session, *_: object, **__: object) -> None:
        session.execute("select 1 / 0")

    monkeypatch.setattr(postings, "fetch", broken)
    bundles = [ask(MIRA, "beehives") for _ in range(_breaker.FAILURES + 2)]
    assert {each.degraded for each in bundles} == {("sparse",)}


def test_a_database_that_keeps_failing_costs_the_next_recall_nothing(
    embedder: HashEmbedder, environment: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAYBOOK_DATABASE_URL", "postgresql://daybook:x@127.0.0.1:1/daybook")
    monkeypatch.setattr(_breaker, "FIRST_PAUSE_S", 60.0)
    settings.cache_clear()
    away = [recall(MIRA, "beehives", deadline_ms=500) for _ in range(_breaker.FAILURES)]
    resting = recall(MIRA, "beehives", deadline_ms=500)
    forget_pools()
    assert [each.degraded for each in away] == [("database",)] * _breaker.FAILURES
    assert resting.degraded == ("database",)
    assert resting.reason == "memory was not asked: the database failed just now"
    assert resting.timings_ms["total"] < QUICK * 500
