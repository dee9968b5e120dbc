"""S31, for beliefs: what an agent recalled and puts back into its run is believed no more often and no more firmly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from shared.contract import block
from shared.testing import ScriptedExtractor
from tests.cases.adapter import Words, said
from tests.cases.beliefs import Parrot, beliefs, candidates, history, now_true, read_by
from tests.cases.test_s31_recalled_memories_learned_again import FACTS, QUESTION, halves, whole
from tests.scripted_llm import ScriptedLlm

OWN = [*FACTS, "I am vegan.", "My dentist is Dr Halloran."]
BUS = "My bus is the 14."
DAY = "2025-03-04T09:00Z"


@pytest.fixture(params=["rules", "parrot"])
def told(request: pytest.FixtureRequest, learning: Words, answers: Callable[..., ScriptedLlm]) -> Words:
    if request.param == "parrot":
        answers(Parrot())
    learning.ingest("acme", "Mira", "start", [said(text, f"f{n}", ts=DAY) for n, text in enumerate(OWN)])
    assert len(beliefs(learning, "acme", "Mira")) >= 4
    return learning


def recalled(words: Words, **more: Any) -> str:
    bundle = words.bundle("acme", "Mira", QUESTION, k=50, **more)
    assert {item.kind for item in bundle.items} == {"episodic", "semantic"}, "beliefs are in the block too"
    return bundle.text


def standing(words: Words) -> dict[Any, Any]:
    """All that could be moved by being recalled: every version, its confidence and what it rests on."""
    rows = beliefs(words, "acme", "Mira")
    lives = {row["memory_id"]: history("acme", "Mira", row["memory_id"]) for row in rows}
    return {memory: (each.versions, each.evidence, each.steps) for memory, each in lives.items()}


@pytest.mark.parametrize("first", [0, 20])
def test_s31_over_twenty_turns_the_bus_alone_is_learned(told: Words, first: int) -> None:
    before, start = standing(told), len(told.current("acme", "Mira"))
    beliefs_before = len(before)
    for turn in range(1, 21):
        text = recalled(told)
        shapes = [each for each in {**whole(text), **halves(text)}.values() if each]
        shape = shapes[(first + turn) % len(shapes)]
        asked = f"What do you know about me? {BUS}" if turn == 5 else QUESTION
        quoted = {"role": "assistant", "text": "\n".join(f"> {line}" for line in shape.splitlines())}
        told.ingest("acme", "Mira", f"turn-{turn}", [said(f"{shape}\n\n{asked}", f"u{turn}"), quoted])
    assert {memory: each for memory, each in standing(told).items() if memory in before} == before
    texts = [row["text"] for row in told.current("acme", "Mira")]
    assert len(beliefs(told, "acme", "Mira")) <= beliefs_before + 1, texts[start:]
    new = [row["text"] for row in told.current("acme", "Mira")[start:] if row["kind"] == "episodic"]
    assert len(new) <= 1, new
    assert any("14" in text for text in now_true(told, "acme", "Mira"))
    assert "14" in told.recall("acme", "Mira", "bus")[0].text
    assert not any(marker in text for text in texts for marker in ("daybook-memory", block.GUARD, "[m1~"))


def test_s31_no_shape_of_the_block_confirms_or_adds_a_belief_whoever_brings_it(told: Words) -> None:
    before = standing(told)
    text = recalled(told)
    shapes = {**whole(text), **halves(text)}
    for role in ("user", "assistant", "tool"):
        messages = [{"id": f"{role}-{n}", "role": role, "text": shape} for n, shape in enumerate(shapes.values())]
        told.ingest("acme", "Mira", f"run-{role}", messages)
    assert standing(told) == before


PARAPHRASES = [
    "You told me that you are vegan and that your dentist is Dr Halloran.",
    "Mira is vegan. Dr Halloran is Mira's dentist. Tove lives in Porto.",
    "As I remember it, Tove is your sister, and she lives in Porto by the river.",
    "Since you are vegan, I would skip the cheese.",
]


def test_s31_what_the_assistant_says_of_it_in_its_own_words_confirms_nothing(told: Words) -> None:
    before = standing(told)
    for n, text in enumerate(PARAPHRASES):
        told.ingest("acme", "Mira", f"run-{n}", [said("Thanks!", f"u{n}"), {"role": "assistant", "text": text}])
    assert standing(told) == before


def test_s31_an_extractor_that_reads_the_assistants_paraphrase_is_stopped(told: Words) -> None:
    before = standing(told)
    told_again = {"text": "Mira is vegan.", "claim": ("Mira", "diet", "vegan")}
    extractor = ScriptedExtractor({"Mira is vegan": [told_again]})
    messages = [said("What do I eat?", "u"), {"id": "a", "role": "assistant", "text": PARAPHRASES[1]}]
    read_by(told, extractor, "acme", "Mira", "run-p", messages)
    assert candidates(told, "acme", "Mira")[-1] == ("Mira is vegan.", "wrong_role")
    assert standing(told) == before


def test_s31_the_user_who_says_it_again_in_a_run_with_the_block_confirms_it(told: Words) -> None:
    """The opposite failure: beside the block, what the user really says counts."""
    (diet,) = [row for row in beliefs(told, "acme", "Mira") if "vegan" in row["text"]]
    told.ingest("acme", "Mira", "run-u", [said(f"{recalled(told)}\n\nI am vegan, and my bus is the 14.", "u")])
    assert any("14" in text for text in now_true(told, "acme", "Mira"))
    found = history("acme", "Mira", diet["memory_id"])
    assert {each.origin for each in found.evidence} == {"user"}


def test_s31_being_recalled_changes_nothing(told: Words) -> None:
    before = standing(told)
    for _ in range(30):
        recalled(told)
    assert standing(told) == before
