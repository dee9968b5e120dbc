"""What a person is shown of a write that waits for them is what approving it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from coldpath.quarantine import Source, lift, quarantine
from coldpath.replay import replay
from shared import clock
from shared.contract.errors import InvalidInput
from shared.contract.records import Operation
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.store import reviews
from shared.store.db import Role
from shared.testing import ScriptedExtractor
from warmpath import rederive, review
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, perform

MIRA = Scope(tenant_id="acme", user_id="mira")
SCRIPT = {
    "Robert lives": [{"text": "Robert lives in Varna.", "claim": ("Robert", "lives_in", "Varna")}],
    "Bob is Robert": [{"text": "Robert is also known as Bob.", "claim": ("Robert", "also_known_as", "Bob")}],
    "Bob moved": [{"text": "Bob moved to Porto.", "claim": ("Bob", "lives_in", "Porto")}],
}


@pytest.fixture
def tell(services: Services, reading: Settings, bell: Any) -> Callable[..., None]:
    def do(text: str, day: str, **settings: Any) -> None:
        mine = replace(services, settings=reading.model_copy(update=settings), rules=lambda: ScriptedExtractor(SCRIPT))
        Door(mine).observe(MIRA, [{"role": "user", "text": text, "ts": f"{day}T12:00Z"}], run_id=f"run-{day}")
        while bell.rung:
            stage, work = bell.rung.pop(0)
            perform(mine, stage, STAGES[stage], work)

    return do


def open_review(services: Services) -> Any:
    with services.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        (found,) = reviews.listed(session)
    return found


def held(owner: psycopg.Connection) -> list[Any]:
    query = "select text, valid_to::date::text from memory where kind = 'semantic' and closed_at is null order by doc"
    return owner.execute(query).fetchall()


def test_the_diff_knows_whom_other_names_mean_as_approving_does(
    tell: Any, services: Services, owner: psycopg.Connection
) -> None:
    tell("Robert lives in Varna.", "2026-01-10")
    tell("Bob is Robert, everybody calls him so.", "2026-02-10")
    tell("Bob moved to Porto.", "2026-03-10", ask_about="semantic")
    before, asked = held(owner), open_review(services)
    with services.database.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        shown = review.shown(session, asked.review_id)
    assert held(owner) == before, "showing changes nothing"
    assert [(each.operation, each.text) for each in shown.differences] == [
        (Operation.ADD, "Bob moved to Porto."),
        (Operation.SUPERSEDE, "Robert lives in Varna."),
    ]
    done = review.approve(services.database, "acme", MIRA.owner, asked.review_id, by="lena")
    assert done.differences == shown.differences
    assert ("Robert lives in Varna.", "2026-03-10") in held(owner)
    assert ("Bob moved to Porto.", None) in held(owner)


def test_what_rests_on_a_quarantined_source_is_approved_once_that_is_lifted(
    tell: Any, services: Services, owner: psycopg.Connection
) -> None:
    tell("Bob moved to Porto.", "2026-03-10", ask_about="semantic")
    asked, source = open_review(services), Source(run_id="run-2026-03-10")
    quarantine(services.database, MIRA, source)
    with pytest.raises(InvalidInput, match="in quarantine"):
        review.approve(services.database, "acme", MIRA.owner, asked.review_id, by="lena")
    assert held(owner) == []
    lift(services.database, MIRA, source)
    review.approve(services.database, "acme", MIRA.owner, asked.review_id, by="lena")
    assert held(owner) == [("Bob moved to Porto.", None)]


def in_state(services: Services, state: reviews.ReviewState) -> list[Any]:
    with services.database.transaction(Role.READER, "acme", [MIRA.owner], read_only=True) as session:
        return reviews.listed(session, state)


def reading_anew(services: Services, reading: Settings, text: str) -> Services:
    script = {"Bob moved": [{"text": text, "claim": ("Bob", "lives_in", "Porto")}]}
    asking = reading.model_copy(update={"ask_about": "semantic"})
    return replace(services, settings=asking, rules=lambda: ScriptedExtractor(script))


def test_nobody_is_asked_about_what_a_new_reading_has_taken_the_place_of(
    tell: Any, services: Services, reading: Settings, owner: psycopg.Connection
) -> None:
    tell("Bob moved to Porto.", "2026-03-10", ask_about="semantic")
    asked = open_review(services)
    mine = reading_anew(services, reading, "Bob lives in Porto now.")
    rederive.prepare(mine, MIRA)
    rederive.switch(mine, MIRA)
    anew = open_review(services)
    assert anew.candidate.text == "Bob lives in Porto now."
    with pytest.raises(InvalidInput, match="expired already, by rederive"):
        review.approve(services.database, "acme", MIRA.owner, asked.review_id, by="lena")
    rederive.back(mine, MIRA)
    assert open_review(services).review_id == asked.review_id, "what counts again is asked about again"
    with pytest.raises(InvalidInput, match="expired already, by rederive"):
        review.approve(services.database, "acme", MIRA.owner, anew.review_id, by="lena")
    review.approve(services.database, "acme", MIRA.owner, asked.review_id, by="lena")
    assert held(owner) == [("Bob moved to Porto.", None)]


@pytest.mark.parametrize(("decide", "held_after"), [(review.approve, ["Bob lives in Porto now."]), (review.reject, [])])
def test_what_somebody_has_decided_stands_where_its_reading_goes_and_comes_back(
    tell: Any, services: Services, reading: Settings, owner: psycopg.Connection, decide: Any, held_after: list[str]
) -> None:
    tell("Bob moved to Porto.", "2026-03-10", ask_about="semantic")
    mine = reading_anew(services, reading, "Bob lives in Porto now.")
    rederive.prepare(mine, MIRA)
    rederive.switch(mine, MIRA)
    decide(services.database, "acme", MIRA.owner, open_review(services).review_id, by="lena")
    rederive.back(mine, MIRA)
    assert [text for text, _ in held(owner)] == held_after
    rederive.switch(mine, MIRA)
    assert [text for text, _ in held(owner)] == held_after
    assert in_state(services, reviews.ReviewState.OPEN) == []
    assert replay(services.database, "acme", MIRA.owner, verify=True).is_equal


def test_while_a_gate_asks_for_reviews_what_is_told_waits_for_a_person(
    services: Services, tell: Callable[..., None], owner: psycopg.Connection
) -> None:
    owner.execute("insert into hold values ('acme', 'review', 'write.precision', 0.4, now())")
    tell("Robert lives in Varna.", "2031-03-01")
    assert held(owner) == []
    assert open_review(services).policy == "asked_kind"
    owner.execute("delete from hold")
    tell("Bob is Robert.", "2031-03-02")
    assert [text for text, _ in held(owner)] == ["Robert is also known as Bob."]


def test_what_a_gate_asks_for_in_another_tenant_asks_nobody_here(
    tell: Callable[..., None], owner: psycopg.Connection
) -> None:
    owner.execute("insert into hold values ('globex', 'review', 'write.precision', 0.4, now())")
    tell("Robert lives in Varna.", "2031-03-01")
    assert [text for text, _ in held(owner)] == ["Robert lives in Varna."]


@pytest.mark.parametrize(
    ("anew", "days"), [("Bob lives in Porto now.", 40), ("Bob moved to Porto.", 3)], ids=["other_words", "same_words"]
)
def test_who_is_to_decide_until_when_stands_where_it_is_read_anew_and_where_that_is_taken_back(
    tell: Any, services: Services, reading: Settings, anew: str, days: int
) -> None:
    tell("Bob moved to Porto.", "2026-03-10", ask_about="semantic")
    asked, due_at = open_review(services), clock.now() + timedelta(days=days)
    review.assign(services.database, "acme", MIRA.owner, asked.review_id, "lena", due_at)
    mine = reading_anew(services, reading, anew)
    rederive.prepare(mine, MIRA)
    rederive.switch(mine, MIRA)
    found = open_review(services)
    assert found.review_id != asked.review_id
    assert (found.reviewer, found.due_at) == ("lena", due_at)
    with pytest.raises(InvalidInput, match="lena's to decide"):
        review.approve(services.database, "acme", MIRA.owner, found.review_id, by="oskar")
    later = due_at + timedelta(days=1)
    review.assign(services.database, "acme", MIRA.owner, found.review_id, "oskar", later)
    rederive.back(mine, MIRA)
    found = open_review(services)
    assert found.review_id == asked.review_id
    assert (found.reviewer, found.due_at) == ("oskar", later)
    assert review.expire_overdue(services.database, later - timedelta(seconds=1)) == 0
    assert review.expire_overdue(services.database, later) == 1


def test_what_waits_for_nobody_in_particular_does_so_until_the_same_day(
    tell: Any, services: Services, reading: Settings
) -> None:
    tell("Bob moved to Porto.", "2026-03-10", ask_about="semantic")
    asked = open_review(services)
    mine = reading_anew(services, reading, "Bob lives in Porto now.")
    rederive.prepare(mine, MIRA)
    rederive.switch(mine, MIRA)
    assert (open_review(services).reviewer, open_review(services).due_at) == (None, asked.due_at)


def test_a_day_that_is_over_is_not_kept_for_what_is_asked_anew(
    tell: Any, services: Services, reading: Settings
) -> None:
    tell("Bob moved to Porto.", "2026-03-10", ask_about="semantic")
    asked, now = open_review(services), clock.now()
    review.assign(services.database, "acme", MIRA.owner, asked.review_id, "lena", now - timedelta(hours=1))
    mine = reading_anew(services, reading, "Bob lives in Porto now.")
    rederive.prepare(mine, MIRA)
    rederive.switch(mine, MIRA)
    found = open_review(services)
    assert found.reviewer == "lena"
    assert found.due_at > now + timedelta(days=13)


def test_another_write_of_the_same_person_is_not_given_to_who_was_to_decide_on_the_first(
    tell: Any, services: Services, reading: Settings
) -> None:
    tell("Bob moved to Porto.", "2026-03-10", ask_about="semantic")
    review.assign(services.database, "acme", MIRA.owner, open_review(services).review_id, "lena", None)
    tell("Robert lives in Varna.", "2026-03-11", ask_about="semantic")
    script = {
        "Robert lives": [{"text": "Robert has a home in Varna.", "claim": ("Robert", "lives_in", "Varna")}],
        "Bob moved": [{"text": "Bob lives in Porto now.", "claim": ("Bob", "lives_in", "Porto")}],
    }
    asking = reading.model_copy(update={"ask_about": "semantic"})
    mine = replace(services, settings=asking, rules=lambda: ScriptedExtractor(script))
    rederive.prepare(mine, MIRA)
    rederive.switch(mine, MIRA)
    whose = {each.candidate.text: each.reviewer for each in in_state(services, reviews.ReviewState.OPEN)}
    assert whose == {"Bob lives in Porto now.": "lena", "Robert has a home in Varna.": None}


def test_what_the_same_words_are_read_as_without_a_claim_is_the_same_persons_to_decide(
    tell: Any, services: Services, reading: Settings
) -> None:
    tell("Bob moved to Porto.", "2026-03-10", ask_about="semantic")
    review.assign(services.database, "acme", MIRA.owner, open_review(services).review_id, "lena", None)
    asking = reading.model_copy(update={"ask_about": "semantic"})
    script = {"Bob moved": [{"text": "There was a move of Bob's to Porto."}]}
    mine = replace(services, settings=asking, rules=lambda: ScriptedExtractor(script))
    rederive.prepare(mine, MIRA)
    rederive.switch(mine, MIRA)
    assert open_review(services).reviewer == "lena"
