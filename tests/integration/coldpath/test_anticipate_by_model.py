"""What a model says will be asked next: asked when it is worth it, stored, judged at each pass, and asked once."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from coldpath import _consulting, _foretelling
from coldpath._answered import FORETELLING
from coldpath._consulting import Preparing, prepare
from coldpath._model_gates import ModelGate
from coldpath.anticipate import by
from coldpath.erase import erase
from coldpath.forget import forget
from coldpath.proposals import Done, Tidying, rehearse, revert, tidy
from coldpath.quarantine import Source, quarantine
from coldpath.replay import replay
from coldpath.tidying import tidy_on
from coldpath.verify import verify
from gateway import tidying as by_hand
from gateway.cli import OK, run
from shared import clock
from shared.contract.errors import LeaseLost
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.store import ledger, spending
from shared.store.db import Role, Session
from shared.work.passes import Job, carry_out
from tests.integration.coldpath.conftest import Configured, Days
from tests.scripted_llm import Hang, Refusal, Reply, Status, scripted
from warmpath._door import Door
from warmpath._work import Services

MIRA = Scope(tenant_id="acme", user_id="mira")
JANUARY = datetime(2026, 1, 1, 12, tzinfo=UTC)
ASKED = "Which seat do I have on the ferry?"
TOLD = (
    "My flight to Lisbon is on 3 February 2026.",
    "I am flying to Lisbon on 3 February 2026 with Tove.",
    "I live in Oslo.",
    "I work for Acme.",
    ASKED,
)
FLIGHT = "mira's flight to Lisbon is on 2026-02-03."
TRAVELS = "mira travels to Lisbon on 2026-02-03."
QUESTION = "When do I travel to Lisbon?"
WORKED_OUT = "mira's flight to Lisbon is on 2026-02-03, where mira travels to Lisbon."
HELD = f"{QUESTION} {WORKED_OUT}"


def entry(text: str = WORKED_OUT, *lines: int, question: str = QUESTION) -> dict[str, Any]:
    return {"question": question, "text": text, "lines": list(lines or (1, 2))}


def answer(*entries: Any) -> str:
    return json.dumps({"facts": list(entries)})


@dataclass(slots=True)
class World:
    """What is said, a run a day, and what is held ahead of it."""

    services: Services
    owner: psycopg.Connection
    work_off: Callable[[], object]
    runs: int = 0

    def say(self, *texts: str, scope: Scope = MIRA) -> None:
        for text in texts:
            self.runs += 1
            ts = (JANUARY + timedelta(days=self.runs)).isoformat()
            message = {"role": "user", "speaker": "mira", "text": text, "ts": ts}
            Door(self.services).observe(scope, [message], run_id=f"run-{self.runs}")
            self.work_off()

    def ask(self, settings: Settings, **changes: Any) -> ModelGate:
        given = {"database": self.services.database, "tenant_id": "acme", "owner": MIRA.owner, **changes}
        return prepare(_foretelling.MATTER, Preparing(settings=settings, **given))

    def tidying(self, settings: Settings) -> Tidying:
        return Tidying(job="anticipate", propose=by(settings), batch_id=uuid4(), by_time=True)

    def tidy(self, settings: Settings) -> Done:
        """One pass, after which another has nothing to do, and a replay comes to the same."""
        done = tidy(self.services.database, "acme", MIRA.owner, self.tidying(settings))
        again = rehearse(self.services.database, "acme", MIRA.owner, self.tidying(settings))
        assert (again.accepted, again.refused, again.passed_over) == ((), (), {})
        assert replay(self.services.database, "acme", MIRA.owner, verify=True).differences == ()
        return done

    def stored(self, kind: str) -> list[Any]:
        with self.services.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
            return ledger.derived(session, kind, None)

    def held(self) -> list[str]:
        query = "select text from memory where closed_at is null and epistemic_type = 'inference' order by doc"
        return [text for (text,) in self.owner.execute(query)]

    def of(self, text: str) -> UUID:
        (found,) = self.owner.execute(
            "select memory_id from memory where text = %s and closed_at is null", [text]
        ).fetchall()  # fmt: skip
        return UUID(str(found[0]))


@pytest.fixture
def services(services: Services, reading: Settings) -> Services:
    return replace(services, settings=reading)


@pytest.fixture
def world(services: Services, work_off: Callable[[], object], owner: psycopg.Connection) -> World:
    """Enough that a model is asked; the lines 1 and 2 are what is believed of the journey."""
    owner.execute("select set_config('row_security', 'off', false)")
    world = World(services=services, owner=owner, work_off=work_off)
    world.say(*TOLD)
    return world


def test_its_answer_is_stored_with_what_it_cost_and_held_as_an_inference_that_cites(
    world: World, configured: Configured
) -> None:
    bad = (entry("mira's flight to Lisbon is on 2026-02-04."), entry("mira meets Oskar in Lisbon."), entry("x", 1, 99))
    with scripted(Reply(text=answer(entry(), *bad), usage=(400, 50))) as server:
        settings = configured(server)
        assert world.ask(settings) is ModelGate.ASKED
        shown = [json.loads(each) for each in server.requests[0].said[-1].split("\n")]
        assert [each["text"] for each in shown][:2] == [FLIGHT, TRAVELS]
        assert [each["n"] for each in shown] == list(range(1, len(shown) + 1))
        assert all({"day", "who"} <= each.keys() for each in shown)
        assert ASKED in [each["text"] for each in shown]
        assert TOLD[0] not in [each["text"] for each in shown], "what was said is in what is believed"
        account = world.stored(FORETELLING.asked)[0].payload
        assert (account["usage"]["input_tokens"], account["usage"]["output_tokens"]) == (400, 50)
        done = world.tidy(settings)
        assert done.passed_over == {"added": 2, "unknown_alias": 1}
        assert world.held() == [HELD]
        assert world.ask(settings) is ModelGate.TOO_LITTLE_NEW
        assert world.tidy(settings).accepted == ()
        assert len(server.requests) == 1, "neither a second pass nor a replay asks"
    with world.services.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        assert spending.of(session, clock.now().date()).input_tokens == 400
    ends, sure, trust = world.owner.execute(
        "select valid_to, confidence, trust from memory where text = %s", [HELD]
    ).fetchone() or (None, 1.0, 0)  # fmt: skip
    assert ends == world.stored(FORETELLING.answered)[0].recorded_at + timedelta(days=30)
    least = world.owner.execute(
        "select min(confidence), min(trust) from memory where text = any(%s)", [[FLIGHT, TRAVELS]]
    ).fetchone() or (0.0, 0)  # fmt: skip
    assert (sure < least[0], trust) == (True, least[1])


@pytest.mark.parametrize(
    ("script", "changes", "gate"),
    [
        (answer(), {"extraction_model": None}, ModelGate.NO_MODEL),
        (answer(), {"anticipation_by_model": False}, ModelGate.NO_MODEL),
        (answer(), {"anticipate_most": 0}, ModelGate.NO_MODEL),
        (answer(), {"extraction_daily_tokens": 100}, ModelGate.NO_TOKENS),
        (answer(), {"extraction_daily_usd": 0.0}, ModelGate.NO_MONEY),
        (Status(code=401), {}, ModelGate.UNAVAILABLE),
        (Hang(), {"extraction_deadline_s": 0.5}, ModelGate.UNAVAILABLE),
        (Refusal(), {}, ModelGate.REFUSED),
        ("I would rather talk about the weather.", {}, ModelGate.REFUSED),
        ('{"facts": [{"question": "Wh', {}, ModelGate.REFUSED),
    ],
)
def test_where_no_answer_comes_the_gate_says_why_and_the_rules_go_on(
    script: Any, changes: dict[str, Any], gate: ModelGate, world: World, configured: Configured
) -> None:
    settings = configured(script, **changes)
    assert world.ask(settings) is gate
    assert world.stored(FORETELLING.answered) == []
    world.tidy(settings)
    assert world.held() == []


def test_a_worker_that_is_killed_behind_the_call_has_its_answer_used_and_nobody_is_asked_again(
    world: World, configured: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    class KilledError(BaseException):
        pass

    def die(*_: Any, **__: Any) -> Any:
        raise KilledError

    with scripted(answer(entry())) as server:
        settings = configured(server)

        def do(job: Job) -> bool:
            return tidy_on(world.services.database, settings, job)

        with monkeypatch.context() as killed:
            killed.setattr("coldpath.tidying.tidy", die)
            with pytest.raises(KilledError):
                carry_out(world.services.database, settings, "anticipate", "acme", do)
        assert (len(world.stored(FORETELLING.answered)), world.held()) == (1, [])
        world.owner.execute("update job set lease_until = now() - interval '1 hour'")
        report = carry_out(world.services.database, settings, "anticipate", "acme", do)
        assert (report.counts["gate_too_little_new"], report.counts["accepted"]) == (1, 1)
        assert (world.held(), len(server.requests)) == ([HELD], 1)


def test_whoever_has_lost_the_job_stores_nothing(world: World, configured: Configured) -> None:
    def fence(_session: Session) -> None:
        raise LeaseLost

    with pytest.raises(LeaseLost):
        world.ask(configured(answer(entry())), fence=fence)
    assert world.stored(FORETELLING.asked) == []


@pytest.mark.parametrize("how", ["forgotten", "its words erased", "all erased", "quarantined", "changed"])
def test_it_is_gone_with_any_of_its_sources_before_the_next_pass_and_does_not_come_back(
    how: str, world: World, configured: Configured
) -> None:
    settings = configured(answer(entry()))
    world.ask(settings)
    world.tidy(settings)
    assert world.held() == [HELD]
    database = world.services.database
    if how in {"forgotten", "its words erased"}:
        forget(database, MIRA, world.of(TOLD[0]), erase_content=how == "its words erased")
    elif how == "all erased":
        erase(database, MIRA)
    elif how == "quarantined":
        quarantine(database, MIRA, Source(run_id="run-1"))
    else:
        world.say("My flight to Lisbon is on 5 February 2026.")
    assert world.held() == []
    world.tidy(settings)
    assert world.held() == []
    if "erased" in how:
        assert [each.payload for each in world.stored(FORETELLING.answered)] == [None]
        assert verify(database, "acme", MIRA.owner).fault is None


def test_what_is_forgotten_while_the_model_answers_bears_nothing(
    world: World, configured: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks = _consulting._Call._answer

    def slowly(call: Any, model: Any) -> Any:
        found = asks(call, model)
        forget(world.services.database, MIRA, world.of(TOLD[0]))
        return found

    monkeypatch.setattr(_consulting._Call, "_answer", slowly)
    settings = configured(answer(entry()))
    assert world.ask(settings) is ModelGate.OVERTAKEN
    world.tidy(settings)
    assert world.held() == []


def test_fifteen_days_of_a_model_that_words_it_otherwise_each_time_pile_nothing_up(
    world: World, configured: Configured, days: Days
) -> None:
    words = "mira's flight to Lisbon", "is on 2026-02-03", "mira travels to Lisbon"
    said = [", ".join((*words[place:], *words[:place])) for place in range(3)]
    script = [answer(entry(f"{said[day % 3]}."), entry(f"{said[day % 3]} with Oskar.")) for day in range(15)]
    with scripted(*script) as server:
        settings = configured(server)
        for day in range(15):
            days(day)
            world.say(*[f"Where is my {day} {colour} umbrella?" for colour in ("red", "green", "blue", "grey", "tan")])
            assert world.ask(settings) is ModelGate.ASKED
            world.tidy(settings)
            assert world.held() == [f"{QUESTION} {said[0]}."]
        assert len(server.requests) == 15


def test_its_time_over_it_ends_and_the_same_answer_does_not_bring_it_back(
    world: World, configured: Configured, days: Days
) -> None:
    settings = configured(answer(entry()))
    world.ask(settings)
    world.tidy(settings)
    days(31)
    world.tidy(settings)
    assert world.held() == []


def test_taken_back_it_is_not_held_again(world: World, configured: Configured) -> None:
    settings = configured(answer(entry()))
    world.ask(settings)
    given = world.tidying(settings)
    tidy(world.services.database, "acme", MIRA.owner, given)
    revert(world.services.database, "acme", given.batch_id)
    again = tidy(world.services.database, "acme", MIRA.owner, world.tidying(settings))
    assert [reason.value for _, reason in again.refused] == ["taken_back"]
    assert world.held() == []


def test_one_agents_memories_are_asked_about_and_no_other_agents(world: World, configured: Configured) -> None:
    scout = Scope(tenant_id="acme", user_id="mira", agent_id="scout")
    world.say("I keep two bees.", scope=scout)
    with scripted(answer()) as server:
        assert world.ask(configured(server)) is ModelGate.ASKED
        assert "bees" not in server.requests[0].words


def test_a_rehearsal_asks_nobody_unless_it_is_told_to_and_what_it_paid_for_is_used(
    world: World, configured: Configured, capsys: pytest.CaptureFixture[str]
) -> None:
    def nobody_looks(_done: int, _total: int) -> None: ...

    with scripted(answer(entry())) as server:
        given = world.services.database, configured(server), "acme", "anticipate", nobody_looks
        assert (by_hand.rehearse(*given).accepted, server.requests) == (0, [])
        shown = by_hand.rehearse(*given, ask=True)
        assert (shown.gates, [each.left for each in shown.changes]) == ({"asked": 1}, [HELD])
        assert by_hand.rehearse(*given, ask=True).accepted == 1
        assert world.held() == []
        done = by_hand.tidy(*given)
        assert (done.accepted, done.gates) == (1, {"too_little_new": 1})
        assert len(server.requests) == 1, "what it answered then is used"
    assert run(["anticipate", "--tenant", "acme", "--dry-run", "--ask"]) == OK
    assert "on the way to the model: 1 no_model" in capsys.readouterr().out
