"""A secret that is a message of its own goes where the one before it asks for it; what answers otherwise stays."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from shared.accept import clean_run
from shared.accept.answering import scrub_answer
from shared.accept.scrub import Scrubbed, scrub
from shared.contract.events import Run
from shared.contract.scope import Scope
from shared.settings import load
from tests.unit.accept.answers_table import HITS, LOOK_ALIKES

_MARKED = re.compile("⟦(.*?)⟧")
_REDACTED = re.compile(r"\[redacted: [a-z ]+\]")
ASKING = {"id": "m1", "role": "assistant", "text": "What is the wifi password?"}
ANSWER = {"id": "m2", "role": "user", "text": "Kolibri-Nest-81"}


def clean(*messages: dict[str, str]) -> Run:
    scope = Scope(tenant_id="acme", user_id="mira")
    return clean_run(scope, messages, run_id="run-7", settings=load(), now=datetime(2031, 6, 1, tzinfo=UTC))


@pytest.mark.parametrize(("before", "marked"), HITS)
def test_what_answers_a_question_for_a_secret_goes_and_all_around_it_stays(before: str, marked: str) -> None:
    left = scrub_answer(before, _MARKED.sub(r"\1", marked)).text
    assert _REDACTED.split(left) == re.split("⟦.*?⟧", marked)


@pytest.mark.parametrize(("before", "marked"), HITS)
def test_what_is_left_of_an_answer_has_no_more_secrets(before: str, marked: str) -> None:
    left = scrub_answer(before, _MARKED.sub(r"\1", marked)).text
    assert scrub_answer(before, left) == Scrubbed(text=left, found=())


@pytest.mark.parametrize(("before", "text"), LOOK_ALIKES)
def test_what_answers_otherwise_stays(before: str, text: str) -> None:
    assert scrub_answer(before, text) == Scrubbed(text=text, found=())


@pytest.mark.parametrize("marked", [marked for _, marked in HITS])
def test_after_a_message_that_asks_for_nothing_a_message_is_scrubbed_by_itself(marked: str) -> None:
    text = _MARKED.sub(r"\1", marked)
    assert scrub_answer("We met on Monday.", text) == scrub_answer("", text) == scrub(text)


def test_a_long_message_is_no_answer() -> None:
    text = "The garden was full of hummingbirds this morning, and Nest81 was what we called the feeder. " * 2
    assert scrub_answer(ASKING["text"], text).text == text


def test_only_the_end_of_the_message_before_is_read() -> None:
    before = f"What is the wifi password? {'It rained. ' * 9}Shall we go?"
    assert scrub_answer(before, "Kolibri-Nest-81").found == ()


def test_a_secret_in_the_next_message_of_a_run_goes_and_is_counted_and_warned_of() -> None:
    run = clean(ASKING, ANSWER)
    assert run.messages[1].text == "[redacted: password]"
    assert run.messages[1].warnings == ("secrets removed: password (1)",)
    assert run.redacted == 1


def test_a_message_without_text_between_question_and_answer_hides_nothing() -> None:
    assert clean(ASKING, {"id": "m3", "role": "tool", "text": ""}, ANSWER).messages[2].text == "[redacted: password]"


@pytest.mark.parametrize("said", ["Sure, one sec", "Moment bitte", "Let me check…", "Here you go:"])
def test_a_message_that_has_one_wait_leaves_the_question_open(said: str) -> None:
    assert clean(ASKING, {"id": "m3", "text": said}, ANSWER).messages[2].text == "[redacted: password]"


def test_a_message_that_says_something_closes_the_question() -> None:
    assert clean(ASKING, {"id": "m3", "text": "I have none."}, ANSWER).messages[2].text == ANSWER["text"]


def test_an_answer_given_twice_is_read_both_times_as_what_follows_its_question() -> None:
    run = clean(ASKING, ANSWER, {"id": "m3", "text": "It rained."}, ANSWER)
    assert [message.text for message in run.messages] == [ASKING["text"], "[redacted: password]", "It rained."]


def test_a_message_that_asks_for_nothing_leaves_the_next_as_it_is() -> None:
    assert clean({"text": "Who is there?"}, ANSWER).messages[1].text == ANSWER["text"]
