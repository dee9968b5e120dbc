"""What a model says follows from several memories: asked when it is worth it, stored, judged, and asked once."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from itertools import count
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from coldpath import _concluding, _consulting, consolidate
from coldpath._answered import CONCLUDING
from coldpath._consulting import Preparing, prepare
from coldpath._model_gates import ModelGate
from coldpath.erase import erase
from coldpath.forget import forget
from coldpath.proposals import Done, Tidying, rehearse, tidy
from coldpath.replay import replay
from coldpath.tidying import tidy_on
from gateway import tidying as by_hand
from gateway.cli import OK, WRONG_INPUT, run
from shared import clock
from shared.contract.errors import LeaseLost
from shared.contract.operations import AddPayload, WrittenEntry
from shared.contract.records import EpistemicType, EvidenceRef, Kind
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.store import generations, ledger, spending
from shared.store.beliefs import Draft
from shared.store.db import Database, Role, Session
from shared.work.passes import Job, carry_out
from tests.integration.coldpath.conftest import Configured, Days
from tests.scripted_llm import Hang, Refusal, Reply, Status, scripted
from warmpath._door import Door
from warmpath._work import Services

MIRA = Scope(tenant_id="acme", user_id="mira")
TRAIN = "I took the early train to Leeds"
HABIT = "Often takes the early train to Leeds."


def answer(*entries: dict[str, Any]) -> str:
    return json.dumps({"facts": list(entries)})


def entry(text: str = HABIT, *numbers: int, sort: str = "preference") -> dict[str, Any]:
    return {"type": sort, "text": text, "lines": list(numbers or (1, 2))}


Say = Callable[..., str]


@pytest.fixture
def say(services: Services, work_off: Callable[[], object]) -> Say:
    """Sessions in which somebody says something; returns the run's id."""
    runs = count(1)

    def tell(text: str, *, user: str = "mira", agent: str | None = None) -> str:
        number = next(runs)
        ts = f"2026-01-{number:02}T12:00:00+00:00"
        scope = Scope(tenant_id="acme", user_id=user, agent_id=agent, session_id=f"session-{number}")
        Door(services).observe(scope, [{"role": "user", "text": text, "ts": ts}], run_id=f"run-{number}")
        work_off()
        return f"run-{number}"

    return tell


@pytest.fixture
def said(say: Say) -> None:
    """Enough that a model is asked."""
    colours = "grey red green blue black white brown pink golden silver"
    for colour in colours.split()[: _concluding.ENOUGH_NEW]:
        say(f"{TRAIN} with the {colour} umbrella.")


def asked(database: Database, settings: Settings, **changes: Any) -> ModelGate:
    given = {"database": database, "settings": settings, "tenant_id": "acme", "owner": MIRA.owner, **changes}
    return prepare(_concluding.MATTER, Preparing(**given))


def tidied(services: Services) -> Done:
    given = Tidying(job="consolidate", propose=consolidate.propose, batch_id=uuid4())
    return tidy(services.database, "acme", MIRA.owner, given)


def stored(services: Services, kind: str) -> list[Any]:
    with services.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        return ledger.derived(session, kind, None)


def concluded(owner: psycopg.Connection) -> dict[str, tuple[str, float]]:
    query = """
        select text, epistemic_type, round(confidence::numeric, 2)::float from memory
        where epistemic_type <> 'evidence' and closed_at is null
    """
    return {text: (kind, sure) for text, kind, sure in owner.execute(query)}


@pytest.mark.usefixtures("said")
def test_its_answer_is_stored_with_what_it_cost_and_read_by_whoever_comes_next(
    services: Services, configured: Configured, owner: psycopg.Connection
) -> None:
    with scripted(Reply(text=answer(entry(), entry("Hates trains on Mars.")), usage=(400, 50))) as server:
        settings = configured(server)
        assert asked(services.database, settings) is ModelGate.ASKED
        shown = server.requests[0]
        assert [json.loads(line)["n"] for line in shown.said[-1].split("\n")] == list(range(1, 11))
        account = stored(services, CONCLUDING.asked)[0].payload
        assert account["model"].startswith("openai/scripted/")
        assert (account["usage"]["input_tokens"], account["usage"]["output_tokens"]) == (400, 50)
        assert len(account["shown"]) == 10
        assert asked(services.database, settings) is ModelGate.TOO_LITTLE_NEW
        assert len(tidied(services).accepted) == 1
        assert concluded(owner) == {HABIT: ("preference", 0.6)}
        assert tidied(services).accepted == ()
        found = replay(services.database, "acme", MIRA.owner, verify=True)
        assert found.differences == ()
        assert len(server.requests) == 1, "neither a second pass nor a replay asks"
    with services.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        spent = spending.of(session, clock.now().date())
    assert (spent.calls, spent.input_tokens) == (1, 400)
    assert spent.cost_usd is None, "nobody knows the price of this model"


@pytest.mark.usefixtures("said")
@pytest.mark.parametrize(
    ("script", "changes", "gate"),
    [
        (answer(), {"extraction_model": None}, ModelGate.NO_MODEL),
        (answer(), {"consolidation_by_model": False}, ModelGate.NO_MODEL),
        (answer(), {"extraction_daily_tokens": 0}, ModelGate.NO_TOKENS),
        (answer(), {"extraction_daily_tokens": 100}, ModelGate.NO_TOKENS),
        (answer(), {"extraction_daily_usd": 0.0}, ModelGate.NO_MONEY),
        (answer(), {"extraction_daily_usd": 1.0}, ModelGate.NO_PRICE),
        (Status(code=401), {}, ModelGate.UNAVAILABLE),
        (Hang(), {"extraction_deadline_s": 0.5}, ModelGate.UNAVAILABLE),
        (Refusal(), {}, ModelGate.REFUSED),
        ("I would rather talk about the weather.", {}, ModelGate.REFUSED),
        ('{"facts": [{"type": "insight", "te', {}, ModelGate.REFUSED),
        (answer(), {}, ModelGate.ASKED),
    ],
)
def test_each_gate_says_why_and_nothing_is_concluded_of_no_answer(
    script: Any, changes: dict[str, Any], gate: ModelGate, services: Services, configured: Configured
) -> None:
    assert asked(services.database, configured(script, **changes)) is gate
    assert tidied(services).accepted == ()
    is_noted = gate in {ModelGate.ASKED, ModelGate.REFUSED}
    assert len(stored(services, CONCLUDING.asked)) == is_noted
    assert len(stored(services, CONCLUDING.answered)) == (gate is ModelGate.ASKED)


def test_too_little_is_not_asked_about(say: Say, services: Services, configured: Configured) -> None:
    with scripted(answer()) as server:
        for number in range(_concluding.ENOUGH_NEW - 1):
            say(f"{TRAIN}, the {number}th time.")
        assert asked(services.database, configured(server)) is ModelGate.TOO_LITTLE_NEW
        assert server.requests == []


@pytest.mark.usefixtures("said")
def test_it_is_not_asked_again_on_the_same_day_however_much_is_said(
    say: Say, services: Services, configured: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = configured(answer())
    assert asked(services.database, settings) is ModelGate.ASKED
    for number in range(_concluding.ENOUGH_NEW):
        say(f"The heron on the roof has eaten {number} fish.")
    assert asked(services.database, settings) is ModelGate.TOO_SOON
    later = clock.now() + timedelta(hours=21)
    monkeypatch.setattr("shared.clock.now", lambda: later)
    assert asked(services.database, settings) is ModelGate.ASKED


@pytest.mark.usefixtures("said")
def test_a_stream_that_somebody_writes_to_is_left_for_the_next_pass(services: Services, configured: Configured) -> None:
    with services.database.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        ledger.lock(session, MIRA.owner)
        assert asked(services.database, configured(answer())) is ModelGate.BUSY


@pytest.mark.usefixtures("said")
def test_whoever_has_lost_the_job_stores_nothing(services: Services, configured: Configured) -> None:
    def fence(_session: Session) -> None:
        raise LeaseLost

    with pytest.raises(LeaseLost):
        asked(services.database, configured(answer(entry())), fence=fence)
    assert stored(services, CONCLUDING.asked) == []


def test_one_agents_memories_are_asked_about_and_no_other_agents(
    say: Say, services: Services, configured: Configured
) -> None:
    for number in range(_concluding.ENOUGH_NEW):
        say(f"{TRAIN}, the {number}th time.", agent="scout")
    for _ in range(3):
        say("The clerk knows that I keep bees.", agent="clerk")
    with scripted(answer()) as server:
        assert asked(services.database, configured(server)) is ModelGate.ASKED
        assert "bees" not in server.requests[0].words


def test_each_agents_memories_have_their_turn_though_another_agents_are_newer(
    say: Say, services: Services, configured: Configured, days: Days
) -> None:
    for number in range(_concluding.ENOUGH_NEW):
        say(f"The clerk keeps {number} bees for me.", agent="clerk")
    for number in range(_concluding.ENOUGH_NEW + 2):
        say(f"{TRAIN}, the {number}th time.", agent="scout")
    with scripted(answer(), answer(), answer()) as server:
        settings = configured(server)
        assert asked(services.database, settings) is ModelGate.ASKED
        days(1)
        assert asked(services.database, settings) is ModelGate.ASKED
        days(2)
        assert asked(services.database, settings) is ModelGate.TOO_LITTLE_NEW
        assert ["bees" in each.words for each in server.requests] == [False, True]


@pytest.mark.usefixtures("said")
def test_what_a_model_would_not_answer_it_is_asked_again_and_given_up_after_some_times(
    say: Say, services: Services, configured: Configured, days: Days
) -> None:
    with scripted(Refusal(), "Later, perhaps.", Refusal(), answer(entry())) as server:
        settings = configured(server)
        seen = []
        for day in range(4):
            days(day)
            seen.append(asked(services.database, settings))
        assert seen == [ModelGate.REFUSED, ModelGate.REFUSED, ModelGate.GIVEN_UP, ModelGate.TOO_LITTLE_NEW]
        assert [each.payload["docs"] for each in stored(services, CONCLUDING.asked)] == [10, 10, 10]
        for number in range(_concluding.ENOUGH_NEW):
            say(f"{TRAIN}, the {number}th time.")
        days(5)
        assert asked(services.database, settings) is ModelGate.ASKED
    assert len(tidied(services).accepted) == 1


@pytest.mark.usefixtures("said")
def test_what_was_refused_once_is_not_passed_over(services: Services, configured: Configured, days: Days) -> None:
    with scripted(Refusal(), answer(entry())) as server:
        settings = configured(server)
        assert asked(services.database, settings) is ModelGate.REFUSED
        days(1)
        assert asked(services.database, settings) is ModelGate.ASKED
    assert len(tidied(services).accepted) == 1


@pytest.mark.usefixtures("said")
@pytest.mark.parametrize("when", ["before it is used", "while it is asked"])
def test_what_is_forgotten_meanwhile_bears_nothing(
    when: str,
    services: Services,
    configured: Configured,
    owner: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (episode,) = owner.execute("select memory_id from memory order by doc limit 1").fetchone() or (None,)
    if when == "while it is asked":
        asks = _consulting._Call._answer

        def slowly(call: Any, model: Any) -> Any:
            found = asks(call, model)
            forget(services.database, MIRA, episode)
            return found

        monkeypatch.setattr(_consulting._Call, "_answer", slowly)
    gate = ModelGate.ASKED if when == "before it is used" else ModelGate.OVERTAKEN
    assert asked(services.database, configured(answer(entry()))) is gate
    assert len(stored(services, CONCLUDING.answered)) == (when == "before it is used")
    if when == "before it is used":
        forget(services.database, MIRA, episode)
    assert tidied(services).accepted == ()
    assert concluded(owner) == {}


@pytest.mark.usefixtures("said")
@pytest.mark.parametrize("whole", [True, False], ids=["all of a user", "one memory"])
def test_an_answer_is_erased_with_what_it_was_shown(
    whole: bool,  # noqa: FBT001 - by its parameter
    services: Services,
    configured: Configured,
    owner: psycopg.Connection,
) -> None:
    assert asked(services.database, configured(answer(entry()))) is ModelGate.ASKED
    tidied(services)
    if whole:
        erase(services.database, MIRA)
    else:
        (episode,) = owner.execute("select memory_id from memory order by doc limit 1").fetchone() or (None,)
        forget(services.database, MIRA, episode, erase_content=True)
    assert [each.payload for each in stored(services, CONCLUDING.answered) if each.payload] == []
    assert concluded(owner) == {}
    assert tidied(services).accepted == ()
    words = owner.execute("select count(*) from event_payload where payload like '%%Often takes%%'").fetchone()
    assert words == (0,)


@pytest.mark.usefixtures("said")
def test_a_pass_asks_once_whichever_worker_does_it_and_shows_its_gates(
    services: Services, configured: Configured, owner: psycopg.Connection
) -> None:
    with scripted(answer(entry())) as server:
        settings = configured(server)

        def do(job: Job) -> bool:
            return tidy_on(services.database, settings, job)

        report = carry_out(services.database, settings, "consolidate", "acme", do)
        assert (report.counts["gate_asked"], report.counts["accepted"]) == (1, 1)
        again = carry_out(services.database, settings, "consolidate", "acme", do)
        assert (again.counts["gate_too_little_new"], again.counts["accepted"]) == (1, 0)
        assert len(server.requests) == 1
    assert concluded(owner) == {HABIT: ("preference", 0.6)}


@pytest.mark.usefixtures("said")
def test_a_rehearsal_asks_nobody_unless_it_is_told_to(services: Services, configured: Configured) -> None:
    def nobody_looks(_done: int, _total: int) -> None: ...

    with scripted(answer(entry())) as server:
        settings = configured(server)
        given = services.database, settings, "acme", "consolidate", nobody_looks
        shown = by_hand.rehearse(*given)
        assert (shown.accepted, shown.gates, server.requests) == (0, {}, [])
        shown = by_hand.rehearse(*given, ask=True)
        assert (shown.accepted, shown.gates) == (1, {"asked": 1})
        assert shown.changes[0].left == HABIT
        done = by_hand.tidy(*given)
        assert (done.accepted, done.gates) == (1, {"too_little_new": 1})
        assert len(server.requests) == 1, "what it answered then is used"


@pytest.mark.usefixtures("said")
def test_the_command_says_that_no_model_was_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["consolidate", "--tenant", "acme", "--dry-run"]) == OK
    assert "no model is asked for a rehearsal" in capsys.readouterr().err
    assert run(["consolidate", "--tenant", "acme", "--dry-run", "--ask"]) == OK
    assert "on the way to the model: 1 no_model" in capsys.readouterr().out
    assert run(["consolidate", "--tenant", "acme", "--ask"]) == WRONG_INPUT
    assert run(["dedupe", "--tenant", "acme", "--dry-run", "--ask"]) == WRONG_INPUT


@pytest.mark.usefixtures("said")
def test_a_rehearsal_of_what_is_stored_asks_nobody(services: Services, configured: Configured) -> None:
    assert asked(services.database, configured(answer(entry()))) is ModelGate.ASKED
    given = Tidying(job="consolidate", propose=consolidate.propose, batch_id=uuid4())
    for _ in range(2):
        assert len(rehearse(services.database, "acme", MIRA.owner, given).accepted) == 1


@pytest.mark.usefixtures("said")
def test_what_it_takes_for_a_contradiction_a_person_is_asked_about_once(
    services: Services, configured: Configured, owner: psycopg.Connection
) -> None:
    beliefs = [believe(services, place, text) for place, text in enumerate(("Mira is a vegan.", "Mira eats ham."))]
    with scripted(answer(entry("what she eats", 11, 12, sort="contradiction"), entry("Trains.", 1))) as server:
        assert asked(services.database, configured(server)) is ModelGate.ASKED
    done = tidied(services)
    assert (done.accepted, done.passed_over) == ((), {"one_line": 1})
    (question,) = done.questions
    assert (list(question.memories), question.why) == (beliefs, "model")
    assert tidied(services).questions == ()
    assert set(concluded(owner)) == {"Mira is a vegan.", "Mira eats ham."}


def believe(services: Services, place: int, text: str) -> Any:
    with services.database.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        generations.writing(session, "sparse")
        head = ledger.lock(session, MIRA.owner)
        (heard,) = ledger.from_source(session, ledger.Source(run_id=f"run-{place + 1}"))
        entry_ = WrittenEntry(
            kind=Kind.SEMANTIC, epistemic_type=EpistemicType.FACT, text=text, confidence=0.7,
            evidence=(EvidenceRef(sequence=heard.sequence),), valid_from=heard.occurred_at,
        )  # fmt: skip
        draft = Draft(session, head)
        draft.do([], [AddPayload(reason="stated", entries=(entry_,))])
        effects, end = draft.write()
        ledger.advance(session, end)
    return effects.opened[0].memory_id
