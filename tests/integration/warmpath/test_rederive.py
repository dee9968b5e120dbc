"""Readings that take the place of others: of what was read anew, and of nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from coldpath.replay import replay
from shared.contract.errors import NotFound
from shared.contract.operations import ClosePayload
from shared.contract.receipts import Stage
from shared.contract.records import Operation
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.store import ledger, memories
from shared.store.beliefs import Draft
from shared.store.db import Role
from shared.testing import ScriptedExtractor
from warmpath import rederive
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Result, Services, perform

MIRA = Scope(tenant_id="acme", user_id="mira")
OLD, NEW, NEWEST = "{thing} are kept by mira.", "Mira keeps {thing}.", "Mira has {thing} at home."
THINGS = ("bees", "goats", "hens")


@pytest.fixture
def mine(services: Services, reading: Settings) -> Callable[[str], Services]:
    """Services whose rules put what is kept in the words of a template."""

    def make(words: str) -> Services:
        script = {
            thing: [{"text": words.format(thing=thing.title()), "claim": ("mira", "pet", thing)}] for thing in THINGS
        }
        return replace(services, settings=reading, rules=lambda: ScriptedExtractor(script))

    return make


Work = Callable[..., list[Result]]


@pytest.fixture
def work(bell: Any) -> Work:
    """Do what is rung for, up to a stage."""

    def do(services: Services, *, before: Stage | None = None) -> list[Result]:
        results = []
        while bell.rung and bell.rung[0][0] is not before:
            stage, at = bell.rung.pop(0)
            result = perform(services, stage, STAGES[stage], at)
            results += [result] if result else []
        return results

    return do


def observe(services: Services, *things: str, run_id: str) -> None:
    told = [
        {"id": f"m{n}", "role": "user", "text": f"I keep {thing}.", "ts": f"2026-01-1{n}T12:00Z"}
        for n, thing in enumerate(things)
    ]
    Door(services).observe(MIRA, told, run_id=run_id)


@pytest.fixture
def held(owner: psycopg.Connection) -> Callable[[], list[str]]:
    def read() -> list[str]:
        query = "select text from memory where kind = 'semantic' and closed_at is null order by text"
        return [text for (text,) in owner.execute(query).fetchall()]

    return read


def is_equal(services: Services) -> bool:
    return replay(services.database, "acme", MIRA.owner, verify=True).is_equal


def test_what_was_said_after_it_was_prepared_is_not_lost_by_a_switch(mine: Any, work: Work, held: Any) -> None:
    observe(mine(OLD), "bees", run_id="run-1")
    work(mine(OLD))
    rederive.prepare(mine(NEW), MIRA)
    observe(mine(OLD), "goats", run_id="run-2")
    work(mine(OLD))
    observe(mine(OLD), "bees", "hens", run_id="run-1")
    work(mine(OLD))
    diff = rederive.switch(mine(NEW), MIRA)
    assert [each.text for each in diff.closed] == ["Bees are kept by mira."]
    assert held() == ["Goats are kept by mira.", "Hens are kept by mira.", "Mira keeps Bees."]
    assert is_equal(mine(NEW))
    assert rederive.prepare(mine(NEW), MIRA).runs == 2, "what was read anew and switched to may be read anew again"


def test_what_is_prepared_is_read_by_its_own_stage_all_the_same(mine: Any, work: Work, held: Any) -> None:
    observe(mine(OLD), "bees", run_id="run-1")
    work(mine(OLD), before=Stage.EXTRACT)
    assert rederive.prepare(mine(NEW), MIRA).candidates == 1
    rederive.discard(mine(NEW), MIRA)
    work(mine(OLD))
    assert held() == ["Bees are kept by mira."]


def test_what_was_switched_to_is_not_read_once_more_by_its_own_stage(mine: Any, work: Work, held: Any) -> None:
    observe(mine(OLD), "bees", run_id="run-1")
    work(mine(OLD), before=Stage.EXTRACT)
    rederive.prepare(mine(NEW), MIRA)
    rederive.switch(mine(NEW), MIRA)
    work(mine(OLD))
    assert held() == ["Mira keeps Bees."]


def test_what_was_proposed_and_not_judged_gives_way_too(mine: Any, work: Work, held: Any) -> None:
    observe(mine(OLD), "bees", run_id="run-1")
    work(mine(OLD), before=Stage.RESOLVE)
    rederive.prepare(mine(NEW), MIRA)
    rederive.switch(mine(NEW), MIRA)
    work(mine(OLD))
    assert held() == ["Mira keeps Bees."]
    rederive.back(mine(OLD), MIRA)
    assert held() == ["Bees are kept by mira."]
    assert is_equal(mine(NEW))


def test_the_last_switch_alone_is_undone_and_then_the_one_before_it(mine: Any, work: Work, held: Any) -> None:
    observe(mine(OLD), "bees", run_id="run-1")
    work(mine(OLD))
    for words in (NEW, NEWEST):
        rederive.prepare(mine(words), MIRA)
        rederive.switch(mine(words), MIRA)
    assert held() == ["Mira has Bees at home."]
    rederive.back(mine(NEW), MIRA)
    assert held() == ["Mira keeps Bees."]
    rederive.switch(mine(NEW), MIRA)
    assert held() == ["Mira has Bees at home."]
    rederive.back(mine(NEW), MIRA)
    rederive.discard(mine(NEW), MIRA)
    rederive.back(mine(NEW), MIRA)
    assert held() == ["Bees are kept by mira."]
    with pytest.raises(NotFound, match="no reading"):
        rederive.back(mine(NEW), MIRA)
    assert is_equal(mine(NEW))


def test_where_runs_are_not_to_be_read_none_is_read_anew(mine: Any, work: Work, environment: Settings) -> None:
    observe(mine(OLD), "bees", run_id="run-1")
    work(mine(OLD))
    silent = replace(mine(NEW), settings=environment.model_copy(update={"extraction": False}))
    assert rederive.prepare(silent, MIRA).runs == 0


def test_what_a_policy_closed_is_not_opened_again_by_a_reading_that_proposes_it(
    mine: Any, work: Work, held: Any
) -> None:
    services = mine(OLD)
    observe(services, "bees", run_id="run-1")
    work(services)
    with services.database.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        draft = Draft(session, ledger.lock(session, MIRA.owner))
        (bees,) = memories.beliefs(session, keyed=True, limit=9)
        draft.do([bees], [ClosePayload(op=Operation.EXPIRE, reason="doubtful", memory=bees.memory_id)])
        ledger.advance(session, draft.write()[1])
    assert held() == []
    rederive.prepare(services, MIRA)
    assert rederive.switch(services, MIRA).opened == ()
    assert held() == []
    assert is_equal(services)
