"""What came of a recall, from the command line and through the one object."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from gateway import Daybook
from gateway.cli import OK, WRONG_INPUT, run
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.testing import HashEmbedder

ME = ("--tenant", "acme", "--user", "mira")
MIRA = Scope(tenant_id="acme", user_id="mira")

Json = Callable[..., Any]


@pytest.fixture(autouse=True)
def _filled(environment: Settings, embedder: HashEmbedder) -> None:
    texts = ["I keep two beehives.", "The beehives gave honey."]
    with Daybook() as daybook:
        daybook.observe(MIRA, [{"role": "user", "text": text} for text in texts], run_id="run-1", inline=True)


@pytest.fixture
def document(capsys: pytest.CaptureFixture[str]) -> Json:
    """The one JSON document that a command writes."""

    def call(*arguments: str, code: int = OK) -> Any:
        assert run([*arguments, "--json"]) == code
        return json.loads(capsys.readouterr().out)

    return call


def counted(owner: psycopg.Connection) -> set[tuple[str, int, int]]:
    query = "select text, used, misled from memory_use join memory using (tenant_id, user_id, doc, memory_id)"
    return set(owner.execute(query).fetchall())


def test_the_items_of_the_turn_that_recall_prints_are_reported_as_its_block_cites_them(
    document: Json, capsys: pytest.CaptureFixture[str], owner: psycopg.Connection
) -> None:
    bundle = document("recall", "What about the beehives?", *ME)
    first, second = bundle["items"]
    receipt = document(
        "outcome", bundle["turn_id"], *ME, "--used", f"m{first['ordinal']}", "--misled", second["memory_id"], "--inline"
    )
    assert (receipt["outcome"], receipt["counts"]) == ("accepted", {"used": 1, "misled": 1})
    assert counted(owner) == {(first["text"], 1, 0), (second["text"], 0, 1)}
    shown = [line[1:].partition("]")[0] for line in bundle["text"].split("\n") if line.startswith("[m")]
    assert "~" in shown[0]
    again = document(
        "outcome", bundle["turn_id"], *ME, "--used", shown[0].split()[0], "--misled", f"[{shown[1]}]", "--inline"
    )
    assert again["counts"] == {"used": 1, "misled": 1}
    wrong = document("outcome", bundle["turn_id"], *ME, "--used", "m1~beef", code=WRONG_INPUT)["error"]
    assert "'m1~beef' cannot be looked up" in wrong["message"]
    assert run(["recall", "What about the beehives?", *ME]) == OK
    turn = capsys.readouterr().out.split("turn ")[-1].strip()
    assert run(["outcome", turn, *ME, "--abstained"]) == OK
    assert f"accepted {turn}: used 0, misled 0; accepted" in capsys.readouterr().out
    assert [each["stage"] for each in document("receipts", bundle["turn_id"], *ME)["receipts"]][:2] == [
        "observe",
        "append",
    ]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("yesterday", "--abstained"), "no id"),
        (("019dedb3-8400-7031-b233-343536373839",), "at least one of"),
        (("019dedb3-8400-7031-b233-343536373839", "--used", "m1"), "was not logged"),
    ],
)
def test_what_cannot_be_reported_is_wrong_input_and_says_why(
    document: Json, arguments: tuple[str, ...], reason: str
) -> None:
    said = document("outcome", *arguments, *ME, code=WRONG_INPUT)["error"]
    assert said["code"] == "InvalidInput"
    assert reason in said["message"]


def test_the_one_object_reports_and_has_its_recalls_logged_before_it_is_left(owner: psycopg.Connection) -> None:
    with Daybook() as daybook:
        bundle = daybook.recall(MIRA, "What about the beehives?", deadline_ms=30_000)
        daybook.outcome(MIRA, bundle, used=[item.memory_id for item in bundle.items], inline=True)
    assert {(used, misled) for _, used, misled in counted(owner)} == {(1, 0)}
    assert owner.execute("select turn_id from recall_log").fetchall() == [(bundle.turn_id,)]


def test_inline_it_is_said_at_once_which_memories_are_not_the_scopes(
    document: Json, capsys: pytest.CaptureFixture[str]
) -> None:
    turn, nobodys = "019dedb3-8400-7031-b233-343536373839", "0f3c9a1b-77e2-5c1d-9b1e-3f6f3f1f2a10"
    receipt = document("outcome", turn, *ME, "--used", nobodys, "--inline")
    assert receipt["counts"] == {"used": 0, "misled": 0, "refused": 1}
    assert receipt["warnings"] == ["the scope has none of these memories"]
    (own,) = [each["memory_id"] for each in document("recall", "gave honey", *ME)["items"] if "honey" in each["text"]]
    assert run(["outcome", turn, *ME, "--used", nobodys, "--used", own, "--inline"]) == OK
    shown = capsys.readouterr()
    assert "used 1, misled 0, refused 1" in shown.out
    assert "1 memories are not the scope's" in " ".join(shown.err.split())
    assert document("outcome", turn, *ME, "--misled", own, "--inline")["warnings"] == []


def test_recall_takes_the_agent_and_the_session_that_observe_takes(document: Json, environment: Settings) -> None:
    with Daybook() as daybook:
        for agent in ("coder", "planner"):
            scope = replace(MIRA, agent_id=agent, session_id=f"s-{agent}")
            daybook.observe(scope, [{"role": "user", "text": f"A boat for {agent}."}], run_id=agent, inline=True)
    texts = [
        item["text"] for item in document("recall", "boat", *ME, "--agent", "coder", "--session", "s-coder")["items"]
    ]
    assert "A boat for coder." in texts
    assert "A boat for planner." not in texts
