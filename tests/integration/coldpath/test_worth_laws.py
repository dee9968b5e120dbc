"""Invariants 2, 6, 8 and 10 as laws of promote, prune and retain, on a real database.

Whatever is said, reported, promoted, pruned, retained, taken back and forgotten in whatever order, a replay gives the
same, what a job did it proposes no second time, no words go but those that a rule or somebody forgot, and what was
known before a job is answered as before.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from coldpath import promote, prune, retain
from coldpath._due import due_by
from coldpath.forget import forget
from coldpath.proposals import Propose, Tidying, rehearse, revert, tidy
from coldpath.replay import replay
from coldpath.retain import Forgetting
from shared import clock
from shared.belief.lasting import Bar
from shared.contract.operations import AddPayload, WrittenEntry
from shared.contract.policies import PrunePolicy, RetainPolicy
from shared.contract.records import EpistemicType, EvidenceRef, Kind
from shared.contract.scope import Scope
from shared.store import ledger, memories
from shared.store.beliefs import Draft
from shared.store.db import Role
from shared.testing import RecordingBell
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, perform

TEXTS = ("I have diabetes.", "The key hangs behind the boiler.", "Old maps are kept in the archive.", "Was that so?")
BAR = Bar(least_share=0.2, kept_share=0.2, least_days=1)
PRUNING = PrunePolicy.model_validate(
    {
        "rules": [
            {"name": "misled_belief", "action": "expire", "kinds": ["procedural"], "of_use_at_most": 0.8},
            {"name": "misled", "action": "demote", "of_use_at_most": 0.8},
            {"name": "doubtful", "action": "expire", "confidence_below": 0.4},
        ],
        "spare": ["health"],
    }
)
RETAINING = RetainPolicy.model_validate(
    {
        "rules": [
            {"name": "hold", "action": "keep", "epistemic_types": ["opinion"]},
            {"name": "health", "action": "forget", "after_days": 20, "sensitivity": ["health"]},
            {"name": "talk", "action": "expire", "after_days": 40, "kinds": ["episodic"]},
        ]
    }
)
JOBS: dict[str, Propose] = {
    "promote": partial(promote.propose, BAR),
    "prune": partial(prune.propose, PRUNING),
    "retain": partial(retain.propose, RETAINING),
}

_tenants = itertools.count(1)
_steps = st.lists(
    st.tuples(
        st.sampled_from(
            ["say", "say", "believe", "used", "used", "misled", "promote", "prune", "retain", "gone", "back", "forget"]
        ),
        st.integers(0, 9),
    ),
    min_size=4,
    max_size=14,
)


@dataclass
class Told:
    """A tenant of one user, and what has become of it."""

    services: Services
    scope: Scope
    day: int = 0
    batches: list[UUID] = field(default_factory=list)

    def step(self, name: str, number: int) -> None:
        if name in JOBS:
            self.job(name)
        else:
            getattr(self, f"_{name}")(number)

    def job(self, name: str) -> None:
        """Do a job, and see that it does nothing twice and that the past stays as it was."""
        before, at = self._known(None), self._now()
        tidying = Tidying(job=name, propose=JOBS[name], batch_id=uuid4(), by_time=True)
        done = tidy(self.services.database, self.scope.tenant_id, self.scope.owner, tidying)
        assert self._known(at) == before
        if done.accepted:
            self.batches.append(tidying.batch_id)
        assert rehearse(self.services.database, self.scope.tenant_id, self.scope.owner, tidying).accepted == ()

    def _say(self, number: int) -> None:
        told = {"role": "user", "text": TEXTS[number % len(TEXTS)]}
        scope = replace(self.scope, session_id=f"session {number}")
        Door(self.services).observe(scope, [told], run_id=str(uuid4()))
        self._work_off()

    def _believe(self, number: int) -> None:
        """Hold a belief that rests on a message that is there."""
        with self._session() as session:
            said = ledger.admitted(session, ledger.runs(session))
            if not said:
                return
            event = said[number % len(said)]
            entry = WrittenEntry(
                kind=[Kind.SEMANTIC, Kind.PROCEDURAL][number % 2],
                epistemic_type=[EpistemicType.FACT, EpistemicType.INFERENCE, EpistemicType.OPINION][number % 3],
                text=f"Belief {number}.",
                evidence=(EvidenceRef(sequence=event.sequence),),
                confidence=0.3 if number % 2 else 0.8,
            )
            draft = Draft(session, ledger.lock(session, self.scope.owner))
            draft.do([], [AddPayload(reason="stated", entries=(entry,))])
            ledger.advance(session, draft.write()[1])

    def _used(self, number: int) -> None:
        self._report(number, "used")

    def _misled(self, number: int) -> None:
        self._report(number, "misled")

    def _report(self, number: int, named: str) -> None:
        held = self._held()
        if held:
            scope = replace(self.scope, session_id=f"session {number}")
            Door(self.services).outcome(scope, uuid4(), **{named: [held[number % len(held)]]})  # type: ignore[arg-type]
            self._work_off()

    def _gone(self, _number: int) -> None:
        """Have a month go by, and forget what is due."""
        self.day += 30
        before = self._contents()
        forgetting = Forgetting(RETAINING)
        with self._session() as session:
            due = {each.sequence for each in due_by(RETAINING, session, clock.now()) if each.kept_by is None}
        forgetting.carry_out(self.services.database, self.scope.tenant_id, self.scope.owner)
        assert {each for each in before if each not in self._contents()} == due
        with self._session() as session:
            assert all(each.kept_by for each in due_by(RETAINING, session, clock.now()))

    def _back(self, number: int) -> None:
        if self.batches:
            revert(self.services.database, self.scope.tenant_id, self.batches.pop(number % len(self.batches)))

    def _forget(self, number: int) -> None:
        held = self._held()
        if held:
            forget(self.services.database, self.scope, held[number % len(held)])

    def _session(self) -> Any:
        return self.services.database.transaction(Role.WORKER, self.scope.tenant_id, [self.scope.owner])

    def _held(self) -> list[UUID]:
        with self._session() as session:
            return [row.memory.memory_id for row in memories.aged(session, until=datetime.now(UTC))]

    def _known(self, at: datetime | None) -> set[tuple[UUID, int]]:
        """The versions that were held at a time of ours."""
        with self._session() as session:
            rows = list(memories.aged(session, until=datetime.now(UTC), closed=True))
            every = memories.versions(session, {row.memory.memory_id for row in rows})
        return {
            (each.memory_id, each.version)
            for each in every
            if (
                each.is_open
                if at is None
                else each.recorded_at <= at < (each.closed_at or datetime.max.replace(tzinfo=UTC))
            )
        }

    def _now(self) -> datetime:
        with self.services.database.claiming() as connection:
            (row,) = connection.execute("select clock_timestamp() as now").fetchall()
        found: datetime = row["now"]
        return found

    def _contents(self) -> set[int]:
        with self._session() as session:
            return {event.sequence for event in ledger.read(session, self.scope.owner) if _is_message(event)}

    def _work_off(self) -> None:
        bell = self.services.bell
        assert isinstance(bell, RecordingBell)
        while bell.rung:
            stage, work = bell.rung.pop(0)
            perform(self.services, stage, STAGES[stage], work)


def _is_message(event: Any) -> bool:
    return event.kind == "message" and event.payload is not None


@pytest.fixture
def begin(services: Services, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Told]:
    told: list[Told] = []

    def do() -> Told:
        told.append(Told(services=services, scope=Scope(tenant_id=f"tenant-{next(_tenants)}", user_id="mira")))
        return told[-1]

    monkeypatch.setattr("shared.clock.now", lambda: datetime.now(UTC) + timedelta(days=told[-1].day if told else 0))
    return do


@settings(
    max_examples=25,
    deadline=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(_steps)
def test_whatever_is_done_in_whatever_order_a_replay_gives_the_same_and_no_words_go_but_those_that_are_due(
    begin: Callable[[], Told], steps: list[tuple[str, int]]
) -> None:
    told = begin()
    told.step("say", 1)
    for name, number in steps:
        told.step(name, number)
        found = replay(told.services.database, told.scope.tenant_id, told.scope.owner, verify=True)
        assert found.differences == (), f"after {name}"
        assert found.is_equal


def test_what_is_said_reported_and_kept_for_long_goes_through_all_of_it(
    begin: Callable[[], Told], owner: psycopg.Connection
) -> None:
    told = begin()
    for name, number in [
        *[("say", n) for n in range(4)],
        *[("used", 0)] * 3,
        *[("misled", 2)] * 6,
        ("believe", 1),
        ("promote", 0),
        ("prune", 0),
        ("gone", 0),
        ("gone", 0),
        ("retain", 0),
        *[("back", 0)] * 3,
    ]:
        told.step(name, number)
    reasons = owner.execute(
        "select distinct payload::jsonb ->> 'reason' from event join event_payload using (tenant_id, stream, sequence) "
        "where event_class = 'operation' and tenant_id = %s", [told.scope.tenant_id]
    ).fetchall()  # fmt: skip
    assert {reason for (reason,) in reasons} >= {"often_of_use", "doubtful", "health", "talk", "reverted"}
