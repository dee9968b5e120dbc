"""What was done with success more than once, and what later failures make of it."""

from __future__ import annotations

import pytest

from shared.belief.fold import open_memories
from shared.belief.schemas import PROCEDURE
from shared.belief.skills import REASON, Ran, skills
from shared.belief.validating import refused
from shared.contract.operations import AbstractPayload, ClosePayload, StandingPayload
from shared.contract.records import EpistemicType, Kind, MemoryVersion, Operation
from tests.unit.belief.ledgers import Ledger

STEPS = ("call search_flights with origin, destination", "call book_seat with flight")
OTHERS = ("call search_trains with origin", "call book_seat with train")
TASKS = (
    "Book me a flight to Rome for Monday, please.",
    "Book me a flight to Oslo for Friday, please.",
    "Please book me a flight to Lima for Sunday, please.",
)


class Stream:
    """A stream of runs, each of a session of its own unless it is named."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        self.runs: list[Ran] = []

    def run(
        self,
        task: str,
        *,
        succeeded: bool | None = True,
        steps: tuple[str, ...] = STEPS,
        session: str | None = None,
    ) -> None:
        number = len(self.runs)
        heard = self.ledger.hear(task, day=number, session=session or f"session-{number}")
        self.ledger.open_episodes(heard)
        self.runs.append(Ran(task=self.memories[-1], steps=steps, succeeded=succeeded))

    @property
    def memories(self) -> list[MemoryVersion]:
        return open_memories(self.ledger.state)

    @property
    def learned(self) -> list[MemoryVersion]:
        return [each for each in self.memories if each.kind is Kind.PROCEDURAL]

    def found(self) -> list[object]:
        proposed = list(skills(self.runs, self.learned))
        held = {each.memory_id: each for each in self.memories}
        assert [refused(each, held) for each in proposed] == [None] * len(proposed)
        return [each.operation for each in proposed]

    def do(self) -> None:
        for each in skills(self.runs, self.learned):
            self.ledger.do(each.operation)


def test_two_successful_runs_the_same_way_are_a_procedure_with_trigger_and_steps() -> None:
    stream = Stream()
    for task in TASKS[:2]:
        stream.run(task)
    (found,) = stream.found()
    assert isinstance(found, AbstractPayload)
    assert (found.reason, found.entry.kind, found.entry.epistemic_type) == (
        REASON,
        Kind.PROCEDURAL,
        EpistemicType.INFERENCE,
    )
    assert found.entry.data == {"trigger": "Book me a flight to … for … please.", "steps": list(STEPS)}
    assert PROCEDURE.checked(found.entry.data)
    assert found.entry.confidence == pytest.approx(3 / 4)
    assert len(found.entry.evidence) == 2
    stream.do()
    assert stream.found() == []
    stream.run(TASKS[2])
    assert stream.found() == [], "one more success says nothing new"


@pytest.mark.parametrize(
    "runs",
    [
        [(TASKS[0], True)],
        [(TASKS[0], True), (TASKS[1], None)],
        [(TASKS[0], True), (TASKS[1], False)],
        [(TASKS[0], True), (TASKS[1], True), (TASKS[2], False), (TASKS[0], False)],
        [(TASKS[0], True), ("Water the plants on the balcony.", True)],
    ],
    ids=["one lucky run", "one reported", "one failed", "as many failed", "about something else"],
)
def test_one_lucky_run_is_no_skill(runs: list[tuple[str, bool | None]]) -> None:
    stream = Stream()
    for task, succeeded in runs:
        stream.run(task, succeeded=succeeded)
    assert stream.found() == []


def test_two_runs_of_one_session_are_one_piece_of_luck() -> None:
    stream = Stream()
    for task in TASKS[:2]:
        stream.run(task, session="one")
    assert stream.found() == []


def test_another_way_is_another_skill_and_a_single_step_is_none() -> None:
    stream = Stream()
    stream.run(TASKS[0])
    stream.run(TASKS[1], steps=OTHERS)
    for task in TASKS[:2]:
        stream.run(task, steps=STEPS[:1])
    assert stream.found() == []


def test_failures_since_make_it_less_certain_and_as_many_as_successes_end_it() -> None:
    stream = Stream()
    for task in TASKS[:2]:
        stream.run(task)
    stream.do()
    stream.run(TASKS[2], succeeded=False)
    (weaker,) = stream.found()
    assert isinstance(weaker, StandingPayload)
    assert (weaker.op, weaker.confidence) == (Operation.DEMOTE, pytest.approx(3 / 5))
    stream.do()
    assert stream.found() == []
    stream.run(TASKS[0], succeeded=False)
    (ended,) = stream.found()
    assert isinstance(ended, ClosePayload)
    assert ended.op is Operation.EXPIRE
    stream.do()
    assert stream.learned == []
    assert stream.found() == []
