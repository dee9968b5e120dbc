"""Recalled memories are taken out of JSON too, in whatever part they came."""

from __future__ import annotations

import json
import time
import unicodedata
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.accept import clean_run
from shared.accept.accept import unpack
from shared.accept.recalled import without_recalled
from shared.contract.block import Item, render
from shared.contract.events import Message
from shared.contract.scope import Scope
from shared.contract.trust import Origin
from shared.settings import load

BLOCK = render(
    "0123456789abcdef",
    [
        Item(ordinal=1, memory_id="5f0c2a7b9d31", label="user", text='I keep "two"\nbeehives.'),
        Item(ordinal=2, memory_id="a11e00c4d2f9", label="user", text="My sister is called Tove."),
    ],
)
NOW = datetime(2031, 6, 1, 12, tzinfo=UTC)
FIRST_HALF = BLOCK[: BLOCK.index("Tove")]
LAST_HALF = BLOCK[BLOCK.index("[m2~") :]


def only(**message: Any) -> Message:
    scope = Scope(tenant_id="acme", user_id="mira")
    (cleaned,) = clean_run(scope, [message], run_id="run", settings=load(), now=NOW).messages
    return cleaned


@pytest.mark.parametrize("block", [BLOCK, FIRST_HALF, LAST_HALF])
@pytest.mark.parametrize("form", ["{}", "> {}", "{}\n\nWhat is my bus?", "Look:\n{}\nand\n{}"])
def test_a_block_or_half_of_one_goes_out_of_json_and_leaves_its_data(block: str, form: str) -> None:
    data = {"context": block, "note": "My bus is the 14.", "of": [block, 1.5, None, {"in": json.dumps({"c": block})}]}
    found = without_recalled(form.replace("{}", json.dumps(data)))
    left = {"context": "", "note": "My bus is the 14.", "of": ["", 1.5, None, {"in": '{"c": ""}'}]}
    assert found.text == form.replace("{}", json.dumps(left))
    assert found.blocks == 3 * form.count("{}")


@pytest.mark.parametrize("text", [json.dumps(FIRST_HALF)[:-1], f"[{json.dumps(LAST_HALF)}", "{" * 3 + LAST_HALF])
def test_what_is_no_json_is_a_text(text: str) -> None:
    without_recalled(text)


def test_json_deeper_than_anybody_writes_is_left_as_it_is() -> None:
    for depth in (100, 900, 5_000):
        text = "[" * depth + json.dumps(FIRST_HALF) + "]" * depth
        assert "My sister" in without_recalled(text).text


COMPOSED = st.text().map(partial(unicodedata.normalize, "NFC"))  # as every text is that gets so far


@given(st.recursive(st.none() | st.booleans() | COMPOSED | st.integers(), lambda inner: st.lists(inner, max_size=3)))
def test_other_data_beside_half_a_block_is_kept(value: object) -> None:
    found = without_recalled(json.dumps([value, FIRST_HALF]))
    assert (json.loads(found.text), found.blocks) == ([value, ""], 1)


def test_a_message_says_how_much_was_cut_out_of_it_and_what_may_be_torn() -> None:
    assert (only(text=BLOCK).recalled, only(text="tea").recalled) == (1, 0)
    assert only(text=[{"type": "text", "text": BLOCK}, {"memory": BLOCK}]).recalled == 2
    torn = only(text="the garage.\n" + LAST_HALF)
    assert (torn.recalled, torn.torn, torn.origin) == (1, ("the garage.",), Origin.USER)
    call = only(role="assistant", text="Calling.", tool_calls=[{"arguments": json.dumps({"c": FIRST_HALF})}])
    assert (call.recalled, call.tool_calls) == (0, ({"arguments": '{"c": ""}'},))


@pytest.mark.parametrize("text", [json.dumps({"memory": FIRST_HALF, "score": 0.9}), {"memory": BLOCK}])
def test_json_that_held_nothing_else_is_recalled_and_not_anybodys_word(text: object) -> None:
    assert only(text=text).origin is Origin.RECALLED
    assert only(text={"memory": BLOCK, "lamp": "It is broken."}).origin is Origin.USER


def test_no_torn_line_shows_a_secret() -> None:
    message = only(text="the key is sk-test-" + "a" * 40 + "\n" + LAST_HALF)
    assert "[redacted" in message.text
    assert message.torn == ()


def test_a_payload_of_an_earlier_version_is_read() -> None:
    stored = {
        "scope": {"tenant_id": "acme", "user_id": "mira"},
        "run_id": "run-1",
        "messages": [
            {
                "position": 0,
                "message_id": "m1",
                "role": "user",
                "speaker": "user",
                "text": "tea",
                "origin": "user",
                "occurred_at": None,
                "precision": "unknown",
                "digest": "0" * 64,
            }
        ],
    }
    (message,) = unpack(json.dumps(stored)).messages
    assert (message.recalled, message.torn) == (0, ())


def test_looking_into_json_takes_no_longer_than_the_text_is_long() -> None:
    mark = "[m2~a11e user] x"
    started = time.process_time()
    for text in (
        "[\n" * 300_000 + mark,
        '{"a":\n' * 100_000 + mark,
        f'["{mark}"]\n' * 100_000,
        json.dumps([mark] * 50_000),
        f'"{mark}\n' * 100_000,
    ):
        without_recalled(f"x {mark}\n{text}")
    assert time.process_time() - started < 5
