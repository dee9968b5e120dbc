"""Contradictions that came late or without a key: ended where the world's times say so, asked about where not."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from coldpath import supersede
from coldpath.erase import erase
from coldpath.forget import forget
from coldpath.proposals import Done, Tidying, rehearse, revert, tidy
from coldpath.replay import replay
from gateway.cli import OK, WRONG_INPUT, run
from shared import clock
from shared.belief.predicates import BUILT_IN, claim_of
from shared.contract.errors import InvalidInput, NotFound
from shared.contract.operations import AddPayload, ClosePayload, WrittenEntry
from shared.contract.records import Claim, EpistemicType, EvidenceRef, Kind, Operation
from shared.contract.scope import Owner, Scope
from shared.settings import Settings
from shared.store import generations, ledger, memories, reviews
from shared.store.beliefs import Draft
from shared.store.db import Role
from shared.store.reviews import Review, ReviewState
from shared.testing import ScriptedExtractor
from warmpath import review
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, perform

MIRA = Scope(tenant_id="acme", user_id="mira")
LEEDS, YORK = "Mira lives in Leeds.", "Mira lives in York."
OLD = Claim(subject="Mira", predicate="residence", object="Leeds", key="mira residence")
NEW = claim_of("Mira", "lives_in", "York", BUILT_IN)
CODE, OTHER_CODE = "The gate code is 4417.", "The gate code is 4471."
SCRIPT = {
    "Leeds": [{"text": LEEDS, "claim": ("Mira", "lives_in", "Leeds")}],
    "York": [{"text": YORK, "claim": ("Mira", "lives_in", "York")}],
}

Tell = Callable[..., UUID]
Held = Callable[[], dict[str, str | None]]


@pytest.fixture
def told(services: Services, work_off: Callable[[], object]) -> Tell:
    """Observe a text, and believe what it says as it is given; returns the belief's id."""
    runs = count(1)

    def tell(text: str, day: int | None, claim: Claim | None = None, *, user: str = "mira", **said: Any) -> UUID:
        run_id, scope = f"run-{next(runs)}", Scope(tenant_id="acme", user_id=user)
        ts = None if day is None else f"2026-01-{day:02}T12:00:00+00:00"
        Door(services).observe(scope, [{"role": "user", "text": f"{text} ({run_id})", "ts": ts}], run_id=run_id, **said)
        work_off()
        return believe(services, scope.owner, run_id, text, claim)

    return tell


def believe(services: Services, owner: Owner, run_id: str, text: str, claim: Claim | None) -> UUID:
    with services.database.transaction(Role.WORKER, "acme", [owner]) as session:
        generations.writing(session, "sparse")
        head = ledger.lock(session, owner)
        (said,) = ledger.from_source(session, ledger.Source(run_id=run_id))
        entry = WrittenEntry(
            kind=Kind.SEMANTIC, epistemic_type=EpistemicType.FACT, text=text, claim=claim, confidence=0.7,
            evidence=(EvidenceRef(sequence=said.sequence),), valid_from=said.occurred_at,
        )  # fmt: skip
        draft = Draft(session, head)
        draft.do([], [AddPayload(reason="stated", entries=(entry,))])
        effects, end = draft.write()
        ledger.advance(session, end)
    return effects.opened[0].memory_id


@pytest.fixture
def held(owner: psycopg.Connection) -> Held:
    """The open beliefs, each with the day when it ended."""
    query = """
        select text, valid_to::date::text from memory
        where epistemic_type <> 'evidence' and closed_at is null and user_id = 'mira'
    """
    return lambda: dict(owner.execute(query).fetchall())


def tidying(**changes: Any) -> Tidying:
    return Tidying(**{"job": "supersede", "propose": supersede.propose, "batch_id": uuid4(), **changes})


def tidied(services: Services, given: Tidying | None = None) -> Done:
    return tidy(services.database, "acme", MIRA.owner, given or tidying())


def questions(services: Services, state: ReviewState | None = ReviewState.OPEN) -> list[Review]:
    with services.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        return reviews.listed(session, state)


def answered(services: Services, given: str) -> None:
    (asked,) = questions(services)
    review.answer(services.database, "acme", MIRA.owner, asked.review_id, given, by="ana")


def is_equal(services: Services) -> bool:
    found = replay(services.database, "acme", MIRA.owner, verify=True)
    assert found.differences == ()
    return found.is_equal


def test_what_was_stored_under_two_keys_is_ended_by_the_later_and_a_second_pass_proposes_nothing(
    told: Tell, held: Held, services: Services
) -> None:
    told(YORK, 20, NEW)
    told(LEEDS, 10, OLD)
    done = tidied(services)
    assert (len(done.accepted), done.refused, done.questions) == (1, (), ())
    assert held() == {LEEDS: "2026-01-20", YORK: None}
    assert is_equal(services)
    again = rehearse(services.database, "acme", MIRA.owner, tidying())
    assert (again.accepted, again.questions) == ((), ())


def test_taken_back_it_is_held_as_before_and_not_done_again(told: Tell, held: Held, services: Services) -> None:
    told(LEEDS, 10, OLD)
    told(YORK, 20, NEW)
    given = tidying()
    tidied(services, given)
    revert(services.database, "acme", given.batch_id)
    assert held() == {LEEDS: None, YORK: None}
    told("The gate is green.", 21)
    assert [reason.value for _, reason in tidied(services).refused] == ["taken_back"]
    assert held()[LEEDS] is None
    assert is_equal(services)


@pytest.mark.parametrize("how", ["forgotten", "retracted", "quarantined"])
def test_what_was_ended_is_so_again_once_what_ended_it_is_believed_no_more(
    how: str, told: Tell, held: Held, services: Services
) -> None:
    told(LEEDS, 10, OLD)
    york = told(YORK, 20, NEW)
    tidied(services)
    if how == "forgotten":
        forget(services.database, MIRA, york)
    else:
        close(services, york, Operation.RETRACT if how == "retracted" else Operation.QUARANTINE)
    assert held()[LEEDS] == (None if how == "forgotten" else "2026-01-20"), "what is forgotten takes its end along"
    tidied(services)
    assert held() == {LEEDS: None}
    assert is_equal(services)
    assert rehearse(services.database, "acme", MIRA.owner, tidying()).accepted == ()


def close(services: Services, memory: UUID, operation: Any) -> None:
    with services.database.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        generations.writing(session, "sparse")
        draft = Draft(session, ledger.lock(session, MIRA.owner))
        closing = ClosePayload(op=operation, reason="said_so", memory=memory)
        draft.do(memories.versions(session, [memory]), [closing])
        ledger.advance(session, draft.write()[1])


def test_what_no_rule_decides_waits_for_a_person_once_and_closes_nothing(
    told: Tell, held: Held, services: Services
) -> None:
    told(CODE, 10)
    told(OTHER_CODE, 20)
    done = tidied(services)
    assert (done.accepted, len(done.questions)) == ((), 1)
    assert held() == {CODE: None, OTHER_CODE: None}
    (asked,) = questions(services)
    assert asked.question is not None
    assert (asked.policy, asked.question.why, asked.candidate) == ("contradiction", "numbers", None)
    told("The gate is green.", 21)
    assert tidied(services).questions == ()
    assert len(questions(services, None)) == 1
    assert is_equal(services)


def test_a_rehearsal_asks_nobody(told: Tell, services: Services) -> None:
    told(CODE, 10)
    told(OTHER_CODE, 20)
    assert len(rehearse(services.database, "acme", MIRA.owner, tidying()).questions) == 1
    assert questions(services, None) == []


@pytest.mark.parametrize(
    ("answer", "expected", "state"),
    [
        ("first", {CODE: None}, ReviewState.APPROVED),
        ("second", {CODE: "2026-01-20", OTHER_CODE: None}, ReviewState.APPROVED),
        ("both", {CODE: None, OTHER_CODE: None}, ReviewState.REJECTED),
        ("neither", {}, ReviewState.APPROVED),
    ],
)
def test_an_answer_is_done_at_once_and_it_is_never_asked_again(
    answer: str, expected: dict[str, str | None], state: ReviewState, told: Tell, held: Held, services: Services
) -> None:
    told(CODE, 10)
    told(OTHER_CODE, 20)
    tidied(services)
    answered(services, answer)
    assert held() == expected
    assert is_equal(services)
    (asked,) = questions(services, None)
    assert (asked.state, asked.decided_by) == (state, "ana")
    told("The gate is green.", 21)
    tidied(services)
    assert questions(services) == []


def test_each_answer_is_shown_with_what_it_does(told: Tell, held: Held, services: Services) -> None:
    told(CODE, 10)
    told(OTHER_CODE, 20)
    tidied(services)
    (asked,) = questions(services)
    with services.database.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        shown = review.shown(session, asked.review_id)
    assert [each.text for each in shown.held] == [CODE, OTHER_CODE]
    told_of = {each.answer: [(one.operation, one.text) for one in each.differences] for each in shown.choices}
    assert told_of == {
        "first": [(Operation.RETRACT, OTHER_CODE)],
        "second": [(Operation.SUPERSEDE, CODE)],
        "both": [],
        "neither": [(Operation.RETRACT, CODE), (Operation.RETRACT, OTHER_CODE)],
    }
    assert held() == {CODE: None, OTHER_CODE: None}


def test_what_cannot_be_answered_is_refused(told: Tell, services: Services) -> None:
    told(CODE, 10)
    other = told(OTHER_CODE, 20)
    tidied(services)
    (asked,) = questions(services)
    decide = services.database, "acme", MIRA.owner, asked.review_id
    with pytest.raises(InvalidInput, match="first, second, both, neither"):
        review.answer(*decide, "third", by="ana")
    with pytest.raises(InvalidInput, match="daybook review answer"):
        review.approve(*decide, by="ana")
    close(services, other, Operation.RETRACT)
    with pytest.raises(InvalidInput, match="is settled"):
        review.answer(*decide, "first", by="ana")
    with pytest.raises(NotFound):
        review.answer(*decide[:3], uuid4(), "first", by="ana")


def test_a_question_is_left_to_one_person_and_rejecting_it_says_that_all_is_true(
    told: Tell, held: Held, services: Services
) -> None:
    told(CODE, 10)
    told(OTHER_CODE, 20)
    tidied(services)
    (asked,) = questions(services)
    decide = services.database, "acme", MIRA.owner, asked.review_id
    assert review.assign(*decide, "ana", None).reviewer == "ana"
    with pytest.raises(InvalidInput, match="ana's to decide"):
        review.answer(*decide, "first", by="lena")
    review.reject(*decide, by="ana")
    assert held() == {CODE: None, OTHER_CODE: None}
    assert questions(services) == []


def test_what_nobody_answers_expires_and_all_of_it_is_held(told: Tell, held: Held, services: Services) -> None:
    told(CODE, 10)
    told(OTHER_CODE, 20)
    tidied(services)
    assert review.expire_overdue(services.database, clock.now() + timedelta(days=15)) == 1
    assert held() == {CODE: None, OTHER_CODE: None}
    told("The gate is green.", 21)
    assert tidied(services).questions == (), "nothing more was said of them"


def test_a_question_goes_with_what_it_is_about(told: Tell, services: Services, owner: psycopg.Connection) -> None:
    code = told(CODE, 10)
    told(OTHER_CODE, 20)
    tidied(services)
    forget(services.database, MIRA, code)
    assert questions(services, None) == []
    erase(services.database, MIRA)
    assert owner.execute("select count(*) from event_payload where user_id = 'mira' and payload like '%%4471%%'"
    ).fetchone() == (0,)  # fmt: skip


def test_no_more_questions_wait_at_once_than_anybody_reads(
    told: Tell, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supersede, "MOST_ASKED", 1)
    told(CODE, 10)
    told(OTHER_CODE, 20)
    told("The choir meets on Monday.", 10)
    told("The choir meets on Tuesday.", 20)
    assert len(tidied(services).questions) == 1
    assert tidied(services).questions == ()
    answered(services, "both")
    assert len(tidied(services).questions) == 1, "the next one is asked though nothing has happened since"


def test_an_answer_outlives_whatever_is_said_of_the_claim_afterwards(
    services: Services, reading: Settings, bell: Any, held: Held
) -> None:
    mine = replace(services, settings=reading, rules=lambda: ScriptedExtractor(SCRIPT))

    def tell(text: str, number: int) -> None:
        Door(mine).observe(MIRA, [{"role": "user", "text": text}], run_id=f"run-{number}")
        while bell.rung:
            stage, work = bell.rung.pop(0)
            perform(mine, stage, STAGES[stage], work)

    tell("I live in Leeds.", 1)
    tell("I live in York, as you know.", 2)
    assert held() == {LEEDS: None, YORK: None}, "without a time both are held"
    tidied(services)
    answered(services, "second")
    assert held() == {YORK: None}
    tell("As I said: York.", 3)
    assert held() == {YORK: None}
    assert is_equal(services)


MORE = {
    **SCRIPT,
    "Bath": [{"text": "Mira lives in Bath.", "claim": ("Mira", "lives_in", "Bath")}],
}


@pytest.fixture
def tell_dated(services: Services, reading: Settings, bell: Any) -> Callable[..., None]:
    """Observe a text of a day, or of none, and have it read and resolved."""
    mine, runs = replace(services, settings=reading, rules=lambda: ScriptedExtractor(MORE)), count(1)

    def tell(text: str, ts: str | None = None) -> None:
        Door(mine).observe(MIRA, [{"role": "user", "text": text, "ts": ts}], run_id=f"dated-{next(runs)}")
        while bell.rung:
            stage, work = bell.rung.pop(0)
            perform(mine, stage, STAGES[stage], work)

    return tell


def ask_where(services: Services, tell: Callable[..., None]) -> Review:
    """Have it be asked whether Leeds or York is right, said at no time that is known."""
    tell("I live in Leeds.")
    tell("I live in York, as you know.")
    tidied(services)
    (asked,) = questions(services)
    return asked


def test_a_question_that_later_words_have_settled_waits_for_nobody(
    tell_dated: Callable[..., None], services: Services, held: Held
) -> None:
    asked = ask_where(services, tell_dated)
    tell_dated("I live in Bath now.", "2026-02-05T09:00:00Z")
    before = held()
    assert before == {LEEDS: "2026-02-05", YORK: "2026-02-05", "Mira lives in Bath.": None}
    (settled,) = questions(services, None)
    assert (settled.review_id, settled.state, settled.decided_by) == (asked.review_id, ReviewState.SETTLED, None)
    for given in ("first", "both", "neither"):
        with pytest.raises(InvalidInput, match="is settled"):
            review.answer(services.database, "acme", MIRA.owner, asked.review_id, given, by="ana")
    assert tidied(services).questions == ()
    assert held() == before
    assert is_equal(services)


def test_a_question_that_was_settled_and_is_open_all_the_same_cannot_be_answered(
    tell_dated: Callable[..., None], services: Services, held: Held, owner: psycopg.Connection
) -> None:
    asked = ask_where(services, tell_dated)
    tell_dated("I live in Bath now.", "2026-02-05T09:00:00Z")
    owner.execute("update review set state = 'open', decided_at = null")
    before = held()
    with services.database.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        shown = review.shown(session, asked.review_id)
    assert (shown.choices, len(shown.held)) == ((), 2)
    with pytest.raises(InvalidInput, match="is settled"):
        review.answer(services.database, "acme", MIRA.owner, asked.review_id, "second", by="ana")
    assert held() == before


def test_what_settled_a_question_is_forgotten_and_it_is_asked_again(
    tell_dated: Callable[..., None], services: Services, held: Held
) -> None:
    ask_where(services, tell_dated)
    tell_dated("I live in Bath now.", "2026-02-05T09:00:00Z")
    with services.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        (bath,) = (each for each in memories.beliefs(session, keyed=True, limit=10) if "Bath" in each.text)
    forget(services.database, MIRA, bath.memory_id)
    assert held() == {LEEDS: None, YORK: None}
    assert len(tidied(services).questions) == 1


def test_an_answer_settles_what_else_was_asked_about_the_same(told: Tell, services: Services, held: Held) -> None:
    told(CODE, 10)
    told(OTHER_CODE, 20)
    told(third := "The gate code is 4714.", 25)
    assert len(tidied(services).questions) == 2, "each with what came next"
    first, _ = sorted(questions(services), key=lambda each: each.sequence)
    review.answer(services.database, "acme", MIRA.owner, first.review_id, "first", by="ana")
    assert held() == {CODE: None, third: None}
    assert {each.state for each in questions(services, None)} == {ReviewState.APPROVED, ReviewState.SETTLED}
    assert len(tidied(services).questions) == 1, "of the two that are left"


def test_two_at_once_have_one_effect(told: Tell, held: Held, services: Services) -> None:
    told(LEEDS, 10, OLD)
    told(YORK, 20, NEW)
    told(CODE, 10)
    told(OTHER_CODE, 20)
    others: list[Done] = []

    def slowly(session: Any) -> Any:
        found = supersede.propose(session)
        if not others:
            others.append(tidied(services))
        return found

    late = tidied(services, tidying(propose=slowly))
    assert (late.accepted, late.questions) == ((), ())
    assert held()[LEEDS] == "2026-01-20"
    assert len(questions(services, None)) == 1
    assert is_equal(services)


def document(capsys: pytest.CaptureFixture[str], *words: str, code: int = OK) -> Any:
    assert run([*words, "--json"]) == code, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def test_a_person_answers_on_the_command_line(told: Tell, held: Held, capsys: pytest.CaptureFixture[str]) -> None:
    told(CODE, 10)
    told(OTHER_CODE, 20)
    of = ["--tenant", "acme"]
    assert run(["supersede", *of, "--dry-run"]) == OK
    assert "1 question would be asked" in capsys.readouterr().out
    found = document(capsys, "supersede", *of)
    assert (found["accepted"], found["asked"], found["batch_id"]) == (0, 1, None)
    whose = [*of, "--user", "mira"]
    assert run(["review", "list", *whose]) == OK
    assert "which is right?" in capsys.readouterr().out
    (listed,) = document(capsys, "review", "list", *whose)["reviews"]
    assert run(["review", "show", listed["review_id"], *whose]) == OK
    shown = capsys.readouterr().out
    assert all(words in shown for words in (CODE, OTHER_CODE, "neither", "What each answer does"))
    assert run(["review", "answer", listed["review_id"], "third", *whose, "--by", "ana"]) == WRONG_INPUT
    capsys.readouterr()
    assert run(["review", "answer", listed["review_id"], "second", *whose, "--by", "ana"]) == OK
    assert held() == {CODE: "2026-01-20", OTHER_CODE: None}
