"""S04: a fact changes: the new one alone is current, the old one is history, whatever a model makes of the change."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from shared.contract.records import Operation
from tests.cases.adapter import Words, said
from tests.cases.beliefs import beliefs, history, now_true, operations
from tests.model_reading import entry, facts
from tests.scripted_llm import ScriptedLlm

QUERY = "Where does Mira live?"
IN_MARCH = datetime(2025, 3, 1, tzinfo=UTC)
VARNA = entry("Mira lives in Varna.", predicate="lives_in", object="Varna")
PORTO = entry("Mira lives in Porto.", predicate="lives_in", object="Porto", since="2025-05-26")
AFTERWARDS = {
    "ADD only": [PORTO],
    "DELETE only": [entry("Mira moved away from Varna.", change="ended", replaces=1)],
    "DELETE only, in words that nobody said": [entry("Mira no longer lives in Varna.", change="ended", replaces=1)],
    "UPDATE": [PORTO | {"replaces": 1}],
    "DELETE and ADD": [entry("Mira moved away from Varna.", change="ended", replaces=1), PORTO],
    "DELETE and UPDATE": [entry("Mira moved from Varna.", change="ended", replaces=1), PORTO | {"replaces": 1}],
}

Answers = Callable[..., ScriptedLlm]


def told(words: Words) -> None:
    words.ingest("acme", "Mira", "run-1", [said("I live in Varna.", "m1", ts="2025-01-10T09:00Z")])
    words.ingest("acme", "Mira", "run-2", [said("I moved to Porto last week.", "m2", ts="2025-06-02T09:00Z")])


def shown(words: Words, **more: Any) -> list[tuple[str, bool]]:
    """The texts that recall shows, and whether each is said to be of the past."""
    bundle = words.bundle("acme", "Mira", QUERY, **more)
    return [(item.text, item.until is not None) for item in bundle.items]


def assert_changed(words: Words) -> None:
    (porto,) = now_true(words, "acme", "Mira")
    assert "Porto" in porto
    items = shown(words)
    assert any("Porto" in text and not over for text, over in items)
    assert all(over for text, over in items if "Varna" in text), items
    then = [text for text, _ in shown(words, as_of=IN_MARCH)]
    assert any("Varna" in text for text in then)
    assert not any("Porto" in text for text in then)

    (varna,) = beliefs(words, "acme", "Mira", "Varna")
    (new,) = beliefs(words, "acme", "Mira", "Porto")
    versions = history("acme", "Mira", varna["memory_id"]).versions
    assert [each.valid_to is None for each in versions] == [True, False]
    (change,) = operations(words, "acme", "Mira", Operation.SUPERSEDE)
    assert change.payload is not None
    assert (change.payload["memory"], change.payload["by"]) == (str(varna["memory_id"]), str(new["memory_id"]))


@pytest.mark.parametrize("answer", AFTERWARDS.values(), ids=AFTERWARDS)
def test_s04_the_new_fact_alone_is_current_however_a_model_puts_it(
    answer: list[dict[str, Any]], learning: Words, answers: Answers
) -> None:
    server = answers(facts(VARNA), facts(*answer))
    told(learning)
    assert len(server.requests) >= 2
    assert_changed(learning)


def test_s04_and_by_rules_alone(learning: Words) -> None:
    told(learning)
    assert_changed(learning)
