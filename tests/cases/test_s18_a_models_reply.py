"""S18, for what a model replies: NUL and halves of characters reach no candidate and no ledger, the rest passes."""

import json

import pytest

from shared.contract.candidates import Reading
from tests.model_reading import asking, entry, facts, line
from tests.scripted_llm import scripted

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
TEXTS = [
    ("tea\x00pot", "teapot"),
    ("tea \ud83d pot", "tea \ufffd pot"),
    ("tea \udce9 pot", "tea \ufffd pot"),
    ("tea \ufffe pot", "tea \ufffd pot"),
    (f"tea {FAMILY} pot", f"tea {FAMILY} pot"),
    (r"tea \u0000 pot", r"tea \u0000 pot"),
]
READING = Reading(lines=[line("My teapot is called tea pot")])


def asks(reply):
    with scripted(reply, facts()) as server:
        return asking(server).extract(READING, deadline_s=10.0), server.requests


@pytest.mark.parametrize(("written", "kept"), TEXTS, ids=[repr(each) for each, _ in TEXTS])
def test_a_text_is_cleaned_as_at_the_front_door(written, kept):
    named = entry(f"Mira calls her teapot {written} pot.", predicate=f"name{written}", object=f"pot {written}")
    reply = json.dumps({"facts": [named]})
    found, _ = asks(reply)
    (candidate,) = found.candidates
    assert candidate.text == f"Mira calls her teapot {kept} pot."
    assert candidate.claim.object == f"pot {kept}"
    assert_can_be_stored(candidate.model_dump_json())
    assert_can_be_stored(found.answer)


@pytest.mark.parametrize("written", [each for each, _ in TEXTS], ids=[repr(each) for each, _ in TEXTS])
def test_a_whole_reply_of_it_is_cleaned_too(written):
    found, requests = asks(f"No facts, {written}, just talk")
    assert_can_be_stored(found.answer)
    assert len(requests) == 2  # the second call shows the model its reply, and can be sent


@pytest.mark.parametrize("field", ["about", "since", "language", "predicate", "type"])
def test_no_other_field_brings_it_in(field):
    found, requests = asks(json.dumps({"facts": [entry("Mira has a teapot.", **{field: "tea\x00\ud83dpot"})]}))
    assert_can_be_stored("".join(each.model_dump_json() for each in found.candidates))
    assert all(json.dumps(each.body, ensure_ascii=False).encode() for each in requests)


def assert_can_be_stored(text):
    assert "\0" not in text
    text.encode()
