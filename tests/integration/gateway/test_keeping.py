"""forget, erase and replay from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from gateway import Daybook
from gateway.cli import FAILED, INTERRUPTED, OK, WRONG_INPUT, run
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.testing import HashEmbedder

ME = ("--tenant", "acme", "--user", "mira")
MIRA = Scope(tenant_id="acme", user_id="mira")

Json = Callable[..., Any]


@pytest.fixture(autouse=True)
def _filled(environment: Settings, embedder: HashEmbedder) -> None:
    texts = ["I keep two beehives.", "My locker code is 4471."]
    with Daybook() as daybook:
        for number, text in enumerate(texts):
            daybook.observe(MIRA, [{"role": "user", "text": text}], run_id=f"run-{number}", inline=True)


@pytest.fixture
def document(capsys: pytest.CaptureFixture[str]) -> Json:
    """The one JSON document that a command writes."""

    def call(*arguments: str, code: int = OK) -> Any:
        assert run([*arguments, "--json"]) == code
        return json.loads(capsys.readouterr().out)

    return call


def open_texts(owner: psycopg.Connection) -> list[str]:
    return [text for (text,) in owner.execute("select text from memory where closed_at is null order by doc")]


def test_the_id_that_recall_prints_is_forgotten(
    document: Json, capsys: pytest.CaptureFixture[str], owner: psycopg.Connection
) -> None:
    (item,) = [each for each in document("recall", "locker code", *ME)["items"] if "4471" in each["text"]]
    assert run(["forget", item["memory_id"][:13], *ME, "--content"]) == OK
    shown = capsys.readouterr().out
    assert f"forgotten {item['memory_id']}" in shown
    assert "1 message erased from the ledger" in shown
    assert open_texts(owner) == ["I keep two beehives."]
    assert document("recall", "locker code 4471", *ME)["items"] == []
    assert document("forget", item["memory_id"], *ME, code=WRONG_INPUT)["error"]["code"] == "NotFound"


def test_what_is_no_id_is_wrong_input(document: Json, owner: psycopg.Connection) -> None:
    assert document("forget", "4471", *ME, code=WRONG_INPUT)["error"]["code"] == "InvalidInput"
    assert len(open_texts(owner)) == 2


def test_an_erasure_asks_first_and_counts_what_went(
    document: Json, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], owner: psycopg.Connection
) -> None:
    answers = iter([False, True])

    def confirm(*_: object, abort: bool, err: bool) -> None:
        import click

        assert abort
        assert err
        if not next(answers):
            raise click.Abort

    monkeypatch.setattr("click.confirm", confirm)
    assert run(["erase", *ME]) == INTERRUPTED
    assert document("erase", *ME, code=WRONG_INPUT)["error"]["message"].startswith("--json asks nothing")
    assert len(open_texts(owner)) == 2
    assert run(["erase", *ME]) == OK
    shown = capsys.readouterr().out
    assert "2 memories of user mira erased" in shown
    assert "event_payload" in shown
    assert document("erase", *ME, "--yes")["memories"] == 0


def test_a_replay_prints_fingerprints_and_its_exit_code_says_whether_all_is_equal(
    document: Json, capsys: pytest.CaptureFixture[str], owner: psycopg.Connection
) -> None:
    (stream,) = document("replay", "--verify")["streams"]
    assert (stream["owner"], stream["memories"], stream["differences"]) == ("mira", 2, [])
    assert stream["fingerprint"] == stream["expected_fingerprint"]
    owner.execute("update memory set text = 'I keep none.' where doc = 1")
    found = document("replay", "--verify", code=FAILED)
    assert not found["equal"]
    assert found["streams"][0]["differences"][0]["column"] == "text"
    assert run(["replay", "--verify", "--tenant", "acme", "--user", "mira"]) == FAILED
    shown = capsys.readouterr()
    assert "memory, " in shown.err
    assert "text" in shown.err
    assert "none" not in shown.err + shown.out
    assert run(["replay", "--tenant", "acme"]) == OK
    assert "1 mended" in capsys.readouterr().out
    assert document("replay", "--verify")["equal"]
    assert open_texts(owner)[0] == "I keep two beehives."


def test_a_damaged_ledger_is_told_of(document: Json, owner: psycopg.Connection) -> None:
    leaves = owner.execute(
        "select inhrelid::regclass::text from pg_inherits where inhparent = 'event_payload'::regclass"
    )
    for (table,) in [("event_payload",), *leaves.fetchall()]:
        owner.execute(f"alter table {table} disable trigger user".encode())
    owner.execute("delete from event_payload where sequence = 1")
    for more in ((), ("--verify",)):
        (stream,) = document("replay", *more, code=FAILED)["streams"]
        assert "no FORGET accounts for" in stream["damage"]
