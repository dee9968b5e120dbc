"""What came from a source that is not to be trusted any more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from coldpath.quarantine import Source, blast_radius, lift, quarantine
from coldpath.replay import replay
from shared.contract.errors import InvalidInput
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.testing import RecordingBell, ScriptedExtractor
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, perform

MIRA = Scope(tenant_id="acme", user_id="mira")
OSKAR = Scope(tenant_id="acme", user_id="oskar")


@pytest.fixture
def told(services: Services, reading: Settings, bell: RecordingBell) -> Callable[..., None]:
    """Observe a text said by an agent, and do all that follows."""
    script = {
        "live in Varna": [{"text": "Mira lives in Varna.", "claim": ("mira", "lives_in", "Varna")}],
        "live in Oslo": [{"text": "Mira lives in Oslo.", "claim": ("mira", "lives_in", "Oslo")}],
    }
    extractor = ScriptedExtractor(script)
    mine = replace(services, settings=reading, rules=lambda: extractor)

    def tell(text: str, day: str, *, agent: str, scope: Scope = MIRA, **more: Any) -> None:
        message = {"role": "user", "text": text, "ts": f"{day}T12:00:00+00:00", **more}
        Door(mine).observe(replace(scope, agent_id=agent), [message], run_id=f"run-{agent}-{day}")
        while bell.rung:
            stage, work = bell.rung.pop(0)
            perform(mine, stage, STAGES[stage], work)

    return tell


def open_texts(owner: psycopg.Connection) -> list[tuple[str, bool]]:
    """Whose text is held, and whether it has ended in the world."""
    query = "select text, valid_to is not null from memory where closed_at is null and user_id = 'mira' order by doc"
    return owner.execute(query).fetchall()


def test_a_quarantine_says_first_what_it_reaches_and_can_be_lifted(
    told: Callable[..., None], services: Services, owner: psycopg.Connection
) -> None:
    told("I live in Varna now.", "2026-01-10", agent="good")
    told("I live in Oslo now.", "2026-02-10", agent="bad")
    told("The ferry is at nine.", "2026-02-10", agent="bad", scope=OSKAR)
    before = open_texts(owner)
    assert ("Mira lives in Varna.", True) in before
    bad = Source(agent="bad")
    radius = blast_radius(services.database, MIRA, bad)
    assert (radius.messages, dict(radius.kinds), radius.claims) == (1, {"episodic": 1, "semantic": 1}, 1)
    assert open_texts(owner) == before, "it has only been looked at"
    assert quarantine(services.database, MIRA, bad) == radius
    assert open_texts(owner) == [("I live in Varna now.", False), ("Mira lives in Varna.", False)]
    assert quarantine(services.database, MIRA, bad).closed == (), "a second time there is nothing to do"
    assert replay(services.database, "acme", MIRA.owner, verify=True).differences == ()
    assert owner.execute("select count(*) from memory where user_id = 'oskar' and closed_at is null").fetchone() == (1,)
    lift(services.database, MIRA, bad)
    assert sorted(open_texts(owner)) == sorted(before)
    assert replay(services.database, "acme", MIRA.owner, verify=True).is_equal


def test_everything_is_no_source(services: Services) -> None:
    with pytest.raises(InvalidInput, match="name a source"):
        blast_radius(services.database, MIRA, Source())
