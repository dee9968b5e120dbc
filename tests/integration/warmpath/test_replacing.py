"""What has no claim and is said otherwise later: ended where its reader names it and the world's times allow that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

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
from warmpath import review
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, perform

MIRA = Scope(tenant_id="acme", user_id="mira")
MONDAY, TUESDAY = "The choir of mira meets on Monday.", "The choir of mira meets on Tuesday."
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
    job = Tidying(job="supersede", propose=supersede.propose, batch_id=uuid4(), by_time=True)
    tidy(services.database, "acme", MIRA.owner, job)
    assert held() == {MONDAY: None}
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
