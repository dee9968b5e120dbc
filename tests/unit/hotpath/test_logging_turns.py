"""The log of recalls makes nobody wait or fail: what it has no room for, or cannot write, is dropped and counted."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from prometheus_client import REGISTRY

from hotpath import _log
from hotpath._log import TurnLog, turn_of
from shared.contract.bundle import Bundle, Hit, Item, Source, Verdict, Watermark
from shared.contract.errors import DatabaseUnavailable
from shared.contract.scope import Owner, Scope, room_owner
from shared.contract.turns import Injected, Turn, TurnId, turn_id
from shared.settings import Settings, load
from shared.store import recalls
from shared.store.db import Role

MIRA = Scope(tenant_id="acme", user_id="mira", agent_id="helper", session_id="monday")
BEES, SOUP, NEXT, FRESH = (UUID(int=n) for n in range(1, 5))
PATIENCE_S = 10.0


def turn(number: int = 1, tenant_id: str = "acme", owner: str = "mira") -> Turn:
    return Turn(
        turn_id=TurnId(UUID(int=number)),
        tenant_id=tenant_id,
        owner=Owner(owner),
        recalled_at=datetime(2026, 5, 3, tzinfo=UTC),
        agent_id=None,
        session_id=None,
        verdict="supported",
        recipe="fast",
        tokens=7,
        watermark=3,
        injected=(),
    )


def dropped(reason: str) -> float:
    return REGISTRY.get_sample_value("daybook_turns_dropped_total", {"reason": reason}) or 0.0


class Notes:
    """A database that takes down what it is told, once it is let."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, failure: Exception | None = None) -> None:
        self.written: list[tuple[str, list[int]]] = []
        self.owners: list[list[str]] = []
        self.may_write = threading.Event()
        self.failure = failure
        monkeypatch.setattr(recalls, "write", self.write)

    def open(self, _configured: Settings) -> Any:
        return self

    @contextmanager
    def transaction(self, role: Role, tenant_id: str, owners: list[Owner]) -> Iterator[str]:
        assert role is Role.APP
        assert self.may_write.wait(PATIENCE_S)
        if self.failure is not None:
            raise self.failure
        self.owners.append(list(owners))
        yield tenant_id

    def write(self, session: str, turns: list[Turn]) -> None:
        self.written.append((session, [each.turn_id.int for each in turns]))


@pytest.fixture
def notes(monkeypatch: pytest.MonkeyPatch) -> Notes:
    return Notes(monkeypatch)


def test_turns_are_written_together_for_each_tenant_by_one_who_may_touch_their_owners_alone(notes: Notes) -> None:
    log = TurnLog(notes.open, linger_s=PATIENCE_S)
    for number, tenant, owner in ((1, "acme", "mira"), (2, "beta", "tove"), (3, "acme", "oskar")):
        log.note(load(), turn(number, tenant, owner))
    notes.may_write.set()
    assert log.flush(PATIENCE_S), "a flush does not wait for others to come"
    assert notes.written == [("acme", [1, 3]), ("beta", [2])]
    assert notes.owners == [["mira", "oskar"], ["tove"]]


def test_whoever_notes_does_not_wait_and_what_there_is_no_room_for_is_dropped_and_counted(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_log, "MOST_WAITING", 5)
    before = dropped("full")
    log = TurnLog(notes.open, linger_s=0)
    for number in range(1, 21):
        log.note(load(), turn(number))
    lost = dropped("full") - before
    assert lost >= 20 - 5 - 5, "five at the writer's hand, five waiting"
    assert not log.flush(0.01), "nothing could be written yet"
    notes.may_write.set()
    assert log.flush(PATIENCE_S)
    assert sum(len(turns) for _, turns in notes.written) == 20 - lost


@pytest.mark.parametrize("failure", [DatabaseUnavailable("gone"), OSError("gone"), ValueError("a fault of ours")])
def test_what_cannot_be_written_is_dropped_and_counted_and_the_next_is_tried(
    monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    notes, reason = Notes(monkeypatch, failure=failure), type(failure).__name__
    notes.may_write.set()
    log = TurnLog(notes.open, linger_s=0)
    before = dropped(reason)
    log.note(load(), turn(1))
    assert log.flush(PATIENCE_S)
    assert dropped(reason) == before + 1
    notes.failure = None
    log.note(load(), turn(2))
    assert log.flush(PATIENCE_S)
    assert notes.written == [("acme", [2])]


def test_a_system_that_gives_no_more_threads_costs_the_turn_alone(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    before = dropped("no thread")
    TurnLog(notes.open).note(load(), turn())
    assert dropped("no thread") == before + 1


def test_a_child_has_a_queue_and_a_thread_of_its_own(notes: Notes) -> None:
    log = TurnLog(notes.open, linger_s=0)
    log.note(load(), turn(1))
    if (child := os.fork()) == 0:
        code = 1
        try:
            notes.may_write.set()
            assert log.flush(0), "what the parent noted is not the child's to write"
            log.note(load(), turn(2))
            assert log.flush(PATIENCE_S)
            code = 0 if notes.written == [("acme", [2])] else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    notes.may_write.set()
    assert log.flush(PATIENCE_S)
    assert notes.written == [("acme", [1])]


def _source(stream: str, sequence: int) -> tuple[Source, ...]:
    return (Source(run_id="r", message_id="m", stream=stream, sequence=sequence),)


def _item(ordinal: int, memory_id: UUID, stream: str, rank: int | None, *, fresh: bool = False) -> Item:
    return Item(
        ordinal=ordinal,
        memory_id=memory_id,
        text="I keep bees.",
        kind="episodic",
        epistemic_type="evidence",
        speaker="mira",
        role="user",
        origin="user",
        trust=4,
        event_time=None,
        session_id=None,
        sources=_source(stream, 0 if fresh else ordinal),
        score=0.25,
        rank=rank,
        fresh=fresh,
    )


BUNDLE = Bundle(
    turn_id=turn_id(datetime(2026, 5, 3, 12, tzinfo=UTC), b"0123456789"),
    items=(
        _item(1, BEES, "user:mira", 1),
        _item(2, NEXT, "user:mira", None),
        _item(3, FRESH, "user:mira", 3, fresh=True),
    ),
    text="what was said",
    tokens=42,
    counter="letters",
    verdict=Verdict.SUPPORTED,
    reason="",
    degraded=(),
    omitted=1,
    hits=(
        Hit(memory_id=BEES, score=0.9, sources=_source("user:mira", 1)),
        Hit(memory_id=SOUP, score=0.8, sources=_source("room:kitchen", 4)),
        Hit(memory_id=FRESH, score=0.7, sources=_source("user:mira", 0)),
    ),
    watermarks=tuple(
        Watermark(owner=owner, last_sequence=last, recorded_at=datetime(2026, 5, 3, tzinfo=UTC))
        for owner, last in ((Owner("mira"), 9), (room_owner("kitchen"), 5))
    ),
    fresh_runs=1,
    timings_ms={},
    plan=(),
)


def test_a_turn_says_what_was_ranked_and_shown_by_id_and_nothing_of_what_was_said_or_asked() -> None:
    logged = turn_of(MIRA, BUNDLE, recipe="balanced")
    assert logged == Turn(
        turn_id=BUNDLE.turn_id,
        tenant_id="acme",
        owner=Owner("mira"),
        recalled_at=datetime(2026, 5, 3, 12, tzinfo=UTC),
        agent_id="helper",
        session_id="monday",
        verdict="supported",
        recipe="balanced",
        tokens=42,
        watermark=9,
        injected=(
            Injected(owner=Owner("mira"), memory_id=BEES, rank=1, score=0.9, ordinal=1),
            Injected(owner=room_owner("kitchen"), memory_id=SOUP, rank=2, score=0.8, ordinal=None),
            Injected(owner=Owner("mira"), memory_id=NEXT, rank=None, score=0.25, ordinal=2),
        ),
    )


@pytest.mark.parametrize(
    ("made", "noted"),
    [
        ({}, True),
        ({"cached": True, "watermarks": ()}, True),
        ({"timings_ms": {"search": 1.0}, "watermarks": ()}, True),
        ({"timings_ms": {"search": 1.0}, "watermarks": (), "degraded": ("dense",)}, True),
        ({"timings_ms": {"search": 1.0}, "watermarks": (), "degraded": ("database",)}, False),
        ({"timings_ms": {"search": 1.0}, "watermarks": (), "degraded": ("deadline",)}, False),
        ({"watermarks": (), "degraded": ("database",)}, False),
        ({"watermarks": ()}, False),
    ],
    ids=str,
)
def test_a_turn_is_logged_where_memory_was_read(
    monkeypatch: pytest.MonkeyPatch, made: dict[str, Any], *, noted: bool
) -> None:
    turns: list[Turn] = []
    monkeypatch.setattr(_log, "settings", load)
    monkeypatch.setattr(_log._LOGGED, "note", lambda _configured, turn: turns.append(turn))
    _log.note(MIRA, replace(BUNDLE, **made), recipe="fast")
    assert bool(turns) is noted
