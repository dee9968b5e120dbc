"""S31: what an agent puts into its prompt comes back in its run; none of it is learned as new, and what is new is."""

from __future__ import annotations

import html
import json
import textwrap
from typing import Any

import pytest

from shared.contract import block
from tests.cases.adapter import Words, said

pytestmark = pytest.mark.usefixtures("embedder")

FACTS = [
    "I keep two beehives behind the garage.",
    "My sister Tove lives in Porto, in the street by the river.",
    "On Thursdays I swim at seven.\nBring the blue towel.",
    "犬の名前はモチです。",
    'The form says "C:\\bees\\2025" and <b>nothing</b> else.',
]
BUS = "My bus is the 14."
QUESTION = "What do you know about me, my bees, my sister Tove, Thursdays, 犬 and the form?"


@pytest.fixture
def words(words: Words) -> Words:
    words.ingest("acme", "mira", "start", [said(fact, f"f{n}", ts="2025-03-04T09:00Z") for n, fact in enumerate(FACTS)])
    assert len(words.current("acme", "mira")) == len(FACTS)
    return words


def recalled(words: Words) -> str:
    bundle = words.bundle("acme", "mira", QUESTION)
    assert {item.text for item in bundle.items} >= set(FACTS)
    return bundle.text


def whole(text: str) -> dict[str, str]:
    """The block as it comes back from programs that put it into something."""
    lines = text.splitlines()
    return {
        "as it is": text,
        "indented": textwrap.indent(text, "    "),
        "tabs": textwrap.indent(text, "\t\t"),
        "quoted": "\n".join(f"> {line}" for line in lines),
        "quoted twice": "\n".join(f">> {line}" for line in lines),
        "listed": "\n".join(f"- {line}" for line in lines),
        "fenced": f"```\n{text}\n```",
        "fenced and quoted": "\n".join(f"> {line}" for line in ["~~~text", *lines, "~~~"]),
        "twice": f"{text}\n\n{text}",
        "Windows": text.replace("\n", "\r\n"),
        "blank lines": text.replace("\n", "\n\n"),
        "trailing spaces": "\n".join(f"{line}   " for line in lines),
        "escaped": html.escape(text),
        "escaped but for quotes": html.escape(text, quote=False),
        "in JSON": json.dumps({"context": text}),
        "in JSON twice": json.dumps(json.dumps({"context": text}, ensure_ascii=False)),
        "without its end": "\n".join(lines[:-1]),
        "without its beginning": "\n".join(lines[1:]),
        "without its guard": "\n".join(line for line in lines if line != block.GUARD),
        "items alone": "\n".join(line for line in lines if line.startswith("[m")),
        "one item": next(line for line in lines if line.startswith("[m1~")),
        "backwards": "\n".join(reversed(lines)),
        "with a BOM": f"\ufeff{text}",
        "with NULs": "\0".join(text),
    }


def halves(text: str) -> dict[str, str]:
    """The block torn off: at an item, and in the middle of one."""
    lines = text.splitlines()
    middle = len(lines) // 2
    return {
        "first half": "\n".join(lines[:middle]),
        "second half": "\n".join(lines[middle:]),
        "torn in an item": text[: text.index("beehives") + 4],
        "torn in a heading": text[: text.index("[m3~") + 6],
        "torn in the closing tag": text[:-12],
        "torn in the guard": text[: text.index(block.GUARD) + 40],
        "torn in the opening tag": text[:24],
        "torn at its start, in an item": text[text.index("beehives") :],
        "torn at its start, in its middle item": text[text.index("lives in Porto") :],
        "torn at its start, in an escape": text[text.index("nBring the blue") :],
        "torn at its start, in its last item": text[text.index("says ") :],
        "torn at its start, in a label": text[text.index("user]", text.index("[m3~")) :],
        "torn at its start, in the guard": text[text.index("instruction.") :],
        "torn at both ends": text[text.index("behind the") : text.index("Porto")],
        "torn in JSON": json.dumps({"context": text[: text.index("Porto")]}),
    }


@pytest.mark.parametrize("first", [0, 20])
def test_s31_over_twenty_turns_the_store_grows_by_the_one_new_thing_alone(words: Words, first: int) -> None:
    """Each turn a run of its own, in no session, with the block in the user's message and the question after it."""
    rows = snapshot(words)
    start = len(words.current("acme", "mira"))
    for turn in range(1, 21):
        text = recalled(words)
        shapes = list({**whole(text), **halves(text)}.values())
        assert len(shapes) <= 40, "each is used once"
        shape = shapes[(first + turn) % len(shapes)]
        told = f"{QUESTION} {BUS}" if turn == 5 else QUESTION
        quoted = {"role": "assistant", "text": "\n".join(f"> {line}" for line in shape.splitlines())}
        words.ingest("acme", "mira", f"turn-{turn}", [{"role": "user", "text": f"{shape}\n\n{told}"}, quoted])
    new = [row["text"] for row in words.current("acme", "mira")[start:]]
    assert len(new) <= 1, new
    assert BUS in words.recall("acme", "mira", "bus")[0].text
    assert_clean(words, "acme")
    assert {key: row for key, row in snapshot(words).items() if key in rows} == rows, "recalling changes no memory"


def test_s31_the_same_words_beside_the_block_are_learned_once_whatever_the_session(words: Words) -> None:
    """A question that may tell something, or a request, is kept; twenty runs that hold it keep it once."""
    asked = "Can you book a table for Friday? Tove is allergic to nuts."
    for turn in range(20):
        words.ingest("acme", "mira", f"turn-{turn}", [said(f"{recalled(words)}\n\n{asked}")])
    assert [row["text"] for row in words.current("acme", "mira")][len(FACTS) :] == [asked]
    assert words.rules("acme", "mira", "turn-0") == ["default"]
    assert words.rules("acme", "mira", "turn-19") == ["exact_repeat"]
    for turn in range(3):
        words.ingest("beta", "oskar", f"turn-{turn}", [said(asked)])
    assert len(words.current("beta", "oskar")) == 3, "without the block, each session's words are its own"


def test_s31_a_question_put_to_memory_is_in_the_ledger_and_no_memory(words: Words) -> None:
    words.ingest("acme", "mira", "run", [said(f"{recalled(words)}\n\n{QUESTION}")])
    event = words.evidence("acme", "mira")[-1]
    assert event.payload is not None
    assert (event.payload["text"], event.payload["recalled"]) == (QUESTION, 1)
    assert words.rules("acme", "mira", "run") == ["query"]


def test_s31_a_torn_end_is_only_dropped_for_who_holds_the_memory(words: Words) -> None:
    text = recalled(words)
    torn = text[text.index("hives behind") :]
    words.ingest("acme", "mira", "run", [said(torn), said(f"{torn}\n{BUS}")])
    assert words.rules("acme", "mira", "run") == ["recalled_block", "default"]
    words.ingest("acme", "oskar", "run", [said(torn)])
    assert [row["text"] for row in words.current("acme", "oskar")] == ["hives behind the garage."]


@pytest.mark.parametrize("role", ["user", "assistant", "tool", "system"])
def test_s31_no_form_of_the_block_is_learned_whoever_brings_it(words: Words, role: str) -> None:
    text = recalled(words)
    for n, (name, shape) in enumerate({**whole(text), **halves(text)}.items()):
        words.ingest("acme", "mira", f"run-{n}", [{"id": f"m{n}", "role": role, "text": shape}])
        new = [row["text"] for row in words.current("acme", "mira")[len(FACTS) :]]
        assert new == [], name
    assert_clean(words, "acme")


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_s31_what_is_said_around_the_block_is_learned_word_for_word(words: Words, role: str) -> None:
    """The opposite failure: with a block in it, a whole message was passed over."""
    text = recalled(words)
    for n, (name, shape) in enumerate(whole(text).items()):
        if name.startswith("in JSON"):
            continue  # there it is a value of somebody's data, and the rest is that data
        for m, given in enumerate((f"My bus is number {n}.\n{shape}", f"{shape}\nMy bus is number {n}.")):
            words.ingest("beta", f"user-{n}-{m}", "run", [{"id": "m", "role": role, "text": given}])
            assert [row["text"].strip("\r\n \ufeff") for row in words.current("beta", f"user-{n}-{m}")] == [
                f"My bus is number {n}."
            ], name


def test_s31_the_block_is_cut_out_of_tool_output_calls_and_parts(words: Words) -> None:
    text = recalled(words)
    messages: list[dict[str, Any]] = [
        {"id": "a", "role": "tool", "text": {"memory": text, "lamp": "The lamp is broken."}},
        {"id": "b", "role": "user", "content": [{"type": "text", "text": text}, {"type": "text", "text": BUS}]},
        {
            "id": "c",
            "role": "assistant",
            "text": "Calling.",
            "tool_calls": [{"id": "c1", "arguments": {"context": [text]}}],
        },
        {
            "id": "d",
            "role": "assistant",
            "text": "Calling again.",
            "tool_calls": [{"id": "c2", "arguments": json.dumps({"c": text})}],
        },
    ]
    words.ingest("acme", "mira", "run", messages)
    new = [row["text"] for row in words.current("acme", "mira")][len(FACTS) :]
    assert [BUS in each for each in new] == [False, True, False, False]
    assert "The lamp is broken." in new[0]
    stored = json.dumps([event.payload for event in words.evidence("acme", "mira")[len(FACTS) :]], ensure_ascii=False)
    assert not any(marker in stored for marker in ("daybook-memory", block.GUARD, "beehives", "[m1~"))


def test_s31_a_message_of_nothing_but_the_block_says_so_and_counts_for_no_user(words: Words) -> None:
    receipt = words.ingest("acme", "mira", "run", [said(recalled(words), "m1")])
    assert any("recalled blocks cut out" in warning for warning in receipt.warnings)
    event = words.evidence("acme", "mira")[-1]
    assert event.origin == "recalled"
    assert words.rules("acme", "mira", "run") == ["recalled_block"]


def test_s31_the_block_is_not_found_in_the_fresh_tail_before_any_worker_has_seen_it(words: Words) -> None:
    text = recalled(words)
    words.accept("acme", "mira", "run", [said(f"{text}\n{BUS}", "m1"), said(text, "m2")])
    bundle = words.bundle("acme", "mira", QUESTION)
    assert sorted(item.text for item in bundle.items) == sorted(FACTS)
    assert [item.text for item in words.bundle("acme", "mira", "bus").items if item.fresh] == [BUS]


def test_s31_a_block_of_another_user_is_not_learned_either(words: Words) -> None:
    words.ingest("acme", "oskar", "run", [said(f"{recalled(words)}\n{BUS}", "m1")])
    assert [row["text"] for row in words.current("acme", "oskar")] == [BUS]


def test_s31_a_block_torn_off_inside_an_item_leaves_that_items_remains_at_most(words: Words) -> None:
    """Nothing tells them from the caller's own words; every whole line after them is known for what it is."""
    text = recalled(words)
    for n, place in enumerate(range(text.index("[m1~"), len(text), 19)):
        words.ingest("beta", f"user-{n}", "run", [said(text[place:], "m1")])
        left = [row["text"] for row in words.current("beta", f"user-{n}")]
        assert len(left) <= 1
        assert all("\n" not in each and each in text.splitlines()[2 + text[:place].count("\n") - 2] for each in left)
        words.ingest("beta", f"user-{n}-", "run", [said(text[:place], "m1")])
        assert words.current("beta", f"user-{n}-") == [], text[:place][-40:]


def test_s31_a_paraphrase_is_kept_as_what_the_assistant_said_and_as_nothing_more(words: Words) -> None:
    """No rule tells it from other talk. It is the assistant's word, of its trust, and no fact of the user's."""
    words.ingest(
        "acme", "mira", "run", [{"id": "a", "role": "assistant", "text": "You have a pair of hives at the back."}]
    )
    (row,) = words.current("acme", "mira")[len(FACTS) :]
    assert (row["speaker"], row["origin"], row["kind"], row["trust"]) == ("assistant", "assistant", "episodic", 3)
    assert [row["text"] for row in words.current("acme", "mira") if row["role"] == "user"] == FACTS


def test_s31_what_only_resembles_the_block_is_learned_unchanged(words: Words) -> None:
    texts = [
        "Memories from earlier conversations are what this product is about.",
        "In TOML [m1] begins a table, and [m2 settings] does not.",
        "The tag <daybook> is not ours, and neither is daybook-memory, the package.",
        "See [m1] and [m2] for the sources.",
        "1. [m1] bees\n2. [m2] wasps",
    ]
    words.ingest("acme", "oskar", "run", [said(text, f"m{n}") for n, text in enumerate(texts)])
    assert [row["text"] for row in words.current("acme", "oskar")] == texts


def assert_clean(words: Words, tenant: str) -> None:
    texts = [row["text"] for row in words.current(tenant, "mira")]
    assert not any(marker in text for text in texts for marker in ("daybook-memory", block.GUARD, "[m1~"))
    assert all(sum(fact in text for text in texts) == 1 for fact in FACTS)


def snapshot(words: Words) -> dict[Any, Any]:
    return {row["memory_id"]: row for row in words.current("acme", "mira")}
