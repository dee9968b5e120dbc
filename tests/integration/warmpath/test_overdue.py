"""What waits for a second piece of evidence, and what becomes of it when none comes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from shared.contract.errors import LedgerDamaged
from shared.contract.scope import Owner, Scope
from shared.settings import Settings
from shared.store import candidates, ledger
from shared.testing import RecordingBell, ScriptedExtractor
from warmpath import _overdue
from warmpath._door import Door
from warmpath._policies import care
from warmpath._stages import STAGES
from warmpath._work import Services, perform

MIRA = Scope(tenant_id="acme", user_id="mira")
UNSURE = {"text": "Mira owns a canoe.", "claim": ("mira", "owns", "canoe"), "confidence": 0.3}


@pytest.fixture
def tell(services: Services, reading: Settings, bell: RecordingBell) -> Callable[[str, str], None]:
    extractor = ScriptedExtractor({"canoe": [UNSURE]})
    mine = replace(services, settings=reading, rules=lambda: extractor)

    def do(text: str, run_id: str) -> None:
        Door(mine).observe(MIRA, [{"role": "user", "text": text}], run_id=run_id)
        while bell.rung:
            stage, work = bell.rung.pop(0)
            perform(mine, stage, STAGES[stage], work)

    return do


def believed(owner: psycopg.Connection) -> list[Any]:
    return owner.execute("select text from memory where kind = 'semantic' and closed_at is null").fetchall()


def standings(owner: psycopg.Connection) -> list[Any]:
    return [state for (state,) in owner.execute("select state from candidate order by sequence").fetchall()]


def test_what_is_unsure_waits_and_is_believed_once_somebody_says_it_again(
    tell: Callable[[str, str], None], owner: psycopg.Connection
) -> None:
    tell("I think I may own a canoe.", "one")
    assert (standings(owner), believed(owner)) == (["deferred"], [])
    tell("My canoe is in the shed.", "two")
    assert (standings(owner), believed(owner)) == (["stored", "stored"], [("Mira owns a canoe.",)])


def test_what_stays_alone_is_let_go_of_with_a_reason(
    tell: Callable[[str, str], None], services: Services, owner: psycopg.Connection
) -> None:
    tell("I think I may own a canoe.", "one")
    _overdue.let_go(services.database)
    assert standings(owner) == ["deferred"], "it has time yet"
    owner.execute("update candidate set due_at = now() - interval '1 day'")
    _overdue.let_go(services.database)
    assert (standings(owner), believed(owner)) == (["ignored"], [])
    assert owner.execute("select rule from decision where stage = 'gate'").fetchall() == [("stayed_alone",)]


def test_how_long_it_waits_and_what_is_asked_about_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    from shared.contract.errors import Misconfigured
    from shared.settings import load

    found = care(load(sensitivity="health=ask, finance:others=refuse", ask_about="procedural", defer_days=3))
    assert (found.limits.defer_days, found.asked_about) == (3, {"procedural"})
    with pytest.raises(Misconfigured, match="DAYBOOK_SENSITIVITY"):
        care(load(sensitivity="moods=ask"))


def test_one_owner_that_fails_keeps_what_is_overdue_from_nobody_else(
    tell: Callable[[str, str], None], services: Services, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell("I think I may own a canoe.", "one")
    owner.execute("update candidate set due_at = now() - interval '1 day'")
    due = candidates.due
    broken = ("acme", Owner("oskar"))
    monkeypatch.setattr(candidates, "due", lambda *given: [broken, *due(*given)])
    lock = ledger.lock

    def damaged(session: Any, whose: Owner) -> Any:
        if whose == "oskar":
            raise LedgerDamaged("the stream is damaged")
        return lock(session, whose)

    monkeypatch.setattr(ledger, "lock", damaged)
    _overdue.let_go(services.database)
    assert standings(owner) == ["ignored"]
    with pytest.raises(LedgerDamaged):
        _overdue.let_go(services.database)  # nobody's but the damaged one is left
