"""What is likely to be asked next: put together ahead, cited, ended by itself, and gone with any of its facts."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import psycopg
import pytest

from coldpath.anticipate import by
from coldpath.erase import erase
from coldpath.forget import forget
from coldpath.proposals import Done, Tidying, rehearse, revert, tidy
from coldpath.quarantine import Source, quarantine
from coldpath.replay import replay
from gateway.cli import OK, run
from shared import clock
from shared.contract.scope import Owner, Scope, room_owner
from shared.settings import Settings
from shared.settings import settings as configured
from shared.testing import RecordingBell
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, perform

MIRA = Scope(tenant_id="acme", user_id="mira")
ASKS = "When is my flight to Lisbon?"
FLIGHT = "mira's flight to Lisbon is on 2026-02-03."
TRAVELS = "mira travels to Lisbon on 2026-02-03."
TOLD = ("My flight to Lisbon is on 3 February 2026.", "I am flying to Lisbon on 3 February 2026 with Tove.")
TEXT = f"{ASKS} {FLIGHT} {TRAVELS}"
JANUARY = datetime(2026, 1, 1, 12, tzinfo=UTC)


@dataclass(slots=True)
class World:
    """What is said and asked day by day, by a clock that goes with it."""

    services: Services
    owner: psycopg.Connection
    days: int = 0

    def say(self, *texts: str, scope: Scope = MIRA, room: str | None = None) -> str:
        """A run a day for each text; returns the last one's id."""
        for text in texts:
            self.days += 1
            when = (JANUARY + timedelta(days=self.days)).isoformat()
            message = {"role": "user", "speaker": scope.user_id, "text": text, "ts": when}
            Door(self.services).observe(scope, [message], run_id=f"run-{self.days}", room=room)
            bell = self.services.bell
            assert isinstance(bell, RecordingBell)
            while bell.rung:
                stage, work = bell.rung.pop(0)
                perform(self.services, stage, STAGES[stage], work)
        return f"run-{self.days}"

    def tidying(self) -> Tidying:
        return Tidying(job="anticipate", propose=by(self.services.settings), batch_id=uuid4(), by_time=True)

    def anticipate(self, owner: Owner = MIRA.owner) -> Done:
        """One pass, after which another one has nothing to do, and a replay comes to the same."""
        done = tidy(self.services.database, "acme", owner, self.tidying())
        again = rehearse(self.services.database, "acme", owner, self.tidying())
        assert (again.accepted, again.refused) == ((), ())
        assert replay(self.services.database, "acme", owner, verify=True).differences == ()
        return done

    def held(self, user: str = "mira") -> list[str]:
        """What is worked out ahead for somebody and held."""
        query = """
            select text from memory where closed_at is null and epistemic_type = 'inference' and user_id = %s
            order by doc
        """
        return [text for (text,) in self.owner.execute(query, [user])]

    def of(self, text: str) -> UUID:
        (found,) = self.owner.execute("select memory_id from memory where text = %s and closed_at is null", [text]
        ).fetchall()  # fmt: skip
        return UUID(str(found[0]))


@pytest.fixture
def world(services: Services, reading: Settings, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> World:
    owner.execute("select set_config('row_security', 'off', false)")
    monkeypatch.setenv("DAYBOOK_ANTICIPATE_MOST", "20")
    configured.cache_clear()
    world = World(services=replace(services, settings=configured()), owner=owner)
    began, real = clock.now(), clock.now
    monkeypatch.setattr("shared.clock.now", lambda: JANUARY + timedelta(days=world.days, hours=1) + (real() - began))
    return world


@pytest.fixture
def told(world: World) -> World:
    """A question, two facts that speak of it, something else, and the question once more."""
    world.say(ASKS, *TOLD, "I live in Oslo.", ASKS)
    return world


def test_a_question_that_was_asked_on_two_days_is_answered_ahead_by_the_facts_that_speak_of_it(told: World) -> None:
    told.anticipate()
    assert told.held() == [TEXT]
    ends, sure, cites = told.owner.execute(
        """
        select valid_to, confidence, (
            select count(*) from memory_evidence as cited
            where cited.memory_id = memory.memory_id and cited.version = memory.version
        ) from memory where text = %s
        """,
        [TEXT],
    ).fetchone() or (None, 1.0, 0)
    assert ends == JANUARY + timedelta(days=told.days + 30)
    assert sure < 0.8
    assert cites == 3


def test_a_question_with_one_fact_or_none_is_left_to_recall(world: World) -> None:
    world.say("I live in Oslo.", "Where do I live?", "Where do I live?", "Who is the king?", "Who is the king?")
    assert world.anticipate().accepted == ()


def test_a_question_that_was_asked_once_is_answered_ahead_when_its_answer_has_changed(world: World) -> None:
    world.say(TOLD[0], ASKS)
    assert world.anticipate().accepted == ()
    world.say("I booked a flight to Lisbon.", "My flight to Lisbon is on 5 February 2026.", TOLD[1])
    world.anticipate()
    assert all("2026-02-03." not in text or "2026-02-05" in text for text in world.held())


def test_a_plan_is_put_together_when_it_is_near_and_ends_when_it_is_over(world: World) -> None:
    world.say(*TOLD)
    assert world.anticipate().accepted == ()
    world.days = 25
    world.anticipate()
    assert world.held() == [f"{FLIGHT} {TRAVELS}"]
    world.days = 34
    world.anticipate()
    assert world.held() == []


@pytest.mark.parametrize("how", ["forgotten", "question forgotten", "erased", "quarantined", "changed"])
def test_it_is_gone_with_any_of_its_sources_before_the_next_pass(how: str, told: World) -> None:
    told.anticipate()
    if how == "forgotten":
        forget(told.services.database, MIRA, told.of(TOLD[0]))
    elif how == "question forgotten":
        (first,) = told.owner.execute("select memory_id from memory where text = %s order by doc limit 1", [ASKS]
        ).fetchone() or (None,)  # fmt: skip
        assert first is not None
        forget(told.services.database, MIRA, UUID(str(first)))
    elif how == "erased":
        erase(told.services.database, MIRA)
    elif how == "quarantined":
        quarantine(told.services.database, MIRA, Source(run_id="run-2"))
    else:
        told.say("My flight to Lisbon is on 5 February 2026.")
    assert told.held() == []
    told.anticipate()
    assert TEXT not in told.held()
    if how == "changed":
        assert any("2026-02-05" in text for text in told.held())


def test_it_ends_by_itself_some_weeks_after_it_was_last_asked(told: World) -> None:
    told.anticipate()
    told.days += 31
    told.anticipate()
    assert TEXT not in told.held()


def test_asked_again_it_is_held_for_longer(told: World) -> None:
    told.anticipate()
    told.say(*["I have planted tomatoes."] * 8, ASKS)
    told.days += 24
    told.anticipate()
    assert told.held() == [TEXT]


def test_no_more_than_the_bound_is_worked_out_and_nothing_with_none(told: World) -> None:
    told.say(
        "My dentist is Dr. Amann.",
        "I have a dentist appointment on 20 March 2026.",
        *["When is my dentist appointment?"] * 2,
    )
    settings = told.services.settings
    told.services = replace(told.services, settings=settings.model_copy(update={"anticipate_most": 1}))
    told.anticipate()
    assert len(told.held()) == 1
    told.services = replace(told.services, settings=settings.model_copy(update={"anticipate_most": 0}))
    told.anticipate()
    assert told.held() == []


def test_nobody_elses_and_no_other_agents_question_is_answered_from_ones_facts(world: World) -> None:
    world.say(*TOLD)
    world.say(ASKS, ASKS, scope=Scope(tenant_id="acme", user_id="oskar"))
    world.say(ASKS, ASKS, scope=Scope(tenant_id="acme", user_id="mira", agent_id="scout"))
    world.anticipate()
    world.anticipate(Scope(tenant_id="acme", user_id="oskar").owner)
    assert world.held() == world.held("oskar") == []


def test_what_is_said_in_a_room_is_worked_out_in_the_room_alone(world: World) -> None:
    for text in (ASKS, *TOLD, ASKS):
        world.say(text, room="trip")
    world.anticipate(room_owner("trip"))
    assert world.held(str(room_owner("trip"))) == [TEXT]
    assert world.held() == []


def test_what_is_delicate_is_not_put_together(world: World) -> None:
    asks = "When is my chemotherapy appointment?"
    world.say(
        asks, "My chemotherapy appointment is on 3 February 2026.", "I have chemotherapy on 3 February 2026.", asks
    )
    world.anticipate()
    assert world.held() == []


def test_taken_back_it_is_not_worked_out_again(told: World) -> None:
    given = told.tidying()
    tidy(told.services.database, "acme", MIRA.owner, given)
    revert(told.services.database, "acme", given.batch_id)
    assert told.held() == []
    told.say("I have planted tomatoes.")
    assert [reason.value for _, reason in tidy(told.services.database, "acme", MIRA.owner, told.tidying()).refused] == [
        "taken_back"
    ]


def test_twenty_passes_over_growing_facts_pile_nothing_up(told: World) -> None:
    for number in range(20):
        told.say(ASKS if number % 3 else "I have planted tomatoes.")
        told.anticipate()
    assert told.held() == [TEXT]


def test_an_operator_sees_what_would_be_worked_out(told: World, capsys: pytest.CaptureFixture[str]) -> None:
    of = ["--tenant", "acme", "--json"]
    assert run(["anticipate", *of, "--dry-run"]) == OK
    (change,) = json.loads(capsys.readouterr().out)["changes"]
    assert (change["operation"], change["left"]) == ("abstract", TEXT)
    assert told.held() == []
    assert run(["anticipate", *of]) == OK
    assert json.loads(capsys.readouterr().out)["accepted"] == 1
    assert told.held() == [TEXT]
