"""What has no claim and is said otherwise later: ended where its reader names it and the world's times allow that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from coldpath import supersede
from coldpath.forget import forget
from coldpath.proposals import Tidying, tidy
from coldpath.replay import replay
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.store import reviews
from shared.store.db import Role
from shared.testing import ScriptedExtractor
from tests.model_reading import asking, entry, facts
from tests.scripted_llm import scripted
from warmpath import rederive, review
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, perform

MIRA = Scope(tenant_id="acme", user_id="mira")
MONDAY, TUESDAY = "The choir of mira meets on Monday.", "The choir of mira meets on Tuesday."
AS_MONDAY, AS_TUESDAY = ("Monday", MONDAY, ""), ("Tuesday", TUESDAY, MONDAY)
"""A word of a line, what is read of that line, and what that is said in the place of."""
BLACK, OAT = "mira drinks coffee black.", "mira takes oat milk in the coffee."


@pytest.fixture
def tell(services: Services, reading: Settings, bell: Any) -> Callable[..., None]:
    """Observe a text, which a scripted model reads as one entry, and do all that follows."""

    def do(said: str, number: int, day: str | None, *, agent_id: str | None = None, **told: Any) -> None:
        settings = {name: told.pop(name) for name in ("ask_about",) if name in told}
        asked = reading.model_copy(update={"extraction_model": "openai:scripted", **settings})
        with scripted(facts(entry(**{"about": "mira", **told}))) as server:
            mine = replace(services, settings=asked, model=lambda _: asking(server), rules=ScriptedExtractor)
            message = {"role": "user", "text": said, **({"ts": f"{day}T12:00Z"} if day else {})}
            scope = replace(MIRA, agent_id=agent_id)
            Door(mine).observe(scope, [message], run_id=f"run-{number}")
            while bell.rung:
                stage, work = bell.rung.pop(0)
                perform(mine, stage, STAGES[stage], work)

    return do


@pytest.fixture
def held(owner: psycopg.Connection) -> Callable[[], dict[str, str | None]]:
    query = """
        select text, valid_to::date::text from memory
        where epistemic_type <> 'evidence' and closed_at is null order by doc
    """
    return lambda: dict(owner.execute(query).fetchall())


def is_equal(services: Services) -> bool:
    found = replay(services.database, "acme", MIRA.owner, verify=True)
    assert found.differences == ()
    return found.is_equal


def test_what_is_worded_alike_and_said_otherwise_later_takes_the_place_of_the_memory_that_it_names(
    tell: Any, held: Any, services: Services
) -> None:
    tell("My choir meets on Monday.", 1, "2026-01-10", text=MONDAY)
    tell("My choir meets on Tuesday.", 2, "2026-02-10", text=TUESDAY, replaces=1)
    assert held() == {MONDAY: "2026-02-10", TUESDAY: None}
    assert is_equal(services)


def test_what_is_worded_otherwise_does_so_where_its_line_has_a_word_of_a_change(
    tell: Any, held: Any, services: Services
) -> None:
    tell("I drink my coffee black.", 1, "2026-01-10", text=BLACK)
    tell("I take oat milk in my coffee now.", 2, "2026-02-10", text=OAT, replaces=1)
    assert held() == {BLACK: "2026-02-10", OAT: None}
    assert is_equal(services)


@pytest.mark.parametrize(
    ("said", "text", "day"),
    [
        ("I take oat milk in my coffee.", OAT, "2026-02-10"),
        ("I keep two beehives now.", "mira keeps two beehives.", "2026-02-10"),
        ("I take oat milk in my coffee now.", OAT, "2025-12-10"),
        ("I take oat milk in my coffee now.", OAT, None),
    ],
    ids=["no_word_of_a_change", "of_something_else", "said_before_it", "without_a_time"],
)
def test_a_memory_that_is_named_on_a_guess_or_out_of_its_time_stays(
    said: str, text: str, day: str | None, tell: Any, held: Any, services: Services
) -> None:
    tell("I drink my coffee black.", 1, "2026-01-10", text=BLACK)
    tell(said, 2, day, text=text, replaces=1)
    assert held() == {BLACK: None, text: None}
    assert is_equal(services)


def test_what_another_agent_heard_stays(tell: Any, held: Any) -> None:
    tell("My choir meets on Monday.", 1, "2026-01-10", text=MONDAY, agent_id="one")
    tell("My choir meets on Tuesday.", 2, "2026-02-10", text=TUESDAY, replaces=1, agent_id="two")
    assert held() == {MONDAY: None, TUESDAY: None}


def test_what_waits_for_a_person_ends_nothing_until_they_approve(tell: Any, held: Any, services: Services) -> None:
    tell("My choir meets on Monday.", 1, "2026-01-10", text=MONDAY)
    tell("My choir meets on Tuesday.", 2, "2026-02-10", text=TUESDAY, replaces=1, ask_about="semantic")
    assert held() == {MONDAY: None}
    with services.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        (asked,) = reviews.listed(session)
    done = review.approve(services.database, "acme", MIRA.owner, asked.review_id, by="ana")
    assert [(each.operation.value, each.text) for each in done.differences] == [("add", TUESDAY), ("supersede", MONDAY)]
    assert held() == {MONDAY: "2026-02-10", TUESDAY: None}
    assert is_equal(services)


def test_what_was_ended_is_so_again_once_what_ended_it_is_forgotten(
    tell: Any, held: Any, services: Services, owner: psycopg.Connection
) -> None:
    tell("My choir meets on Monday.", 1, "2026-01-10", text=MONDAY)
    tell("My choir meets on Tuesday.", 2, "2026-02-10", text=TUESDAY, replaces=1)
    [(tuesday,)] = owner.execute("select memory_id from memory where text = %s", [TUESDAY]).fetchall()
    forget(services.database, MIRA, tuesday)
    assert held() == {MONDAY: None}, "at once, and not by the next pass of the night"
    assert is_equal(services)


def test_a_memory_that_was_forgotten_meanwhile_is_ended_by_nothing(
    tell: Any, held: Any, services: Services, owner: psycopg.Connection
) -> None:
    tell("My choir meets on Monday.", 1, "2026-01-10", text=MONDAY)
    tell("My choir meets on Tuesday.", 2, "2026-02-10", text=TUESDAY, replaces=1, ask_about="semantic")
    [(monday,)] = owner.execute("select memory_id from memory where text = %s", [MONDAY]).fetchall()
    forget(services.database, MIRA, monday)
    with services.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        (asked,) = reviews.listed(session)
    review.approve(services.database, "acme", MIRA.owner, asked.review_id, by="ana")
    assert held() == {TUESDAY: None}
    assert is_equal(services)


@pytest.fixture
def told(services: Services, reading: Settings, bell: Any, owner: psycopg.Connection) -> Callable[..., Services]:
    """Services whose rules read a line as what they are given for its day; each telling is observed with them first."""
    named: dict[str, UUID] = {}

    def do(*said: tuple[str, str, str], tells: str | None = None, date: str = "2026-01-10") -> Services:
        script = {day: [{"text": text, **({"replaces": named[old]} if old else {})}] for day, text, old in said}
        mine = replace(services, settings=reading, rules=lambda: ScriptedExtractor(script))
        if tells:
            message = {"role": "user", "text": tells, "ts": f"{date}T12:00Z"}
            Door(mine).observe(MIRA, [message], run_id=f"run-{date}")
            while bell.rung:
                stage, work = bell.rung.pop(0)
                perform(mine, stage, STAGES[stage], work)
        named.update(owner.execute("select text, memory_id from memory where version = 1").fetchall())
        return mine

    return do


@pytest.fixture
def replaced(told: Any, held: Any) -> None:
    """A Monday that is ended by a Tuesday."""
    told(AS_MONDAY, tells="My choir meets on Monday.")
    told(AS_MONDAY, AS_TUESDAY, tells="My choir meets on Tuesday.", date="2026-02-10")
    assert held() == {MONDAY: "2026-02-10", TUESDAY: None}


def switch(mine: Services) -> None:
    rederive.prepare(mine, MIRA)
    shown, done = rederive.compare(mine, MIRA), rederive.switch(mine, MIRA)
    assert [(each.text, each.valid_to) for each in done.opened] == [(each.text, each.valid_to) for each in shown.opened]
    assert is_equal(mine)


def back(mine: Services) -> None:
    rederive.back(mine, MIRA)
    assert is_equal(mine)


def by_night(services: Services) -> None:
    job = Tidying(job="supersede", propose=supersede.propose, batch_id=uuid4(), by_time=True)
    tidy(services.database, "acme", MIRA.owner, job)
    assert is_equal(services)


@pytest.mark.usefixtures("replaced")
def test_an_end_goes_with_the_reading_that_gave_it_and_comes_back_with_it(told: Any, held: Any) -> None:
    mine = told(AS_MONDAY)
    switch(mine)
    assert held() == {MONDAY: None}, "at once, and not by the next pass of the night"
    back(mine)
    assert held() == {MONDAY: "2026-02-10", TUESDAY: None}
    switch(mine)
    assert held() == {MONDAY: None}, "also where it was given again"


@pytest.mark.usefixtures("replaced")
def test_what_had_ended_is_known_to_have_been_believed_so(told: Any, owner: psycopg.Connection) -> None:
    switch(told(AS_MONDAY))
    ends = owner.execute("select valid_to::date::text from memory where text = %s order by version", [MONDAY])
    assert ends.fetchall() == [(None,), ("2026-02-10",), (None,)]


@pytest.mark.parametrize("words", [TUESDAY, "The choir of mira meets on tuesday"], ids=["the_same", "others"])
@pytest.mark.usefixtures("replaced")
def test_an_end_stays_while_what_gave_it_is_read_so_by_whoever_is_shown_no_memory_to_name(
    words: str, told: Any, held: Any
) -> None:
    mine = told(AS_MONDAY, ("Tuesday", words, ""))
    switch(mine)
    by_night(mine)
    assert held() == {MONDAY: "2026-02-10", words: None}
    back(mine)
    by_night(mine)
    assert held() == {MONDAY: "2026-02-10", TUESDAY: None}


@pytest.mark.usefixtures("replaced")
def test_an_end_goes_with_the_last_reading_that_stood_for_what_gave_it(told: Any, held: Any) -> None:
    switch(told(AS_MONDAY, ("Tuesday", "The choir of mira meets on tuesday", "")))
    mine = told(AS_MONDAY)
    switch(mine)
    assert held() == {MONDAY: None}
    back(mine)
    back(mine)
    assert held() == {MONDAY: "2026-02-10", TUESDAY: None}


@pytest.mark.usefixtures("replaced")
def test_what_the_new_reading_says_in_its_place_ends_it_as_of_then(told: Any, held: Any, owner: Any) -> None:
    mine = told(AS_MONDAY, ("Tuesday", "mira sings in a choir each Wednesday evening.", MONDAY))
    switch(mine)
    assert held() == {MONDAY: "2026-02-10", "mira sings in a choir each Wednesday evening.": None}
    by = "select by.text from memory_link join memory by on by.memory_id = source where relation = 'supersedes'"
    assert owner.execute(f"{by} order by memory_link.opened_by").fetchall()[-1] == (
        "mira sings in a choir each Wednesday evening.",
    )
    back(mine)
    assert held() == {MONDAY: "2026-02-10", TUESDAY: None}


@pytest.mark.usefixtures("replaced")
def test_the_night_takes_back_an_end_that_outlived_its_reading(
    told: Any, held: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = told(AS_MONDAY)
    monkeypatch.setattr(rederive, "redo_told", lambda _: frozenset())
    switch(mine)
    assert held() == {MONDAY: "2026-02-10"}
    by_night(mine)
    assert held() == {MONDAY: None}


@pytest.mark.usefixtures("replaced")
def test_an_end_stays_where_neither_is_read_any_more_and_both_come_back(told: Any, held: Any) -> None:
    mine = told()
    switch(mine)
    assert held() == {}
    back(mine)
    assert held() == {MONDAY: "2026-02-10", TUESDAY: None}


@pytest.mark.usefixtures("replaced")
def test_what_is_read_again_comes_without_the_end_whose_reading_has_gone(told: Any, held: Any) -> None:
    switch(told())
    switch(told(AS_MONDAY))
    assert held() == {MONDAY: None}
