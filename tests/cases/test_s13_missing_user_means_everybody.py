"""S13: whoever is not named is nobody: an error before any SQL, and never rows."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from importlib import resources
from typing import Any

import psycopg
import pytest

import hotpath
import warmpath
from shared.contract.errors import InvalidRun, InvalidScope
from shared.contract.scope import Scope
from shared.store.queries import queries
from tests.cases.adapter import Words, said

pytestmark = pytest.mark.usefixtures("embedder")

SOUPS = {
    ("acme", "mira"): "borscht",
    ("acme", "oskar"): "minestrone",
    ("beta", "mira"): "gazpacho",
    ("beta", "tove"): "laksa",
}
MISSING: list[Any] = [None, "", " ", [], "*", "%", 0, ...]
"""The ellipsis stands for an argument that is not given."""
FURTHER: list[Any] = [
    "\t\n",
    "\u200b",
    "\u00a0",
    "_",
    "?",
    "ALL",
    "null",
    "None",
    "undefined",
    False,
    1.5,
    b"mira",
    ["mira"],
    ("mira", "oskar"),
    {"user_id": "mira"},
    {"$ne": None},
    "mira,oskar",
    "mira\0",
    "mi\u00adra",
    "ｍｉｒａ",
    " mira",
    "room:kitchen",
    "audit:",
    "x" * 201,
]

PATTERNS = ["mir%", "mir_", "m*", "mira%", ".*", "Mira", "MIRA", "mira'--", "' or ''='", "{mira}", "mira:*", "$1"]


@pytest.fixture
def soups(words: Words) -> Words:
    for (tenant, user), soup in SOUPS.items():
        words.ingest(tenant, user, "run-1", [said(f"My favourite soup is {soup}.", "m1")])
    return words


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every statement that is sent to Postgres from now on, in order."""
    statements: list[str] = []

    def noting(method: Callable[..., Any]) -> Callable[..., Any]:
        def note(self: psycopg.Cursor[Any], query: object, *arguments: Any, **options: Any) -> Any:
            statements.append(query if isinstance(query, str) else repr(query))
            return method(self, query, *arguments, **options)

        return note

    monkeypatch.setattr(psycopg.Cursor, "execute", noting(psycopg.Cursor.execute))
    monkeypatch.setattr(psycopg.Cursor, "executemany", noting(psycopg.Cursor.executemany))
    return statements


def asked(name: str, value: object) -> dict[str, Any]:
    ids: dict[str, Any] = {"tenant_id": "acme", "user_id": "mira", name: value}
    return {key: each for key, each in ids.items() if each is not ...}


@pytest.mark.parametrize("name", ["tenant_id", "user_id"])
def test_s13_a_recall_that_does_not_say_whose_is_refused_before_any_sql(
    soups: Words, sent: list[str], name: str
) -> None:
    let_in = []
    for value in [*MISSING, *FURTHER]:
        try:
            hotpath.recall(Scope(**asked(name, value)), "favourite soup")
        except (InvalidScope, TypeError) as error:
            if name in str(error) and (isinstance(error, InvalidScope) or value is ...):
                continue
        let_in.append(value)
    assert let_in == []
    assert sent == []


def test_s13_what_is_no_scope_is_refused_by_every_door_before_any_sql(soups: Words, sent: list[str]) -> None:
    for given in (None, "", "mira", "acme/mira", {"tenant_id": "acme"}, ("acme", "mira"), Scope, 0):
        hello = [said("Hello there, soup.")]
        with pytest.raises(InvalidScope):
            hotpath.recall(given, "favourite soup")
        with pytest.raises(InvalidScope):
            asyncio.run(hotpath.arecall(given, "favourite soup"))
        with pytest.raises(InvalidScope):
            warmpath.observe(given, hello, run_id="run-2")
        with pytest.raises(InvalidScope):
            asyncio.run(warmpath.aobserve(given, hello, run_id="run-2"))
    assert sent == []


def test_s13_the_statements_of_a_recall_that_is_in_order_are_seen(soups: Words, sent: list[str]) -> None:
    """Without this, the tests above would pass with a hook that sees nothing."""
    assert [hit.text for hit in soups.recall("acme", "mira", "favourite soup")] == ["My favourite soup is borscht."]
    assert any("memory" in statement for statement in sent)


def test_s13_each_user_is_shown_their_own_soup_and_no_other(soups: Words) -> None:
    for (tenant, user), own in SOUPS.items():
        bundle = soups.bundle(tenant, user, "favourite soup borscht minestrone gazpacho laksa", k=50)
        assert [item.text for item in bundle.items] == [f"My favourite soup is {own}."]
        assert not any(soup in bundle.text for soup in set(SOUPS.values()) - {own})


def test_s13_an_id_that_elsewhere_would_be_a_pattern_is_only_a_name_here(soups: Words) -> None:
    for user in (each for each in PATTERNS if not set("*%") & set(each)):
        assert soups.bundle("acme", user, "favourite soup").items == (), user
        soups.ingest("acme", user, "run-1", [said(f"My favourite soup is ramen for {user}.", "m1")])
        found = [item.text for item in soups.bundle("acme", user, "favourite soup").items]
        assert found == [f"My favourite soup is ramen for {user}."]
    assert len(soups.current("acme", "mira")) == 1


@pytest.mark.parametrize("user", [each for each in PATTERNS if set("*%") & set(each)])
def test_s13_an_id_with_a_wildcard_in_it_is_refused_before_anything_is_asked(soups: Words, user: str) -> None:
    with pytest.raises(InvalidScope, match="wildcard"):
        soups.bundle("acme", user, "favourite soup")


def test_s13_what_a_tenant_shares_is_nobodys_own_and_shows_nobodys_own(soups: Words) -> None:
    shared_scope = Scope.tenant_wide("acme")
    assert hotpath.recall(shared_scope, "favourite soup", deadline_ms=30_000).items == ()
    warmpath.observe(
        shared_scope, [said("The canteen's soup of the day is goulash.", "m1")], run_id="menu", inline=True
    )
    texts = {item.text for item in soups.bundle("acme", "mira", "soup").items}
    assert texts == {"My favourite soup is borscht.", "The canteen's soup of the day is goulash."}
    assert [item.text for item in soups.bundle("beta", "mira", "soup").items] == ["My favourite soup is gazpacho."]


def test_s13_a_room_shows_what_was_said_to_those_who_take_part_alone(soups: Words) -> None:
    soups.ingest(
        "acme",
        "mira",
        "dinner",
        [said("Our soup on Friday is pho.", "m1", speaker="mira")],
        participants=["mira", "tove"],
        room="kitchen",
    )
    for tenant, user, sees in (
        ("acme", "mira", True),
        ("acme", "tove", True),
        ("acme", "oskar", False),
        ("beta", "tove", False),
    ):
        assert ("pho" in soups.bundle(tenant, user, "soup on Friday").text) is sees
    assert soups.bundle("acme", "kitchen", "soup on Friday").items == ()


def test_s13_rooms_and_participants_that_name_nobody_are_refused(words: Words) -> None:
    for value in (None, "", " ", "*", "mira,oskar", 0, "room:kitchen"):
        with pytest.raises(InvalidRun, match="participant"):
            words.accept("acme", "mira", "run-1", [said("Soup.")], participants=["mira", value])
        if value is not None:
            with pytest.raises(InvalidRun, match="room"):
                words.accept("acme", "mira", "run-1", [said("Soup.")], room=value, participants=["mira"])
    assert words.count("inbox") == 0


OF_ALL_TENANTS = {
    ("inbox", "mark_rung"),
    ("inbox", "whose_turn"),
    ("inbox", "backlog"),
    ("streams", "sample"),
    ("streams", "of_tenant"),
    ("jobs", "due"),
    ("streams", "lacking_tenants"),
    ("streams", "behind_tenants"),
    ("streams", "tenants"),
    ("recalls", "prune"),
}
"""Read as the claimer, who sees states and ids and no content."""
_TABLES = re.compile(
    r"\b(?:from|join|into|update)\s+"
    r"(memory\w*|event\w*|recall_\w+|posting|sparse_stream|mention|entity\w*|graph_stream|inbox|receipt|decision|stream)\b"
)


def test_s13_no_statement_on_a_persons_rows_is_without_a_tenant() -> None:
    names = sorted(path.name.removesuffix(".sql") for path in resources.files("shared.store").joinpath("sql").iterdir())
    seen = 0
    for module in names:
        for name, statement in queries(module).items():
            if _TABLES.search(statement) and (module, name) not in OF_ALL_TENANTS:
                seen += 1
                assert re.search(r"tenant_id = %\(tenant_id\)s|%\(tenant_id\)s[,\s]", statement), f"{module}.{name}"
    assert seen > 30
