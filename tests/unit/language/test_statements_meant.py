"""What is worded as a statement and is not meant as one, beside what is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Told = Callable[[str], set[str]]

FIGURES = [
    "I'm allergic to Mondays.",
    "I'm married to my job.",
    "I'm single-handedly doing this.",
    "I'm separated from my suitcase.",
    "I'm blind as a bat.",
    "I'm pregnant with ideas.",
    "I broke my heart.",
    "I work for peanuts.",
    "I work at getting up early.",
    "I eat deadlines for breakfast.",
    "I moved to tears.",
    "We moved to Plan B.",
    "We moved to Zoom.",
    "I live on coffee.",
    "I grew up on cartoons.",
    "I'm learning the hard way.",
    "I'm learning patience.",
    "I have a dog of a week.",
    "I play second fiddle here.",
    "I run late every day.",
    "I run on coffee.",
    "I'm going mad on Monday.",
    "We're doing nothing on Sunday.",
    "We must pay attention.",
    "I'm going with the flow.",
    "My goal is world domination.",
    "No more drama.",
    "Call me old-fashioned.",
]
FOR_NOW = [
    "I am the designated driver tonight.",
    "I'm driving my dad's Volvo this week.",
    "I have a headache.",
    "I'm 30 in a month.",
    "We decided to sit outside.",
    "I love the new logo.",
    "I prefer option B.",
    "I switched from the blue pen to the red pen.",
    "Bin day is Tuesday.",
]
OF_OTHERS = [
    "I'm a vegetarian, said the lion.",
    "I love rain, said no one ever.",
    "This character has a wife called Ana.",
    "My doctor friend reckons I have ADHD.",
    "I'm watching My Neighbour Totoro.",
    "I bought a new phone for my mum.",
    "I got a puppy for my daughter.",
]
SNEERS = ["I adore Excel. Not.", "Oh great, I love waiting on hold.", "Of course I adore taxes."]
GUESSES = [
    "Perhaps I'm allergic to cats.",
    "I'm kind of vegan on weekdays.",
    "Once I have kids I'm moving to the country.",
]


@pytest.mark.parametrize("text", [*FIGURES, *FOR_NOW, *OF_OTHERS, *SNEERS, *GUESSES])
def test_what_is_not_meant_as_it_is_worded_states_nothing(told: Told, text: str) -> None:
    assert told(text) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm allergic to walnuts.", {"Mira allergic_to walnuts"}),
        ("I'm married to Ana.", {"Mira marital_status married to Ana", "Mira partner Ana"}),
        ("I'm pregnant with twins.", {"Mira has_condition pregnant"}),
        ("I'm learning Basque.", {"Mira learns Basque"}),
        ("We moved to Hull.", {"Mira lives_in Hull"}),
        ("I've had a cold since Monday.", {"Mira has_condition cold"}),
        ("I left Nokia in 2019, the job was dull.", {"ended Mira works_at Nokia"}),
        ("As of today I'm vegan.", {"Mira diet vegan"}),
        ("No more coffee.", {"Mira avoids coffee"}),
        ("We have a tutor called Pilar.", {"Mira tutor Pilar"}),
    ],
)
def test_what_is_meant_is_stated_all_the_same(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected


def test_mine_is_not_of_whoever_was_named_before(told: Told) -> None:
    assert told("Luis was born on 3 March, mine is 4 April") == {"Luis birthday 3 March"}


def test_a_number_denied_beside_the_right_one_is_no_statement_of_its_own(told: Told) -> None:
    assert told("I am 46, not 64.") == {"Mira age 46"}


def test_who_books_a_crossing_travels_there_on_a_day_ahead(told: Told) -> None:
    assert told("Booked the ferry to Islay for 12 January.") == {"Mira travels_to Islay"}


def test_the_code_of_a_thing_is_claimed_of_the_thing(told: Told) -> None:
    assert told("the door code of the studio is 4471 from today.") == {"the studio door code 4471"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("born in 03 lol", set()),
        ("I'm gluten free by choice, not coeliac", {"Mira diet gluten-free"}),
        ("leaving do is on the 19th", set()),
        ("remind me to pay her on Friday", set()),
        ("I hate jokes about cats", {"Mira dislikes jokes about cats"}),
        ("She takes blood thinners, warfarin I think.", set()),
        ("I turned vegan for a month and quit.", set()),
    ],
)
def test_what_lacks_half_of_its_meaning_is_left_out(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected
