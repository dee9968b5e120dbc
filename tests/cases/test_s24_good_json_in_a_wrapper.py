"""S24: a good answer in a wrapper is read; one that is cut off is no answer, and never half of one."""

import json

import pytest

from shared.contract.candidates import ExtractionStatus, Reading
from shared.models.answers import ParseFailed, facts_in
from tests.model_reading import asking, entry, facts, line
from tests.scripted_llm import Reply, scripted

FIRST = entry("Mira keeps two beehives, in ```wood``` boxes.")
SECOND = entry("Mira keeps bees since 2029.")
BOTH = facts(FIRST, SECOND)
WRAPPED = {
    "a fence with a language tag": f"```json\n{BOTH}\n```",
    "prose, a fence, prose": f"Here is what I found [as asked]:\n\n```\n{BOTH}\n```\nAnything else? {{just ask}}",
    "prose with bare JSON": f"I read the lines. {BOTH} Those are all.",
    "a thought before it": f'<think>{{"draft":1}} so there are "two</think>{BOTH}',
    "a list at the top": json.dumps([FIRST, SECOND]),
    "a mark of the byte order": f"\ufeff{BOTH}",
    "two objects": f"{facts(FIRST)}\n{facts(SECOND)}",
    "two bare entries": f"{json.dumps(FIRST)}\n\n{json.dumps(SECOND)}",
    "three backticks in a value": BOTH,
    "a comma behind the last": BOTH.replace("}]}", "},]}"),
}
CUT = {
    "in the middle of the second": BOTH[: BOTH.index("since 2029")],
    "in the middle of the second, fenced": f"```json\n{BOTH[: BOTH.index('since 2029')]}\n```",
    "before the second": BOTH[: BOTH.index('{"text": "Mira keeps bees')],
    "before the last bracket": BOTH[:-1],
    "after the first brace": "{",
    "in a thought": "<think>There are two",
    "in the second of two objects": f"{facts(FIRST)}\n{facts(SECOND)[:-20]}",
}
NONE = {"nothing": "", "prose": "I read the lines.", "another key": '{"entities": []}', "no list": '{"facts": "none"}'}


@pytest.mark.parametrize("text", WRAPPED.values(), ids=WRAPPED)
def test_both_facts_are_read_with_their_backticks(text):
    assert [found["text"] for found in facts_in(text)] == [FIRST["text"], SECOND["text"]]


@pytest.mark.parametrize("text", (CUT | NONE).values(), ids=CUT | NONE)
def test_what_is_no_whole_answer_is_a_failure(text):
    with pytest.raises(ParseFailed):
        facts_in(text)


def test_what_the_provider_says_was_cut_off_is_a_failure_even_if_it_looks_whole():
    with pytest.raises(ParseFailed, match="cut off"):
        facts_in(BOTH, cut_off=True)


def test_the_model_that_finds_nothing_is_believed():
    assert facts_in('{"facts": []}') == []


READING = Reading(lines=[line("I keep two beehives, in wood boxes, since 2029")])


@pytest.mark.parametrize("text", WRAPPED.values(), ids=WRAPPED)
def test_a_wrapped_answer_is_stored_after_one_call(text):
    with scripted(text) as server:
        found = asking(server).extract(READING, deadline_s=10.0)
    assert found.status is ExtractionStatus.STORED
    assert [each.text for each in found.candidates] == [FIRST["text"], SECOND["text"]]
    assert (found.usage.calls, found.rejected) == (1, {})


@pytest.mark.parametrize("text", CUT.values(), ids=CUT)
def test_an_answer_that_is_cut_off_is_asked_for_again(text):
    with scripted(text, BOTH) as server:
        found = asking(server).extract(READING, deadline_s=10.0)
    assert len(found.candidates) == 2
    assert (found.usage.calls, found.rejected) == (2, {"unreadable": 1})


@pytest.mark.parametrize("text", CUT.values(), ids=CUT)
def test_one_that_stays_cut_off_is_a_failure_and_no_empty_success(text):
    with scripted(Reply(text=text, finish="length")) as server:
        found = asking(server).extract(READING, deadline_s=10.0)
    assert found.status is ExtractionStatus.FAILED
    assert found.candidates == []
    assert len(server.requests) == 2
