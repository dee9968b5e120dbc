"""What was said or done again and again: concluded, cited, taken back, and gone with what it was made of."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from coldpath import consolidate
from coldpath.erase import erase
from coldpath.forget import forget
from coldpath.proposals import Done, Tidying, rehearse, revert, tidy
from coldpath.quarantine import Source, quarantine
from coldpath.replay import replay
from gateway.cli import OK, run
from shared.contract.operations import ClosePayload
from shared.contract.records import Operation
from shared.contract.scope import Scope
from shared.store import generations, ledger, memories
from shared.store.beliefs import Draft
from shared.store.db import Role
from warmpath._door import Door
from warmpath._work import Services

SHORT = "Please keep your answers short and without lists."
TASKS = ("Book me a flight to Rome for Monday, please.", "Book me a flight to Oslo for Friday, please.")
TRIGGER = "Book me a flight to … for … please."

Say = Callable[..., str]
Concluded = Callable[[], dict[str, tuple[str, int, float]]]


@pytest.fixture
def say(services: Services, work_off: Callable[[], object]) -> Say:
    """A session in which somebody says something, and an agent calls tools; returns the run's id."""
    runs = count(1)

    def tell(text: str, *calls: Mapping[str, Any], user: str = "mira", agent: str | None = None, **said: Any) -> str:
        number = next(runs)
        run_id, ts = f"run-{number}", f"2026-01-{number:02}T12:00:00+00:00"
        scope = Scope(tenant_id="acme", user_id=user, agent_id=agent, session_id=f"session-{number}")
        messages: list[dict[str, Any]] = [{"role": "user", "text": text, "ts": ts, **said}]
        messages += [{**call, "ts": ts} for call in calls]
        Door(services).observe(scope, messages, run_id=run_id)
        work_off()
        return run_id

    return tell


@pytest.fixture
def concluded(owner: psycopg.Connection) -> Concluded:
    """What is held that was concluded: its epistemic type, how many pieces of evidence it has, and how sure it is."""
    query = """
        select text, epistemic_type, (
            select count(*) from memory_evidence
            where memory_evidence.memory_id = memory.memory_id and memory_evidence.version = memory.version
        ), round(confidence::numeric, 2)::float
        from memory where epistemic_type <> 'evidence' and closed_at is null and user_id = 'mira'
    """
    return lambda: {text: (kind, pieces, sure) for text, kind, pieces, sure in owner.execute(query)}


def calling(name: str, **arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "text": "", "tool_calls": [{"id": "c", "type": "function", "function": function}]}


def answering(text: str) -> dict[str, Any]:
    return {"role": "tool", "text": text, "tool_call_id": "c"}


def booking(to: str) -> list[dict[str, Any]]:
    return [
        calling("search_flights", origin="Leeds", destination=to),
        answering(f"Two flights to {to}."),
        calling("book_seat", flight="F1"),
        answering("Booked."),
    ]


@pytest.fixture
def report(services: Services, work_off: Callable[[], object], owner: psycopg.Connection) -> Callable[..., None]:
    """Say what came of a recall in the session of a run."""

    def tell(run_id: str, *, good: bool = True) -> None:
        (memory,) = owner.execute("select memory_id from memory where run_id = %s order by doc limit 1", [run_id]
        ).fetchone() or (None,)  # fmt: skip
        number = run_id.removeprefix("run-")
        scope = Scope(tenant_id="acme", user_id="mira", session_id=f"session-{number}")
        said: dict[str, Any] = {"used": [memory]} if good else {"corrected": True}
        Door(services).outcome(scope, uuid4(), **said)
        work_off()

    return tell


def tidying(**changes: Any) -> Tidying:
    return Tidying(**{"job": "consolidate", "propose": consolidate.propose, "batch_id": uuid4(), **changes})


MIRA = Scope(tenant_id="acme", user_id="mira")


def tidied(services: Services, given: Tidying | None = None) -> Done:
    return tidy(services.database, "acme", MIRA.owner, given or tidying())


def nothing_more(services: Services) -> bool:
    """Whether a second pass proposes nothing, and the tables are what the ledger comes to."""
    found = replay(services.database, "acme", MIRA.owner, verify=True)
    assert found.differences == ()
    return not rehearse(services.database, "acme", MIRA.owner, tidying()).accepted


def test_what_was_said_in_three_sessions_becomes_a_preference_that_cites_them(
    say: Say, concluded: Concluded, services: Services
) -> None:
    for _ in range(2):
        say(SHORT)
    assert tidied(services).accepted == ()
    say(SHORT)
    tidied(services)
    assert concluded() == {SHORT: ("preference", 3, 0.7)}
    assert nothing_more(services)
    say(SHORT)
    assert tidied(services).accepted == ()


def test_two_successful_runs_become_a_procedure_and_one_lucky_run_does_not(
    say: Say, report: Callable[..., None], concluded: Concluded, services: Services
) -> None:
    report(say(TASKS[0], *booking("Rome")))
    second = say(TASKS[1], *booking("Oslo"))
    assert tidied(services).accepted == (), "nobody has said what came of the second"
    report(second)
    tidied(services)
    ((text, found),) = concluded().items()
    assert text == f"{TRIGGER}: call search_flights with origin, destination, then call book_seat with flight"
    assert found == ("inference", 2, 0.75)
    assert nothing_more(services)


def test_failures_since_weaken_a_procedure_and_then_end_it(
    say: Say, report: Callable[..., None], concluded: Concluded, services: Services
) -> None:
    for task, to in zip(TASKS, ("Rome", "Oslo"), strict=True):
        report(say(task, *booking(to)))
    tidied(services)
    report(say("Book me a flight to Lima for Sunday, please.", *booking("Lima")), good=False)
    tidied(services)
    ((_, found),) = concluded().items()
    assert found[2] == 0.6
    failing = [*booking("Bern")[:-1], answering("Error: no seat is left.")]
    say("Book me a flight to Bern for Sunday, please.", *failing)
    tidied(services)
    assert concluded() == {}
    assert nothing_more(services)


@pytest.mark.parametrize("how", ["forgotten", "erased", "quarantined", "denied"])
def test_what_was_concluded_goes_with_what_it_was_made_of(
    how: str, say: Say, concluded: Concluded, services: Services, owner: psycopg.Connection
) -> None:
    runs = [say(SHORT) for _ in range(3)]
    tidied(services)
    (episode,) = owner.execute("select memory_id from memory where run_id = %s", [runs[0]]).fetchone() or (None,)
    assert isinstance(episode, UUID)
    if how == "forgotten":
        forget(services.database, MIRA, episode)
    elif how == "erased":
        erase(services.database, MIRA)
    elif how == "quarantined":
        quarantine(services.database, MIRA, Source(run_id=runs[0]))
    else:
        retract(services, episode)
        assert concluded() != {}
    tidied(services)
    assert concluded() == {}
    assert nothing_more(services)


def retract(services: Services, memory: UUID) -> None:
    with services.database.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        generations.writing(session, "sparse")
        draft = Draft(session, ledger.lock(session, MIRA.owner))
        closing = ClosePayload(op=Operation.RETRACT, reason="said_so", memory=memory)
        draft.do(memories.versions(session, [memory]), [closing])
        ledger.advance(session, draft.write()[1])


def test_once_enough_is_left_of_it_it_is_concluded_anew(
    say: Say, concluded: Concluded, services: Services, owner: psycopg.Connection
) -> None:
    runs = [say(SHORT) for _ in range(4)]
    tidied(services)
    (episode,) = owner.execute("select memory_id from memory where run_id = %s", [runs[0]]).fetchone() or (None,)
    assert isinstance(episode, UUID)
    forget(services.database, MIRA, episode)
    assert concluded() == {}
    tidied(services)
    assert concluded() == {SHORT: ("preference", 3, 0.7)}
    assert nothing_more(services)


def test_taken_back_it_is_not_concluded_again(say: Say, concluded: Concluded, services: Services) -> None:
    for _ in range(3):
        say(SHORT)
    given = tidying()
    tidied(services, given)
    revert(services.database, "acme", given.batch_id)
    assert concluded() == {}
    say("I have planted tomatoes behind the shed.")
    assert [reason.value for _, reason in tidied(services).refused] == ["taken_back"]
    assert concluded() == {}


def test_nobody_elses_words_and_no_other_agents_count(say: Say, concluded: Concluded, services: Services) -> None:
    for agent, user in (("scout", "mira"), ("clerk", "mira"), (None, "mira"), (None, "oskar")):
        say(SHORT, agent=agent, user=user)
    assert tidied(services).accepted == ()
    assert concluded() == {}


def test_an_operator_sees_what_would_be_concluded_of_what(
    say: Say, concluded: Concluded, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(3):
        say(SHORT)
    of = ["--tenant", "acme", "--json"]
    assert run(["consolidate", *of, "--dry-run"]) == OK
    (change,) = json.loads(capsys.readouterr().out)["changes"]
    assert (change["operation"], change["left"], change["gone"]) == ("abstract", SHORT, [SHORT] * 3)
    assert concluded() == {}
    assert run(["consolidate", *of]) == OK
    done = json.loads(capsys.readouterr().out)
    assert (done["accepted"], done["outcome"]) == (1, "done")
    assert run(["revert", "--tenant", "acme", done["batch_id"]]) == OK
    assert concluded() == {}


def test_of_several_employers_of_one_person_none_is_concluded_however_often_each_was_said(
    say: Say, services: Services, concluded: Concluded
) -> None:
    employers = ("is employed by Acme", "is employed by Beta Ltd", "has joined Gamma")
    for text in (*(f"Pavel Novak {each}." for each in employers), SHORT) * 3:
        say(text)
    done = tidied(services)
    assert done.passed_over == {"contradicts": 3}
    assert not {text for text in concluded() if "Pavel" in text}
    assert SHORT in concluded()
    assert tidied(services).accepted == ()


def test_what_is_held_to_this_day_is_not_contradicted_by_what_was_said_often(
    say: Say, services: Services, concluded: Concluded
) -> None:
    for _ in range(3):
        say("Pavel Novak is employed by Acme.")
    tidied(services)
    assert "Pavel Novak is employed by Acme." in concluded()
    for _ in range(3):
        say("Pavel Novak has joined Gamma.")
    assert tidied(services).passed_over == {"contradicts": 1}
    assert "Pavel Novak has joined Gamma." not in concluded()
