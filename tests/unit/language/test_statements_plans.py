from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from shared.language.statements import Statement, Talk, statements_in
from shared.models.parsing import english_tagger

Read = Callable[..., list[Statement]]
Told = Callable[[str], set[str]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the vet is next Tuesday", "the vet scheduled_for 2031-05-27"),
        ("I have a dentist appointment on Thursday at 3pm", "Mira's dentist appointment scheduled_for 2031-05-29"),
        ("My flight to Oslo is on Friday", "Mira's flight to Oslo scheduled_for 2031-05-30"),
        ("My driving test has been rescheduled to 5 June.", "Mira's driving test scheduled_for 2031-06-05"),
        ("We're flying to Japan in October", "Mira travels_to Japan"),
        ("I'm planning to learn sailing", "Mira plans learn sailing"),
        ("We're getting married on 12 June", "Mira plans get married"),
        ("I'm moving to Dublin next month", "Mira plans move to Dublin"),
        ("We decided to drop the newsletter", "Mira decided drop the newsletter"),
        ("Let's go with Postgres", "Mira decided go with Postgres"),
        ("the gate code is 4521", "the gate code code 4521"),
        ("Remember that the spare key is under the blue pot", "the spare key located_in under the blue pot"),
    ],
)
def test_what_is_to_come_and_what_was_settled(told: Told, text: str, expected: str) -> None:
    assert expected in told(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Please always answer in French.", "Mira preferred_language French"),
        ("From now on, use metric units.", "Mira instruction From now on, use metric units"),
        ("Don't ever use emojis", "Mira instruction Don't ever use emojis"),
        ("Also, always quote prices in francs.", "Mira instruction always quote prices in francs"),
        ("Stop apologising.", "Mira instruction Stop apologising"),
    ],
)
def test_what_an_agent_is_told_for_good(told: Told, text: str, expected: str) -> None:
    assert told(text) == {expected}


@pytest.mark.parametrize(
    "text",
    ["Use Python for this one.", "Never mind.", "Don't forget the tests.", "Let's do it!", "Always happy to help"],
)
def test_what_is_told_for_once_is_no_instruction(told: Told, text: str) -> None:
    assert told(text) == set()


def test_among_people_without_an_agent_nobody_instructs_one() -> None:
    talk = Talk(addresses_agent=False)
    found = statements_in("Always close the gate.", tag=english_tagger(), speaker="tove", said_on=None, talk=talk)
    assert found == []


def test_a_date_put_right_is_of_the_month_that_was_spoken_of() -> None:
    talk = Talk(addresses_agent=False)
    said_on = date(2018, 6, 5)
    statements_in("open day, thursday 12 july", tag=english_tagger(), speaker="ines", said_on=said_on, talk=talk)
    found = statements_in(
        "No, the open day is on the 14th, not the 12th.",
        tag=english_tagger(),
        speaker="tove",
        said_on=said_on,
        talk=talk,
    )
    assert [(each.object, each.change) for each in found] == [("2018-07-14", "holds"), ("2018-07-12", "never")]


def test_what_was_just_said_is_put_right(told: Told) -> None:
    found = told("I live in Leeds. Sorry, I meant York, not Leeds.")
    assert found == {"Mira lives_in York"}


def test_times_are_worked_out_from_the_day_of_the_message(read: Read) -> None:
    (found,) = read("Yesterday I adopted a greyhound")
    assert found.since == date(2031, 5, 23)
    assert found.text == "Mira adopted a greyhound on 2031-05-23."


def test_what_ended_at_a_time_has_it_as_its_end(read: Read) -> None:
    (found,) = read("I quit my job at Acme last Friday")
    assert (found.since, found.until) == (None, date(2031, 5, 23))


def test_a_time_is_shared_by_what_goes_on_with_the_same_subject(read: Read) -> None:
    sold, bought = read("I sold my car last week and bought an e-bike.")
    assert (sold.until, bought.since) == (date(2031, 5, 18), date(2031, 5, 12))


def test_without_the_time_of_a_message_no_date_is_made_up(read: Read) -> None:
    (found,) = read("I moved to Oslo yesterday. I'm flying to Rome tomorrow.", said_on=None)
    assert found.since is None
    assert "yesterday" not in found.text
