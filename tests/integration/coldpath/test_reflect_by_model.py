"""A question that stands, answered by a model from numbered memories: stored, judged, filed, and asked once."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from coldpath import _composing, _consulting
from coldpath._answered import COMPOSING
from coldpath._consulting import Preparing, prepare
from coldpath._model_gates import ModelGate
from coldpath.erase import erase
from coldpath.forget import forget
from coldpath.proposals import Done, Tidying, rehearse, revert, tidy
from coldpath.quarantine import Source, quarantine
from coldpath.replay import replay
from coldpath.tidying import tidy_on
from coldpath.tidying import tidying as by_settings
from coldpath.verify import verify
from gateway import reflecting
from gateway import tidying as by_hand
from gateway.cli import OK, WRONG_INPUT, run
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.store import ledger
from shared.store.db import Role
from shared.work.passes import Job, carry_out
from tests.integration.coldpath.conftest import Configured
from tests.scripted_llm import Hang, Refusal, Reply, Status, scripted
from warmpath._door import Door
from warmpath._work import Services

MIRA = Scope(tenant_id="acme", user_id="mira")
ASKS = "What is known of the journey to Lisbon?"
TOLD = (
    "My flight to Lisbon is on 3 February 2026.",
    "I am flying to Lisbon on 3 February 2026 with Tove.",
    "The hostel in Lisbon has no kitchen.",
    "I live in Oslo.",
)
VERBATIM = "mira's flight to Lisbon is on 2026-02-03. mira travels to Lisbon on 2026-02-03."
FLIES = "mira's flight to Lisbon is on 2026-02-03, where mira travels to Lisbon."
HOSTEL = "The hostel in Lisbon has no kitchen."
COMPOSED = f"{FLIES} {HOSTEL}"


def entry(text: str, *lines: int) -> dict[str, Any]:
    return {"text": text, "lines": list(lines)}


def answer(*entries: Any) -> str:
    return json.dumps({"facts": list(entries)})


class World:
    """What is said, a run a day, and what is filed."""

    def __init__(self, services: Services, work_off: Callable[[], object], owner: psycopg.Connection) -> None:
        self.services = services
        self.owner = owner
        self._work_off = work_off
        self._days = 0

    def say(self, *texts: str, scope: Scope = MIRA) -> None:
        for text in texts:
            self._days += 1
            message = {"role": "user", "speaker": "mira", "text": text, "ts": f"2026-01-{self._days:02}T12:00Z"}
            Door(self.services).observe(scope, [message], run_id=f"run-{self._days}")
            self._work_off()

    def ask(self, settings: Settings) -> ModelGate:
        whose = Preparing(
            database=self.services.database, settings=settings, tenant_id="acme", owner=MIRA.owner
        )  # fmt: skip
        return prepare(_composing.MATTER, whose)

    def tidying(self) -> Tidying:
        return by_settings(self.services.settings, "reflect", uuid4())

    def reflect(self) -> Done:
        """One pass, after which another has nothing to do, and a replay comes to the same."""
        done = tidy(self.services.database, "acme", MIRA.owner, self.tidying())
        again = rehearse(self.services.database, "acme", MIRA.owner, self.tidying())
        assert (again.accepted, again.refused, again.passed_over) == ((), (), {})
        assert replay(self.services.database, "acme", MIRA.owner, verify=True).differences == ()
        return done

    def filed(self) -> list[str]:
        query = "select text from memory where closed_at is null and epistemic_type = 'inference' order by doc"
        return [text for (text,) in self.owner.execute(query)]

    def stored(self, kind: str) -> list[Any]:
        with self.services.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
            return ledger.derived(session, kind, None)

    def of(self, text: str) -> UUID:
        row = self.owner.execute("select memory_id from memory where text = %s", [text]).fetchone() or (None,)
        return UUID(str(row[0]))

    def shown(self) -> list[str]:
        """The texts that a model would be shown of the question that stands, in order of their numbers."""
        with self.services.database.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
            (shown,) = _composing.MATTER.shows(None, session, [])  # type: ignore[arg-type]
        return [each.text for each in shown.memories]

    def number(self, word: str) -> int:
        """Of the first line that has a word."""
        return next(number for number, text in enumerate(self.shown(), 1) if word in text)

    def good(self) -> str:
        """An answer of two sentences that follow."""
        flight, travels = self.number("'s flight"), self.number("travels")
        return answer(entry(FLIES, flight, travels), entry(HOSTEL, self.number("hostel")))


@pytest.fixture
def services(services: Services, reading: Settings) -> Services:
    return replace(services, settings=reading)


@pytest.fixture
def world(services: Services, work_off: Callable[[], object], owner: psycopg.Connection) -> World:
    owner.execute("select set_config('row_security', 'off', false)")
    world = World(services, work_off, owner)
    world.say(*TOLD)
    reflecting.file(services.database, MIRA, ASKS)
    return world


def test_its_answer_is_stored_and_filed_sentence_by_sentence_in_the_place_of_the_facts(
    world: World, configured: Configured
) -> None:
    world.reflect()
    assert world.filed() == [VERBATIM]
    bad = (
        entry("mira's flight to Lisbon is on 2026-02-04.", 1),
        entry("mira meets Oskar in Lisbon.", 1),
        entry("x", 99),
    )
    given = json.loads(world.good())["facts"]
    with scripted(Reply(text=answer(*given, *bad), usage=(300, 40))) as server:
        settings = configured(server)
        assert world.ask(settings) is ModelGate.ASKED
        question, *lines = map(json.loads, server.requests[0].said[-1].split("\n"))
        assert question == {"question": ASKS}
        assert [each["text"] for each in lines] == world.shown()
        assert TOLD[3] not in server.requests[0].words, "what has nothing to do with it is not shown"
        (account,) = (each.payload for each in world.stored(COMPOSING.asked))
        assert (account["usage"]["input_tokens"], ASKS in json.dumps(account)) == (300, False)
        assert world.reflect().passed_over == {"added": 2, "unknown_alias": 1}
        assert world.filed() == [COMPOSED]
        assert world.ask(settings) is ModelGate.TOO_LITTLE_NEW
        assert world.reflect().accepted == ()
        assert len(server.requests) == 1, "neither a second pass nor a replay asks"


@pytest.mark.parametrize(
    ("script", "changes", "gate"),
    [
        (answer(), {"extraction_model": None}, ModelGate.NO_MODEL),
        (answer(), {"reflection_by_model": False}, ModelGate.NO_MODEL),
        (answer(), {"extraction_daily_tokens": 100}, ModelGate.NO_TOKENS),
        (answer(), {"extraction_daily_usd": 1.0}, ModelGate.NO_PRICE),
        (Status(code=401), {}, ModelGate.UNAVAILABLE),
        (Hang(), {"extraction_deadline_s": 0.5}, ModelGate.UNAVAILABLE),
        (Refusal(), {}, ModelGate.REFUSED),
        ("Later, perhaps.", {}, ModelGate.REFUSED),
        (answer(), {}, ModelGate.ASKED),
        (answer(entry("mira's flight to Lisbon is at 7:15.", 1), entry("Ask Oskar.", 2)), {}, ModelGate.ASKED),
    ],
)
def test_where_no_sentence_comes_the_facts_answer_word_for_word(
    script: Any, changes: dict[str, Any], gate: ModelGate, world: World, configured: Configured
) -> None:
    assert world.ask(configured(script, **changes)) is gate
    world.reflect()
    assert world.filed() == [VERBATIM]


def test_what_it_refuses_thrice_is_not_asked_again_until_there_is_something_else_to_answer_from(
    world: World, configured: Configured
) -> None:
    with scripted(Refusal()) as server:
        settings = configured(server)
        seen = [world.ask(settings) for _ in range(4)]
        assert seen == [ModelGate.REFUSED, ModelGate.REFUSED, ModelGate.GIVEN_UP, ModelGate.TOO_LITTLE_NEW]
        world.say("My flight to Lisbon is on 5 February 2026.")
        assert world.ask(settings) is ModelGate.REFUSED
        assert len(server.requests) == 4


def test_a_worker_that_is_killed_behind_the_call_has_its_answer_used_and_nobody_is_asked_again(
    world: World, configured: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    class KilledError(BaseException):
        pass

    def die(*_: Any, **__: Any) -> Any:
        raise KilledError

    with scripted(world.good()) as server:
        settings = configured(server)

        def do(job: Job) -> bool:
            return tidy_on(world.services.database, settings, job)

        with monkeypatch.context() as killed:
            killed.setattr("coldpath.tidying.tidy", die)
            with pytest.raises(KilledError):
                carry_out(world.services.database, settings, "reflect", "acme", do)
        assert (len(world.stored(COMPOSING.answered)), world.filed()) == (1, [])
        world.owner.execute("update job set lease_until = now() - interval '1 hour'")
        carry_out(world.services.database, settings, "reflect", "acme", do)
        assert (world.filed(), len(server.requests)) == ([COMPOSED], 1)


@pytest.mark.parametrize("how", ["forgotten", "its words erased", "all erased", "quarantined", "question removed"])
def test_an_answer_goes_with_any_of_what_it_cites_and_with_the_question(
    how: str, world: World, configured: Configured
) -> None:
    world.ask(configured(world.good()))
    world.reflect()
    assert world.filed() == [COMPOSED]
    database = world.services.database
    if how in {"forgotten", "its words erased"}:
        forget(database, MIRA, world.of(TOLD[2]), erase_content=how == "its words erased")
    elif how == "all erased":
        erase(database, MIRA)
    elif how == "quarantined":
        quarantine(database, MIRA, Source(run_id="run-3"))
    else:
        (standing,) = reflecting.asked_of(database, MIRA)
        reflecting.remove(database, MIRA, standing.number)
        world.reflect()
    assert COMPOSED not in world.filed()
    world.reflect()
    assert all("kitchen" not in text for text in world.filed())
    if how in {"its words erased", "all erased", "question removed"}:
        assert [each.payload for each in world.stored(COMPOSING.answered)] == [None]
        assert verify(database, "acme", MIRA.owner).fault is None


def test_a_question_that_goes_with_a_message_that_it_quotes_takes_its_answer_along(
    world: World, configured: Configured
) -> None:
    (standing,) = reflecting.asked_of(world.services.database, MIRA)
    reflecting.remove(world.services.database, MIRA, standing.number)
    reflecting.file(world.services.database, MIRA, "Is the hostel in Lisbon on a hill?")
    world.say("Is the hostel in Lisbon on a hill?")
    world.ask(configured(answer(entry(HOSTEL, world.number("hostel")))))
    forget(world.services.database, MIRA, world.of("Is the hostel in Lisbon on a hill?"), erase_content=True)
    assert reflecting.asked_of(world.services.database, MIRA) == []
    assert [each.payload for each in world.stored(COMPOSING.answered)] == [None]


def test_what_is_forgotten_while_the_model_answers_bears_nothing(
    world: World, configured: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks = _consulting._Call._answer

    def slowly(call: Any, model: Any) -> Any:
        found = asks(call, model)
        forget(world.services.database, MIRA, world.of(TOLD[2]))
        return found

    settings = configured(world.good())
    monkeypatch.setattr(_consulting._Call, "_answer", slowly)
    assert world.ask(settings) is ModelGate.OVERTAKEN
    world.reflect()
    assert world.filed() == [VERBATIM]


def test_what_is_answered_to_a_question_that_was_removed_meanwhile_is_stored_nowhere(
    world: World, configured: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks = _consulting._Call._answer

    def slowly(call: Any, model: Any) -> Any:
        found = asks(call, model)
        (standing,) = reflecting.asked_of(world.services.database, MIRA)
        reflecting.remove(world.services.database, MIRA, standing.number)
        return found

    settings = configured(world.good())
    monkeypatch.setattr(_consulting._Call, "_answer", slowly)
    assert world.ask(settings) is ModelGate.OVERTAKEN
    assert world.stored(COMPOSING.answered) == []


def test_an_answer_that_has_not_seen_a_new_fact_gives_way_to_the_facts_until_the_model_is_asked_again(
    world: World, configured: Configured
) -> None:
    world.ask(configured(world.good()))
    world.reflect()
    world.say("I travel to Lisbon on 7 February 2026 too.", "My flight to Lisbon is on 5 February 2026.")
    world.reflect()
    assert COMPOSED not in world.filed()
    assert any("2026-02-05" in text for text in world.filed())
    late = "mira's flight to Lisbon is on 2026-02-05."
    with scripted(answer(entry(HOSTEL, world.number("hostel")), entry(late, world.number("02-05")))) as server:
        assert world.ask(configured(server)) is ModelGate.ASKED
        world.reflect()
        assert world.filed() == [f"{HOSTEL} {late}"]


def test_chatter_asks_nobody_again(world: World, configured: Configured) -> None:
    with scripted(world.good()) as server:
        settings = configured(server)
        world.ask(settings)
        for number in range(5):
            world.say(f"I have planted {number + 2} tomatoes.", f"Lisbon was loud, {number + 2} trams went by.")
            assert world.ask(settings) is ModelGate.TOO_LITTLE_NEW
            world.reflect()
            assert world.filed() == [COMPOSED]
        assert len(server.requests) == 1


def test_of_two_questions_each_is_asked_about_and_filed_by_itself(world: World, configured: Configured) -> None:
    reflecting.file(world.services.database, MIRA, "Where does mira live, in Oslo or in Lisbon?")
    script = [answer(entry(FLIES, 1, 2)), answer(entry("mira lives in Oslo.", 1), entry(FLIES, 2, 3))]
    with scripted(*script) as server:
        assert world.ask(configured(server)) is ModelGate.ASKED
        assert [json.loads(each.said[-1].split("\n")[0])["question"][:5] for each in server.requests] == [
            "What ",
            "Where",
        ]
    accounts = [each.payload for each in world.stored(COMPOSING.asked)]
    assert len({each["question"] for each in accounts}) == 2
    world.reflect()
    assert FLIES in world.filed()


def test_of_more_questions_than_there_is_time_for_the_others_are_asked_about_by_the_next_pass(
    world: World, configured: Configured
) -> None:
    reflecting.file(world.services.database, MIRA, "Where does mira live, in Oslo or in Lisbon?")
    with scripted(answer()) as server:
        settings = configured(server, task_deadline_s=150, extraction_deadline_s=60.0)
        assert (world.ask(settings), len(server.requests)) == (ModelGate.ASKED, 1)
        assert (world.ask(settings), len(server.requests)) == (ModelGate.ASKED, 2)
        assert world.ask(settings) is ModelGate.TOO_LITTLE_NEW
    assert len({each.payload["question"] for each in world.stored(COMPOSING.asked)}) == 2


def test_taken_back_it_is_not_filed_again(world: World, configured: Configured) -> None:
    world.ask(configured(world.good()))
    given = world.tidying()
    tidy(world.services.database, "acme", MIRA.owner, given)
    revert(world.services.database, "acme", given.batch_id)
    again = tidy(world.services.database, "acme", MIRA.owner, world.tidying())
    assert [reason.value for _, reason in again.refused] == ["taken_back"]
    assert world.filed() == []


def test_a_rehearsal_asks_nobody_unless_it_is_told_to_and_what_it_paid_for_is_used(
    world: World, configured: Configured
) -> None:
    def nobody_looks(_done: int, _total: int) -> None: ...

    with scripted(world.good()) as server:
        given = world.services.database, configured(server), "acme", "reflect", nobody_looks
        assert [each.left for each in by_hand.rehearse(*given).changes] == [VERBATIM]
        assert server.requests == []
        shown = by_hand.rehearse(*given, ask=True)
        assert (shown.gates, [each.left for each in shown.changes]) == ({"asked": 1}, [COMPOSED])
        assert world.filed() == []
        assert by_hand.tidy(*given).accepted == 1
        assert (world.filed(), len(server.requests)) == ([COMPOSED], 1)


def test_whoever_asks_what_stands_is_shown_each_step_with_what_it_rests_on_and_how_new_that_is(
    world: World, configured: Configured, capsys: pytest.CaptureFixture[str]
) -> None:
    given = json.loads(world.good())["facts"]
    world.ask(configured(answer(*given, entry("mira meets Oskar in Lisbon.", 1))))
    whose = ["--tenant", "acme", "--user", "mira"]
    assert run(["reflect", f" {ASKS}", *whose, "--json"]) == OK
    found = json.loads(capsys.readouterr().out)
    assert (found["answer"], found["rung"], found["dropped"]) == ([FLIES, HOSTEL], "composed", {"added": 1})
    flies, hostel = found["composed"]
    assert (flies["rung"], len(flies["memory_ids"])) == ("facts", 2)
    assert (hostel["rung"], hostel["newest"][:10]) == ("evidence", "2026-01-03")
    assert [each["name"] for each in found["rungs"]] == ["profile", "pages", "inferences", "facts", "evidence"]
    assert run(["reflect", ASKS, *whose]) == OK
    told = capsys.readouterr().out
    assert f"of the evidence, 3 Jan 2026: {world.of(TOLD[2])}" in " ".join(told.split())
    assert "sentences that do not follow were dropped: 1 added" in told
    assert run(["reflect", "--tenant", "acme", "--dry-run", "--ask"]) == OK
    assert "on the way to the model: 1 no_model" in capsys.readouterr().out
    assert run(["reflect", ASKS, *whose, "--ask"]) == WRONG_INPUT
