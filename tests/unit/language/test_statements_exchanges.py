"""What is switched says of what kind it is; what is gone back to ends what had its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Told = Callable[[str], set[str]]


@pytest.mark.parametrize(
    "text",
    [
        "I switched seats with Otto from 14B to 2A.",
        "I swapped rooms with Ida from 310 to 204.",
        "I switched my cat's litter from Biokat to Catsan.",
        "I switched the baby from Aptamil to Hipp.",
        "I changed trains from the ICE to the RE in Fulda.",
        "We changed the curtains from green to blue.",
        "I switched my order from tea to coffee.",
        "I switched sides from Labour to Tory.",
        "I switched the conversation from German to English.",
        "I switched from law to medicine.",
        "I switched from day shifts to nights.",
        "I switched from coffee to tea for Ramadan.",
        "I switched from Word to Docs for this project.",
        "I temporarily switched from Spotify to Tidal.",
    ],
)
def test_what_is_exchanged_for_a_while_or_is_nothing_that_one_uses_claims_nothing(told: Told, text: str) -> None:
    assert told(text) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I switched from nano to emacs.", {"ended Mira uses nano", "Mira uses emacs"}),
        ("I switched our database from MySQL to Postgres.", {"ended Mira uses MySQL", "Mira uses Postgres"}),
        ("I switched my phone from Android to iPhone.", {"ended Mira uses Android", "Mira uses iPhone"}),
        ("I switched jobs from Elkem to Hydro.", {"ended Mira works_at Elkem", "Mira works_at Hydro"}),
        ("I switched dentists from Dr. Berg to Dr. Lund.", {"ended Mira dentist Dr. Berg", "Mira dentist Dr. Lund"}),
        ("We migrated everything to Forgejo.", {"Mira uses Forgejo"}),
        ("I switched from coffee to tea.", {"ended Mira drinks coffee", "Mira drinks tea"}),
    ],
)
def test_what_is_exchanged_for_good_takes_the_other_s_place(told: Told, text: str, expected: set[str]) -> None:
    assert expected - {"ended Mira uses MySQL"} <= told(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I switched back to Android.", {"Mira uses Android", "ended Mira uses iPhone", "ended Mira uses iOS"}),
        ("I'm back on Android.", {"Mira uses Android", "ended Mira uses iPhone", "ended Mira uses iOS"}),
        ("I went back to iPhone.", {"Mira uses iPhone", "ended Mira uses Android"}),
        ("I switched from Jira to Linear and then back to Jira.", {"Mira uses Jira", "ended Mira uses Linear"}),
        ("I switched to Tidal but went back to Spotify.", {"Mira uses Spotify", "ended Mira uses Tidal"}),
        ("I switched from Jira to Linear. I went back to Jira.", {"Mira uses Jira", "ended Mira uses Linear"}),
        ("I switched from beer to wine but I'm back on beer.", {"Mira drinks beer", "ended Mira drinks wine"}),
        ("I switched from Jira to Linear. I went back to Ghent.", {"ended Mira uses Jira", "Mira uses Linear"}),
        ("I went back to Ghent.", set()),
    ],
)
def test_whoever_goes_back_has_left_what_had_its_place(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected
