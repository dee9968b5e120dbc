"""What a model says contradicts each other: asked once about each pair, stored, and done only as far as times allow."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from coldpath import _consulting, _opposing, supersede
from coldpath._answered import COMPARING
from coldpath._consulting import Preparing, prepare
from coldpath._model_gates import ModelGate
from coldpath.erase import erase
from coldpath.forget import forget
from coldpath.proposals import Done, Tidying, rehearse, revert, tidy
from coldpath.reembed import fill
from coldpath.reindex import Pass
from coldpath.replay import replay
from coldpath.tidying import tidy_on
from gateway import tidying as by_hand
from shared import clock
from shared.contract.errors import LeaseLost
from shared.contract.operations import AddPayload, ClosePayload, WrittenEntry
from shared.contract.records import EpistemicType, EvidenceRef, Kind, Operation
from shared.contract.scope import Owner, Scope, room_owner
from shared.settings import Settings
from shared.store import generations, ledger, memories, reviews, spending
from shared.store.beliefs import Draft
from shared.store.db import Database, Role, Session
from shared.store.reviews import Review, ReviewState
from shared.testing import HashEmbedder
from shared.work.passes import Job, carry_out
from tests.integration.coldpath.conftest import Configured, Days
from tests.scripted_llm import Refusal, Reply, scripted
from warmpath import review
from warmpath._door import Door
from warmpath._work import Services

MIRA = Scope(tenant_id="acme", user_id="mira")
ACME, GLOBEX = "Mira works at Acme.", "Mira's employer is Globex."
HAM, VEGAN = "Mira eats ham on Sundays.", "Mira is a strict vegan."

Tell = Callable[..., UUID]
Held = Callable[[], dict[str, str | None]]


def answer(*entries: tuple[int, int | None]) -> str:
    return json.dumps({"facts": [{"pair": pair, "now": now} for pair, now in entries]})


@pytest.fixture
def tell(services: Services, work_off: Callable[[], object], embedder: HashEmbedder) -> Tell:
    """Observe a text, and believe what it says as it is given, with its vector; returns the belief's id."""
    runs = count(1)

    def do(text: str, day: int | None, *, agent: str | None = None, **said: Any) -> UUID:
        run_id = f"run-{next(runs)}"
        scope = Scope(tenant_id="acme", user_id="mira", agent_id=agent)
        ts = None if day is None else f"2026-01-{day:02}T12:00:00+00:00"
        message = {"role": "user", "text": f"Well: {text} ({run_id})", "ts": ts, **said}
        Door(services).observe(scope, [message], run_id=run_id)
        work_off()
        memory = believe(services, run_id, text)
        fill(services.database, embedder, "acme", Pass())
        return memory

    return do


def believe(services: Services, run_id: str, text: str, *, owner: Owner = MIRA.owner) -> UUID:
    with services.database.transaction(Role.WORKER, "acme", [owner]) as session:
        generations.writing(session, "sparse")
        head = ledger.lock(session, owner)
        (said,) = ledger.from_source(session, ledger.Source(run_id=run_id))
        entry = WrittenEntry(
            kind=Kind.SEMANTIC, epistemic_type=EpistemicType.FACT, text=text, confidence=0.7,
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


def asked(database: Database, settings: Settings, **changes: Any) -> ModelGate:
    given = {"database": database, "settings": settings, "tenant_id": "acme", "owner": MIRA.owner, **changes}
    return prepare(_opposing.MATTER, Preparing(**given))


def tidying(**changes: Any) -> Tidying:
    return Tidying(**{"job": "supersede", "propose": supersede.propose, "batch_id": uuid4(), **changes})


def tidied(services: Services, given: Tidying | None = None) -> Done:
    return tidy(services.database, "acme", MIRA.owner, given or tidying())


def stored(services: Services, kind: str) -> list[Any]:
    with services.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        return ledger.derived(session, kind, None)


def questions(services: Services, state: ReviewState | None = ReviewState.OPEN) -> list[Review]:
    with services.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        return reviews.listed(session, state)


def close(services: Services, memory: UUID, operation: Any) -> None:
    with services.database.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        generations.writing(session, "sparse")
        draft = Draft(session, ledger.lock(session, MIRA.owner))
        closing = ClosePayload(op=operation, reason="said_so", memory=memory)
        draft.do(memories.versions(session, [memory]), [closing])
        ledger.advance(session, draft.write()[1])


def is_equal(services: Services) -> bool:
    found = replay(services.database, "acme", MIRA.owner, verify=True)
    assert found.differences == ()
    return found.is_equal


def test_its_answer_is_stored_with_what_it_cost_and_what_is_over_ends_when_the_later_began(
    tell: Tell, held: Held, services: Services, configured: Configured
) -> None:
    tell(ACME, 10)
    tell(GLOBEX, 20)
    with scripted(Reply(text=answer((1, 2)), usage=(400, 50))) as server:
        settings = configured(server)
        assert asked(services.database, settings) is ModelGate.ASKED
        shown = [json.loads(line) for line in server.requests[0].said[-1].split("\n")]
        assert shown == [
            {"n": 1, "day": "2026-01-10", "who": "user", "text": ACME},
            {"n": 2, "day": "2026-01-20", "who": "user", "text": GLOBEX},
            {"pair": 1, "lines": [1, 2]},
        ]
        account = stored(services, COMPARING.asked)[0].payload
        assert account["usage"]["input_tokens"] == 400
        assert ACME not in json.dumps(account)
        done = tidied(services)
        assert (len(done.accepted), done.refused, done.questions) == (1, (), ())
        assert held() == {ACME: "2026-01-20", GLOBEX: None}
        assert is_equal(services)
        assert asked(services.database, settings) is ModelGate.TOO_LITTLE_NEW
        again = rehearse(services.database, "acme", MIRA.owner, tidying())
        assert (again.accepted, again.questions) == ((), ())
        assert len(server.requests) == 1, "neither a second pass nor a replay asks"
    with services.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        spent = spending.of(session, clock.now().date())
    assert (spent.calls, spent.input_tokens) == (1, 400)


def test_what_came_late_ends_what_was_there_as_if_it_had_come_in_order(
    tell: Tell, held: Held, services: Services, configured: Configured
) -> None:
    tell(GLOBEX, 20)
    tell(ACME, 10)
    assert asked(services.database, configured(answer((1, 1)))) is ModelGate.ASKED
    assert len(tidied(services).accepted) == 1
    assert held() == {ACME: "2026-01-20", GLOBEX: None}


def test_without_a_model_the_two_are_asked_about_and_nothing_ends(tell: Tell, held: Held, services: Services) -> None:
    tell(ACME, 10)
    tell(GLOBEX, 20)
    done = tidied(services)
    assert (done.accepted, [each.why for each in done.questions]) == ((), ["claims"])
    assert held() == {ACME: None, GLOBEX: None}
    assert tidied(services).questions == ()


def test_without_a_model_what_the_later_one_says_is_otherwise_now_ends(
    tell: Tell, held: Held, services: Services
) -> None:
    tell("The gate code is 4417.", 10)
    tell("The gate code is now 4471.", 20)
    given = tidying()
    assert len(tidied(services, given).accepted) == 1
    assert held() == {"The gate code is 4417.": "2026-01-20", "The gate code is now 4471.": None}
    assert is_equal(services)
    revert(services.database, "acme", given.batch_id)
    assert held() == {"The gate code is 4417.": None, "The gate code is now 4471.": None}
    tell("The tide is low.", 21)
    again = tidied(services)
    assert (again.accepted, again.questions) == ((), ())


def test_what_words_say_and_a_model_too_is_done_once(
    tell: Tell, held: Held, services: Services, configured: Configured
) -> None:
    tell("The gate code is 4417.", 10)
    tell("The gate code is now 4471.", 20)
    assert asked(services.database, configured(answer((1, 2)))) is ModelGate.ASKED
    done = tidied(services)
    assert (len(done.accepted), done.refused, done.questions) == (1, (), ())
    assert held()["The gate code is 4417."] == "2026-01-20"


@pytest.mark.parametrize(
    ("first", "second", "says"),
    [
        ((HAM, 10), (VEGAN, 20), (1, 2)),
        ((HAM, 10), (VEGAN, 20), (1, None)),
        ((ACME, 10), (GLOBEX, 20), (1, 1)),
        ((ACME, 10), (GLOBEX, 10), (1, 2)),
        ((ACME, None), (GLOBEX, 20), (1, 2)),
        ((ACME, 10), (GLOBEX, None), (1, 2)),
    ],
    ids=["in other words", "not said which", "the earlier one", "of one day", "no time", "none of the later"],
)
def test_what_times_and_words_do_not_say_is_over_a_person_is_asked_about_once(  # noqa: PLR0917 - fixtures
    first: tuple[str, int | None],
    second: tuple[str, int | None],
    says: tuple[int, int | None],
    tell: Tell,
    held: Held,
    services: Services,
    configured: Configured,
) -> None:
    pair = [tell(*first), tell(*second)]
    assert asked(services.database, configured(answer(says))) is ModelGate.ASKED
    done = tidied(services)
    assert (done.accepted, [list(each.memories) for each in done.questions]) == ((), [pair])
    assert set(held().values()) == {None}
    tell("The tide is low.", 21)
    assert tidied(services).questions == ()
    assert len(questions(services, None)) == 1
    assert is_equal(services)


@pytest.mark.parametrize(
    ("script", "changes", "gate"),
    [
        (answer(), {"extraction_model": None}, ModelGate.NO_MODEL),
        (answer(), {"supersede_by_model": False}, ModelGate.NO_MODEL),
        (answer(), {"extraction_daily_tokens": 0}, ModelGate.NO_TOKENS),
        (answer(), {"extraction_daily_usd": 0.0}, ModelGate.NO_MONEY),
        (answer(), {"extraction_daily_usd": 1.0}, ModelGate.NO_PRICE),
        (Refusal(), {}, ModelGate.REFUSED),
        ("I would rather talk about the weather.", {}, ModelGate.REFUSED),
        ('{"facts": [{"pair": 1, "no', {}, ModelGate.REFUSED),
        (answer(), {}, ModelGate.ASKED),
    ],
)
def test_each_gate_says_why_and_nothing_ends_of_no_answer(  # noqa: PLR0917 - fixtures
    script: Any,
    changes: dict[str, Any],
    gate: ModelGate,
    tell: Tell,
    held: Held,
    services: Services,
    configured: Configured,
) -> None:
    tell(HAM, 10)
    tell(VEGAN, 20)
    assert asked(services.database, configured(script, **changes)) is gate
    done = tidied(services)
    assert (done.accepted, done.questions) == ((), ())
    assert len(stored(services, COMPARING.asked)) == (gate in {ModelGate.ASKED, ModelGate.REFUSED})
    assert len(stored(services, COMPARING.answered)) == (gate is ModelGate.ASKED)
    assert held() == {HAM: None, VEGAN: None}


def test_what_it_would_not_answer_it_is_asked_again_and_given_up_after_some_times(
    tell: Tell, services: Services, configured: Configured, days: Days
) -> None:
    tell(HAM, 10)
    tell(VEGAN, 20)
    with scripted(Refusal(), Refusal(), Refusal(), answer()) as server:
        settings = configured(server)
        seen = []
        for day in range(4):
            days(day)
            seen.append(asked(services.database, settings))
        assert seen == [ModelGate.REFUSED, ModelGate.REFUSED, ModelGate.GIVEN_UP, ModelGate.TOO_LITTLE_NEW]


def test_a_stream_that_somebody_writes_to_and_one_that_was_asked_about_today_are_left(
    tell: Tell, services: Services, configured: Configured, days: Days
) -> None:
    tell(HAM, 10)
    tell(VEGAN, 20)
    settings = configured(answer(), answer())
    with services.database.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        ledger.lock(session, MIRA.owner)
        assert asked(services.database, settings) is ModelGate.BUSY
    assert asked(services.database, settings) is ModelGate.ASKED
    tell("Mira buys ham in bulk.", 21)
    assert asked(services.database, settings) is ModelGate.TOO_SOON
    days(1)
    assert asked(services.database, settings) is ModelGate.ASKED


def test_a_pair_is_shown_once_and_what_is_new_beside_what_is_held(
    tell: Tell, services: Services, configured: Configured, days: Days
) -> None:
    tell(HAM, 10)
    tell(VEGAN, 20)
    with scripted(answer(), answer()) as server:
        settings = configured(server)
        assert asked(services.database, settings) is ModelGate.ASKED
        tell("Mira buys ham in bulk.", 21)
        days(1)
        assert asked(services.database, settings) is ModelGate.ASKED
        told = [json.loads(line) for line in server.requests[1].said[-1].split("\n")]
        texts = {each["n"]: each["text"] for each in told if "n" in each}
        shown = [{texts[line] for line in each["lines"]} for each in told if "pair" in each]
        assert {HAM, VEGAN} not in shown
        assert {HAM, "Mira buys ham in bulk."} in shown


def test_what_waits_for_its_vector_is_shown_once_it_has_it(
    tell: Tell, services: Services, configured: Configured, owner: psycopg.Connection
) -> None:
    tell(HAM, 10)
    tell(VEGAN, 20)
    owner.execute("create table aside as select * from memory_vector")
    owner.execute("delete from memory_vector")
    settings = configured(answer())
    assert asked(services.database, settings) is ModelGate.TOO_LITTLE_NEW
    owner.execute("insert into memory_vector select * from aside")
    assert asked(services.database, settings) is ModelGate.ASKED


def test_what_there_is_no_room_for_waits_for_the_next_call(
    tell: Tell, services: Services, configured: Configured, days: Days, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_opposing, "MOST_PAIRS", 2)
    for number, colour in enumerate(("red", "green", "blue"), 1):
        tell(f"The {colour} gate creaks.", number)
    with scripted(answer(), answer()) as server:
        settings = configured(server)
        for day in range(2):
            days(day)
            assert asked(services.database, settings) is ModelGate.ASKED
        days(2)
        assert asked(services.database, settings) is ModelGate.TOO_LITTLE_NEW
        pairs = [line for each in server.requests for line in each.said[-1].split("\n") if '"pair"' in line]
    assert len(pairs) == 3, "each two of three, once"


def test_two_people_in_a_room_and_two_agents_contradict_nobody_but_themselves(
    tell: Tell, held: Held, services: Services, configured: Configured
) -> None:
    tell("The gate code is 4417.", 10, name="Ann")
    tell("The gate code is now 4471.", 20, name="Bob")
    tell("The gate code is now 4488.", 21, agent="scout")
    with scripted(answer((1, 2))) as server:
        assert asked(services.database, configured(server)) is ModelGate.TOO_LITTLE_NEW
        assert server.requests == []
    done = tidied(services)
    assert (done.accepted, done.questions) == ((), ())
    assert set(held().values()) == {None}


def test_in_a_room_each_is_held_against_what_they_said_themselves(
    services: Services, configured: Configured, work_off: Callable[[], object], embedder: HashEmbedder
) -> None:
    room = room_owner("trip")
    told = [("ann", "The gate code is 4417."), ("bob", "The gate code is now 4471."), ("ann", "The gate code is 4488.")]
    for number, (who, text) in enumerate(told, 1):
        message = {"role": "user", "speaker": who, "text": f"Well: {text}", "ts": f"2026-01-{number:02}T12:00:00+00:00"}
        scope = Scope(tenant_id="acme", user_id=who)
        Door(services).observe(scope, [message], run_id=f"run-{number}", room="trip", participants=["ann", "bob"])
        work_off()
        believe(services, f"run-{number}", text, owner=room)
    fill(services.database, embedder, "acme", Pass())
    with scripted(answer((1, 2))) as server:
        assert asked(services.database, configured(server), owner=room) is ModelGate.ASKED
        shown = [json.loads(line) for line in server.requests[0].said[-1].split("\n")]
    assert [each["who"] for each in shown if "n" in each] == ["ann", "ann"]
    done = tidy(services.database, "acme", room, tidying())
    assert (done.accepted, [each.why for each in done.questions]) == ((), ["numbers"])


@pytest.mark.parametrize("when", ["before it is used", "while it is asked"])
@pytest.mark.parametrize("how", ["forgotten", "quarantined"])
def test_what_is_not_held_any_more_ends_nothing(  # noqa: PLR0917 - fixtures
    how: str,
    when: str,
    tell: Tell,
    held: Held,
    services: Services,
    configured: Configured,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tell(ACME, 10)
    globex = tell(GLOBEX, 20)

    def gone() -> None:
        if how == "forgotten":
            forget(services.database, MIRA, globex)
        else:
            close(services, globex, Operation.QUARANTINE)

    asks = _consulting._Call._answer

    def slowly(call: Any, model: Any) -> Any:
        found = asks(call, model)
        gone()
        return found

    if when == "while it is asked":
        monkeypatch.setattr(_consulting._Call, "_answer", slowly)
    gate = ModelGate.ASKED if when == "before it is used" else ModelGate.OVERTAKEN
    assert asked(services.database, configured(answer((1, 2)))) is gate
    if when == "before it is used":
        gone()
    done = tidied(services)
    assert (done.accepted, done.questions) == ((), ())
    assert held() == {ACME: None}
    assert is_equal(services)


@pytest.mark.parametrize("how", ["forgotten", "quarantined"])
def test_what_was_ended_goes_on_once_what_ended_it_is_believed_no_more(
    how: str, tell: Tell, held: Held, services: Services, configured: Configured
) -> None:
    tell(ACME, 10)
    globex = tell(GLOBEX, 20)
    asked(services.database, configured(answer((1, 2))))
    assert len(tidied(services).accepted) == 1
    if how == "forgotten":
        forget(services.database, MIRA, globex)
    else:
        close(services, globex, Operation.QUARANTINE)
    tidied(services)
    assert held() == {ACME: None}
    assert is_equal(services)
    assert rehearse(services.database, "acme", MIRA.owner, tidying()).accepted == ()


@pytest.mark.parametrize("whole", [True, False], ids=["all of a user", "one memory"])
def test_an_answer_is_erased_with_what_it_was_shown(
    whole: bool,  # noqa: FBT001 - by its parameter
    tell: Tell,
    services: Services,
    configured: Configured,
) -> None:
    ham = tell(HAM, 10)
    tell(VEGAN, 20)
    asked(services.database, configured(answer((1, 2))))
    if whole:
        erase(services.database, MIRA)
    else:
        forget(services.database, MIRA, ham, erase_content=True)
    assert [each for each in stored(services, COMPARING.answered) if each.payload] == []
    assert (tidied(services).accepted, questions(services)) == ((), [])


def test_a_model_that_makes_pairs_up_and_takes_all_for_contradictions_ends_nothing_in_twenty_passes(
    tell: Tell, held: Held, services: Services, configured: Configured, days: Days
) -> None:
    wild = json.dumps(
        {
            "facts": [
                *({"pair": number, "now": line} for number in range(-1, 60) for line in (1, 2, 3, 4, 99, "2", None)),
                {"pair": "1"},
                {"text": "All of this is false."},
            ]
        }
    )
    texts = ["Mira likes tea.", "Mira now likes coffee too.", HAM, VEGAN, "Mira has met Tove.", "Mira plays the oboe."]
    for day, text in enumerate(texts, 1):
        tell(text, day)
    settings = configured(*[wild] * 20)
    for day in range(20):
        days(day)
        if day % 5 == 0:
            tell(f"Mira has seen whale number {day}.", 20)
        asked(services.database, settings)
        assert tidied(services).accepted == ()
    assert set(held().values()) == {None}
    assert len(questions(services)) <= supersede.MOST_ASKED
    assert is_equal(services)


def test_taken_back_it_is_held_as_before_and_not_done_again(
    tell: Tell, held: Held, services: Services, configured: Configured
) -> None:
    tell(ACME, 10)
    tell(GLOBEX, 20)
    asked(services.database, configured(answer((1, 2))))
    given = tidying()
    tidied(services, given)
    revert(services.database, "acme", given.batch_id)
    assert held() == {ACME: None, GLOBEX: None}
    tell("The tide is low.", 21)
    assert tidied(services).accepted == ()
    assert held()[ACME] is None
    assert is_equal(services)


def test_what_was_said_to_be_both_true_is_shown_to_no_model_and_never_asked_again(
    tell: Tell, services: Services, configured: Configured
) -> None:
    tell(ACME, 10)
    tell(GLOBEX, 20)
    tidied(services)
    (waiting,) = questions(services)
    review.answer(services.database, "acme", MIRA.owner, waiting.review_id, "both", by="ana")
    with scripted(answer((1, 2))) as server:
        assert asked(services.database, configured(server)) is ModelGate.TOO_LITTLE_NEW
        assert server.requests == []
    done = tidied(services)
    assert (done.accepted, done.questions) == ((), ())


def test_what_an_app_called_important_is_asked_about_before_it_ends(tell: Tell, held: Held, services: Services) -> None:
    tell("The gate code is 4417.", 8, importance=0.9)
    tell("The gate code is now 4471.", 9)
    done = tidied(services)
    assert (done.accepted, [each.why for each in done.questions]) == ((), ["numbers"])
    assert set(held().values()) == {None}


def test_what_somebody_chose_does_not_end_by_what_they_knew_and_is_asked_about_by_what_came_since(
    tell: Tell, held: Held, services: Services, configured: Configured, days: Days
) -> None:
    tell(ACME, 10)
    tell(GLOBEX, 20)
    tell(HAM, 21)
    tidied(services)
    (waiting,) = questions(services)
    review.answer(services.database, "acme", MIRA.owner, waiting.review_id, "second", by="ana")
    assert held()[GLOBEX] is None
    initech = "Mira now works at Initech."
    tell(initech, 22)
    done = tidied(services)
    assert (done.accepted, [each.why for each in done.questions]) == ((), ["claims"])
    assert (held()[GLOBEX], held()[initech]) == (None, None)


def test_whoever_has_lost_the_job_stores_nothing(tell: Tell, services: Services, configured: Configured) -> None:
    tell(HAM, 10)
    tell(VEGAN, 20)

    def fence(_session: Session) -> None:
        raise LeaseLost

    with pytest.raises(LeaseLost):
        asked(services.database, configured(answer()), fence=fence)
    assert stored(services, COMPARING.asked) == []


def test_an_answer_that_was_paid_for_is_used_by_whoever_comes_after_the_worker_died(
    tell: Tell, held: Held, services: Services, configured: Configured
) -> None:
    tell(ACME, 10)
    tell(GLOBEX, 20)
    with scripted(answer((1, 2))) as server:
        settings = configured(server)
        assert asked(services.database, settings) is ModelGate.ASKED  # and here the worker is killed

        def do(job: Job) -> bool:
            return tidy_on(services.database, settings, job)

        report = carry_out(services.database, settings, "supersede", "acme", do)
        assert report.counts["accepted"] == 1
        again = carry_out(services.database, settings, "supersede", "acme", do)
        assert (again.counts["gate_too_little_new"], again.counts["accepted"]) == (1, 0)
        assert len(server.requests) == 1
    assert held() == {ACME: "2026-01-20", GLOBEX: None}


def test_a_rehearsal_asks_nobody_unless_it_is_told_to_and_is_not_paid_for_twice(
    tell: Tell, services: Services, configured: Configured
) -> None:
    def nobody_looks(_done: int, _total: int) -> None: ...

    tell(ACME, 10)
    tell(GLOBEX, 20)
    with scripted(answer((1, 2))) as server:
        settings = configured(server)
        given = services.database, settings, "acme", "supersede", nobody_looks
        shown = by_hand.rehearse(*given)
        assert (shown.accepted, shown.asked, shown.gates, server.requests) == (0, 1, {}, [])
        shown = by_hand.rehearse(*given, ask=True)
        assert (shown.accepted, shown.asked, shown.gates) == (1, 0, {"asked": 1})
        assert shown.changes[0].left == ACME
        done = by_hand.tidy(*given)
        assert (done.accepted, done.gates) == (1, {"too_little_new": 1})
        assert len(server.requests) == 1, "what it answered then is used"
