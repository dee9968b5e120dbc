"""The profile of records, and schemas check, from the command line."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from gateway import Daybook
from gateway.cli import FAILED, OK, WRONG_INPUT, run
from shared.contract.scope import Scope
from shared.settings import Settings, settings
from shared.testing import HashEmbedder

SCOPE = ["--tenant", "acme", "--user", "mira"]
MIRA = Scope(tenant_id="acme", user_id="mira")


@pytest.fixture
def app(environment: Settings, embedder: HashEmbedder, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An application whose schemas are registered, with what two records of it say."""
    del environment, embedder
    use(monkeypatch, "tests.app_schemas:SCHEMAS")
    given: dict[str, Any] = {"occurred_at": datetime(2024, 3, 4, tzinfo=UTC), "origin": "user"}
    with Daybook() as daybook:
        daybook.record(MIRA, "contact", {"name": "Anna", "phone": "555"}, run_id="run-1", **given)
        daybook.record(MIRA, "contact", {"name": "Oskar", "tags": ["choir"]}, run_id="run-2", **given)
    return monkeypatch


def use(monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    monkeypatch.setenv("DAYBOOK_SCHEMAS", named)
    settings.cache_clear()


def said(capsys: pytest.CaptureFixture[str], *words: str, code: int = OK) -> str:
    assert run([*words]) == code, capsys.readouterr().err
    return capsys.readouterr().out


def document(capsys: pytest.CaptureFixture[str], *words: str, code: int = OK) -> Any:
    return json.loads(said(capsys, *words, "--json", code=code))


def test_a_profile_is_shown_field_by_field(app: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    del app
    shown = said(capsys, "profile", *SCOPE)
    for word in ("contact of mira", "Anna", "555", "choir", "4 Mar 2024", "2 records"):
        assert word in shown
    found = document(capsys, "profile", *SCOPE)
    anna = found["schemas"]["contact"][0]
    assert (anna["key"], anna["fields"]["phone"]["value"]) == ({"name": "Anna"}, "555")
    assert anna["fields"]["phone"]["memory_ids"] == anna["memory_ids"]
    assert document(capsys, "profile", *SCOPE, "--as-of", "2024-01-01")["schemas"] == {}
    said(capsys, "profile", "--tenant", "acme", "--user", "oskar", code=WRONG_INPUT)


def test_records_are_compared_with_the_schemas_and_brought_to_them(
    app: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "2 fit, 0 to be upgraded" in said(capsys, "schemas", "check", "--tenant", "acme")
    use(app, "tests.app_schemas:LATER")
    shown = said(capsys, "schemas", "check", "--tenant", "acme", code=FAILED)
    assert "0 fit, 1 to be upgraded (--apply), 1 invalid" in shown
    assert "phones" in shown
    assert "Oskar" not in shown
    assert run(["profile", *SCOPE]) == OK
    assert "1 record left out, which no registered schema takes" in capsys.readouterr().err
    done = document(capsys, "schemas", "check", *SCOPE, "--apply", code=FAILED)
    assert [(each["fit"], each["upgraded"], len(each["invalid"])) for each in done["streams"]] == [(0, 1, 1)]
    assert "1 fit, 0 to be upgraded (--apply), 0 invalid" in said(capsys, "schemas", "check", "--tenant", "acme")
    assert "schema_invalid" in said(capsys, "review", "list", *SCOPE)
    assert document(capsys, "replay", "--verify", *SCOPE)["equal"]


def test_an_upgrade_that_raises_is_named(app: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    use(app, "tests.app_schemas:RAISING")
    assert "its upgrade raised KeyError" in said(capsys, "schemas", "check", "--tenant", "acme", code=FAILED)
    found = document(capsys, "schemas", "check", "--tenant", "acme", code=FAILED)
    assert {each["fault"] for each in found["streams"][0]["invalid"]} == {"its upgrade raised KeyError"}


def test_what_cannot_be_compared_is_wrong_input(app: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "schemas", "check", "--tenant", "nobody", code=WRONG_INPUT)
    use(app, "tests.app_schemas:NOTHING")
    assert run(["profile", *SCOPE]) == WRONG_INPUT
    assert "DAYBOOK_SCHEMAS" in capsys.readouterr().err
