"""What becomes of beliefs when some of what they rest on is forgotten: nothing of it, and everything of the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from coldpath import consolidate, profile, supersede
from coldpath.forget import erase, forget
from coldpath.proposals import Tidying, tidy
from coldpath.reindex import Pass
from coldpath.replay import replay
from shared.accept.records import record_messages
from shared.accept.registered import schemas
from shared.belief import concluding, reflecting
from shared.contract.candidates import Change
from shared.contract.operations import AbstractPayload, ClosePayload, WrittenEntry
from shared.contract.records import EpistemicType, Kind, Operation
from shared.contract.scope import Owner, Scope, room_owner
from shared.settings import Settings
from shared.store import generations, ledger, memories
from shared.store.beliefs import Draft
from shared.store.db import Role
from shared.testing import RecordingBell, ScriptedExtractor
from warmpath._door import Door
from warmpath._stages import STAGES
from warmpath._work import Services, perform

MIRA = Scope(tenant_id="acme", user_id="mira")
OSKAR = Scope(tenant_id="acme", user_id="oskar")
EVERYBODY = Scope.tenant_wide("acme")
KITCHEN = room_owner("kitchen")
ROOM = {"room": "kitchen", "participants": ("mira", "oskar")}
VARNA = ("mira", "lives_in", "Varna")
SCRIPT: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "live in Varna": [{"text": "Mira lives in Varna.", "claim": VARNA}],
    "never lived in Varna": [{"text": "Mira never lived in Varna.", "claim": VARNA, "change": Change.NEVER}],
    "work at Kestrel": [{"text": "Mira works at Kestrel.", "claim": ("mira", "works_at", "Kestrel")}],
    "moved to Oslo": [{"text": "Mira lives in Oslo.", "claim": ("mira", "lives_in", "Oslo")}],
    "moved to Graz": [{"text": "Mira lives in Graz.", "claim": ("mira", "lives_in", "Graz")}],
    "no longer in Varna": [{"text": "Mira lives in Varna.", "claim": VARNA, "change": Change.ENDED}],
    "changed to Heron": [{"text": "Mira works at Heron.", "claim": ("mira", "works_at", "Heron")}],
    "a room in York": [{"text": "Mira lives in York."}],
    "4417": [{"text": "The gate has the number 4417."}],
    "3 locks": [{"text": "The shed has 3 locks."}],
    "upstairs": [{"text": "The archive is upstairs.", "claim": ("archive", "located_in", "upstairs")}],
}


@pytest.fixture
def told(services: Services, reading: Settings, bell: RecordingBell) -> Callable[..., None]:
    """Observe a text said on a day, and do all that follows."""
    mine = replace(services, settings=reading, rules=lambda: ScriptedExtractor(SCRIPT))

    def tell(text: str, day: int, *, scope: Scope = MIRA, more: Mapping[str, Any] | None = None, **said: Any) -> None:
        message = {"role": "user", "text": text, "ts": f"2026-01-{day:02}T12:00:00+00:00", **said}
        Door(mine).observe(scope, [message], run_id=f"run-{day}", **(more or {}))
        while bell.rung:
            stage, work = bell.rung.pop(0)
            perform(mine, stage, STAGES[stage], work)

    return tell


@pytest.fixture
def held(owner: psycopg.Connection) -> Callable[[], list[tuple[str, str | None, str | None, list[str], float]]]:
    """The open beliefs: text, from, to, the days that they rest on, and how certain they are."""
    query = """
        select text, to_char(valid_from, 'DD'), to_char(valid_to, 'DD'), (
            select array_agg(to_char(event.occurred_at, 'DD') order by event.sequence)
            from memory_evidence join event using (tenant_id, stream, sequence)
            where memory_evidence.memory_id = memory.memory_id and memory_evidence.version = memory.version
        ), round(confidence::numeric, 3)::float
        from memory where epistemic_type <> 'evidence' and closed_at is null order by valid_from, text
    """
    return lambda: owner.execute(query).fetchall()


def episode(owner: psycopg.Connection, begins: str) -> Any:
    query = "select memory_id from memory where epistemic_type = 'evidence' and text like %s"
    [(memory,)] = owner.execute(query, [f"{begins}%"]).fetchall()
    return memory


def is_equal(services: Services, owner: Owner = MIRA.owner) -> bool:
    found = replay(services.database, "acme", owner, verify=True)
    assert found.differences == ()
    return found.is_equal


@pytest.mark.parametrize("erase_content", [False, True])
def test_what_is_held_again_rests_on_nothing_that_was_forgotten_meanwhile(
    told: Callable[..., None], held: Any, services: Services, owner: psycopg.Connection, *, erase_content: bool
) -> None:
    told("I live in Varna now.", 1)
    told("Yes, I live in Varna, by the sea.", 2)
    assert held() == [("Mira lives in Varna.", "01", None, ["01", "02"], 0.99)]
    told("I never lived in Varna, I was joking.", 3)
    assert held() == []
    forget(services.database, MIRA, episode(owner, "Yes"), erase_content=erase_content)
    forget(services.database, MIRA, episode(owner, "I never"), erase_content=erase_content)
    assert held() == [("Mira lives in Varna.", "01", None, ["01"], 0.9)]
    assert is_equal(services)


def test_of_two_people_in_a_room_erased_one_after_the_other_the_second_is_held_until_then(
    told: Callable[..., None], held: Any, services: Services, owner: psycopg.Connection
) -> None:
    told("The gate has the number 4417.", 1, scope=EVERYBODY, speaker="mira", more=ROOM)
    told("I was given 4417 as well.", 2, scope=EVERYBODY, speaker="oskar", more=ROOM)
    told("And 4417 it still is.", 3, scope=EVERYBODY, speaker="oskar", more=ROOM)
    assert held() == [("The gate has the number 4417.", "01", None, ["01", "02", "03"], 0.99)]
    erase(services.database, MIRA)
    assert held() == [("The gate has the number 4417.", "02", None, ["02", "03"], 0.99)]
    assert is_equal(services, KITCHEN)
    erase(services.database, OSKAR)
    assert held() == []
    assert is_equal(services, KITCHEN)
    assert owner.execute("select count(*) from event_payload where payload like '%%4417%%'").fetchone() == (0,)


@pytest.mark.parametrize(
    ("guess", "word", "text"),
    [
        ("The archive is upstairs.", "Right, the archive is upstairs.", "The archive is upstairs."),
        ("I think the shed has 3 locks.", "The shed has 3 locks, yes.", "The shed has 3 locks."),
    ],
    ids=["a claim", "a sentence"],
)
def test_what_counted_for_being_confirmed_waits_again_once_nothing_confirms_it(  # noqa: PLR0917 - pytest gives them
    told: Callable[..., None],
    held: Any,
    services: Services,
    owner: psycopg.Connection,
    guess: str,
    word: str,
    text: str,
) -> None:
    told(guess, 1, role="assistant")
    assert held() == []
    told(word, 2)
    told(f"Again: {word}", 3)
    assert [each[0] for each in held() if each[2] is None] == [text]
    forget(services.database, MIRA, episode(owner, word))
    assert [each[0] for each in held() if each[2] is None] == [text], "it was said once more"
    forget(services.database, MIRA, episode(owner, "Again"))
    assert held() == []
    assert owner.execute("select state from candidate").fetchall() == [("deferred",)]
    assert is_equal(services)
    told(f"Yes. {word}", 4)
    assert [each[0] for each in held() if each[2] is None] == [text]
    assert is_equal(services)


def test_an_erasure_takes_the_accounts_of_readings_too_where_all_messages_were_forgotten_before(
    told: Callable[..., None], held: Any, services: Services, owner: psycopg.Connection
) -> None:
    told("I live in Varna now.", 1)
    forget(services.database, MIRA, episode(owner, "I live"), erase_content=True)
    erase(services.database, MIRA)
    left = "select event.kind from event_payload join event using (tenant_id, stream, sequence) where event_class = %s"
    assert owner.execute(left, ["derivation"]).fetchall() == []
    assert held() == []
    assert is_equal(services)


def test_what_only_one_has_said_goes_with_it(told: Callable[..., None], held: Any, services: Services) -> None:
    told("The gate has the number 4417.", 1, scope=EVERYBODY, speaker="mira", more=ROOM)
    told("The gate is green.", 2, scope=EVERYBODY, speaker="oskar", more=ROOM)
    erase(services.database, MIRA)
    assert held() == []
    assert is_equal(services, KITCHEN)


def test_what_a_verified_source_says_stays_a_fact_in_a_room_that_somebody_is_erased_from(
    services: Services, reading: Settings, bell: RecordingBell, owner: psycopg.Connection
) -> None:
    careful = reading.model_copy(update={"verified_sources": "registry", "schemas": "tests.app_schemas:SCHEMAS"})
    known = {"claim": ("mira", "knows", "Anna"), "schema_name": "contact", "data": {"name": "Anna"}}
    script = {"Anna": [{**known, "text": "Mira knows Anna.", "epistemic_type": "inference"}]}
    mine = replace(services, settings=careful, rules=lambda: ScriptedExtractor(script))
    stated = record_messages(
        schemas(careful).find("contact"),
        {"name": "Anna"},
        run_id="run-3",
        occurred_at=datetime(2026, 1, 9, tzinfo=UTC),
        origin="tool",
        source="registry",
        subject="mira",
    )
    guesses = [
        {"speaker": who, "text": f"Anna and Mira met, I am {who}.", "ts": "2026-01-04T12:00Z"}
        for who in ("mira", "oskar")
    ]
    for number, said in enumerate([*([each] for each in guesses), stated], 1):
        Door(mine).observe(MIRA, said, run_id=f"run-{number}", **ROOM)
        while bell.rung:
            stage, work = bell.rung.pop(0)
            perform(mine, stage, STAGES[stage], work)

    def footings() -> list[str]:
        query = "select epistemic_type from memory where epistemic_type <> 'evidence' and closed_at is null"
        return [footing for (footing,) in owner.execute(query).fetchall()]

    assert footings() == ["fact"]
    erase(services.database, MIRA, careful)
    assert footings() == ["fact"], "what is left is resolved by the same sources"
    assert is_equal(services, KITCHEN)


def ends(owner: psycopg.Connection, text: str) -> set[str | None]:
    """The days on which any version of a memory, held or not, ends."""
    query = "select to_char(valid_to, 'DD') from memory where text = %s and epistemic_type <> 'evidence'"
    return {end for (end,) in owner.execute(query, [text])}


@pytest.mark.parametrize("erase_content", [False, True])
@pytest.mark.parametrize(
    ("later", "kept"),
    [(["moved to Oslo"], {None}), (["no longer in Varna"], {None}), (["moved to Oslo", "moved to Graz"], {None, "09"})],
    ids=["another has its place", "it ended", "a third is left"],
)
def test_no_version_keeps_an_end_that_was_told_by_what_is_forgotten(
    told: Callable[..., None],
    services: Services,
    owner: psycopg.Connection,
    later: Sequence[str],
    kept: set[str | None],
    *,
    erase_content: bool,
) -> None:
    told("I live in Varna now.", 1)
    for day, text in zip((5, 9), later, strict=False):
        told(f"I {text}, at last.", day)
    assert "05" in ends(owner, "Mira lives in Varna.")
    forget(services.database, MIRA, episode(owner, f"I {later[0]}"), erase_content=erase_content)
    assert ends(owner, "Mira lives in Varna.") == kept
    assert is_equal(services)


def test_an_end_that_supersede_gave_goes_with_what_it_was_given_by(
    told: Callable[..., None], held: Any, services: Services, owner: psycopg.Connection
) -> None:
    told("I have a room in York.", 1)
    told("I live in Varna now.", 5)
    given = Tidying(job="supersede", propose=supersede.propose, batch_id=uuid4())
    tidy(services.database, "acme", MIRA.owner, given)
    assert ends(owner, "Mira lives in York.") == {None, "05"}
    forget(services.database, MIRA, episode(owner, "I live"), erase_content=True)
    assert [(each[0], each[2]) for each in held()] == [("Mira lives in York.", None)]
    assert ends(owner, "Mira lives in York.") == {None}
    assert is_equal(services)


def test_a_conclusion_that_ended_with_its_sources_goes_on_where_one_of_them_does(
    told: Callable[..., None], services: Services, owner: psycopg.Connection
) -> None:
    told("I live in Varna now.", 1)
    told("I work at Kestrel, on the quay.", 2)
    conclude(services, owner, "Mira is at home by the sea.")
    told("I moved to Oslo, at last.", 5)
    told("I changed to Heron.", 6)
    given = Tidying(job="consolidate", propose=consolidate.propose, batch_id=uuid4())
    tidy(services.database, "acme", MIRA.owner, given)
    assert ends(owner, "Mira is at home by the sea.") == {None, "06"}
    forget(services.database, MIRA, episode(owner, "I changed"), erase_content=True)
    assert ends(owner, "Mira is at home by the sea.") == {None}
    assert is_equal(services)


def close(services: Services, owner: psycopg.Connection, text: str) -> None:
    """Have what is believed so held no more, as a policy would."""
    query = "select memory_id from memory where text = %s and epistemic_type <> 'evidence' and closed_at is null"
    [(memory,)] = owner.execute(query, [text]).fetchall()
    with services.database.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        generations.writing(session, "sparse")
        draft = Draft(session, ledger.lock(session, MIRA.owner))
        closing = ClosePayload(op=Operation.EXPIRE, reason="policy", memory=memory)
        draft.do(memories.versions(session, [memory]), [closing])
        ledger.advance(session, draft.write()[1])


def refreshed(services: Services, owner: psycopg.Connection) -> str:
    """What the rows of the profile view hold."""
    profile.refresh(services.database, "acme", Pass())
    return str(owner.execute("select content from profile").fetchall())


@pytest.mark.parametrize("later", ["moved to Oslo", "no longer in Varna"])
@pytest.mark.parametrize("is_denied", [False, True], ids=["expired", "taken back"])
def test_what_is_held_no_more_keeps_no_end_that_was_told_by_what_is_forgotten(
    told: Callable[..., None], services: Services, owner: psycopg.Connection, later: str, *, is_denied: bool
) -> None:
    told("I live in Varna now.", 1)
    told(f"I {later}, at last.", 5)
    if is_denied:
        told("I never lived in Varna, I was joking.", 7)
    else:
        close(services, owner, "Mira lives in Varna.")
    assert "05" in ends(owner, "Mira lives in Varna.")
    forget(services.database, MIRA, episode(owner, f"I {later}"), erase_content=True)
    assert ends(owner, "Mira lives in Varna.") == {None}
    assert is_equal(services)


def test_an_end_that_was_moved_since_is_in_no_version_once_its_word_is_forgotten(
    told: Callable[..., None], services: Services, owner: psycopg.Connection
) -> None:
    told("I live in Varna now.", 1)
    told("I moved to Oslo, at last.", 5)
    told("I moved to Graz, that was before.", 6, ts="2026-01-03T12:00:00+00:00")
    assert ends(owner, "Mira lives in Varna.") == {None, "05", "03"}
    refreshed(services, owner)
    forget(services.database, MIRA, episode(owner, "I moved to Oslo"), erase_content=True)
    assert ends(owner, "Mira lives in Varna.") == {None, "03"}
    assert is_equal(services)
    assert "2026-01-05" not in refreshed(services, owner)
    assert is_equal(services)


def test_an_end_that_another_word_tells_too_stays(
    told: Callable[..., None], held: Any, services: Services, owner: psycopg.Connection
) -> None:
    told("I live in Varna now.", 1)
    told("I moved to Oslo, at last.", 5)
    told("Yes: moved to Oslo, the same day.", 6, ts="2026-01-05T12:00:00+00:00")
    forget(services.database, MIRA, episode(owner, "I moved to Oslo"), erase_content=True)
    assert [each[:3] for each in held()] == [("Mira lives in Varna.", "01", "05"), ("Mira lives in Oslo.", "05", None)]
    assert is_equal(services)


@pytest.mark.parametrize("is_behind", [False, True])
def test_an_answer_that_was_worked_out_ahead_keeps_no_end_that_one_of_its_facts_lost(
    told: Callable[..., None], services: Services, owner: psycopg.Connection, *, is_behind: bool
) -> None:
    told("I live in Varna now.", 1)
    told("I work at Kestrel, on the quay.", 2)
    told("I moved to Oslo, at last.", 5)
    until = datetime(2026, 1, 5, 12, tzinfo=UTC)
    conclude(services, owner, "Mira lives in Varna. Mira works at Kestrel.", reason=reflecting.REASON, until=until)
    if is_behind:
        close(services, owner, "Mira lives in Varna. Mira works at Kestrel.")
    assert ends(owner, "Mira lives in Varna. Mira works at Kestrel.") == {"05"}
    forget(services.database, MIRA, episode(owner, "I moved"), erase_content=True)
    assert ends(owner, "Mira lives in Varna. Mira works at Kestrel.") == {None}
    still = "select count(*) from memory where closed_at is null and text like 'Mira lives in Varna. Mira%%'"
    assert owner.execute(still).fetchone() == (0,)
    assert owner.execute("select count(*) from memory where valid_to is not null").fetchone() == (0,)
    assert is_equal(services)


def conclude(
    services: Services,
    owner: psycopg.Connection,
    text: str,
    *,
    reason: str = concluding.REASON,
    until: datetime | None = None,
) -> None:
    """Have something concluded from all beliefs that are held, but for what somebody moved to."""
    query = "select memory_id from memory where epistemic_type = 'fact' and closed_at is null and text not like %s"
    rows = owner.execute(query, ["%Oslo%"]).fetchall()
    with services.database.transaction(Role.WORKER, "acme", [MIRA.owner]) as session:
        generations.writing(session, "sparse")
        head = ledger.lock(session, MIRA.owner)
        held = memories.versions(session, [memory for (memory,) in rows])
        sources = [each for each in held if each.is_open]
        entry = WrittenEntry(
            kind=Kind.SEMANTIC,
            epistemic_type=EpistemicType.INFERENCE,
            text=text,
            valid_to=until,
            evidence=tuple(ref for each in sources for ref in each.evidence),
            confidence=0.5,
        )
        draft = Draft(session, head)
        named = tuple(each.memory_id for each in sources)
        draft.do(sources, [AbstractPayload(reason=reason, sources=named, entry=entry)])
        ledger.advance(session, draft.write()[1])
