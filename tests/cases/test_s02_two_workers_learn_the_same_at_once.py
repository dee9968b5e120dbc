"""S02: two workers learn the same at once: both look before either writes, and in the end it is held once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier, Event
from typing import Any

import pytest

from shared.contract.candidates import Extraction, Reading
from shared.contract.receipts import Outcome, Stage, Work
from shared.testing import ScriptedExtractor
from tests.cases.adapter import Words, said
from tests.cases.beliefs import beliefs, history
from warmpath import _settling, extract, resolve
from warmpath._stages import STAGES
from warmpath._work import Result, Services, perform

TRIES = 50
PATIENCE_S = 30.0
SAID = "My dentist is Dr Halloran"
CLAIM = ("Mira", "dentist", "Dr Halloran")
AS_IT_IS = {"text": "Mira's dentist is Dr Halloran.", "claim": CLAIM}
OTHERWISE = {"text": "Dr Halloran looks after Mira's teeth.", "claim": CLAIM}
WORDINGS = {"the same words": (AS_IT_IS, AS_IT_IS), "other words": (AS_IT_IS, OTHERWISE)}
FIRST, SECOND = (f"{SAID}.", f"{SAID}, as I said.")


class Meeting(ScriptedExtractor):
    """An extractor in which two readings of Mira's wait for each other: each has looked at what is held by then."""

    def __init__(self, wordings: Sequence[dict[str, Any]]) -> None:
        super().__init__({FIRST: [wordings[0]], SECOND: [wordings[1]], "My boat": []})
        self.barrier = Barrier(2)

    def extract(self, reading: Reading, *, deadline_s: float) -> Extraction:
        if any(SAID in line.text for line in reading.lines):
            self.barrier.wait(PATIENCE_S)
        return super().extract(reading, deadline_s=deadline_s)


class Look:
    """Holds whoever has looked for what says the same, until the other has, or is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.looked, self.go = Event(), Event()
        self.times = 0
        around = _settling.Around

        def looking(draft: Any, waiting: Any, settings: Any) -> Any:
            found = around(draft, waiting, settings)
            if str(draft.head.owner).startswith("mira"):
                self.times += 1
                self.looked.set()
                assert self.go.wait(PATIENCE_S)
            return found

        monkeypatch.setattr(_settling, "Around", looking)


def rung(words: Words, stage: Stage) -> list[Work]:
    """What waits at a stage, taken off the bell."""
    mine = [work for at, work in words.bell.rung if at is stage]
    words.bell.rung[:] = [each for each in words.bell.rung if each[0] is not stage]
    return mine


def do(services: Services, stage: Stage, work: Work) -> Result | None:
    return perform(services, stage, STAGES[stage], work)


def beside(services: Services, stage: Stage, works: Sequence[Work]) -> list[Result | None]:
    """A stage of some runs, each on a thread of its own; an error of any is raised."""
    with ThreadPoolExecutor(len(works)) as threads:
        return list(threads.map(lambda work: do(services, stage, work), works))


def held(words: Words, user: str) -> list[Any]:
    return [row for row in beliefs(words, "acme", user) if row["claim_object"] == CLAIM[2]]


@pytest.fixture
def services_of(learning: Words) -> Callable[[ScriptedExtractor], Services]:
    made = learning._services()
    return lambda extractor: replace(made, rules=lambda: extractor)


@pytest.mark.parametrize("wordings", WORDINGS.values(), ids=WORDINGS)
def test_s02_however_often_it_is_learned_at_once_it_is_held_once(
    wordings: Sequence[dict[str, Any]], learning: Words, services_of: Callable[[ScriptedExtractor], Services]
) -> None:
    services = services_of(Meeting(wordings))
    for number in range(TRIES):
        user = f"mira-{number}"
        for run, text in (("run-a", FIRST), ("run-b", SECOND)):
            learning.accept("acme", user, run, [said(text, f"m-{run}", ts="2025-01-10T09:00Z")])
        for stage in (Stage.APPEND, Stage.GATE):
            for work in rung(learning, stage):
                do(services, stage, work)
        for stage in (Stage.EXTRACT, Stage.RESOLVE):
            works = rung(learning, stage)
            assert len(works) == 2
            outcomes = [result.outcome for result in beside(services, stage, works) if result]
            assert outcomes == [Outcome.EXTRACTED if stage is Stage.EXTRACT else Outcome.STORED] * 2
        learning.bell.rung.clear()
        (row,) = held(learning, user)
        found = history("acme", user, row["memory_id"])
        assert {each.run_id for each in found.evidence} == {"run-a", "run-b"}
    failed = "select count(*) from inbox where last_error is not null or state <> 'waiting'"
    assert learning.owner.execute(failed).fetchone() == (0,)


def test_s02_who_looks_second_waits_and_nobody_else_does(
    learning: Words, services_of: Callable[[ScriptedExtractor], Services], monkeypatch: pytest.MonkeyPatch
) -> None:
    script = {FIRST: [AS_IT_IS], SECOND: [OTHERWISE], "My boat": [{"text": "Oskar has a boat."}]}
    services = services_of(ScriptedExtractor(script))
    for run, text in (("run-a", FIRST), ("run-b", SECOND)):
        learning.accept("acme", "mira", run, [said(text, f"m-{run}", ts="2025-01-10T09:00Z")])
    for stage in (Stage.APPEND, Stage.GATE, Stage.EXTRACT):
        for work in rung(learning, stage):
            do(services, stage, work)
    first, second = rung(learning, Stage.RESOLVE)
    look = Look(monkeypatch)
    with ThreadPoolExecutor(2) as threads:
        one = threads.submit(do, services, Stage.RESOLVE, first)
        assert look.looked.wait(PATIENCE_S)
        other = threads.submit(do, services, Stage.RESOLVE, second)
        wait_for_a_lock(learning)
        assert look.times == 1, "the second waits for the stream before it looks"
        learning.accept("acme", "oskar", "run-o", [said("My boat is called Tern.", "m-o")])
        while work := learning.bell.rung:
            stage, next_ = work.pop(0)
            assert do(services, stage, next_) is not None
        assert not one.done()
        assert not other.done()
        assert [each.outcome for each in learning.receipts("acme", "oskar", "run-o")][-1] is Outcome.INDEXED
        look.go.set()
        assert {one.result(PATIENCE_S).outcome, other.result(PATIENCE_S).outcome} == {Outcome.STORED}
    (row,) = held(learning, "mira")
    assert len(history("acme", "mira", row["memory_id"]).evidence) == 2


def wait_for_a_lock(words: Words) -> None:
    """Until somebody waits for a row or a lock that another transaction holds."""
    waits = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    for _ in range(2_000):
        if words.owner.execute(waits).fetchone() != (0,):
            return
        Event().wait(0.01)
    raise AssertionError("nobody waits for a lock")


def test_s02_the_stages_that_meet_are_those_that_workers_run() -> None:
    assert (STAGES[Stage.EXTRACT], STAGES[Stage.RESOLVE]) == (extract.run, resolve.run)
