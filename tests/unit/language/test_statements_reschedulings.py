"""A plan that is off, or on another day: what was held of it is taken back, and its new day is claimed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from shared.contract.candidates import Change
from shared.language.statements import Statement

Told = Callable[[str], set[str]]
Read = Callable[..., list[Statement]]


@pytest.mark.parametrize(
    "text",
    [
        "The Lima trip is off.",
        "Our Lima holiday has been called off.",
        "We called off the Lima trip.",
        "I had to cancel my Lima flight.",
        "My flight to Lima got cancelled because of the storm.",
        "We're not doing the Lima trip after all.",
        "The Lima trip got postponed.",
        "We postponed our holiday in Lima.",
        "Our Lima cruise isn't happening.",
    ],
)
def test_nobody_travels_where_the_journey_is_off_or_put_off(told: Told, text: str) -> None:
    assert "never Mira travels_to Lima" in told(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I moved my Lima flight to 9 June.", "Mira's Lima flight scheduled_for 2031-06-09"),
        ("I pushed our trip to Lima back to 9 June.", "Mira's trip to Lima scheduled_for 2031-06-09"),
        ("We rescheduled the Lima trip from 3 June to 9 June.", "Mira's Lima trip scheduled_for 2031-06-09"),
        ("My flight to Lima was moved to 9 June.", "Mira's flight to Lima scheduled_for 2031-06-09"),
        ("My Lima flight is now on 9 June.", "Mira's Lima flight scheduled_for 2031-06-09"),
        ("We postponed our trip to Lima until August.", "Mira's trip to Lima scheduled_for 2031-08"),
        ("I'm not flying to Lima on 3 June but on 9 June.", "Mira travels_to Lima"),
    ],
)
def test_a_journey_on_another_day_is_not_on_the_old_one(told: Told, text: str, expected: str) -> None:
    assert {expected, "never Mira travels_to Lima"} <= told(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I moved my dentist appointment to 9 June.", {"Mira's dentist appointment scheduled_for 2031-06-09"}),
        ("We pushed our meeting with Otto to 9 June.", {"Mira's meeting with Otto scheduled_for 2031-06-09"}),
        (
            "I rescheduled the Elkem interview for 9 June.",
            {"Mira's Elkem interview scheduled_for 2031-06-09", "the Elkem interview scheduled_for 2031-06-09"},
        ),
        (
            "My dentist appointment is cancelled.",
            {"Mira's dentist appointment scheduled_for cancelled", "Mira's dentist appointment status cancelled"},
        ),
        ("The wedding is postponed to 9 June.", {"the wedding scheduled_for 2031-06-09"}),
        ("The wedding is postponed until August.", {"the wedding scheduled_for postponed"}),
        ("The wedding has been postponed.", {"the wedding scheduled_for postponed"}),
        ("I'm not moving to Lima after all.", {"never Mira plans move to Lima"}),
    ],
)
def test_an_appointment_has_its_new_day_or_none(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "I might move my Lima flight to 9 June.",
        "Should I cancel the Lima trip?",
        "The Lima office is closed.",
        "I moved my desk to Lima.",
        "I moved my files to 9 June.",
        "Otto said the Lima trip is off.",
        "The Lima trip is off to a good start.",
        "The wedding is off the beaten track.",
        "We almost cancelled the Lima trip.",
        "I can't move my Lima flight to 9 June.",
        "I'm not working after all.",
    ],
)
def test_what_is_only_thought_of_changes_no_plan(read: Read, text: str) -> None:
    assert not [each for each in read(text) if each.change is Change.NEVER or each.predicate == "scheduled_for"]
