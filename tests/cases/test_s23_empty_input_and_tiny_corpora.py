"""S23: nothing said makes no memory; in a store of one memory, the one that holds the word is found."""

from __future__ import annotations

import pytest

from shared.contract.bundle import Verdict
from shared.contract.errors import InvalidRun
from shared.contract.receipts import Outcome
from tests.cases.adapter import Words, said

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
BLANK = [
    "",
    "   \n",
    "\u200b",
    ".",
    None,
    "\t",
    "\u3000",
    "\ufeff",
    "\x00",
    "...",
    "?!",
    "---",
    "\u2060\u200d",
    "\u202e",
    "\ufe0f",
    "。",
    "“”",
    [],
    [IMAGE],
    [IMAGE, {"type": "text", "text": "  "}],
    [{"type": "image", "source": {"type": "base64", "data": "AAAA"}}],
    [{"type": "input_audio", "input_audio": {"data": "AAAA"}}],
    [{"type": "text", "text": ""}],
]


def test_s23_what_says_nothing_makes_no_memory(words: Words) -> None:
    receipt = words.ingest("acme", "mira", "run-1", [said(text, f"m{n}") for n, text in enumerate(BLANK)])
    assert receipt.outcome is Outcome.ACCEPTED
    assert words.current("acme", "mira") == []
    assert len(words.evidence("acme", "mira")) == len(BLANK), "what was sent stands in the ledger all the same"
    assert set(words.rules("acme", "mira", "run-1")) == {"blank"}
    assert words.status("acme", "mira", "run-1") == [("done", 0)]
    assert [each.outcome for each in words.receipts("acme", "mira", "run-1")][1] is Outcome.IGNORED
    assert (words.count("memory_vector"), words.count("posting")) == (0, 0)
    for query in ("bees", "nothing", "?", "."):
        assert words.recall("acme", "mira", query) == []


def test_s23_a_left_out_image_is_noted_and_what_is_said_beside_it_is_kept(words: Words) -> None:
    receipt = words.ingest(
        "acme", "mira", "run-1", [said([IMAGE, {"type": "text", "text": "These are my bees."}], "m1")]
    )
    assert [row["text"] for row in words.current("acme", "mira")] == ["These are my bees."]
    assert any("image_url" in warning for warning in receipt.warnings)


def test_s23_blank_messages_among_others_change_nothing_about_those(words: Words) -> None:
    messages = [
        said(text, f"m{n}") for n, text in enumerate(["", "My bees are well.", "  ", ".", "The hive is full.", None])
    ]
    words.ingest("acme", "mira", "run-1", messages)
    assert [row["text"] for row in words.current("acme", "mira")] == ["My bees are well.", "The hive is full."]
    assert words.recall("acme", "mira", "bees")[0].text == "My bees are well."


def test_s23_the_shortest_thing_that_says_something_is_a_memory(words: Words) -> None:
    texts = ["0", "é", "猫", "🐝", "7 kg", "№5", "C", "ไม่"]
    words.ingest("acme", "mira", "run-1", [said(text, f"m{n}") for n, text in enumerate(texts)])
    assert [row["text"] for row in words.current("acme", "mira")] == texts


@pytest.mark.parametrize("messages", [[], (), iter([])])
def test_s23_a_run_without_messages_is_refused_with_a_typed_error_and_nothing_stored(words: Words, messages) -> None:
    with pytest.raises(InvalidRun, match="no messages"):
        words.accept("acme", "mira", "run-1", messages)
    assert words.count("inbox") == 0


def test_s23_recall_on_a_store_that_was_never_written_to_is_empty(words: Words) -> None:
    bundle = words.bundle("acme", "mira", "Where are the bees?")
    assert (bundle.items, bundle.hits, bundle.omitted, bundle.text) == ((), (), 0, "")
    assert (bundle.verdict, bundle.degraded) == (Verdict.UNKNOWN, ())


HELD_BY = [
    ("1 of 1", ["I keep bees."]),
    ("1 of 2", ["The car is red.", "I keep bees."]),
    ("2 of 2", ["Bees like clover.", "I keep bees."]),
    ("1 of 3", ["The car is red.", "I keep bees.", "Lunch was soup."]),
    ("2 of 4", ["I keep bees.", "The car is red.", "Lunch was soup.", "Bees like clover."]),
    ("3 of 4", ["I keep bees.", "The car is red.", "Bees fly at ten degrees.", "Bees like clover."]),
    ("4 of 4", ["I keep bees.", "My bees sleep.", "Bees fly at ten degrees.", "Bees like clover."]),
    ("1 of 1 said often", ["bees bees bees bees bees bees bees bees"]),
    ("1 of 2 long", ["The car is red. " * 60 + "It carries bees.", "Lunch was soup."]),
]


def test_s23_the_memory_that_holds_the_word_is_first_with_a_positive_score_in_each_tiny_store(words: Words) -> None:
    check_tiny_stores(words)


@pytest.mark.usefixtures("no_dense")
def test_s23_words_alone_do_as_well_in_tiny_stores(words: Words) -> None:
    check_tiny_stores(words)
    for user, _ in HELD_BY:
        assert words.recall("acme", user, "submarine") == []


@pytest.mark.usefixtures("no_dense")
def test_s23_the_fresh_tail_does_as_well_in_tiny_stores(words: Words) -> None:
    for user, texts in HELD_BY:
        words.accept("acme", user, "run-1", [said(text, f"m{n}") for n, text in enumerate(texts)])
    for user, texts in HELD_BY:
        hits = words.recall("acme", user, "bees")
        assert {hit.text for hit in hits} == {text for text in texts if "ees" in text}, user
        assert all(0 < hit.score <= 1 for hit in hits), user


def check_tiny_stores(words: Words) -> None:
    for user, texts in HELD_BY:
        words.ingest("acme", user, "run-1", [said(text, f"m{n}") for n, text in enumerate(texts)])
        holding = {text for text in texts if "ees" in text}
        hits = words.recall("acme", user, "bees")
        assert {hit.text for hit in hits[: len(holding)]} == holding, user
        assert all(0 < hit.score <= 1 for hit in hits[: len(holding)]), user
