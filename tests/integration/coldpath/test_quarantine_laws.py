"""What is held is what those said who are trusted, in whatever order runs are read anew, mistrusted and forgotten."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from coldpath.forget import forget
from coldpath.quarantine import Source, lift, quarantine
from coldpath.replay import replay
from shared.contract.candidates import Change
from shared.contract.errors import NotFound
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.testing import RecordingBell, ScriptedExtractor
from warmpath import rederive
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, perform

SAID = (
    "Ana lives in Oslo.",
    "Ana moved to Rome.",
    "Ana left Rome.",
    "Ana never lived in Oslo.",
    "Ana likes jazz.",
    "Ana moved to Rome.",
    "The gate has the number 4417.",
    "Ana likes jazz.",
)
"""Of what has no key one thing only: whether something is that once more is decided as it comes, and not worked out."""
AGENTS = ("good", "bad")
READERS = ("{}", "It is said: {}")
_tenants = itertools.count(1)

Step = tuple[str, int]


def _script(words: str) -> dict[str, list[dict[str, Any]]]:
    home = ("Ana", "lives_in")
    return {
        "in Oslo": [{"text": words.format("Ana lives in Oslo."), "claim": (*home, "Oslo")}],
        "to Rome": [{"text": words.format("Ana moved to Rome."), "claim": (*home, "Rome")}],
        "left Rome": [{"text": "Ana left Rome.", "claim": (*home, "Rome"), "change": Change.ENDED}],
        "never": [{"text": "Ana never lived in Oslo.", "claim": (*home, "Oslo"), "change": Change.NEVER}],
        "jazz": [{"text": words.format("Ana likes jazz."), "claim": ("Ana", "likes", "jazz")}],
        "4417": [{"text": words.format("The gate has the number 4417.")}],
    }


class Stream:
    """What is said in the stream of one user, in a tenant of their own."""

    def __init__(self, services: Services, owner: psycopg.Connection) -> None:
        self.tenant = f"law-{next(_tenants)}"
        self.scope = Scope(tenant_id=self.tenant, user_id="mira")
        self.owner = owner
        self._services = services
        self.reader = 0

    @property
    def services(self) -> Services:
        """With the rules that a run is read by now."""
        script = _script(READERS[self.reader])
        return replace(self._services, rules=lambda: _OneEach(script))

    def say(self, number: int) -> None:
        message = {
            "id": f"m{number}",
            "role": "user",
            "text": SAID[number],
            "ts": f"2026-01-{number + 1:02}T12:00Z",
        }
        agent = AGENTS[number % len(AGENTS)]
        services = self.services
        Door(services).observe(replace(self.scope, agent_id=agent), [message], run_id=f"run-{number}")
        bell = services.bell
        assert isinstance(bell, RecordingBell)
        while bell.rung:
            stage, work = bell.rung.pop(0)
            perform(services, stage, STAGES[stage], work)

    def forget(self, number: int) -> None:
        query = """
            select distinct memory_id from memory join memory_evidence using (tenant_id, generation, memory_id, version)
            join event using (tenant_id, stream, sequence)
            where tenant_id = %s and epistemic_type = 'evidence' and message_id = %s
        """
        for (memory,) in self.owner.execute(query, [self.tenant, f"m{number}"]).fetchall():
            forget(self._services.database, self.scope, memory)

    def believed(self) -> list[tuple[Any, ...]]:
        """What is held, without the words that it was put in, and the messages that it rests on."""
        query = """
            select coalesce(claim_key || claim_object, 'none'), valid_from::text, valid_to::text, array(
                select distinct message_id from memory_evidence join event using (tenant_id, stream, sequence)
                where memory_evidence.tenant_id = memory.tenant_id and memory_evidence.memory_id = memory.memory_id
                    and memory_evidence.version = memory.version and memory_evidence.generation = memory.generation
                order by message_id
            )
            from memory where tenant_id = %s and epistemic_type <> 'evidence' and closed_at is null order by 1, 2, 3, 4
        """
        return self.owner.execute(query, [self.tenant]).fetchall()


class _OneEach(ScriptedExtractor):
    """Of each line what the first words that it holds call for."""

    def __init__(self, script: dict[str, list[dict[str, Any]]]) -> None:
        super().__init__(script=script)

    def extract(self, reading: Any, *, deadline_s: float) -> Any:
        found = super().extract(reading, deadline_s=deadline_s)
        denied = {ref.sequence for each in found.candidates if each.change is Change.NEVER for ref in each.evidence}
        kept = [
            each
            for each in found.candidates
            if each.change is Change.NEVER or denied.isdisjoint(ref.sequence for ref in each.evidence)
        ]
        return replace(found, candidates=kept)


class History:
    """Steps on a stream, and what of it is said and trusted after them."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.said: list[int] = []
        self.forgotten: set[int] = set()
        self.closed: dict[Source, set[int]] = {}

    def do(self, step: str, number: int) -> None:  # noqa: C901 - a step each
        database, scope = self.stream._services.database, self.stream.scope
        match step:
            case "say" if number not in self.said:
                self.said.append(number)
                self.stream.say(number)
            case "forget" if number in self.said:
                self.forgotten.add(number)
                self.stream.forget(number)
            case "quarantine" | "quarantine all":
                source = self._source(step, number)
                reached = {each for each in self.said if step.endswith("all") is False and each == number}
                if step.endswith("all"):
                    reached = {each for each in self.said if each % len(AGENTS) == number % len(AGENTS)}
                if reached:
                    self.closed.setdefault(source, set()).update(reached)
                    quarantine(database, scope, source)
            case "lift" | "lift all":
                source = self._source(step, number)
                if source in self.closed:
                    del self.closed[source]
                    lift(database, scope, source)
            case "switch":
                self._switch()
            case "back":
                try:
                    rederive.back(self.stream.services, scope)
                except NotFound:
                    return
            case _:
                return

    def _switch(self) -> None:
        self.stream.reader = 1 - self.stream.reader
        try:
            rederive.prepare(self.stream.services, self.stream.scope)
            rederive.switch(self.stream.services, self.stream.scope)
        except NotFound:
            return

    @staticmethod
    def _source(step: str, number: int) -> Source:
        return Source(agent=AGENTS[number % len(AGENTS)]) if step.endswith("all") else Source(run_id=f"run-{number}")

    def trusted(self) -> list[int]:
        """What is said, in that order, and neither forgotten nor quarantined."""
        away = self.forgotten.union(*self.closed.values())
        return [each for each in self.said if each not in away]


STEPS = st.one_of(
    st.tuples(st.just("say"), st.integers(0, len(SAID) - 1)),
    st.tuples(st.just("say"), st.integers(0, len(SAID) - 1)),
    st.tuples(st.sampled_from(["quarantine", "lift", "quarantine all", "lift all"]), st.integers(0, len(SAID) - 1)),
    st.tuples(st.sampled_from(["switch", "back"]), st.just(0)),
    st.tuples(st.just("forget"), st.integers(0, len(SAID) - 1)),
)


def _after(services: Services, owner: psycopg.Connection, steps: Iterable[Step]) -> History:
    history = History(Stream(services, owner))
    for step, number in steps:
        history.do(step, number)
    return history


def _is_as_if_nobody_else_had_spoken(history: History, services: Services, owner: psycopg.Connection) -> None:
    control = Stream(services, owner)
    for number in history.trusted():
        control.say(number)
    assert history.stream.believed() == control.believed()
    assert replay(services.database, history.stream.tenant, history.stream.scope.owner, verify=True).differences == ()


OSLO, ROME, LEFT, NEVER, JAZZ, ROME_AGAIN, CODE, JAZZ_AGAIN = range(len(SAID))


@settings(
    max_examples=12,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(st.lists(STEPS, min_size=4, max_size=14))
@example([("say", OSLO), ("say", ROME), ("switch", 0), ("quarantine", ROME), ("back", 0)])
@example([("say", OSLO), ("say", ROME), ("switch", 0), ("quarantine", OSLO), ("back", 0), ("lift", OSLO)])
@example([("say", CODE), ("say", JAZZ), ("switch", 0), ("quarantine", CODE), ("back", 0), ("lift", CODE)])
@example([("say", CODE), ("switch", 0), ("quarantine", CODE), ("back", 0), ("switch", 0), ("lift", CODE), ("back", 0)])
@example([("say", OSLO), ("quarantine", OSLO), ("quarantine all", OSLO), ("lift", OSLO), ("say", ROME)])
@example([("say", JAZZ), ("switch", 0), ("say", JAZZ_AGAIN), ("back", 0), ("say", OSLO), ("say", NEVER)])
@example([("say", CODE), *[("switch", 0)] * 4])
@example([("say", CODE), ("quarantine", CODE), ("say", ROME), ("switch", 0), ("lift", CODE), ("back", 0)])
def test_no_order_of_steps_makes_a_difference(
    services: Services, reading: Settings, owner: psycopg.Connection, steps: Sequence[Step]
) -> None:
    mine = replace(services, settings=reading)
    history = _after(mine, owner, steps)
    _is_as_if_nobody_else_had_spoken(history, mine, owner)
    for source in list(history.closed):
        del history.closed[source]
        lift(mine.database, history.stream.scope, source)
    _is_as_if_nobody_else_had_spoken(history, mine, owner)


@pytest.mark.parametrize("first", ["quarantine", "quarantine all"])
def test_what_is_in_two_quarantines_is_held_when_both_are_lifted(
    services: Services, reading: Settings, owner: psycopg.Connection, first: str
) -> None:
    mine = replace(services, settings=reading)
    history = _after(mine, owner, [("say", OSLO), ("say", JAZZ), ("quarantine", OSLO), ("quarantine all", OSLO)])
    history.do(first.replace("quarantine", "lift"), OSLO)
    held = {row[0] for row in history.stream.believed()}
    assert not any("oslo" in each.casefold() for each in held)
    assert any("jazz" in each for each in held) is (first == "quarantine all")
    history.do("lift" if first == "quarantine all" else "lift all", OSLO)
    _is_as_if_nobody_else_had_spoken(history, mine, owner)
