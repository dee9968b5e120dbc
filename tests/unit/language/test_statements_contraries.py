"""What is said the other way round later leaves nothing of what was said before."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Told = Callable[[str], set[str]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I prefer wine to beer.", {"Mira prefers wine over beer", "ended Mira prefers beer over wine"}),
        ("I prefer trains over planes", {"Mira prefers trains over planes", "ended Mira prefers planes over trains"}),
        (
            "I prefer rye bread rather than toast.",
            {"Mira prefers rye bread over toast", "ended Mira prefers toast over rye bread"},
        ),
        (
            "I prefer cycling to driving.",
            {"Mira prefers cycling over driving", "ended Mira prefers driving over cycling"},
        ),
        ("I prefer trips to Rome.", {"Mira prefers trips"}),
        ("I prefer driving to work.", {"Mira prefers driving to work"}),
        ("I prefer beer.", {"Mira prefers beer"}),
        ("I can't stand olives any more.", {"Mira dislikes olives"}),
        ("I can no longer stand techno.", {"Mira dislikes techno"}),
        ("My favourite band isn't Muse, it's Queen.", {"ended Mira favourite_band Muse", "Mira favourite_band Queen"}),
        (
            "My favourite film is not Alien any more, it's Brazil.",
            {"ended Mira favourite_film Alien", "Mira favourite_film Brazil"},
        ),
        ("My favourite dish isn't ramen.", {"ended Mira favourite_dish ramen"}),
        ("I gave up the violin.", {"ended Mira plays violin"}),
        ("I quit the choir and the harp.", set()),
        ("We stopped playing the harp.", {"ended Mira plays harp"}),
        ("I don't have a dog.", {"ended Mira pet dog"}),
        ("We don't have a car, but a van.", {"ended Mira owns car"}),
        ("I don't have a boyfriend any more.", {"ended Mira partner boyfriend"}),
        ("I don't have a husband, I have a wife.", set()),
        ("I prefer it to that.", set()),
        (
            "I prefer working at home to going out.",
            {
                "Mira prefers working at home over going out",
                "ended Mira prefers going out over working at home",
            },
        ),
        ("I don't have a car today.", set()),
        ("I don't have a dog of my own.", set()),
        ("I changed dentists, now it's Dr. Lund.", {"Mira dentist Dr. Lund"}),
        ("I've switched doctors.", {"ended Mira doctor doctor"}),
        ("We changed therapists last year.", set()),
        ("My new number is 0171 555 0199.", {"Mira phone 0171 555 0199"}),
        ("My number is 7.", set()),
        ("One of our goats died.", {"ended Mira pet goats"}),
        ("The dermatologist says I'm not allergic to nickel.", {"never Mira allergic_to nickel"}),
        ("I use Jira every day. I switched from Jira to Linear.", {"ended Mira uses Jira", "Mira uses Linear"}),
    ],
)
def test_a_contrary_ends_what_it_is_of(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected
