"""The schemas that an application registers, found by the name in the settings."""

from __future__ import annotations

import pytest

from shared.accept.registered import schemas
from shared.belief.schemas import BUILT_IN
from shared.contract.errors import Misconfigured
from shared.settings import load


def test_without_the_setting_there_are_those_that_are_built_in() -> None:
    assert schemas(load()) is BUILT_IN


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ("tests.app_schemas:SCHEMAS", ["procedure", "contact", "diet"]),
        ("tests.app_schemas:LATER", ["procedure", "contact", "diet"]),
        ("tests.app_schemas:CONTACT", ["procedure", "contact"]),
    ],
)
def test_one_schema_a_list_or_a_registry_is_taken(named: str, found: list[str]) -> None:
    assert [schema.name for schema in schemas(load(schemas=named))] == found


def test_they_are_loaded_once() -> None:
    named = load(schemas="tests.app_schemas:SCHEMAS")
    assert schemas(named) is schemas(named)


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ("tests.no_such_schemas:SCHEMAS", "'tests.no_such_schemas' cannot be imported"),
        ("tests.app_schemas:NOTHING", "'tests.app_schemas' has no 'NOTHING'"),
        ("tests.app_schemas:Contact", "tests.app_schemas:Contact is a ModelMetaclass and holds no schemas"),
        (
            "tests.app_schemas:NUMBER",
            "is a int and holds no schemas; make it a RecordSchema, a list of them, or Schemas",
        ),
        ("tests.app_schemas:EMPTY", "is a list and holds no schemas"),
    ],
)
def test_what_cannot_be_had_is_an_error_that_names_the_setting(named: str, told: str) -> None:
    with pytest.raises(Misconfigured) as refused:
        schemas(load(schemas=named))
    assert str(refused.value).startswith("DAYBOOK_SCHEMAS: ")
    assert told in str(refused.value)


@pytest.mark.parametrize("named", ["shop", "shop.memory", "shop:memory:SCHEMAS", "shop/memory:SCHEMAS", ":SCHEMAS"])
def test_a_setting_that_names_no_object_is_refused_when_settings_are_read(named: str) -> None:
    with pytest.raises(Misconfigured, match=r"write it as package\.module:NAME"):
        load(schemas=named)
