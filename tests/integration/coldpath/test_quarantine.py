"""What came from a source that is not to be trusted any more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from coldpath.quarantine import Source, blast_radius, lift, quarantine
from coldpath.replay import replay
from shared.contract.errors import InvalidInput, NotFound
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.testing import RecordingBell, ScriptedExtractor
from warmpath import rederive
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, perform

MIRA = Scope(tenant_id="acme", user_id="mira")
OSKAR = Scope(tenant_id="acme", user_id="oskar")
OSLO = {"text": "Mira lives in Oslo.", "claim": ("mira", "lives_in", "Oslo")}


@pytest.fixture
def told(services: Services, reading: Settings, bell: RecordingBell) -> Callable[..., None]:
    """Observe a text said by an agent, and do all that follows."""
    script = {
        "live in Varna": [{"text": "Mira lives in Varna.", "claim": ("mira", "lives_in", "Varna")}],
        "live in Oslo": [OSLO],
        "4417": [{"text": "The gate has the number 4417."}],
        "upstairs": [{"text": "The archive is upstairs.", "claim": ("archive", "located_in", "upstairs")}],
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


def test_an_origin_and_a_run_that_there_is_not_are_no_source(services: Services) -> None:
    with pytest.raises(InvalidInput, match=r"origin 'nosuch' is none; name one of user, .*web"):
        blast_radius(services.database, MIRA, Source(origin="nosuch"))
    for act in (blast_radius, quarantine, lift):
        with pytest.raises(NotFound, match="the ledger has no run 'nope' in this stream"):
            act(services.database, MIRA, Source(run_id="nope"))


def test_what_was_confirmed_before_a_quarantine_is_held_again_once_and_on_what_is_left(
    told: Callable[..., None], services: Services, owner: psycopg.Connection
) -> None:
    told("I live in Varna now.", "2026-01-10", agent="bad")
    told("Yes, I live in Varna.", "2026-01-20", agent="good")
    before, bad = open_texts(owner), Source(agent="bad")
    quarantine(services.database, MIRA, bad)
    assert open_texts(owner) == [("Yes, I live in Varna.", False), ("Mira lives in Varna.", False)], "as the other said"
    lift(services.database, MIRA, bad)
    assert sorted(open_texts(owner)) == sorted(before)
    assert replay(services.database, "acme", MIRA.owner, verify=True).differences == ()


def test_what_claims_nothing_is_held_in_the_words_of_others_until_it_is_lifted(
    told: Callable[..., None], services: Services, owner: psycopg.Connection
) -> None:
    told("The room is 4417 here.", "2026-01-10", agent="bad")
    told("Yes, the room is 4417.", "2026-01-20", agent="good")
    bad = Source(agent="bad")
    quarantine(services.database, MIRA, bad)
    assert open_texts(owner) == [("Yes, the room is 4417.", False), ("The gate has the number 4417.", False)]
    assert rests_on(owner) == [("2026-01-20",)]
    lift(services.database, MIRA, bad)
    assert [text for text, _ in open_texts(owner)].count("The gate has the number 4417.") == 1
    assert rests_on(owner) == [("2026-01-10",), ("2026-01-20",)]
    assert replay(services.database, "acme", MIRA.owner, verify=True).differences == ()


def test_what_waits_is_let_go_of_and_confirmed_by_nobody(
    told: Callable[..., None], services: Services, owner: psycopg.Connection
) -> None:
    told("The archive is upstairs.", "2026-01-10", agent="bad", role="assistant")
    assert owner.execute("select state from candidate").fetchall() == [("deferred",)]
    quarantine(services.database, MIRA, Source(agent="bad"))
    decided = "select candidate.state, decision.rule from candidate join decision using (tenant_id, stream, sequence)"
    assert owner.execute(decided).fetchall() == [("ignored", "quarantined")]
    told("Right, the archive is upstairs.", "2026-01-11", agent="good")
    states = owner.execute("select state from candidate order by sequence").fetchall()
    assert states == [("ignored",), ("stored",)]
    assert open_texts(owner)[-1] == ("The archive is upstairs.", False)
    founded = "select to_char(valid_from, 'YYYY-MM-DD') from memory where claim_key is not null"
    assert owner.execute(founded).fetchall() == [("2026-01-11",)]


def test_what_is_quarantined_is_not_read_again(
    told: Callable[..., None], services: Services, reading: Settings, owner: psycopg.Connection
) -> None:
    told("I live in Varna now.", "2026-01-10", agent="good")
    told("I live in Oslo now.", "2026-02-10", agent="bad")
    quarantine(services.database, MIRA, Source(agent="bad"))
    script = {"Varna": [{"text": "Mira lives by the sea.", "claim": ("mira", "lives_in", "Varna")}], "Oslo": [OSLO]}
    anew = replace(services, settings=reading, rules=lambda: ScriptedExtractor(script))
    rederive.prepare(anew, MIRA)
    rederive.switch(anew, MIRA)
    assert open_texts(owner) == [("I live in Varna now.", False), ("Mira lives by the sea.", False)]


def rests_on(owner: psycopg.Connection) -> list[tuple[str]]:
    """The days of what the open belief about the gate rests on."""
    return owner.execute(
        """
        select to_char(event.occurred_at, 'YYYY-MM-DD')
        from memory
        join memory_evidence using (tenant_id, generation, memory_id, version)
        join event using (tenant_id, stream, sequence)
        where memory.text = 'The gate has the number 4417.' and memory.closed_at is null order by 1
        """
    ).fetchall()
