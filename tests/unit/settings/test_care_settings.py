"""What says when a person is asked is judged when it is read: a name mistyped would let each such write pass."""

from __future__ import annotations

import pytest

from gateway.doctor import judge_asking
from gateway.reports import Health
from shared.accept.registered import asked_about
from shared.belief.schemas import BUILT_IN
from shared.contract.askable import ASKABLE, BUILT_IN_SCHEMAS
from shared.contract.errors import Misconfigured
from shared.settings import load, policies_of
from warmpath._door import services
from warmpath._policies import care

APP = "tests.app_schemas:SCHEMAS"


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({"ask_about": "prefrence"}, "DAYBOOK_ASK_ABOUT: .*'prefrence' is no kind.* name episodic, .*preference"),
        ({"ask_about": "semantic,contact"}, "DAYBOOK_ASK_ABOUT: .*'contact' is no kind .*registered schema.*procedure"),
        ({"ask_about": "evidence"}, "DAYBOOK_ASK_ABOUT"),
        ({"sensitivity": "helth=ask"}, "DAYBOOK_SENSITIVITY: .*'helth' is no class.*pass credentials, .*health"),
        ({"sensitivity": "health=maybe"}, "DAYBOOK_SENSITIVITY: .*'maybe' of 'health' is none: pass one of store, ask"),
        ({"sensitivity": "health"}, "DAYBOOK_SENSITIVITY: .*'health' sets no policy"),
        ({"sensitivity": "health:mine=ask"}, "DAYBOOK_SENSITIVITY: .*'health:mine' is no class"),
        ({"sensitivity": "health=ask,health=store"}, "DAYBOOK_SENSITIVITY: .*'health' is set twice"),
        ({"sensitivity": "credentials=store"}, "DAYBOOK_SENSITIVITY: .*secrets are always refused"),
    ],
)
def test_a_word_that_there_is_not_stops_the_program_and_those_allowed_are_named(
    chosen: dict[str, str], told: str
) -> None:
    with pytest.raises(Misconfigured, match=told):
        load(**chosen)


def test_what_there_is_is_taken() -> None:
    chosen = load(ask_about="semantic, preference,procedure", sensitivity="health=ask, finance:others=refuse,")
    assert asked_about(chosen) == {"semantic", "preference", "procedure"}
    assert policies_of(chosen.sensitivity) == {"health": "ask", "finance:others": "refuse"}
    assert care(chosen).asked_about == {"semantic", "preference", "procedure"}


def test_a_schema_of_the_application_is_known_where_its_schemas_are() -> None:
    assert asked_about(load(ask_about="contact,diet", schemas=APP)) == {"contact", "diet"}


def test_a_schema_that_is_not_registered_stops_whoever_begins_to_take_runs() -> None:
    mistyped = load(ask_about="contcat", schemas=APP)
    with pytest.raises(Misconfigured, match=r"DAYBOOK_ASK_ABOUT: 'contcat' is no kind .* procedure, contact, diet"):
        services(mistyped)
    with pytest.raises(Misconfigured, match="DAYBOOK_ASK_ABOUT"):
        care(mistyped)
    check = judge_asking(mistyped)
    assert check.health is Health.FAIL
    assert "'contcat'" in check.found
    assert judge_asking(load()).health is Health.OK


def test_the_names_of_what_is_built_in_are_those_of_the_schemas() -> None:
    assert tuple(schema.name for schema in BUILT_IN) == BUILT_IN_SCHEMAS
    assert not set(ASKABLE) & set(BUILT_IN_SCHEMAS)
