"""A belief that was taken back came up again as true: by another question, at another time, or after a rebuild.

What never was so is shown by no channel, for no time of the world, neither in words of ours nor in those it was said in
alone. What was believed before it was taken back can still be asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from coldpath.replay import replay
from shared import clock
from shared.contract.candidates import Change
from shared.contract.records import Operation
from shared.contract.scope import Owner
from shared.embedded import open_database
from shared.settings import settings
from shared.testing import ScriptedExtractor
from tests.cases.adapter import Words, bundle_by, said
from tests.cases.beliefs import beliefs, operations, read_by
from tests.model_reading import entry, facts
from tests.scripted_llm import ScriptedLlm

TOLD, TAKEN_BACK = "I live in Varna.", "I never lived in Varna, I was joking."
CLAIM = ("Mira", "lives_in", "Varna")
SCRIPT = {
    TOLD: [{"text": "Mira lives in Varna.", "claim": CLAIM}],
    TAKEN_BACK: [{"text": "Mira never lived in Varna.", "claim": CLAIM, "change": Change.NEVER}],
}
QUERIES = ["Where does Mira live?", "Varna", "Where did I live in January?", "What do you know about me?", TOLD]
TIMES = [datetime(2025, month, day, tzinfo=UTC) for month, day in ((1, 1), (1, 11), (3, 1), (12, 1))]


def by_script(words: Words, _: Callable[..., ScriptedLlm]) -> None:
    tell(words, lambda run, msgs: read_by(words, ScriptedExtractor(SCRIPT), "acme", "Mira", run, msgs))


def by_rules(words: Words, _: Callable[..., ScriptedLlm]) -> None:
    tell(words, lambda run, msgs: words.ingest("acme", "Mira", run, msgs))


def by_a_model(words: Words, answers: Callable[..., ScriptedLlm]) -> None:
    fact = entry("Mira lives in Varna.", predicate="lives_in", object="Varna")
    never = entry("Mira never lived in Varna.", change="never", replaces=1)
    answers(facts(fact), facts(never))
    tell(words, lambda run, msgs: words.ingest("acme", "Mira", run, msgs))


def tell(words: Words, ingest: Callable[[str, list[dict[str, Any]]], Any]) -> None:
    ingest("told", [said(TOLD, "m1", ts="2025-01-10T09:00Z")])
    assert len(beliefs(words, "acme", "Mira")) == 1
    before = words.bundle("acme", "Mira", QUERIES[0])
    assert any(item.kind == "semantic" and "Varna" in item.text for item in before.items)
    ingest("taken back", [said(TAKEN_BACK, "m2", ts="2025-02-10T09:00Z")])


@pytest.fixture(params=[by_script, by_rules, by_a_model])
def taken_back(request: pytest.FixtureRequest, learning: Words, answers: Callable[..., ScriptedLlm]) -> Words:
    request.param(learning, answers)
    assert beliefs(learning, "acme", "Mira") == []
    assert len(operations(learning, "acme", "Mira", Operation.RETRACT)) == 1
    return learning


def assert_never_true(words: Words) -> None:
    for query in QUERIES:
        for as_of in (None, *TIMES):
            bundle = words.bundle("acme", "Mira", query, as_of=as_of, k=50)
            shown = [item for item in bundle.items if "Varna" in item.text and item.text != TAKEN_BACK]
            assert [item for item in shown if item.until is None] == [], (query, as_of)
            assert [item for item in shown if item.kind != "episodic"] == [], (query, as_of)


def test_it_is_shown_by_no_question_and_for_no_time(taken_back: Words) -> None:
    assert_never_true(taken_back)


@pytest.mark.parametrize("channel", ["dense", "sparse", "graph", "temporal"])
def test_no_channel_finds_it(channel: str, taken_back: Words) -> None:
    for query in QUERIES:
        items = bundle_by(channel, "acme", "Mira", query, k=50).items
        assert not [item for item in items if item.kind != "episodic" and "lives in Varna" in item.text]
        assert not [item for item in items if item.text == TOLD and item.until is None]


def test_it_stays_so_when_all_views_are_made_anew(taken_back: Words) -> None:
    database = open_database(settings())
    assert replay(database, "acme", Owner("Mira"), verify=True).is_equal
    assert replay(database, "acme", Owner("Mira"), verify=False).is_equal
    taken_back.restart()
    assert_never_true(taken_back)


def test_what_was_believed_before_can_be_asked_for(learning: Words, monkeypatch: pytest.MonkeyPatch) -> None:
    read_by(learning, ScriptedExtractor(SCRIPT), "acme", "Mira", "told", [said(TOLD, "m1", ts="2025-01-10T09:00Z")])
    (opened,) = beliefs(learning, "acme", "Mira")
    known_at = opened["recorded_at"] + timedelta(microseconds=1)
    read_by(
        learning, ScriptedExtractor(SCRIPT), "acme", "Mira", "back", [said(TAKEN_BACK, "m2", ts="2025-02-10T09:00Z")]
    )
    assert clock.now() > known_at
    then = learning.bundle("acme", "Mira", QUERIES[0], known_at=known_at)
    assert [item.text for item in then.items if item.kind == "semantic"] == ["Mira lives in Varna."]
    assert [item.until for item in then.items if item.text == TOLD] == [None]
    assert_never_true(learning)


def test_what_is_known_now_is_asked_for_by_its_time_as_without(taken_back: Words) -> None:
    now = clock.now()
    for query in QUERIES:
        found = taken_back.bundle("acme", "Mira", query, known_at=now, k=50)
        assert not [item for item in found.items if item.kind != "episodic" and "lives in Varna" in item.text]
        assert not [item for item in found.items if item.text == TOLD and item.until is None]


def test_said_again_afterwards_it_is_true_again(taken_back: Words) -> None:
    again = [said("I live in Varna now, truly.", "m3", ts="2025-06-10T09:00Z")]
    claim = {"text": "Mira lives in Varna.", "claim": CLAIM}
    read_by(taken_back, ScriptedExtractor({"truly": [claim]}), "acme", "Mira", "again", again)
    (held,) = beliefs(taken_back, "acme", "Mira")
    assert held["valid_from"] == datetime(2025, 6, 10, 9, tzinfo=UTC)
    in_march = taken_back.bundle("acme", "Mira", "Varna", as_of=datetime(2025, 3, 1, tzinfo=UTC), k=50)
    assert not [item for item in in_march.items if item.kind == "semantic"]
