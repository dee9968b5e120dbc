"""Invariant 11: recall always answers, in time; what failed makes the answer degraded, never an exception."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import psycopg
import pytest
from numpy.typing import NDArray

from hotpath import _embed, _fresh, recall
from shared.contract.bundle import Bundle, Verdict
from shared.contract.scope import Scope
from shared.models._vectors import ModelId
from shared.settings import settings
from shared.store import memories, postings
from shared.store.db import Session, forget_pools
from shared.testing import HashEmbedder

MIRA = Scope(tenant_id="acme", user_id="mira")
BEES = "I keep two beehives behind the garage."
BAKERY = "I start at the bakery on Monday."
DEADLINE_MS = 2_500

Tell = Callable[..., None]
Ask = Callable[..., Bundle]


@pytest.fixture(autouse=True)
def _asked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBOOK_QUERY_CACHE", "0")
    monkeypatch.setenv("DAYBOOK_BUNDLE_CACHE", "0")


def empty(bundle: Bundle, error: str) -> bool:
    return (bundle.items, bundle.hits, bundle.text, bundle.tokens, bundle.verdict, bundle.reason) == (
        (),
        (),
        "",
        0,
        Verdict.UNKNOWN,
        f"memory could not be asked: {error}",
    )


@pytest.mark.parametrize(
    ("function", "channel", "feature"),
    [
        ("postings.fetch", "sparse", "meaning"),
        ("vectors.nearest", "dense", "words"),
        ("vectors.cosines", "dense", "words"),
    ],
)
def test_a_channel_that_fails_is_named_and_the_others_answer(
    function: str, channel: str, feature: str, tell: Tell, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES, BAKERY)

    def broken(session: Session, *_: object, **__: object) -> None:
        session.execute("select 1 / 0")

    monkeypatch.setattr(f"shared.store.{function}", broken)
    bundle = ask(MIRA, "Where are the beehives?", explain=True)
    assert bundle.degraded == (channel,)
    (best,) = [item for item in bundle.items if item.rank == 1]
    assert best.text == BEES
    assert best.scores[feature] > 0
    assert bundle.fresh_runs == 0
    assert [mark.owner for mark in bundle.watermarks] == ["mira"]


def test_a_fresh_tail_that_fails_is_named_and_the_views_answer(
    tell: Tell, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES)
    monkeypatch.setattr(_fresh, "unpack", lambda payload: {}[payload])
    tell(MIRA, BAKERY, work=False)
    bundle = ask(MIRA, "beehives bakery")
    assert bundle.degraded == ("fresh",)
    assert [item.text for item in bundle.items] == [BEES]


@dataclass
class Reluctant:
    """An embedder that fails, or does not come to an end before it is let go."""

    error: Exception | None = None
    let_go: threading.Event = field(default_factory=threading.Event)
    model: ModelId = field(default_factory=lambda: HashEmbedder().model)

    def encode_query(self, text: str) -> NDArray[np.float32]:
        if self.error:
            raise self.error
        self.let_go.wait(60)
        return HashEmbedder().encode_query(text)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Reluctant]:
    made = Reluctant()
    yield made
    made.let_go.set()


def test_an_embedder_that_fails_leaves_the_search_by_words(
    tell: Tell, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES)
    monkeypatch.setattr("hotpath._embed.embedder", lambda _: Reluctant(error=RuntimeError("no weights")))
    bundle = ask(MIRA, "beehives")
    assert bundle.degraded == ("dense",)
    assert [item.text for item in bundle.items] == [BEES]
    assert bundle.verdict is Verdict.SUPPORTED


def test_an_embedder_that_takes_too_long_is_not_waited_for(
    tell: Tell, ask: Ask, slow: Reluctant, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES)
    ask(MIRA, "beehives")
    monkeypatch.setattr("hotpath._embed.embedder", lambda _: slow)
    bundle = ask(MIRA, "beehives", deadline_ms=DEADLINE_MS)
    assert bundle.degraded == ("dense",)
    assert [item.text for item in bundle.items] == [BEES]
    assert bundle.timings_ms["total"] < DEADLINE_MS


@pytest.mark.parametrize("message", ["cannot schedule new futures after shutdown", "can't start new thread"])
def test_where_no_thread_can_be_had_for_the_model_the_search_by_words_answers(
    message: str, tell: Tell, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES)

    def refuse(*_: object) -> None:
        raise RuntimeError(message)

    monkeypatch.setattr("hotpath._threads.ThreadPoolExecutor.submit", refuse)
    bundle = ask(MIRA, "beehives")
    assert bundle.degraded == ("dense",)
    assert [item.text for item in bundle.items] == [BEES]


def test_where_no_thread_can_be_had_for_the_connections_the_answer_is_empty(
    ask: Ask, opened: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("hotpath._recall.open_database", refuse)
    bundle = ask(MIRA, "beehives")
    assert empty(bundle, "RuntimeError")
    assert bundle.degraded == ("database",)


def test_what_was_given_up_keeps_no_later_query_from_being_embedded(
    tell: Tell, ask: Ask, slow: Reluctant, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES)
    ask(MIRA, "beehives")
    begun: list[str] = []

    class Counting(Reluctant):
        def encode_query(self, text: str) -> NDArray[np.float32]:
            begun.append(text)
            slow.let_go.wait(60)
            return HashEmbedder().encode_query(text)

    _embed._threads.cache_clear()
    monkeypatch.setattr("hotpath._embed.embedder", lambda _: Counting())
    with monkeypatch.context() as patch:
        patch.setattr(_embed, "_SHARE_OF_DEADLINE", 0.001)
        for number in range(_embed._THREADS + 3):
            assert ask(MIRA, f"beehives {number}").degraded == ("dense",)
    slow.let_go.set()
    assert ask(MIRA, "beehives").degraded == ()
    assert len(begun) == _embed._THREADS + 1
    _embed._threads.cache_clear()


def test_vectors_of_another_model_are_not_compared_with_the_query(
    tell: Tell, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES)
    tell(MIRA, BAKERY)
    monkeypatch.setattr("hotpath._embed.embedder", lambda _: HashEmbedder(name="other"))
    bundle = ask(MIRA, "Where are the beehives?", explain=True)
    assert bundle.degraded == ("dense",)
    assert [item.text for item in bundle.items if item.rank] == [BEES]
    assert all("meaning" not in item.scores for item in bundle.items if item.rank)


@pytest.mark.parametrize("size", [384, 16], ids=["same size", "another size"])
def test_vectors_of_two_models_side_by_side_are_never_mixed(
    size: int, tell: Tell, ask: Ask, owner: psycopg.Connection
) -> None:
    tell(MIRA, BEES, BAKERY)
    foreign = "[" + ",".join(["1"] * size) + "]"
    owner.execute("update memory_vector set model_id = 'other', embedding = %s::halfvec where doc = 1", [foreign])
    bundle = ask(MIRA, "Where are the beehives, and what of the bakery?", explain=True)
    assert bundle.degraded == ()
    meanings = {item.text: item.scores.get("meaning") for item in bundle.items}
    assert meanings[BEES] is None
    assert meanings[BAKERY] is not None


def test_with_postgres_away_the_answer_is_empty_degraded_and_in_time(
    embedder: HashEmbedder, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAYBOOK_DATABASE_URL", "postgresql://daybook:x@127.0.0.1:1/daybook")
    settings.cache_clear()
    bundle = recall(MIRA, "beehives", deadline_ms=800)
    forget_pools()
    assert empty(bundle, "DatabaseUnavailable")
    assert bundle.degraded == ("database",)
    assert bundle.timings_ms["total"] < 800


def test_with_postgres_gone_in_the_middle_the_answer_is_empty_and_the_next_one_whole(
    tell: Tell, ask: Ask, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES)

    def cut_off(*_: object, **__: object) -> None:
        owner.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity "
            "where datname = current_database() and pid <> pg_backend_pid()"
        )

    with monkeypatch.context() as patch:
        patch.setattr(postings, "fetch", cut_off)
        bundle = ask(MIRA, "beehives")
    assert empty(bundle, "DatabaseUnavailable")
    assert "database" in bundle.degraded
    assert [item.text for item in ask(MIRA, "beehives").items] == [BEES]


@pytest.mark.parametrize(
    ("damage", "error"),
    [
        ("update alembic_version set version_num = '0000'", "SchemaMismatch"),
        ("drop extension vector cascade", "ExtensionMissing"),
        ("revoke select on memory from daybook_app", "Misconfigured"),
    ],
)
def test_a_database_that_does_not_fit_gives_an_empty_degraded_answer(
    damage: str, error: str, ask: Ask, tell: Tell, owner: psycopg.Connection
) -> None:
    tell(MIRA, BEES)
    owner.execute(damage.encode())
    forget_pools()
    bundle = ask(MIRA, "beehives")
    assert empty(bundle, error)
    assert bundle.degraded == ("database",)


@pytest.mark.parametrize(
    ("locked", "failed", "found"),
    [
        ("memory_vector", ("dense",), [BEES]),
        ("posting", ("sparse",), [BEES]),
        ("posting, memory_vector, inbox", ("fresh", "sparse", "dense"), []),
        ("memory", ("search",), []),
    ],
)
def test_what_hangs_in_the_database_is_not_waited_for(
    locked: str, failed: tuple[str, ...], found: list[str], tell: Tell, ask: Ask, owner: psycopg.Connection
) -> None:
    tell(MIRA, BEES)
    ask(MIRA, "beehives")
    with owner.transaction():
        owner.execute(f"lock table {locked} in access exclusive mode".encode())
        bundle = ask(MIRA, "beehives", deadline_ms=DEADLINE_MS)
    assert bundle.degraded == failed
    assert [item.text for item in bundle.items] == found
    assert bundle.timings_ms["total"] < DEADLINE_MS


def test_a_connection_that_does_not_come_free_is_not_waited_for_beyond_the_deadline(
    tell: Tell, ask: Ask, opened: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(MIRA, BEES)
    forget_pools()
    monkeypatch.setenv("DAYBOOK_POOL_SIZE", "1")
    settings.cache_clear()
    ask(MIRA, "beehives")
    visible = memories.visible
    answers: list[Bundle] = []

    def ask_another(*arguments: object, **more: object) -> object:
        if not answers:
            thread = threading.Thread(target=lambda: answers.append(ask(MIRA, "beehives", deadline_ms=700)))
            thread.start()
            thread.join(60)
        return visible(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(memories, "visible", ask_another)
    assert [item.text for item in ask(MIRA, "beehives").items] == [BEES]
    assert (answers[0].items, answers[0].verdict, answers[0].reason) == ((), Verdict.UNKNOWN, "the deadline passed")
    assert answers[0].degraded == ("deadline",)
    assert answers[0].timings_ms["total"] < 700


def test_who_is_in_a_hurry_on_a_healthy_server_is_never_told_that_it_failed(
    tell: Tell, ask: Ask, opened: object, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tell(MIRA, BEES)
    forget_pools()
    monkeypatch.setenv("DAYBOOK_POOL_SIZE", "2")
    settings.cache_clear()
    ask(MIRA, "beehives")
    with ThreadPoolExecutor(16) as many:
        hurried = list(many.map(lambda ms: ask(MIRA, "beehives", deadline_ms=ms).degraded, [*range(20, 420, 4)]))
    assert not any("database" in degraded for degraded in hurried)
    assert "breaker_open" not in caplog.text
    assert ask(MIRA, "beehives").degraded == ()


def test_an_agent_that_has_set_up_no_logging_hears_nothing_of_connections_that_are_given_up() -> None:
    program = """
import logging
import shared.store.db
logging.getLogger("psycopg").warning("error ignored terminating")
logging.getLogger("psycopg.pool").warning("discarding closed connection")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == ""
