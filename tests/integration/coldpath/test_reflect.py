"""Questions that stand: answered from facts, filed, replaced only where the answer differs, and gone with any fact."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from coldpath.erase import erase
from coldpath.forget import forget
from coldpath.proposals import Done, Tidying, rehearse, revert, tidy
from coldpath.quarantine import Source, quarantine
from coldpath.replay import replay
from coldpath.tidying import tidying as by_settings
from coldpath.verify import verify
from gateway import reflecting
from gateway.cli import OK, WRONG_INPUT, run
from shared import clock
from shared.contract.errors import InvalidInput, NotFound
from shared.contract.operations import AddPayload, WrittenEntry
from shared.contract.records import Claim, EpistemicType, EvidenceRef, Kind
from shared.contract.scope import Scope
from shared.settings import Settings, load
from shared.store import asked, generations, ledger
from shared.store.beliefs import Draft
from shared.store.db import Role
from warmpath._door import Door
from warmpath._work import Services

MIRA = Scope(tenant_id="acme", user_id="mira")
OSKAR = Scope(tenant_id="acme", user_id="oskar")
ASKS = "What is known of the journey to Lisbon?"
TOLD = ("My flight to Lisbon is on 3 February 2026.", "I am flying to Lisbon on 3 February 2026 with Tove.")
ANSWER = "mira's flight to Lisbon is on 2026-02-03. mira travels to Lisbon on 2026-02-03."


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
            message = {"role": "user", "speaker": scope.user_id, "text": text, "ts": f"2026-01-{self._days:02}T12:00Z"}
            Door(self.services).observe(scope, [message], run_id=f"run-{self._days}")
            self._work_off()

    def believe(self, text: str, until: datetime) -> None:
        """Hold a fact of what was said last, that ends."""
        with self.services.database.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
            generations.writing(session, "sparse")
            head = ledger.lock(session, MIRA.owner)
            (said,) = ledger.from_source(session, ledger.Source(run_id=f"run-{self._days}"))
            entry = WrittenEntry(
                kind=Kind.SEMANTIC, epistemic_type=EpistemicType.FACT, text=text, confidence=0.7,
                claim=Claim(subject="mira", predicate="note", object=text, key="mira note"),
                evidence=(EvidenceRef(sequence=said.sequence),), valid_from=said.occurred_at, valid_to=until,
            )  # fmt: skip
            draft = Draft(session, head)
            draft.do([], [AddPayload(reason="stated", entries=(entry,))])
            ledger.advance(session, draft.write()[1])

    def reflect(self, scope: Scope = MIRA) -> Done:
        """One pass, after which another has nothing to do and a replay comes to the same."""
        done = tidy(self.services.database, "acme", scope.owner, tidying())
        assert rehearse(self.services.database, "acme", scope.owner, tidying()).accepted == ()
        assert replay(self.services.database, "acme", scope.owner, verify=True).differences == ()
        return done

    def filed(self, user: str = "mira") -> list[str]:
        query = "select text from memory where closed_at is null and epistemic_type = 'inference' and user_id = %s"
        return [text for (text,) in self.owner.execute(query, [user])]


def tidying() -> Tidying:
    return by_settings(load(), "reflect", uuid4())


@pytest.fixture
def services(services: Services, reading: Settings) -> Services:
    return replace(services, settings=reading)


@pytest.fixture
def world(services: Services, work_off: Callable[[], object], owner: psycopg.Connection) -> World:
    owner.execute("select set_config('row_security', 'off', false)")
    world = World(services, work_off, owner)
    world.say(*TOLD, "I live in Oslo.")
    reflecting.file(services.database, MIRA, ASKS)
    return world


def test_a_question_that_stands_is_answered_by_the_facts_that_speak_of_it_and_stays_while_it_is_the_same(
    world: World,
) -> None:
    world.reflect()
    assert world.filed() == [ANSWER]
    world.say("I have planted tomatoes.")
    assert world.reflect().accepted == ()
    assert world.filed() == [ANSWER]


def test_an_answer_ends_with_the_first_of_its_facts_and_is_another_from_then_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = clock.now()
    world.believe("mira's flight to Lisbon is delayed.", now + timedelta(days=1))
    world.reflect()
    assert world.filed() == [f"{ANSWER} mira's flight to Lisbon is delayed."]
    rows = world.owner.execute("select valid_to from memory where epistemic_type = 'inference'").fetchall()
    assert rows == [(now + timedelta(days=1),)]
    monkeypatch.setattr("shared.clock.now", lambda: now + timedelta(days=2))
    world.reflect()
    assert world.filed() == [ANSWER]


def test_another_answer_replaces_the_former_one_which_is_gone_before(world: World) -> None:
    world.reflect()
    world.say("My flight to Lisbon is on 5 February 2026.")
    assert world.filed() == []
    world.reflect()
    (answer,) = world.filed()
    assert "2026-02-05" in answer


@pytest.mark.parametrize("how", ["forgotten", "erased", "quarantined", "question removed"])
def test_an_answer_goes_with_any_of_its_facts_and_with_the_question(how: str, world: World) -> None:
    world.reflect()
    database = world.services.database
    if how == "forgotten":
        row = world.owner.execute("select memory_id from memory where text = %s", [TOLD[0]]).fetchone() or (None,)
        forget(database, MIRA, UUID(str(row[0])))
    elif how == "erased":
        erase(database, MIRA)
        assert reflecting.asked_of(database, MIRA) == []
    elif how == "quarantined":
        quarantine(database, MIRA, Source(run_id="run-1"))
    else:
        (standing,) = reflecting.asked_of(database, MIRA)
        reflecting.remove(database, MIRA, standing.number)
        world.reflect()
    assert world.filed() == []


def test_a_question_stands_for_one_user_alone(world: World) -> None:
    world.say(*TOLD, scope=OSKAR)
    world.reflect(OSKAR)
    assert reflecting.asked_of(world.services.database, OSKAR) == []
    assert world.filed("oskar") == []


def test_what_was_taken_back_is_not_filed_again(world: World) -> None:
    given = tidying()
    tidy(world.services.database, "acme", MIRA.owner, given)
    revert(world.services.database, "acme", given.batch_id)
    world.say("I have planted tomatoes.")
    again = tidy(world.services.database, "acme", MIRA.owner, tidying())
    assert [reason.value for _, reason in again.refused] == ["taken_back"]
    assert world.filed() == []


def test_an_answer_that_was_taken_back_keeps_no_other_from_being_filed_of_its_facts(world: World) -> None:
    given = tidying()
    tidy(world.services.database, "acme", MIRA.owner, given)
    revert(world.services.database, "acme", given.batch_id)
    world.believe("The ferry to Lisbon leaves at noon.", clock.now() + timedelta(days=30))
    done = world.reflect()
    assert [refusal for _, refusal in done.refused] == []
    (answer,) = world.filed()
    assert "ferry" in answer
    assert "flight to Lisbon" in answer


def test_twenty_passes_over_growing_facts_pile_nothing_up(world: World) -> None:
    for number in range(20):
        world.say(f"I have planted {number + 2} tomatoes.")
        world.reflect()
    assert world.filed() == [ANSWER]


def test_the_same_question_stands_once_a_bad_one_not_at_all_and_no_more_than_may(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = world.services.database
    (first,) = reflecting.asked_of(database, MIRA)
    assert reflecting.file(database, MIRA, f"  {ASKS} ").number == first.number
    for bad in (" ", "x" * 301):
        with pytest.raises(InvalidInput):
            reflecting.file(database, MIRA, bad)
    with pytest.raises(NotFound):
        reflecting.remove(database, MIRA, first.number + 99)
    monkeypatch.setattr(asked, "MOST", 1)
    with pytest.raises(InvalidInput):
        reflecting.file(database, MIRA, "Who is Tove?")


def payloads(world: World) -> str:
    rows = world.owner.execute("select payload from event_payload where tenant_id = 'acme'").fetchall()
    return " ".join(payload for (payload,) in rows)


@pytest.mark.parametrize("text", ["Is the password swordfish77 still good?", "Is pass\u200bword: swordfish77 good?"])
def test_a_secret_in_a_question_that_stands_is_stored_nowhere(text: str, world: World) -> None:
    standing = reflecting.file(world.services.database, MIRA, text)
    assert "[redacted: password]" in standing.question
    assert "swordfish77" not in payloads(world)
    assert reflecting.file(world.services.database, MIRA, text).number == standing.number


def test_nothing_is_left_of_the_words_of_a_question_that_was_taken_back(world: World) -> None:
    (standing,) = reflecting.asked_of(world.services.database, MIRA)
    assert ASKS in payloads(world)
    assert reflecting.remove(world.services.database, MIRA, standing.number).question == ASKS
    assert ASKS not in payloads(world)
    assert verify(world.services.database, "acme", MIRA.owner).fault is None
    with pytest.raises(NotFound):
        reflecting.remove(world.services.database, MIRA, standing.number)
    world.reflect()
    assert reflecting.file(world.services.database, MIRA, ASKS).number > standing.number


def test_a_question_goes_with_the_words_of_a_memory_that_it_quotes(world: World) -> None:
    quoting = f"Is it still so: {TOLD[0]}"
    reflecting.file(world.services.database, MIRA, quoting)
    row = world.owner.execute("select memory_id from memory where text = %s", [TOLD[0]]).fetchone() or (None,)
    forget(world.services.database, MIRA, UUID(str(row[0])), erase_content=True)
    assert [each.question for each in reflecting.asked_of(world.services.database, MIRA)] == [ASKS]
    assert quoting not in payloads(world)
    world.reflect()


def test_a_user_of_whom_there_are_questions_alone_is_erased_with_their_words(world: World) -> None:
    reflecting.file(world.services.database, OSKAR, "Where does Tove live?")
    erase(world.services.database, OSKAR)
    assert reflecting.asked_of(world.services.database, OSKAR) == []
    assert "Tove live" not in payloads(world)
    assert replay(world.services.database, "acme", OSKAR.owner, verify=True).differences == ()


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert run(["reflect", "--tenant", "acme", "--json", *arguments]) == OK
    return json.loads(capsys.readouterr().out)


def test_a_question_is_answered_once_rung_by_rung_and_nothing_is_filed(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    found = shown(capsys, "--user", "mira", "When is my flight to Lisbon?")
    rungs = {each["name"]: each for each in found["rungs"]}
    assert list(rungs) == ["profile", "pages", "inferences", "facts", "evidence"]
    assert any("2026-02-03" in text for text in rungs["facts"]["says"])
    assert TOLD[0] in rungs["evidence"]["says"]
    assert found["answer"] == rungs[found["rung"]]["says"]
    assert world.filed() == []


def test_the_pages_of_whom_a_question_names_are_a_rung_and_are_never_behind(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.say("I keep two goats.")
    rungs = {each["name"]: each for each in shown(capsys, "--user", "mira", "Where does Mira live?")["rungs"]}
    assert rungs["pages"]["pages"] == ["entity-mira.md"]
    assert any("Oslo" in text for text in rungs["pages"]["says"])
    assert rungs["pages"]["behind"] == 0
    assert run(["reflect", "Where does Mira live?", "--tenant", "acme", "--user", "mira"]) == OK
    assert "more: daybook wiki show entity-mira.md" in capsys.readouterr().out.splitlines()


def test_a_question_that_names_nobody_is_answered_from_no_page(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    rungs = {each["name"]: each for each in shown(capsys, "--user", "mira", "When is my flight to Lisbon?")["rungs"]}
    assert (rungs["pages"]["says"], rungs["pages"]["pages"]) == ([], [])


def test_what_nothing_answers_has_no_answer(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    del world
    found = shown(capsys, "--user", "mira", "Which violin does Ingeborg play?")
    assert (found["answer"], found["rung"]) == ([], None)


def test_an_operator_lists_removes_and_has_all_questions_answered(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["reflect", "--tenant", "acme", "--list"]) == WRONG_INPUT
    capsys.readouterr()
    (standing,) = shown(capsys, "--user", "mira", "--list")["questions"]
    assert standing["question"] == ASKS
    (change,) = shown(capsys, "--dry-run")["changes"]
    assert change["left"] == ANSWER
    assert world.filed() == []
    assert shown(capsys)["accepted"] == 1
    assert world.filed() == [ANSWER]
    shown(capsys, "--user", "mira", "--remove", str(standing["number"]))
    assert shown(capsys)["accepted"] == 1
    assert world.filed() == []
