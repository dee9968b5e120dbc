"""S03: who says a thing again confirms it, whatever a model makes of that."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.cases.adapter import Words, said
from tests.cases.beliefs import history, now_true
from tests.model_reading import entry, facts
from tests.scripted_llm import ScriptedLlm

WALNUTS = "Oskar is allergic to walnuts."
FACT = entry(WALNUTS, about="Oskar", predicate="allergic_to", object="walnuts")
AGAIN = {
    "DELETE": facts(FACT | {"change": "ended", "replaces": 1}),
    "DELETE as never so": facts(FACT | {"change": "never", "replaces": 1}),
    "DELETE by the claim alone": facts(FACT | {"change": "ended"}),
    "the same": facts(FACT),
    "UPDATE by the same": facts(FACT | {"replaces": 1}),
}
NONE = {
    "NONE, in a form of its own": '{"op": "NONE", "id": "0"}',
    "NONE of a memory that there is not": facts(FACT | {"replaces": 1}),
    "a deletion of one": facts(FACT | {"replaces": 1, "change": "ended"}),
}

Answers = Callable[..., ScriptedLlm]


def tell(words: Words, run: str, day: str) -> None:
    words.ingest("acme", "Mira", run, [said(WALNUTS, f"m-{run}", ts=f"{day}T09:00Z")])


def recalled(words: Words) -> list[Any]:
    return [item for item in words.bundle("acme", "Mira", "walnuts").items if item.until is None]


@pytest.mark.parametrize("answer", AGAIN.values(), ids=AGAIN)
def test_s03_what_is_said_again_is_held_and_was_last_heard_of_then(
    answer: str, learning: Words, answers: Answers
) -> None:
    answers(facts(FACT), answer)
    tell(learning, "first", "2025-01-10")
    assert now_true(learning, "acme", "Mira") == [WALNUTS]
    tell(learning, "again", "2025-02-20")
    assert now_true(learning, "acme", "Mira") == [WALNUTS]
    (belief,) = [item for item in recalled(learning) if item.kind == "semantic"]
    found = history("acme", "Mira", belief.memory_id)
    assert [each.said_at for each in found.evidence] == [
        datetime(2025, 1, 10, 9, tzinfo=UTC),
        datetime(2025, 2, 20, 9, tzinfo=UTC),
    ]
    assert found.versions[-1].confidence > found.versions[0].confidence
    assert len(belief.sources) == 2


@pytest.mark.parametrize("answer", NONE.values(), ids=NONE)
def test_s03_a_model_that_points_at_what_is_not_there_is_not_obeyed(
    answer: str, learning: Words, answers: Answers
) -> None:
    answers(answer)
    tell(learning, "first", "2025-01-10")
    assert now_true(learning, "acme", "Mira") == [WALNUTS]
    assert any(item.kind == "semantic" for item in recalled(learning))


def test_s03_what_a_model_says_nothing_of_is_still_recalled(learning: Words, answers: Answers) -> None:
    """It found nothing worth a belief, which is for a model to say: the words are kept all the same."""
    answers(facts())
    tell(learning, "first", "2025-01-10")
    assert now_true(learning, "acme", "Mira") == []
    assert [item.text for item in recalled(learning)] == [WALNUTS]
