"""forget, erase and replay from the command line."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from gateway import Daybook
from gateway.cli import FAILED, INTERRUPTED, OK, WRONG_INPUT, run
from shared.contract.errors import NotFound
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.testing import HashEmbedder

ME = ("--tenant", "acme", "--user", "mira")
MIRA = Scope(tenant_id="acme", user_id="mira")

Json = Callable[..., Any]


@pytest.fixture(autouse=True)
def _filled(environment: Settings, embedder: HashEmbedder) -> None:
    texts = ["I keep two beehives.", "My locker has the number 4471."]
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


def test_what_was_forgotten_before_can_have_its_words_erased_once(
    document: Json, capsys: pytest.CaptureFixture[str], owner: psycopg.Connection
) -> None:
    (item,) = [each for each in document("recall", "locker code", *ME)["items"] if "4471" in each["text"]]
    assert run(["forget", item["memory_id"], *ME]) == OK
    assert "1 message sealed in the ledger (--content erases them there too)" in capsys.readouterr().out
    again = document("forget", item["memory_id"], *ME, code=WRONG_INPUT)["error"]["message"]
    assert "What is forgotten already can still have its words erased" in again
    found = document("forget", item["memory_id"][:13], *ME, "--content")
    assert (found["forgotten"], found["messages"], found["erased"]) == ([], 1, 1)
    kept = "select count(*) from event_payload where payload::text like '%4471%'"
    assert owner.execute(kept.encode()).fetchone() == (0,)
    assert open_texts(owner) == ["I keep two beehives."]
    assert document("forget", item["memory_id"], *ME, "--content", code=WRONG_INPUT)["error"]["code"] == "NotFound"
    assert run(["replay", "--verify", *ME]) == OK


def test_of_a_delivery_that_was_forgotten_one_memory_has_its_words_erased_and_the_other_keeps_them(
    document: Json, owner: psycopg.Connection
) -> None:
    with Daybook() as daybook:
        messages = [{"role": "user", "text": text} for text in ("My boat is called Vega.", "My dog is called Rex.")]
        delivery = daybook.observe(MIRA, messages, run_id="run-2", inline=True).subject
    (item,) = [each for each in document("recall", "boat called Vega", *ME)["items"] if "Vega" in each["text"]]
    assert len(document("forget", str(delivery), *ME)["forgotten"]) == 2
    assert document("forget", item["memory_id"], *ME, "--content")["erased"] == 1
    left = owner.execute("select payload::text from event_payload where payload::text ~ 'Vega|Rex'").fetchall()
    assert ["Rex" in text for (text,) in left] == [True]


@pytest.mark.parametrize("by", ["memory", "delivery", "forgotten"])
def test_an_agent_forgets_nothing_that_it_cannot_read(document: Json, owner: psycopg.Connection, by: str) -> None:
    coder, planner = (replace(MIRA, agent_id=agent) for agent in ("coder", "planner"))
    with Daybook() as daybook:
        message = {"role": "user", "text": "My boat is called Vega."}
        delivery = daybook.observe(coder, [message], run_id="run-2", inline=True).subject
        (item,) = [each for each in document("recall", "boat Vega", *ME)["items"] if "Vega" in each["text"]]
        if by == "forgotten":
            daybook.forget(coder, item["memory_id"])
        before = open_texts(owner)
        with pytest.raises(NotFound):
            daybook.forget(planner, delivery if by == "delivery" else item["memory_id"], erase_content=True)
        assert open_texts(owner) == before
        assert daybook.forget(coder, item["memory_id"], erase_content=True).erased == 1


def test_what_is_no_id_is_wrong_input(document: Json, owner: psycopg.Connection) -> None:
    assert document("forget", "4471", *ME, code=WRONG_INPUT)["error"]["code"] == "InvalidInput"
    assert len(open_texts(owner)) == 2


def test_an_erasure_asks_first_and_counts_what_went(
    document: Json, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], owner: psycopg.Connection
) -> None:
    answers = iter([False, True])

    def confirm(*_: object, err: bool) -> bool:
        assert err
        return next(answers)

    monkeypatch.setattr("click.confirm", confirm)
    assert run(["erase", *ME]) == INTERRUPTED
    assert document("erase", *ME, code=WRONG_INPUT)["error"]["message"].startswith("--json asks nothing")
    assert len(open_texts(owner)) == 2
    assert run(["erase", *ME]) == OK
    shown = capsys.readouterr().out
    assert "2 memories of user mira erased" in shown
    assert "event_payload" in shown
    assert document("erase", *ME, "--yes")["memories"] == 0


def test_without_a_terminal_it_is_said_that_nobody_can_be_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], owner: psycopg.Connection
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert run(["erase", *ME]) == WRONG_INPUT
    assert "there is nobody to ask: without a terminal, add --yes to erase" in capsys.readouterr().err
    assert len(open_texts(owner)) == 2


@pytest.mark.parametrize("whom", [("acme", "Mira"), ("acmee", "mira")])
def test_of_a_user_who_is_not_known_nothing_is_erased_and_nothing_written(
    document: Json, owner: psycopg.Connection, whom: tuple[str, str]
) -> None:
    tenant, user = whom
    streams = "select tenant_id, stream, last_sequence from stream order by 1, 2"
    before = owner.execute(streams.encode()).fetchall()
    error = document("erase", "--tenant", tenant, "--user", user, "--yes", code=WRONG_INPUT)["error"]
    assert error["code"] == "NotFound"
    assert f"nothing is known of user '{user}' of tenant '{tenant}'" in error["message"]
    assert owner.execute(streams.encode()).fetchall() == before
    assert len(open_texts(owner)) == 2


def test_what_was_decided_on_what_the_user_said_in_a_room_goes_and_on_what_others_said_stays(
    document: Json, owner: psycopg.Connection
) -> None:
    with Daybook() as daybook:
        said = [{"role": "user", "speaker": who, "text": f"{who} keeps a boat."} for who in ("mira", "oskar")]
        daybook.observe(MIRA, said, run_id="run-9", room="kitchen", participants=["mira", "oskar"], inline=True)
    decided = (
        "select event.speaker from decision join event using (tenant_id, stream, sequence) "
        "where decision.user_id = 'room:kitchen' and stage = 'append'"
    )
    assert sorted(owner.execute(decided.encode()).fetchall()) == [("mira",), ("oskar",)]
    document("erase", *ME, "--yes")
    assert owner.execute(decided.encode()).fetchall() == [("oskar",)]


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
