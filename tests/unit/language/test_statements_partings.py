"""What a whole sentence says is gone: each end is of one claim, and what only sounds like one ends nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from shared.language.statements import Statement

Told = Callable[[str], set[str]]


@pytest.mark.parametrize(
    "text",
    [
        "We had to put Bello down.",
        "We put Bello to sleep last week.",
        "We had Bello put to sleep.",
        "Bello had to be put to sleep.",
        "Sadly, Bello was run over yesterday.",
        "Our dog Bello was run over.",
        "I gave away my dog Bello.",
        "We gave Bello up for adoption.",
        "We gave Bello to my sister.",
        "We rehomed Bello.",
    ],
)
def test_an_animal_that_is_gone_is_theirs_no_longer(told: Told, text: str) -> None:
    assert told(text) == {"ended Mira pet Bello"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I gave my cat away.", {"ended Mira pet cat"}),
        ("I gave away my car.", {"ended Mira owns car"}),
        ("I gave my car to my brother.", {"ended Mira owns car"}),
        ("Ida and I got divorced.", {"ended Mira partner Ida", "Mira marital_status divorced"}),
        ("I got divorced from Ida.", {"ended Mira partner Ida", "Mira marital_status divorced"}),
        ("My wife and I separated.", {"ended Mira partner wife", "Mira marital_status separated"}),
        ("My husband and I split up.", {"ended Mira partner husband"}),
        ("My girlfriend broke up with me.", {"ended Mira partner girlfriend"}),
        ("Ida is my ex-wife now.", {"ended Mira partner Ida", "ended Mira marital_status married to Ida"}),
        ("Ida is my ex.", {"ended Mira partner Ida"}),
        ("I switched from sertraline to fluoxetine.", {"ended Mira takes sertraline", "Mira takes fluoxetine"}),
        (
            "My doctor switched me from sertraline to fluoxetine.",
            {"ended Mira takes sertraline", "Mira takes fluoxetine"},
        ),
        ("I work at Heron. I switched from Heron to Acme.", {"ended Mira works_at Heron", "Mira works_at Acme"}),
        (
            "We dropped Redis for Valkey.",
            {
                "ended Mira uses Redis",
                "ended Mira decided use Redis",
                "ended Mira decided go with Redis",
                "Mira uses Valkey",
            },
        ),
        ("I have a second job at Acme. I quit my second job.", {"ended Mira second_job Acme"}),
        ("I quit piano.", {"ended Mira plays piano"}),
        ("I never had asthma.", {"never Mira has_condition asthma"}),
        ("I've never had asthma.", {"never Mira has_condition asthma"}),
        ("Don't call me Max.", {"ended Mira preferred_name Max"}),
        ("Please stop calling me Max.", {"ended Mira preferred_name Max"}),
        ("Never answer in French.", {"Mira preferred_language not French"}),
        ("My trip to Oslo got cancelled.", {"never Mira travels_to Oslo", "never Mira plans trip to Oslo"}),
    ],
)
def test_what_is_over_ends_what_was_claimed_of_it(told: Told, text: str, expected: set[str]) -> None:
    assert expected <= told(text)


@pytest.mark.parametrize(
    "text",
    [
        "We put Otto down for a nap.",
        "Should we put Bello down?",
        "If Ida and I got divorced, I'd cry.",
        "Ida and I are getting divorced.",
        "My parents got divorced.",
        "I left my wife a note.",
        "My boyfriend left me a message.",
        "We almost put Bello down.",
        "Otto said we gave Bello away.",
        "I gave Otto a book.",
        "I wouldn't give my car away.",
        "We might drop Redis for Valkey.",
    ],
)
def test_what_only_sounds_like_an_end_ends_nothing(told: Told, text: str) -> None:
    assert not {each for each in told(text) if each.startswith(("ended", "never"))}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm flying to Oslo and Bergen on 3 June.", {"Oslo": date(2031, 6, 3), "Bergen": date(2031, 6, 3)}),
        (
            "I'm going to Oslo on 3 June and to Bergen on 7 June.",
            {"Oslo": date(2031, 6, 3), "Bergen": date(2031, 6, 7)},
        ),
        ("I'm flying to Oslo on 3 June with Otto and Ida.", {"Oslo": date(2031, 6, 3)}),
    ],
)
def test_each_place_of_a_journey_is_kept_with_its_day(
    read: Callable[..., list[Statement]], text: str, expected: dict[str, date]
) -> None:
    assert {each.object: each.since for each in read(text)} == expected
