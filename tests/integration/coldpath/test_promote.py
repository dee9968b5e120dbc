"""What recalls often rest on: held as semantic, shown as that, and an episode again where it no longer serves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from coldpath import promote
from coldpath.forget import forget
from coldpath.proposals import Done, Tidying, rehearse, revert, tidy
from coldpath.replay import replay
from gateway import Daybook
from gateway.cli import OK, run
from hotpath._log import flush
from shared.belief.reverting import Kept, Why
from shared.contract.proposals import Refusal
from shared.contract.records import EpistemicType, Kind
from shared.contract.scope import Scope, room_owner
from shared.settings import Settings, using
from shared.testing import HashEmbedder

MIRA = Scope(tenant_id="acme", user_id="mira")
KEY = "The spare key of the shed hangs behind the boiler."
ROSES = "The roses beside the shed are cut in March."
QUESTION = "Where does the spare key of the shed hang?"

Report = Callable[..., None]


@pytest.fixture
def daybook(environment: Settings, embedder: HashEmbedder) -> Iterator[Daybook]:
    """The clock of these tests is that of the server, so one day has to do."""
    del embedder
    configured = environment.model_copy(update={"promote_least_days": 1})
    with using(configured), Daybook() as opened:
        opened.observe(MIRA, [{"role": "user", "text": KEY}, {"role": "user", "text": ROSES}], run_id="r", inline=True)
        yield opened


@pytest.fixture
def report(daybook: Daybook) -> Report:
    """Say of memories, in as many sessions as asked for, that they were of use, or misled."""
    sessions = iter(range(1000))

    def say(memory: UUID, times: int = 4, *, named: str = "used", scope: Scope = MIRA) -> None:
        for _ in range(times):
            within = replace(scope, session_id=f"session {next(sessions)}")
            daybook.outcome(within, uuid4(), **{named: [memory]}, inline=True)  # type: ignore[arg-type]

    return say


def held(daybook: Daybook, text: str, scope: Scope = MIRA) -> Any:
    return next(item for item in daybook.recall(scope, QUESTION).items if item.text == text)


def tidying(daybook: Daybook, **changes: Any) -> Tidying:
    return Tidying(**{"job": "promote", "propose": promote.by(daybook.settings), "batch_id": uuid4(), **changes})


def promoted(daybook: Daybook, given: Tidying | None = None, owner: str = MIRA.owner) -> Done:
    return tidy(daybook.database(), "acme", owner, given or tidying(daybook))  # type: ignore[arg-type]


def is_equal(daybook: Daybook) -> bool:
    found = replay(daybook.database(), "acme", MIRA.owner, verify=True)
    assert found.differences == ()
    return found.is_equal


def test_what_served_often_is_shown_as_semantic_and_as_what_was_said_with_the_same_trust_and_source(
    daybook: Daybook, report: Report, owner: psycopg.Connection
) -> None:
    before = held(daybook, KEY)
    assert (before.kind, before.epistemic_type) == (Kind.EPISODIC, EpistemicType.EVIDENCE)
    report(before.memory_id)
    (done,) = promoted(daybook).accepted
    assert done.operation.memory == before.memory_id  # type: ignore[union-attr]
    after, bundle = held(daybook, KEY), daybook.recall(MIRA, QUESTION)
    assert (after.kind, after.epistemic_type) == (Kind.SEMANTIC, EpistemicType.EVIDENCE)
    assert (after.trust, after.sources, after.event_time) == (before.trust, before.sources, before.event_time)
    assert "semantic evidence" in bundle.text
    assert held(daybook, ROSES).kind == Kind.EPISODIC
    kinds = owner.execute(
        "select kind, confidence, closed_at is null from memory where memory_id = %s order by version",
        [before.memory_id],
    ).fetchall()
    assert [(kind, is_open) for kind, _, is_open in kinds] == [("episodic", False), ("semantic", True)]
    assert len({confidence for _, confidence, _ in kinds}) == 1
    assert is_equal(daybook)
    again = rehearse(daybook.database(), "acme", MIRA.owner, tidying(daybook))
    assert (again.accepted, again.refused) == ((), ())


def test_what_was_recalled_a_hundred_times_and_never_reported_stays_an_episode(daybook: Daybook) -> None:
    for _ in range(100):
        daybook.recall(MIRA, QUESTION)
    assert flush(9.0)
    assert promoted(daybook).accepted == ()
    assert held(daybook, KEY).kind == Kind.EPISODIC


def test_a_promotion_is_taken_back_and_not_done_again(daybook: Daybook, report: Report) -> None:
    report(held(daybook, KEY).memory_id)
    given = tidying(daybook)
    promoted(daybook, given)
    assert revert(daybook.database(), "acme", given.batch_id).operations == 1
    assert held(daybook, KEY).kind == Kind.EPISODIC
    report(held(daybook, KEY).memory_id)
    assert [reason for _, reason in promoted(daybook).refused] == [Refusal.TAKEN_BACK]
    assert held(daybook, KEY).kind == Kind.EPISODIC
    assert is_equal(daybook)


def test_what_misleads_later_is_an_episode_again(daybook: Daybook, report: Report) -> None:
    memory = held(daybook, KEY).memory_id
    report(memory)
    promoted(daybook)
    report(memory, 4, named="misled")
    (done,) = promoted(daybook).accepted
    assert done.operation.reason == "of_use_no_more"
    assert held(daybook, KEY).kind == Kind.EPISODIC
    assert is_equal(daybook)


def test_what_is_forgotten_is_gone_whatever_it_was_promoted_to(
    daybook: Daybook, report: Report, owner: psycopg.Connection
) -> None:
    memory = held(daybook, KEY).memory_id
    report(memory)
    given = tidying(daybook)
    promoted(daybook, given)
    forget(daybook.database(), MIRA, memory)
    assert all(item.text != KEY for item in daybook.recall(MIRA, QUESTION).items)
    assert revert(daybook.database(), "acme", given.batch_id).kept == (Kept(memory=memory, why=Why.FORGOTTEN),)
    owner.execute("select set_config('row_security', 'off', false)")
    assert owner.execute("select count(*) from memory where memory_id = %s", [memory]).fetchone() == (0,)
    assert promoted(daybook).accepted == ()
    assert is_equal(daybook)


def test_what_serves_in_a_room_is_promoted_in_the_room_alone(daybook: Daybook, report: Report) -> None:
    said = {"role": "user", "speaker": "mira", "text": "The kitchen of the club opens at six."}
    daybook.observe(MIRA, [said], run_id="k", inline=True, room="kitchen", participants=["mira", "oskar"])
    oskar = Scope(tenant_id="acme", user_id="oskar")
    (item,) = daybook.recall(oskar, "When does the kitchen of the club open?").items
    report(item.memory_id, scope=oskar)
    assert promoted(daybook).accepted == ()
    assert len(promoted(daybook, owner=room_owner("kitchen")).accepted) == 1
    (after,) = daybook.recall(oskar, "When does the kitchen of the club open?").items
    assert after.kind == Kind.SEMANTIC


def test_what_was_known_before_a_promotion_is_answered_as_before(daybook: Daybook, report: Report) -> None:
    memory = held(daybook, KEY)
    report(memory.memory_id)
    before = daybook.recall(MIRA, QUESTION)
    with daybook.database().claiming() as connection:
        (now,) = connection.execute("select clock_timestamp() as now").fetchone().values()  # type: ignore[union-attr]
    promoted(daybook)
    then = daybook.recall(MIRA, QUESTION, known_at=now)
    assert next(item for item in then.items if item.text == KEY).kind == Kind.EPISODIC
    after = daybook.recall(MIRA, QUESTION)
    assert [item.memory_id for item in after.items] == [item.memory_id for item in before.items]


def test_an_operator_sees_the_rule_before_anything_is_done(
    daybook: Daybook, report: Report, capsys: pytest.CaptureFixture[str]
) -> None:
    report(held(daybook, KEY).memory_id)
    assert run(["promote", "--tenant", "acme", "--dry-run", "--json"]) == OK
    (change,) = json.loads(capsys.readouterr().out)["changes"]
    assert (change["operation"], change["rule"], change["left"]) == ("promote", "often_of_use", KEY)
    assert change["footing"] == ["episodic evidence", "semantic evidence"]
    assert run(["promote", "--tenant", "acme", "--dry-run"]) == OK
    assert "often_of_use" in capsys.readouterr().out
    assert held(daybook, KEY).kind == Kind.EPISODIC
    assert run(["promote", "--tenant", "acme"]) == OK
    assert "1 change done" in capsys.readouterr().out
    assert held(daybook, KEY).kind == Kind.SEMANTIC


def test_of_many_reports_the_newest_tell_what_serves(
    daybook: Daybook, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, roses = (held(daybook, text).memory_id for text in (KEY, ROSES))
    report(key)
    assert len(promoted(daybook).accepted) == 1
    monkeypatch.setattr(promote, "MOST_REPORTS", 4)
    report(roses)
    promoted(daybook)
    assert (held(daybook, KEY).kind, held(daybook, ROSES).kind) == (Kind.EPISODIC, Kind.SEMANTIC)
    assert is_equal(daybook)
