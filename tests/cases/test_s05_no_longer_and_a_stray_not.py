"""S05: "no longer" ends what it denies; "not" in what is about something else denies nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cases.adapter import Words, said
from tests.cases.beliefs import beliefs, now_true
from tests.model_reading import entry, facts
from tests.scripted_llm import ScriptedLlm

LOVES, NO_LONGER = "I love coriander.", "I no longer eat coriander, it tastes of soap now."
LIKES = entry("Mira loves coriander.", type="preference", predicate="likes", object="coriander")
AVOIDS = entry("Mira no longer eats coriander.", type="preference", predicate="avoids", object="coriander")
CORIANDER = {
    "UPDATE": [AVOIDS | {"replaces": 1}],
    "ADD": [AVOIDS],
    "DELETE": [entry("Mira no longer eats coriander.", change="ended", replaces=1)],
    "DELETE and ADD": [entry("Mira no longer loves coriander.", change="ended", replaces=1), AVOIDS],
}
EAST, WEST = "The eastern field was not sown in May.", "The western field was not sown in June."
FIELDS = {
    "ADD": [entry(WEST, about="the western field")],
    "UPDATE": [entry(WEST, about="the western field", replaces=1)],
    "DELETE and ADD": [
        entry("The eastern field was not sown.", change="ended", replaces=1, about=""),
        entry(WEST, about="the western field"),
    ],
}
OPERA = ["I don't dislike opera.", "I do not hate opera at all.", "It's not that I dislike opera."]

Answers = Callable[..., ScriptedLlm]


def tell(words: Words, *texts: str) -> None:
    for n, text in enumerate(texts):
        words.ingest("acme", "Mira", f"run-{n}", [said(text, f"m{n}", ts=f"2025-0{n + 1}-10T09:00Z")])


def assert_negative_alone(words: Words) -> None:
    (current,) = now_true(words, "acme", "Mira", "coriander")
    assert "no longer" in current or "not" in current
    (first, *_) = beliefs(words, "acme", "Mira", "coriander")
    assert first["valid_to"].date().isoformat() == "2025-02-10"
    items = words.bundle("acme", "Mira", "coriander").items
    assert all(item.until for item in items if "love" in item.text or "likes" in item.text), items
    assert any(item.until is None for item in items)


@pytest.mark.parametrize("answer", CORIANDER.values(), ids=CORIANDER)
def test_s05_of_coriander_the_negative_alone_is_current(
    answer: list[object], learning: Words, answers: Answers
) -> None:
    answers(facts(LIKES), facts(*answer))
    tell(learning, LOVES, NO_LONGER)
    assert_negative_alone(learning)


def test_s05_and_by_rules_alone(learning: Words) -> None:
    tell(learning, LOVES, NO_LONGER)
    assert_negative_alone(learning)


@pytest.mark.parametrize("answer", FIELDS.values(), ids=FIELDS)
def test_s05_a_not_in_another_note_takes_nothing_back(answer: list[object], learning: Words, answers: Answers) -> None:
    answers(facts(entry(EAST, about="the eastern field")), facts(*answer))
    tell(learning, EAST, WEST)
    assert now_true(learning, "acme", "Mira") == [EAST, WEST]
    assert all(row["claim_key"] is None for row in beliefs(learning, "acme", "Mira"))


def test_s05_by_rules_both_notes_are_recalled_as_they_were_said(learning: Words) -> None:
    tell(learning, EAST, WEST)
    items = learning.bundle("acme", "Mira", "Which field was not sown?").items
    assert {item.text for item in items if item.until is None} >= {EAST, WEST}


@pytest.mark.parametrize("text", OPERA)
def test_s05_a_double_negation_is_no_dislike(text: str, learning: Words) -> None:
    tell(learning, "I like opera.", text)
    held = beliefs(learning, "acme", "Mira")
    assert not [row for row in held if row["claim_predicate"] in {"dislikes", "avoids"}]
    assert now_true(learning, "acme", "Mira", "opera") != []
