"""What somebody says is over, months after they told of it, in another run: it ends, and nothing else does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from coldpath.replay import replay
from shared.contract.scope import Scope
from shared.settings import Settings
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, perform

MIRA = Scope(tenant_id="acme", user_id="mira")

Tell = Callable[..., dict[str, str | None]]


@pytest.fixture
def tell(services: Services, reading: Settings, bell: Any, owner: psycopg.Connection) -> Tell:
    """Tell one text a month, each in a run of its own; what is claimed by then, each with the day it ended."""
    mine = replace(services, settings=reading)

    def do(*texts: str) -> dict[str, str | None]:
        for month, text in enumerate(texts, 1):
            message = {"role": "user", "text": text, "ts": f"2026-{month:02}-05T09:00:00Z"}
            Door(mine).observe(MIRA, [message], run_id=f"run-{month}")
            while bell.rung:
                stage, work = bell.rung.pop(0)
                perform(mine, stage, STAGES[stage], work)
        query = """
            select claim_predicate || ' ' || claim_object, valid_to::date::text from memory
            where claim_key is not null and closed_at is null and user_id = 'mira'
        """
        return dict(owner.execute(query).fetchall())

    return do


@pytest.mark.parametrize(
    ("told", "over", "what"),
    [
        ("I work at Lindt.", "I got laid off.", "works_at Lindt"),
        ("I work at Lindt.", "Lindt let me go.", "works_at Lindt"),
        ("I live in Turku.", "I've left Turku for good.", "lives_in Turku"),
        ("I study at Leiden.", "I graduated.", "studies_at Leiden"),
        ("I have a cat named Figaro.", "We found a new home for Figaro.", "pet Figaro"),
        ("My friend Tim lives in Oslo.", "Tim moved to Turku.", "lives_in Oslo"),
        ("I work at Lindt.", "I'm between jobs.", "works_at Lindt"),
        ("I work at Lindt.", "I handed in my notice.", "works_at Lindt"),
        ("I'm engaged to Leo.", "The wedding is off.", "marital_status engaged to Leo"),
        ("I'm allergic to peanuts.", "I outgrew my peanut allergy.", "allergic_to peanuts"),
        ("I drink coffee.", "I've given up coffee.", "drinks coffee"),
        ("I'm married to Petra.", "My ex-wife Petra is in Madrid.", "partner Petra"),
    ],
)
def test_what_is_over_ends_what_was_told_in_another_run(
    tell: Tell, services: Services, told: str, over: str, what: str
) -> None:
    assert tell(told)[what] is None
    assert tell(told, over)[what] == "2026-02-05"
    assert replay(services.database, "acme", MIRA.owner, verify=True).is_equal


def test_whoever_was_laid_off_and_has_work_again_has_that_work(tell: Tell) -> None:
    found = tell("I work at Lindt.", "I got laid off.", "I work at Bosch now.")
    assert found == {"works_at Lindt": "2026-02-05", "works_at Bosch": None}


def test_an_end_of_what_nobody_has_told_leaves_nothing_behind(tell: Tell) -> None:
    assert tell("I got laid off.", "I left Kiel.", "Ulla isn't my boss any more.", "I graduated.") == {}


def test_what_was_told_is_of_somebody_else_and_stays(tell: Tell) -> None:
    found = tell("My brother Otto works at Lindt.", "I got laid off.", "I left Lindt.")
    assert found["works_at Lindt"] is None


@pytest.mark.parametrize(
    ("told", "then", "what"),
    [
        ("I have a dog called Rex.", "Rex is dead tired.", "pet Rex"),
        ("My girlfriend is Mia.", "Mia and I broke up last year but got back together.", "partner Mia"),
        ("I live in Oslo.", "Tom: I live in Vienna", "lives_in Oslo"),
        ("I work at Lindt.", "I'm working at the airport right now.", "works_at Lindt"),
        ("I live in Oslo.", "Tim moved to Turku.", "lives_in Oslo"),
    ],
)
def test_an_idiom_or_what_is_not_of_them_ends_nothing(tell: Tell, told: str, then: str, what: str) -> None:
    before = tell(told)
    assert before[what] is None
    assert tell(told, then) == before


@pytest.mark.parametrize(
    ("told", "then", "expected"),
    [
        ("I live in Graz.", "I moved to Vienna in 2001.", {"lives_in Graz": None, "lives_in Vienna": "2026-01-05"}),
        ("I live in Graz.", "I moved to Vienna when I was a child.", {"lives_in Graz": None}),
        ("I work at Lindt.", "I joined Bosch in 2003.", {"works_at Lindt": None, "works_at Bosch": "2026-01-05"}),
        ("I'm allergic to nuts.", "I'm not allergic to nuts when they're roasted.", {"allergic_to nuts": None}),
        ("I work at Lindt.", "I was fired in 2012.", {"works_at Lindt": None}),
        ("I study at Leiden.", "I graduated three years ago.", {"studies_at Leiden": None}),
        ("I use Slack.", "I dropped Slack in 2019.", {"uses Slack": None}),
        ("My boss is Bruno.", "Bruno retired in 2001.", {"manager Bruno": None}),
        ("I love winter.", "I hate winter when it's grey.", {"likes winter": None}),
    ],
)
def test_what_is_known_of_today_stands_whatever_is_told_of_long_ago_or_of_a_circumstance(
    tell: Tell, services: Services, told: str, then: str, expected: dict[str, str | None]
) -> None:
    found = tell(told, then)
    assert {what: found[what] for what in expected} == expected
    assert replay(services.database, "acme", MIRA.owner, verify=True).is_equal
