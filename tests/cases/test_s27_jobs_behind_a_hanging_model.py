"""S27, with real workers: while a model hangs or drips for some, the others' jobs end, and so do theirs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Barrier

import pytest

import warmpath
from shared.contract.receipts import Outcome, Stage
from shared.settings import Settings
from tests.cases.adapter import Words, said, scope
from tests.cases.workers import Worker, environment_of_workers, until
from tests.model_reading import facts
from tests.scripted_llm import Drip, Entry, Hang, Reply, Request, ScriptedLlm, Status

SLOTS, OTHERS = 2, 10
DEADLINE_S, LEASE_S = 6.0, 12
SLACK_S = 3.0
PATIENCE_S = 60.0
AILING = {
    "sends nothing": Hang(),
    "a byte a second": Drip(text=facts()),
    "asks for a minute": Status(code=429, headers={"Retry-After": "60"}),
    "is down": Status(code=503),
}


class AilingForSome(ScriptedLlm):
    """Answers at once that it found nothing, except where the lines tell of beehives.

    Whoever says "warm" gets no answer that could be read, once both workers have asked: each has loaded what it needs.
    """

    def __init__(self, ailing: Entry) -> None:
        super().__init__([ailing])
        self._both = Barrier(SLOTS)

    def next(self, request: Request) -> Entry:
        entry = super().next(request)
        if "warm" in request.words:
            if len(request.said) == 1:
                self._both.wait(PATIENCE_S)
            return Reply(text="Good morning!")
        return entry if "beehives" in request.words else Reply(text=facts())

    @property
    def stuck(self) -> int:
        return sum("beehives" in request.words for request in list(self.requests))


@pytest.fixture
def begin(
    words: Words, reading: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Worker]]:
    """Starts a worker of two slots whose model is a server's, ready when this returns."""
    begun: list[Worker] = []
    variables = {"TASK_DEADLINE_S": str(LEASE_S), "EXTRACTION_DEADLINE_S": str(DEADLINE_S)}
    model = {"EXTRACTION_MODEL": "openai:scripted", "EXTRACTION_API_KEY": "sk-nobodys"}
    with environment_of_workers(reading, monkeypatch, 12, EXTRACTION="true", **variables, **model):

        def start(server: ScriptedLlm) -> Worker:
            monkeypatch.setenv("DAYBOOK_EXTRACTION_BASE_URL", server.address)
            begun.append(Worker(tmp_path / "s27.log", "s27", "-c", str(SLOTS), "--prefetch-multiplier", "1"))
            for n in range(SLOTS):
                warmpath.observe(scope("warm", f"warm-{n}", {}), [said("It is warm here.")], run_id="run")
            until(lambda: left(words, "warm-%") == 0, "both processes have read a run", worker=begun[-1])
            return begun[-1]

        yield start
        for each in begun:
            each.kill()


def left(words: Words, users: str) -> int:
    query = "select count(*) from inbox where user_id like %s and state = 'waiting'"
    row = words.owner.execute(query, [users]).fetchone()
    assert row is not None
    return int(row[0])


def overheld(words: Words) -> int:
    """Runs that wait and whose lease is over: whoever was at them has not given them back."""
    query = "select count(*) from inbox where state = 'waiting' and lease_until < now()"
    row = words.owner.execute(query).fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.timeout(180)
@pytest.mark.parametrize("ailing", AILING.values(), ids=AILING)
def test_s27_ten_jobs_of_others_end_within_twice_the_deadline(
    ailing: Entry, words: Words, begin: Callable[..., Worker]
) -> None:
    with AilingForSome(ailing) as server:
        worker = begin(server)
        for n in range(SLOTS):
            told = [said(f"I keep {n + 2} beehives.", "m1", ts="2025-01-10T09:00Z")]
            warmpath.observe(scope("acme", f"stuck-{n}", {}), told, run_id="run")
        until(lambda: server.stuck >= SLOTS, "both are with the model", worker=worker)
        began = time.monotonic()
        for n in range(OTHERS):
            told = [said(f"My bus is the {n}.", "m1", ts="2025-01-10T09:00Z")]
            warmpath.observe(scope("beta", f"other-{n}", {}), told, run_id="run")

        def others_are_done() -> bool:
            assert overheld(words) == 0
            return left(words, "other-%") == 0

        until(others_are_done, "the others are done", worker=worker)
        assert time.monotonic() - began < 2 * DEADLINE_S
        until(lambda: left(words, "stuck-%") == 0, "those that the model failed are done", worker=worker)
        assert time.monotonic() - began < 2 * DEADLINE_S + SLACK_S
        assert overheld(words) == 0
    for n in range(SLOTS):
        (read,) = [each for each in words.receipts("acme", f"stuck-{n}", "run") if each.stage is Stage.EXTRACT]
        assert read.outcome is Outcome.FAILED
        assert (read.finished_at - read.started_at).total_seconds() < DEADLINE_S + SLACK_S < LEASE_S
    parked = words.owner.execute("select count(*) from inbox where state not in ('waiting', 'done')").fetchone()
    assert parked == (0,)


def took_s(words: Words, run: str) -> float:
    (read,) = [each for each in words.receipts("acme", "Mira", run) if each.stage is Stage.EXTRACT]
    assert read.outcome is Outcome.FAILED
    return (read.finished_at - read.started_at).total_seconds()


def test_s27_the_setting_changes_when_the_stage_is_cut_off(
    learning: Words, answers: Callable[..., ScriptedLlm]
) -> None:
    answers("Good morning!")  # no answer, so the rules read it: both are loaded by then
    learning.ingest("acme", "Mira", "warm", [said("I live in Varna.", "m0")])
    seconds = {}
    for deadline in ("0.5", "2.5"):
        answers(Hang(), EXTRACTION_DEADLINE_S=deadline)
        learning.ingest("acme", "Mira", f"run-{deadline}", [said(f"I keep {deadline} beehives.", f"m-{deadline}")])
        seconds[deadline] = took_s(learning, f"run-{deadline}")
    assert 1.0 < seconds["2.5"] - seconds["0.5"] < 3.5


def test_s27_recall_does_not_wait_for_a_model(learning: Words, answers: Callable[..., ScriptedLlm]) -> None:
    learning.ingest("acme", "Mira", "run-1", [said("I live in Varna.", "m0")])
    server = answers(Hang())
    assert learning.bundle("acme", "Mira", "Where do I live?").items
    assert server.requests == [], "no recall asks it"
