"""Records of an application: stated, believed, folded to a profile, forgotten, and brought to a later schema."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row

from coldpath.forget import forget
from coldpath.replay import replay
from shared.accept.registered import schemas
from shared.belief.profiles import Instance, Profile
from shared.contract.errors import ConflictingMessage, InvalidInput, InvalidRecord, InvalidRun
from shared.contract.receipts import Outcome
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.store import profiles, reviews
from shared.store.db import Role
from shared.testing import RecordingBell, ScriptedExtractor
from warmpath import rederive, refit, review
from warmpath._door import Door
from warmpath._policies import verified_sources
from warmpath._stages import STAGES
from warmpath._work import Result, Services, perform

MIRA = Scope(tenant_id="acme", user_id="mira")
OWNER = MIRA.owner
APP, LATER_APP = "tests.app_schemas:SCHEMAS", "tests.app_schemas:LATER"

State = Callable[..., list[Result]]


def at(day: int) -> datetime:
    return datetime(2024, 3, day, 9, 0, tzinfo=UTC)


@pytest.fixture
def app(services: Services, reading: Settings) -> Services:
    """The application's own workers."""
    return with_schemas(services, reading, APP)


@pytest.fixture
def later_app(services: Services, reading: Settings) -> Services:
    """Its workers two releases later."""
    return with_schemas(services, reading, LATER_APP)


def with_schemas(services: Services, configured: Settings, named: str) -> Services:
    return replace(
        services, settings=configured.model_copy(update={"schemas": named}), rules=lambda: ScriptedExtractor({})
    )


@pytest.fixture
def state(app: Services, bell: RecordingBell) -> State:
    """State a record on a day, and do all that follows."""

    def do(schema: str, data: dict[str, Any], day: int | None, *, by: Services = app, **said: Any) -> list[Result]:
        given: dict[str, Any] = {"run_id": f"run-{day}-{len(str(data))}", "origin": "user", **said}
        Door(by).record(MIRA, schema, data, occurred_at=at(day) if day else None, **given)
        return work_off(by, bell)

    return do


def work_off(services: Services, bell: RecordingBell) -> list[Result]:
    results = []
    while bell.rung:
        stage, work = bell.rung.pop(0)
        result = perform(services, stage, STAGES[stage], work)
        results += [result] if result else []
    return results


def folded(services: Services, day: int = 28) -> Profile:
    with services.database.transaction(Role.READER, "acme", [OWNER], read_only=True) as session:
        return profiles.read(session, schemas(services.settings), at=at(day))


def contact(services: Services, name: str = "Anna", day: int = 28) -> Instance | None:
    found = folded(services, day).schemas.get("contact", ())
    return next((each for each in found if each.key["name"] == name), None)


def values(instance: Instance | None) -> dict[str, Any]:
    return {name: each.value for name, each in instance.fields.items()} if instance else {}


def held(owner: psycopg.Connection, condition: str = "closed_at is null and schema_name is not null") -> list[Any]:
    with owner.cursor(row_factory=dict_row) as cursor:
        query = f"select * from memory where {condition} order by doc, version"
        return cursor.execute(query).fetchall()


def assert_replayed(services: Services) -> None:
    found = replay(services.database, "acme", OWNER, verify=True)
    assert found.is_equal, found.differences


def test_a_stated_record_becomes_a_belief_with_its_fields(
    state: State, app: Services, owner: psycopg.Connection
) -> None:
    results = state("contact", {"name": "Anna", "phone": "555"}, 4)
    assert Outcome.STORED in {result.outcome for result in results}
    (row,) = held(owner)
    assert (row["schema_name"], row["data"]) == ("contact", {"name": "Anna", "phone": "555"})
    assert row["text"] == "contact of mira: name: Anna; phone: 555"
    assert (row["origin"], row["trust"], row["valid_from"]) == ("user", 4, at(4))
    assert values(contact(app)) == {"name": "Anna", "phone": "555"}
    assert_replayed(app)


def test_a_newer_record_supersedes_and_the_older_stays_in_its_time(
    state: State, app: Services, owner: psycopg.Connection
) -> None:
    state("contact", {"name": "Anna", "phone": "555", "tags": ["work"]}, 4)
    state("contact", {"name": "Anna", "phone": "777", "tags": ["choir"]}, 9)
    state("contact", {"name": "Oskar", "phone": "111"}, 9)
    assert values(contact(app)) == {"name": "Anna", "phone": "777", "tags": ["work", "choir"]}
    assert values(contact(app, day=6))["phone"] == "555"
    assert values(contact(app, "Oskar"))["phone"] == "111"
    first, second, _ = held(owner)
    assert (first["valid_from"], first["valid_to"], second["valid_from"]) == (at(4), at(9), at(9))
    assert_replayed(app)


def test_a_late_record_changes_nothing_of_what_is_newer(state: State, app: Services) -> None:
    state("contact", {"name": "Anna", "phone": "777"}, 9)
    state("contact", {"name": "Anna", "phone": "555"}, 4)
    assert values(contact(app))["phone"] == "777"
    assert values(contact(app, day=6))["phone"] == "555"


def test_a_record_that_changes_back_within_a_session_is_no_repeat(state: State, app: Services, bell: Any) -> None:
    scope = Scope(tenant_id="acme", user_id="mira", session_id="one")
    for day, phone in ((1, "555"), (2, "777"), (3, "555")):
        data = {"name": "Anna", "phone": phone}
        Door(app).record(scope, "contact", data, run_id=f"run-{day}", occurred_at=at(day), origin="user")
        work_off(app, bell)
    assert values(contact(app))["phone"] == "555"
    assert values(contact(app, day=2))["phone"] == "777"


def test_a_record_is_ended_by_stating_it_as_ended(state: State, app: Services) -> None:
    data = {"name": "Anna", "phone": "555"}
    state("contact", data, 4)
    state("contact", data, 9, change="ended")
    assert contact(app) is None
    assert values(contact(app, day=6)) == data
    assert_replayed(app)


def test_the_same_record_in_the_same_run_is_answered_with_its_first_receipt(app: Services, bell: Any) -> None:
    given: dict[str, Any] = {"run_id": "run-1", "occurred_at": at(4), "origin": "user"}
    first = Door(app).record(MIRA, "contact", {"name": "Anna"}, **given)
    again = Door(app).record(MIRA, "contact", {"name": "Anna"}, **given)
    assert (again.repeated, again.subject) == (True, first.subject)
    work_off(app, bell)
    Door(app).record(MIRA, "contact", {"name": "Anna", "phone": "1"}, **given)
    work_off(app, bell)
    assert values(contact(app)) == {"name": "Anna", "phone": "1"}


def test_records_are_believed_where_nothing_is_read(services: Services, bell: Any, environment: Settings) -> None:
    mute = with_schemas(services, environment, APP)
    assert not mute.settings.extraction
    messages: list[dict[str, Any]] = [
        {"text": "I live in Varna."},
        {"record": {"schema_name": "contact", "data": {"name": "Anna"}}},
    ]
    Door(mute).observe(MIRA, messages, run_id="run-1")
    work_off(mute, bell)
    assert values(contact(mute)) == {"name": "Anna"}


def test_no_extractor_is_shown_a_record(app: Services, bell: Any) -> None:
    extractor = ScriptedExtractor({})
    shown = replace(app, rules=lambda: extractor)
    messages: list[dict[str, Any]] = [
        {"text": "I live in Varna."},
        {"record": {"schema_name": "contact", "data": {"name": "Anna"}}},
    ]
    Door(shown).observe(MIRA, messages, run_id="run-1")
    work_off(shown, bell)
    assert [line.text for reading in extractor.read for line in reading.lines] == ["I live in Varna."]
    assert values(contact(shown)) == {"name": "Anna"}


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"since": at(5), "until": at(3)}, "it ends at 2024-03-03T09:00:00+00:00, before it begins at 2024-03-05"),
        ({"since": datetime(2024, 3, 1)}, "since of record 'contact': Input should have timezone info"),  # noqa: DTZ001
        ({"confidence": 1.5}, "confidence of record 'contact': Input should be less than or equal to 1"),
    ],
)
def test_a_record_that_cannot_be_so_is_refused_in_our_words(
    app: Services, owner: psycopg.Connection, said: dict[str, Any], told: str
) -> None:
    with pytest.raises(InvalidRecord) as refused:
        Door(app).record(MIRA, "contact", {"name": "Anna"}, run_id="run-1", occurred_at=at(4), **said)
    assert told in str(refused.value)
    assert "pydantic" not in str(refused.value)
    given = {**said, **{name: each.isoformat() for name, each in said.items() if isinstance(each, datetime)}}
    with pytest.raises(InvalidInput):
        Door(app).observe(
            MIRA, [{"record": {"schema_name": "contact", "data": {"name": "Anna"}, **given}}], run_id="run-1"
        )
    assert owner.execute("select count(*) from inbox").fetchone() == (0,)


def test_two_values_of_a_field_at_one_time_are_refused_and_none_is_lost(
    state: State, app: Services, owner: psycopg.Connection
) -> None:
    state("contact", {"name": "Anna", "phone": "555"}, 4, run_id="run-1")
    with pytest.raises(ConflictingMessage, match="with another 'phone'; give each its own occurred_at"):
        state("contact", {"name": "Anna", "phone": "777"}, 4, run_id="run-1")
    state("contact", {"name": "Anna", "phone": "555"}, 4, run_id="run-1", confidence=0.8)
    state("contact", {"name": "Anna", "met": "at work"}, 4, run_id="run-1")
    state("contact", {"name": "Anna", "tags": ["a"]}, 4, run_id="run-1")
    state("contact", {"name": "Anna", "tags": ["b"]}, 4, run_id="run-1")
    state("contact", {"name": "Oskar", "phone": "777"}, 4, run_id="run-1")
    found = contact(app)
    assert found is not None
    assert values(found)["phone"] == "555"
    state("contact", {"name": "Anna", "phone": "777"}, 5, run_id="run-1")
    both = [{"schema_name": "contact", "data": {"name": "Tove", "phone": phone}} for phone in ("1", "2")]
    with pytest.raises(ConflictingMessage, match="with another 'phone'"):
        Door(app).observe(
            MIRA, [{"record": each, "ts": at(4), "id": f"m{n}"} for n, each in enumerate(both)], run_id="r"
        )
    assert owner.execute("select count(*) from inbox where run_id = 'r'").fetchone() == (0,)


def test_a_record_with_a_time_or_a_change_that_is_none_is_refused(app: Services) -> None:
    for said in ({"occurred_at": "2024-03-04"}, {"occurred_at": at(4), "change": "gone"}):
        with pytest.raises(InvalidInput, match=r"occurred_at is a str|change 'gone' is none"):
            Door(app).record(MIRA, "contact", {"name": "Anna"}, run_id="run-1", **said)  # type: ignore[arg-type]


def test_a_tools_record_is_held_at_a_tools_trust_and_ends_no_users(state: State, app: Services) -> None:
    state("contact", {"name": "Anna", "phone": "555"}, 4)
    state("contact", {"name": "Anna", "phone": "777", "met": "at work"}, 9, origin="tool", source="crm")
    found = contact(app)
    assert values(found) == {"name": "Anna", "phone": "555", "met": "at work"}
    assert found is not None
    assert found.fields["met"].since == at(9)


def test_a_record_rests_on_the_text_or_the_messages_that_it_names(
    state: State, app: Services, bell: Any, owner: psycopg.Connection
) -> None:
    state("contact", {"name": "Anna"}, 4, evidence="Anna gave me her card.")
    Door(app).observe(MIRA, [{"id": "m1", "role": "assistant", "text": "Oskar's number is 111."}], run_id="run-talk")
    work_off(app, bell)
    state("contact", {"name": "Oskar", "phone": "111"}, 5, run_id="run-talk", evidence=["m1"])
    rows = held(owner, "closed_at is null and schema_name is not null")
    cited = owner.execute("select memory_id, count(*) from memory_evidence group by memory_id").fetchall()
    assert {dict(cited)[row["memory_id"]] for row in rows} == {2}
    assert [row["trust"] for row in rows] == [4, 3]


def test_a_record_that_rests_on_a_message_which_no_delivery_of_its_run_has_is_refused(
    state: State, app: Services, owner: psycopg.Connection
) -> None:
    Door(app).observe(MIRA, [{"id": "m9", "text": "Anna gave me her card."}], run_id="run-2")
    with pytest.raises(InvalidRun, match="rests on message 'm9', and run 'run-1' has none of that id"):
        state("contact", {"name": "Anna"}, 4, run_id="run-1", evidence=["m9"])
    assert owner.execute("select count(*) from inbox where run_id = 'run-1'").fetchone() == (0,)
    state("contact", {"name": "Anna"}, 4, run_id="run-2", evidence=["m9"])
    assert contact(app) is not None


@pytest.mark.parametrize(
    ("schema", "data", "told"),
    [
        (
            "contact",
            {"name": "Anna", "phone": 5},
            "field 'phone' of record 'contact' has 5: Input should be a valid str",
        ),
        ("contact", {"name": "Anna", "fone": "5"}, "field 'fone' of record 'contact' is no field of it; leave it out"),
        ("contact", {"phone": "5"}, "field 'name' of record 'contact' is missing"),
        ("contact", {"name": ""}, "field 'name' of record 'contact' is ''; a key field says"),
        ("contact", {"name": " \u200b "}, "a key field says of what the record is: give it a value"),
        ("invoice", {"total": 1}, "no schema 'invoice' is registered (known: procedure, contact, diet)"),
    ],
)
def test_data_that_does_not_fit_is_refused_before_anything_is_written(
    app: Services, owner: psycopg.Connection, schema: str, data: dict[str, Any], told: str
) -> None:
    with pytest.raises(InvalidRecord) as refused:
        Door(app).record(MIRA, schema, data, run_id="run-1", occurred_at=at(4))
    assert told in str(refused.value)
    with pytest.raises(InvalidInput):
        Door(app).observe(MIRA, [{"record": {"schema_name": schema, "data": data}}], run_id="run-1")
    assert owner.execute("select count(*) from inbox").fetchone() == (0,)


def test_a_secret_in_a_record_is_cut_out_before_it_is_stored(state: State, app: Services, owner: Any) -> None:
    key = "sk-" + "a1B2c3D4e5F6g7H8i9J0" * 2
    state("contact", {"name": "Anna", "phone": f"her key is {key}"}, 4)
    for table in ("event_payload", "memory", "inbox"):
        rows = owner.execute(f"select {table}::text from {table}").fetchall()
        assert all(key not in row[0] for row in rows)


def test_a_forgotten_record_is_gone_from_the_profile_and_stays_so(
    state: State, app: Services, owner: psycopg.Connection
) -> None:
    state("contact", {"name": "Anna", "phone": "555"}, 4)
    state("contact", {"name": "Anna", "phone": "777"}, 9)
    newest = held(owner)[-1]["memory_id"]
    forget(app.database, MIRA, newest, erase_content=True)
    assert values(contact(app)) == {"name": "Anna", "phone": "555"}
    assert_replayed(app)
    assert "777" not in "".join(str(row) for row in owner.execute("select payload from event_payload").fetchall())


def test_a_new_reading_of_everything_proposes_the_records_once_more(state: State, app: Services, owner: Any) -> None:
    state("contact", {"name": "Anna", "phone": "555"}, 4)
    state("contact", {"name": "Anna", "phone": "777"}, 9)
    before = held(owner)
    rederive.prepare(app, MIRA)
    diff = rederive.switch(app, MIRA)
    assert (diff.opened, diff.closed) == ((), ())
    assert held(owner) == before
    assert_replayed(app)


def test_a_candidate_of_an_extractor_is_checked_like_any_record(
    services: Services, reading: Settings, bell: Any
) -> None:
    good = {"text": "Mira knows Anna.", "claim": ("mira", "knows", "Anna"), "schema_name": "contact"}
    bad = {**good, "data": {"name": "Anna", "phone": 5}}
    script = {"Anna": [{**good, "data": {"name": "Anna"}}, bad, {**good, "schema_name": "nothing", "data": {}}]}
    app = replace(with_schemas(services, reading, APP), rules=lambda: ScriptedExtractor(script))
    Door(app).observe(MIRA, [{"text": "I know Anna, says Mira.", "ts": at(4)}], run_id="run-1")
    done = work_off(app, bell)
    assert {result.counts.get("rejected") for result in done} >= {2}
    assert values(contact(app)) == {"name": "Anna"}


def test_a_later_schema_upgrades_what_fits_and_asks_about_what_does_not(
    state: State, later_app: Services, owner: psycopg.Connection, bell: Any
) -> None:
    state("contact", {"name": "Anna", "phone": "555"}, 4)
    state("contact", {"name": "Anna", "phone": "777"}, 9)
    state("contact", {"name": "Oskar"}, 9)
    state("diet", {"kind": "vegan"}, 9)
    oskar = held(owner)[2]["memory_id"]
    assert values(contact(later_app)) == {"name": "Anna", "phones": ["777"]}
    assert folded(later_app).unreadable == (oskar,)

    found = refit.check(later_app, "acme", OWNER)
    assert (found.fit, found.upgraded) == (1, 2)
    assert [(each.memory_id, each.schema_name, each.field) for each in found.invalid] == [(oskar, "contact", "phones")]

    assert refit.apply(later_app, "acme", OWNER) == found
    rows = [row for row in held(owner) if row["schema_name"] == "contact@2"]
    assert [(row["data"]["phones"], row["valid_from"], row["valid_to"]) for row in rows] == [
        (["555"], at(4), at(9)),
        (["777"], at(9), None),
    ]
    assert {row["schema_name"] for row in held(owner)} == {"contact@2", "diet"}
    assert values(contact(later_app, day=6)) == {"name": "Anna", "phones": ["555"]}
    assert_replayed(later_app)
    again = refit.apply(later_app, "acme", OWNER)
    assert (again.fit, again.upgraded, again.invalid) == (3, 0, ())
    assert held(owner)[-2:] == rows or len(held(owner)) == 3

    state("contact", {"name": "Anna", "phones": ["888"]}, 12, by=later_app)
    assert values(contact(later_app)) == {"name": "Anna", "phones": ["888"]}
    assert values(contact(later_app, day=10)) == {"name": "Anna", "phones": ["777"]}
    assert len([row for row in held(owner) if row["schema_name"].startswith("contact")]) == 3
    assert_replayed(later_app)


def test_what_was_set_aside_is_held_again_once_a_person_approves(
    state: State, later_app: Services, owner: psycopg.Connection
) -> None:
    state("contact", {"name": "Oskar"}, 9)
    (before,) = held(owner)
    refit.apply(later_app, "acme", OWNER)
    assert held(owner) == []
    with later_app.database.transaction(Role.READER, "acme", [OWNER], read_only=True) as session:
        (asked,) = reviews.listed(session)
    assert asked.policy == refit.INVALID
    review.approve(later_app.database, "acme", OWNER, asked.review_id, by="lena")
    assert [row["memory_id"] for row in held(owner)] == [before["memory_id"]]
    assert_replayed(later_app)


def test_a_person_has_as_long_to_decide_on_it_as_the_settings_say(state: State, later_app: Services) -> None:
    state("contact", {"name": "Oskar"}, 9)
    patient = replace(later_app, settings=later_app.settings.model_copy(update={"review_days": 90}))
    refit.apply(patient, "acme", OWNER)
    with later_app.database.transaction(Role.READER, "acme", [OWNER], read_only=True) as session:
        (asked,) = reviews.listed(session)
    assert (asked.due_at - asked.asked_at).days == 90


def test_what_a_verified_source_says_makes_a_fact_of_what_was_concluded_once_a_person_approves(
    services: Services, reading: Settings, bell: RecordingBell, owner: psycopg.Connection
) -> None:
    careful = reading.model_copy(update={"ask_about": "contact", "verified_sources": "registry"})
    app = with_schemas(services, careful, APP)
    concluded = {"claim": ("mira", "knows", "Anna"), "schema_name": "contact", "data": {"name": "Anna"}}
    script = {"Anna": [{**concluded, "text": "Mira knows Anna.", "epistemic_type": "inference"}]}
    app = replace(app, rules=lambda: ScriptedExtractor(script))
    Door(app).observe(MIRA, [{"text": "Anna and I, says Mira, met.", "ts": at(4)}], run_id="run-1")
    work_off(app, bell)
    Door(app).record(MIRA, "contact", {"name": "Anna"}, run_id="run-2", occurred_at=at(9), source="registry")
    work_off(app, bell)
    with app.database.transaction(Role.READER, "acme", [OWNER], read_only=True) as session:
        first, _ = reviews.listed(session)
    review.approve(app.database, "acme", OWNER, first.review_id, by="lena", verified=verified_sources(app.settings))
    (row,) = held(owner)
    assert (row["text"], row["epistemic_type"]) == ("Mira knows Anna.", "fact")
    assert_replayed(app)


def test_what_a_verified_source_says_makes_a_fact_of_what_is_left_where_something_is_forgotten(
    services: Services, reading: Settings, bell: RecordingBell, owner: psycopg.Connection
) -> None:
    app = with_schemas(services, reading.model_copy(update={"verified_sources": "registry"}), APP)
    concluded = {"claim": ("mira", "knows", "Anna"), "schema_name": "contact", "data": {"name": "Anna"}}
    script = {"Anna": [{**concluded, "text": "Mira knows Anna.", "epistemic_type": "inference"}]}
    app = replace(app, rules=lambda: ScriptedExtractor(script))
    for run, day in (("run-1", 4), ("run-2", 5)):
        Door(app).observe(MIRA, [{"text": f"Anna and I, says Mira, met on day {day}.", "ts": at(day)}], run_id=run)
        work_off(app, bell)
    Door(app).record(MIRA, "contact", {"name": "Anna"}, run_id="run-3", occurred_at=at(9), source="registry")
    work_off(app, bell)
    assert [row["epistemic_type"] for row in held(owner)] == ["fact"]
    query = "select memory_id from memory where kind = 'episodic' order by doc limit 1"
    (episode,) = owner.execute(query).fetchone() or (None,)
    forget(app.database, MIRA, str(episode), verified=verified_sources(app.settings))
    assert [row["epistemic_type"] for row in held(owner)] == ["fact"]
    assert_replayed(app)


def test_a_procedure_counts_how_often_it_served(state: State, app: Services, owner: psycopg.Connection) -> None:
    steps = ["roll back", "read the log"]
    results = state("procedure", {"trigger": "a deploy fails", "steps": steps, "expires": "2024-03-20T00:00:00Z"}, 4)
    assert Outcome.STORED in {result.outcome for result in results}
    (row,) = held(owner)
    assert (row["kind"], row["valid_to"]) == ("procedural", datetime(2024, 3, 20, tzinfo=UTC))
    owner.execute(
        "insert into memory_use (tenant_id, user_id, memory_id, doc, used, misled) "
        "values ('acme', 'mira', %s, %s, 3, 1)",
        [row["memory_id"], row["doc"]],
    )
    (found,) = folded(app, day=10).schemas["procedure"]
    assert (found.succeeded, found.failed, found.fields["steps"].value) == (3, 1, steps)
    assert folded(app).schemas.get("procedure") is None


def test_an_inference_becomes_a_fact_by_the_users_own_word_and_not_by_another_inference(
    services: Services, reading: Settings, bell: Any, owner: psycopg.Connection
) -> None:
    claim = {"claim": ("mira", "lives_in", "Varna"), "text": "Mira lives in Varna."}
    script = {
        "late": [{**claim, "epistemic_type": "inference"}],
        "I live in Varna": [{**claim, "epistemic_type": "fact"}],
    }
    app = replace(services, settings=reading, rules=lambda: ScriptedExtractor(script))
    told = [
        "The trams of Varna are late, and I live with it.",
        "So late again in Varna, how I live!",
        "I live in Varna.",
    ]

    def say(number: int, text: str) -> str:
        Door(app).observe(MIRA, [{"text": text, "ts": at(4 + number)}], run_id=f"run-{number}")
        work_off(app, bell)
        (row,) = held(owner, "closed_at is null and claim_key is not null")
        return str(row["epistemic_type"])

    said = [say(number, text) for number, text in enumerate(told)]
    assert said == ["inference", "inference", "fact"]
    assert_replayed(app)
    (message,) = held(owner, "closed_at is null and kind = 'episodic' and text = 'I live in Varna.'")
    forget(app.database, MIRA, message["memory_id"], erase_content=True)
    (row,) = held(owner, "closed_at is null and claim_key is not null")
    assert row["epistemic_type"] == "inference"
    assert_replayed(app)


def test_the_async_face_does_the_same(app: Services, monkeypatch: pytest.MonkeyPatch, bell: Any) -> None:
    import warmpath

    monkeypatch.setattr("warmpath._door.door", lambda **_: Door(app))
    given: dict[str, Any] = {"run_id": "run-1", "occurred_at": at(4), "origin": "user"}
    receipt = asyncio.run(warmpath.arecord(MIRA, "contact", {"name": "Anna"}, **given))
    assert receipt.outcome is Outcome.ACCEPTED
    assert warmpath.record(MIRA, "contact", {"name": "Anna"}, **given).repeated
    work_off(app, bell)
    assert values(contact(app)) == {"name": "Anna"}
    with pytest.raises(InvalidRecord):
        warmpath.record(MIRA, "contact", {}, **given)
    with pytest.raises(InvalidInput, match="origin 'web' cannot state a record"):
        warmpath.record(MIRA, "contact", {"name": "A"}, **{**given, "origin": "web"})


def test_an_agent_reads_its_own_records_and_those_of_nobody(app: Services, bell: Any) -> None:
    for number, agent in enumerate([None, "cook", "driver"]):
        scope = Scope(tenant_id="acme", user_id="mira", agent_id=agent)
        data = {"name": agent or "nobody"}
        Door(app).record(scope, "contact", data, run_id=f"run-{number}", occurred_at=at(4), origin="user")
        work_off(app, bell)
    with app.database.transaction(Role.READER, "acme", [OWNER], read_only=True, agent_id="cook") as session:
        found = profiles.read(session, schemas(app.settings), at=at(28))
    assert [each.key["name"] for each in found.schemas["contact"]] == ["cook", "nobody"]
    assert len(folded(app).schemas["contact"]) == 3


def test_another_users_records_are_in_no_profile(state: State, app: Services, bell: Any) -> None:
    state("contact", {"name": "Anna"}, 4)
    oskar = Scope(tenant_id="acme", user_id="oskar")
    given: dict[str, Any] = {"run_id": "run-1", "occurred_at": at(4), "origin": "user"}
    Door(app).record(oskar, "contact", {"name": "Anna", "phone": "1"}, **given)
    work_off(app, bell)
    assert values(contact(app)) == {"name": "Anna"}
