"""What a person is shown of a write that waits for them is what approving it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from coldpath.quarantine import Source, lift, quarantine
from shared.contract.errors import InvalidInput
from shared.contract.records import Operation
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.store import reviews
from shared.store.db import Role
from shared.testing import ScriptedExtractor
from warmpath import review
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
