"""Records of an application that a language model finds in what people say."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from shared.accept.registered import schemas
from shared.belief.schemas import BUILT_IN
from shared.contract.candidates import Candidate, Extraction, Reading
from shared.contract.scope import Scope
from shared.settings import Settings, load
from shared.store import profiles
from shared.store.allowance import Allowance
from shared.store.db import Role as DatabaseRole
from tests.app_schemas import SCHEMAS
from tests.model_reading import KEY, asking, bot, entry, facts, line
from tests.scripted_llm import scripted
from warmpath import _prompt
from warmpath._door import Door
from warmpath._model_extractor import ModelExtractor, model_extractor
from warmpath._recorded import described, offered
from warmpath._stages import STAGES
from warmpath._work import Services, serve

APP = "tests.app_schemas:SCHEMAS"
MIRA = Scope(tenant_id="acme", user_id="mira")
SAID = line("Anna's number is 555-0147, she is a friend of mine")
CONTACT = {"record": "contact", "data": {"name": "Anna", "phone": "555-0147"}}


def contact(**fields: Any) -> dict[str, Any]:
    return entry(**{"text": "Mira's friend Anna has the number 555-0147.", **CONTACT, **fields})


def read(*answers: Any, lines: Any = (SAID,)) -> tuple[Extraction, Any]:
    with scripted(*answers) as server:
        extractor = replace(asking(server), schemas=offered(BUILT_IN.with_(*SCHEMAS)))
        return extractor.extract(Reading(lines=lines), deadline_s=5.0), server


def only(found: Extraction) -> Candidate:
    (candidate,) = found.candidates
    return candidate


def test_a_model_is_told_of_the_records_of_an_application_and_of_none_where_there_are_none() -> None:
    _, server = read(facts())
    told = server.requests[0].system
    assert '{"record": "contact", "key": ["name"]' in told
    assert '"record": "procedure"' in told
    assert "{{" not in told
    with scripted(facts()) as plain:
        asking(plain).extract(Reading(lines=[SAID]), deadline_s=5.0)
    assert plain.requests[0].system == _prompt.system()
    assert "# Records" not in plain.requests[0].system
    assert offered(BUILT_IN).known == {}


def test_other_records_are_another_version_of_the_prompt() -> None:
    records = described(offered(BUILT_IN.with_(*SCHEMAS)))
    assert _prompt.version(records) != _prompt.version()


@pytest.mark.parametrize("as_text", [True, False])
def test_a_record_that_fits_is_proposed_with_its_fields(as_text: bool) -> None:  # noqa: FBT001
    data = json.dumps(CONTACT["data"]) if as_text else CONTACT["data"]
    found = only(read(facts(contact(data=data)))[0])
    assert (found.schema_name, found.data) == ("contact", {"name": "Anna", "phone": "555-0147"})
    assert found.claim is not None
    assert (found.claim.subject, found.claim.predicate) == ("Mira", "record:contact")
    assert found.text == "Mira's friend Anna has the number 555-0147."


@pytest.mark.parametrize(
    "fields",
    [
        {"data": {"phone": "555-0147"}},
        {"data": {"name": "Anna", "colour": "blue"}},
        {"data": {"name": "Anna", "phone": 5}},
        {"record": "invoice"},
        {"data": {"name": "Anna", "phone": "555-9999"}},
        {"data": {"name": "Oskar"}},
        {"data": {"name": "Anna", "size": 1984.0}},
    ],
)
def test_a_record_that_does_not_fit_or_was_not_said_is_refused_and_the_model_is_told_why(fields: Any) -> None:
    found, server = read(facts(contact(**fields)), facts())
    assert (found.candidates, found.rejected) == ([], {"bad_record": 1})
    assert "entry 1" in server.requests[1].said[-1]


def test_an_assistants_word_makes_no_record_of_a_person() -> None:
    lines = [bot("Anna's number is 555-0147", 1), line("thanks", 2)]
    found, _ = read(facts(contact(type="procedure", about="")), facts(), lines=lines)
    assert found.candidates == []


def test_of_records_that_nobody_told_it_of_a_model_says_nothing() -> None:
    with scripted(facts(contact())) as server:
        found = only(asking(server).extract(Reading(lines=[SAID]), deadline_s=5.0))
    assert (found.schema_name, found.data) == (None, None)


def test_the_settings_say_which_records_a_model_is_told_of() -> None:
    told = {"extraction_model": "openai:gpt-5-mini", "extraction_api_key": KEY}
    assert model_extractor(load(**told)).schemas.known == {}  # type: ignore[union-attr]
    known = model_extractor(load(**told, schemas=APP)).schemas.known  # type: ignore[union-attr]
    assert set(known) == {"procedure", "contact", "diet"}


def test_what_a_model_finds_is_in_the_profile_and_is_superseded_like_any_record(
    services: Services, reading: Settings, bell: Any, owner: psycopg.Connection
) -> None:
    newer = {"data": {"name": "Anna", "phone": "555-7777"}, "text": "Mira's friend Anna has the number 555-7777."}
    with scripted(facts(contact(about="user")), facts(contact(about="user", **newer))) as server:

        def model(allowance: Allowance) -> ModelExtractor:
            return replace(asking(server), allowance=allowance, schemas=offered(BUILT_IN.with_(*SCHEMAS)))

        asked = reading.model_copy(update={"extraction_model": "openai:scripted", "schemas": APP})
        mine = replace(services, settings=asked, model=model)
        for n, number in enumerate(("555-0147", "555-7777")):
            told = {"text": f"Anna's number is {number}, she is a friend", "ts": f"2026-0{n + 1}-10T09:00Z"}
            Door(mine).observe(MIRA, [{"role": "user", **told}], run_id=f"run-{n}")
            while bell.rung:
                stage, work = bell.rung.pop(0)
                serve(mine, stage, STAGES[stage], work)
    with mine.database.transaction(DatabaseRole.READER, "acme", [MIRA.owner], read_only=True) as session:
        folded = profiles.read(session, schemas(asked), at=datetime(2026, 3, 1, tzinfo=UTC))
    (anna,) = folded.schemas["contact"]
    assert {name: each.value for name, each in anna.fields.items()} == {"name": "Anna", "phone": "555-7777"}
    held = "select valid_to is null from memory where schema_name = 'contact' and closed_at is null order by valid_from"
    assert owner.execute(held).fetchall() == [(False,), (True,)]
