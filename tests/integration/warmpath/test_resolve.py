"""From a run to what is believed: read, judged, resolved; and what becomes of it when it is forgotten."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row

from coldpath.forget import erase, forget
from coldpath.replay import replay
from shared.contract.candidates import Change
from shared.contract.errors import NotFound
from shared.contract.receipts import Outcome
from shared.contract.records import EvidenceRef
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.testing import ScriptedExtractor
from warmpath import rederive
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Result, Services, perform

MIRA = Scope(tenant_id="acme", user_id="mira")
VARNA = {"text": "Mira lives in Varna.", "claim": ("mira", "lives_in", "Varna")}
PORTO = {"text": "Mira moved to Porto.", "claim": ("mira", "lives_in", "Porto")}
NOT_VARNA = {"text": "Mira no longer lives in Varna.", "claim": ("mira", "lives_in", "Varna"), "change": Change.ENDED}
NEVER_VARNA = {"text": "Mira never lived in Varna.", "claim": ("mira", "lives_in", "Varna"), "change": Change.NEVER}

Told = Callable[..., list[Result]]


@pytest.fixture
def extractor() -> ScriptedExtractor:
    return ScriptedExtractor(
        {
            "I live in Varna": [VARNA],
            "I moved to Porto": [PORTO],
            "no longer live in Varna": [NOT_VARNA],
            "never lived in Varna": [NEVER_VARNA],
        }
    )


@pytest.fixture
def tell(services: Services, reading: Settings, extractor: ScriptedExtractor, bell: Any) -> Told:
    """Observe a text at a day, and do all that follows."""
    mine = replace(services, settings=reading, rules=lambda: extractor)

    def do(text: str, day: str, scope: Scope = MIRA, **more: Any) -> list[Result]:
        message = {"role": "user", "text": text, "ts": f"{day}T12:00:00+00:00"}
        Door(mine).observe(scope, [message], run_id=f"run-{day}-{len(text)}", **more)
        results = []
        while bell.rung:
            stage, work = bell.rung.pop(0)
            result = perform(mine, stage, STAGES[stage], work)
            results += [result] if result else []
        return results

    return do


@pytest.fixture
def held(owner: psycopg.Connection) -> Callable[[], list[tuple[str, str | None, str | None]]]:
    """The open beliefs in order of the world: text, from, to."""

    def read() -> list[tuple[str, str | None, str | None]]:
        query = """
            select text, valid_from, valid_to from memory
            where kind = 'semantic' and closed_at is null order by valid_from nulls first, text
        """
        with owner.cursor(row_factory=dict_row) as cursor:
            rows = cursor.execute(query).fetchall()
        return [(row["text"], _day(row["valid_from"]), _day(row["valid_to"])) for row in rows]

    return read


def _day(at: Any) -> str | None:
    return None if at is None else at.date().isoformat()


def is_equal(services: Services) -> bool:
    found = replay(services.database, "acme", MIRA.owner, verify=True)
    assert found.differences == ()
    return found.is_equal


def test_a_run_goes_through_every_stage_and_what_it_says_is_believed(tell: Told, held: Any, services: Services) -> None:
    results = tell("I live in Varna now.", "2026-01-10")
    assert [each.outcome for each in results] == [
        *(Outcome.STORED, Outcome.PASSED, Outcome.EXTRACTED, Outcome.STORED, Outcome.INDEXED)
    ]
    assert held() == [("Mira lives in Varna.", "2026-01-10", None)]
    assert is_equal(services)


def test_a_newer_word_ends_the_older_and_both_are_held(tell: Told, held: Any, services: Services) -> None:
    tell("I live in Varna now.", "2026-01-10")
    tell("I moved to Porto last week.", "2026-06-02")
    assert held() == [
        ("Mira lives in Varna.", "2026-01-10", "2026-06-02"),
        ("Mira moved to Porto.", "2026-06-02", None),
    ]
    assert is_equal(services)


def test_the_order_in_which_runs_arrive_makes_no_difference(tell: Told, held: Any, services: Services) -> None:
    tell("I moved to Porto last week.", "2026-06-02")
    tell("I live in Varna now.", "2026-01-10")
    assert held() == [
        ("Mira lives in Varna.", "2026-01-10", "2026-06-02"),
        ("Mira moved to Porto.", "2026-06-02", None),
    ]
    assert is_equal(services)


def test_what_has_ended_has_an_end_and_what_never_was_is_held_no_more(
    tell: Told, held: Any, services: Services
) -> None:
    tell("I live in Varna now.", "2026-01-10")
    tell("I no longer live in Varna.", "2026-03-01")
    assert held() == [("Mira lives in Varna.", "2026-01-10", "2026-03-01")]
    tell("I never lived in Varna, I was joking.", "2026-04-01")
    assert held() == []
    assert is_equal(services)


def test_what_is_forgotten_no_longer_ends_what_it_had_ended(
    tell: Told, held: Any, services: Services, owner: psycopg.Connection
) -> None:
    tell("I live in Varna now.", "2026-01-10")
    tell("I moved to Porto last week.", "2026-06-02")
    (episode,) = owner.execute("select memory_id from memory where text like 'I moved%'").fetchone()
    forget(services.database, MIRA, episode, erase_content=True)
    assert held() == [("Mira lives in Varna.", "2026-01-10", None)]
    payloads = [text for (text,) in owner.execute("select payload from event_payload").fetchall()]
    assert not [text for text in payloads if "Porto" in text]
    assert is_equal(services)


def test_erasing_the_user_leaves_nothing_of_what_was_proposed(
    tell: Told, services: Services, owner: psycopg.Connection
) -> None:
    tell("I live in Varna now.", "2026-01-10")
    erase(services.database, MIRA)
    for table in ("candidate", "review", "memory_link", "memory"):
        assert owner.execute(f"select count(*) from {table} where user_id = 'mira'").fetchone() == (0,), table
    said = "select count(*) from event_payload where payload like '%%Varna%%'"
    assert owner.execute(said).fetchone() == (0,)
    assert is_equal(services)


def test_reading_anew_is_compared_before_it_is_switched_to_and_can_be_undone(
    tell: Told, held: Any, services: Services, reading: Settings
) -> None:
    tell("I live in Varna now.", "2026-01-10")
    tell("I moved to Porto last week.", "2026-06-02")
    before = held()
    better = ScriptedExtractor(
        {
            "I live in Varna": [{"text": "Mira's home is Varna.", "claim": ("mira", "lives_in", "Varna")}],
            "I moved to Porto": [PORTO],
        },
        name="scripted/2",
    )
    anew = replace(services, settings=reading, rules=lambda: better)
    with pytest.raises(NotFound, match="nothing is prepared"):
        rederive.compare(anew, MIRA)
    assert rederive.prepare(anew, MIRA).runs == 2
    assert rederive.prepare(anew, MIRA).runs == 0, "what was read stays read"
    assert held() == before
    diff = rederive.compare(anew, MIRA)
    assert ([each.text for each in diff.opened], [each.text for each in diff.closed], diff.kept) == (
        *(["Mira's home is Varna."], ["Mira lives in Varna."]),
        1,
    )
    assert held() == before
    rederive.switch(anew, MIRA)
    after = held()
    assert after == [("Mira's home is Varna.", "2026-01-10", "2026-06-02"), before[1]]
    assert is_equal(services)
    rederive.back(anew, MIRA)
    assert held() == before
    assert is_equal(services)
    rederive.switch(anew, MIRA)
    assert held() == after
    assert is_equal(services)


def test_names_that_are_said_to_be_one_persons_are_resolved_as_one_and_that_can_be_taken_back(
    tell: Told, held: Any, services: Services, extractor: ScriptedExtractor
) -> None:
    robert = ("Robert", "lives_in", "Varna")
    extractor.script = {
        "Robert lives": [{"text": "Robert lives in Varna.", "claim": robert}],
        "Bob moved": [{"text": "Bob moved to Porto.", "claim": ("Bob", "lives_in", "Porto")}],
        "Bob is Robert": [{"text": "Robert is also known as Bob.", "claim": ("Robert", "also_known_as", "Bob")}],
        "not Robert": [
            {
                "text": "Robert is not also known as Bob.",
                "claim": ("Robert", "also_known_as", "Bob"),
                "change": Change.NEVER,
            }
        ],
    }
    tell("Robert lives in Varna.", "2026-01-10")
    tell("Bob moved to Porto.", "2026-02-10")
    apart = held()
    assert [(text, until) for text, _, until in apart] == [
        ("Robert lives in Varna.", None),
        ("Bob moved to Porto.", None),
    ]
    tell("Bob is Robert, everybody calls him so.", "2026-03-10")
    assert held()[:2] == [
        ("Robert lives in Varna.", "2026-01-10", "2026-02-10"),
        ("Bob moved to Porto.", "2026-02-10", None),
    ]
    assert is_equal(services)
    tell("I was wrong, Bob is not Robert at all.", "2026-04-10")
    assert held() == apart
    assert is_equal(services)


def test_a_memory_may_rest_on_several_stretches_of_one_message(
    services: Services, reading: Settings, bell: Any, held: Any
) -> None:
    """As a session's summary does."""
    stretches = (EvidenceRef(sequence=1, start=0, end=8), EvidenceRef(sequence=1, start=10, end=18))
    script = {"boat": [{"text": "A boat and a shed.", "evidence": stretches, "epistemic_type": "inference"}]}
    mine = replace(services, settings=reading, rules=lambda: ScriptedExtractor(script))
    Door(mine).observe(MIRA, [{"role": "user", "text": "The boat, the shed."}], run_id="run-1")
    while bell.rung:
        stage, work = bell.rung.pop(0)
        perform(mine, stage, STAGES[stage], work)
    assert [text for text, *_ in held()] == ["A boat and a shed."]
    assert is_equal(services)
