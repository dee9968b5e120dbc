from __future__ import annotations

import json

import pytest

from gateway.reading import EXAMPLE, runs_in, text_of
from shared.contract.errors import InvalidRun

MESSAGE = {"role": "user", "text": "I keep two beehives."}


def test_the_example_that_errors_show_is_a_run() -> None:
    (run,) = runs_in(EXAMPLE)
    assert run.run_id == "run-7"
    assert run.messages == [MESSAGE]


def test_a_run_may_be_spread_over_lines_and_have_a_room() -> None:
    document = {"run_id": "r", "messages": [MESSAGE], "room": "kitchen", "participants": ["mira", "oz"]}
    (run,) = runs_in(json.dumps(document, indent=2))
    assert (run.room, run.participants) == ("kitchen", ["mira", "oz"])


def test_json_lines_are_runs_where_they_hold_messages() -> None:
    lines = [json.dumps({"run_id": each, "messages": [MESSAGE]}) for each in ("a", "b")]
    assert [run.run_id for run in runs_in("\n\n".join(lines) + "\n")] == ["a", "b"]


def test_json_lines_of_messages_are_one_run() -> None:
    (run,) = runs_in("\n".join([json.dumps(MESSAGE), json.dumps({"content": "Moved them."})]))
    assert run.run_id is None
    assert len(run.messages) == 2


def test_a_list_of_messages_is_a_run_and_so_is_one_message() -> None:
    assert len(runs_in(json.dumps([MESSAGE, MESSAGE]))[0].messages) == 2
    assert len(runs_in(json.dumps(MESSAGE))[0].messages) == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "nothing to read"),
        (" \n ", "nothing to read"),
        ("hello", "no JSON"),
        ("{", "no JSON"),
        ('{"messages": [{}]}\n{"messages"', "line 2 is no JSON"),
        ("3", "not like"),
        ("[1]", "messages.0"),
        ('{"run_id": 3, "messages": []}', "run_id"),
        ('{"messages": "hello"}', "messages"),
        ('{"messages": [], "rooms": "x"}', "rooms"),
        ("[" * 100_000, "cannot be read"),
        ("1" * 5_000, "cannot be read"),
    ],
)
def test_what_is_no_run_is_refused_with_the_place(text: str, says: str) -> None:
    with pytest.raises(InvalidRun, match=says):
        runs_in(text)


def test_a_byte_order_mark_is_no_part_of_a_run() -> None:
    assert text_of(b"\xef\xbb\xbf" + EXAMPLE.encode()) == EXAMPLE


@pytest.mark.parametrize("content", [b"\xff\xfe{\x00}\x00", b"\x80", b'{"messages": "\xe9"}', bytes(range(256))])
def test_bytes_that_are_no_text_are_refused_with_the_place(content: bytes) -> None:
    with pytest.raises(InvalidRun, match=r"byte \d+ is 0x"):
        text_of(content)
