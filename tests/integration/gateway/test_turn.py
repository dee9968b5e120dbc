"""What a recall put before the model, and what came of it: from the command line and through the one object."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from gateway import Daybook
from gateway.cli import OK, WRONG_INPUT, run
from shared.contract.bundle import Bundle
from shared.contract.errors import InvalidInput, InvalidScope, NotFound
from shared.contract.scope import Scope, room_owner
from shared.settings import Settings
from shared.testing import HashEmbedder

ME = ("--tenant", "acme", "--user", "mira")
MIRA = Scope(tenant_id="acme", user_id="mira")
OSKAR = Scope(tenant_id="acme", user_id="oskar")
HELPED = replace(MIRA, agent_id="helper", session_id="monday")
IN_KITCHEN: dict[str, Any] = {"room": "kitchen", "participants": ["mira", "oskar"]}

Json = Callable[..., Any]


@pytest.fixture(autouse=True)
def _filled(environment: Settings, embedder: HashEmbedder) -> None:
    texts = ["I keep two beehives.", "The beehives gave honey."]
    with Daybook() as daybook:
        daybook.observe(MIRA, [{"role": "user", "text": text} for text in texts], run_id="run-1", inline=True)
        said = [{"role": "user", "speaker": "mira", "text": "The beehives feed the kitchen."}]
        daybook.observe(MIRA, said, run_id="run-2", inline=True, **IN_KITCHEN)


@pytest.fixture
def document(capsys: pytest.CaptureFixture[str]) -> Json:
    """The one JSON document that a command writes."""

    def call(*arguments: str, code: int = OK) -> Any:
        assert run([*arguments, "--json"]) == code
        return json.loads(capsys.readouterr().out)

    return call


def asked(daybook: Daybook, scope: Scope = HELPED, query: str = "What about the beehives?", **more: Any) -> Bundle:
    return daybook.recall(scope, query, deadline_ms=30_000, **more)


def test_a_turn_shows_how_it_was_judged_which_memories_it_brought_and_what_came_of_them() -> None:
    with Daybook() as daybook:
        bundle = asked(daybook)
        before = daybook.turn(MIRA, bundle.turn_id)
        bees, honey, kitchen = (
            item.memory_id for item in sorted(bundle.items, key=lambda item: item.text, reverse=False)
        )
        daybook.outcome(MIRA, bundle, used=[bees, kitchen], misled=[honey], inline=True)
        daybook.outcome(MIRA, bundle, misled=[bees], corrected=True, inline=True)
        after = daybook.turn(MIRA, str(bundle.turn_id))
    assert (before.verdict, before.recipe, before.tokens) == (bundle.verdict, "balanced", bundle.tokens)
    assert (before.agent_id, before.session_id) == ("helper", "monday")
    assert before.watermark == next(each.last_sequence for each in bundle.watermarks if each.owner == MIRA.owner)
    assert (before.reported, before.corrected, before.abstained) == (False, False, False)
    assert [(each.ordinal, each.memory_id) for each in before.memories] == [
        (item.ordinal, item.memory_id) for item in bundle.items
    ]
    assert {each.memory_id: each.rank for each in before.memories if each.rank} == {
        hit.memory_id: rank for rank, hit in enumerate(bundle.hits, 1)
    }
    assert {each.said for each in before.memories} == {None}
    assert (after.reported, after.corrected, after.abstained) == (True, True, False)
    assert {each.memory_id: each.said for each in after.memories} == {bees: "misled", honey: "misled", kitchen: "used"}
    assert {each.owner for each in after.memories} == {MIRA.owner, room_owner("kitchen")}


def test_the_beginnings_of_ids_name_a_turn_and_its_memories() -> None:
    with Daybook() as daybook:
        bundle = asked(daybook)
        # Two recalls of one millisecond begin alike: the first 12 digits of an id are its time.
        turn, memory = bundle.turn_id.hex[:20], bundle.items[0].memory_id
        assert daybook.turn(MIRA, turn).turn_id == bundle.turn_id
        daybook.outcome(MIRA, turn, used=[memory.hex[:12]], inline=True)
        assert {each.memory_id for each in daybook.turn(MIRA, turn).memories if each.said == "used"} == {memory}
        for named, used in (("f" * 12, [memory]), (bundle.turn_id, ["0" * 12])):
            with pytest.raises(InvalidInput, match="the beginning of no id"):
                daybook.outcome(MIRA, named, used=used)


def test_what_did_not_fit_is_there_as_ranked_and_not_shown() -> None:
    with Daybook() as daybook:
        bundle = asked(daybook, budget_tokens=0)
        found = daybook.turn(MIRA, bundle.turn_id)
    assert bundle.items == ()
    assert [(each.ordinal, each.rank) for each in found.memories] == [
        (None, rank) for rank in range(1, len(bundle.hits) + 1)
    ]


def test_a_turn_is_its_scopes_and_nobody_elses() -> None:
    with Daybook() as daybook:
        turn_id = asked(daybook).turn_id
        for own in (MIRA, HELPED):
            assert daybook.turn(own, turn_id).turn_id == turn_id
        for other in (OSKAR, replace(MIRA, tenant_id="globex"), replace(MIRA, agent_id="other")):
            with pytest.raises(NotFound):
                daybook.turn(other, turn_id)
        nobodys = asked(daybook, MIRA).turn_id
        assert daybook.turn(HELPED, nobodys).agent_id is None
        with pytest.raises(NotFound, match="searched nothing"):
            daybook.turn(MIRA, asked(daybook, query="hello").turn_id)
        with pytest.raises(InvalidInput, match="no id"):
            daybook.turn(MIRA, "yesterday's")
        with pytest.raises(InvalidScope):
            daybook.turn("mira", turn_id)  # type: ignore[arg-type]


def test_what_another_participant_says_of_a_rooms_memory_is_none_of_this_turn() -> None:
    with Daybook() as daybook:
        bundle = asked(daybook)
        kitchen = next(item.memory_id for item in bundle.items if "kitchen" in item.text)
        daybook.outcome(OSKAR, bundle.turn_id, misled=[kitchen], inline=True)
        assert not daybook.turn(MIRA, bundle.turn_id).reported


def test_the_command_shows_it_to_people_and_to_machines(document: Json, capsys: pytest.CaptureFixture[str]) -> None:
    bundle = document("recall", "What about the beehives?", *ME)
    document("outcome", bundle["turn_id"], *ME, "--used", "m1", "--corrected", "--inline")
    found = document("turn", bundle["turn_id"], *ME)
    assert (found["turn_id"], found["verdict"], found["tokens"]) == (
        bundle["turn_id"],
        bundle["verdict"],
        bundle["tokens"],
    )
    assert [each["said"] for each in found["memories"] if each["ordinal"] == 1] == ["used"]
    assert run(["turn", bundle["turn_id"], *ME]) == OK
    shown = capsys.readouterr().out
    for word in ("balanced", bundle["items"][0]["memory_id"], "m1", "used", "reported: corrected"):
        assert word in shown
    assert "beehives" not in shown


@pytest.mark.parametrize(("turn_id", "code"), [("yesterday", "InvalidInput"), (str(UUID(int=7)), "NotFound")])
def test_a_turn_that_is_none_is_wrong_input(document: Json, turn_id: str, code: str) -> None:
    assert document("turn", turn_id, *ME, code=WRONG_INPUT)["error"]["code"] == code
