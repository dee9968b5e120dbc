from __future__ import annotations

from collections.abc import Callable

import pytest

Told = Callable[[str], set[str]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I love coriander.", {"Mira likes coriander"}),
        ("I love sushi, pizza and ramen", {"Mira likes sushi", "Mira likes pizza", "Mira likes ramen"}),
        ("i realy hate group projects", {"Mira dislikes group projects"}),
        ("i cant stand cilantro, its awful", {"Mira dislikes cilantro"}),
        ("I'm not a fan of jazz", {"Mira dislikes jazz"}),
        ("I'm really into Ethiopian jazz", {"Mira likes Ethiopian jazz"}),
        ("i like bouldering, not a fan of karaoke tho", {"Mira likes bouldering", "Mira dislikes karaoke"}),
        ("I used to love horror movies", {"ended Mira likes horror movies"}),
        ("I prefer tea over coffee", {"Mira prefers tea over coffee", "ended Mira prefers coffee over tea"}),
        ("I'm afraid of heights", {"Mira fears heights"}),
        ("Poppy hates broccoli", {"Poppy dislikes broccoli"}),
        ("My favorite color is teal.", {"Mira favourite_color teal"}),
    ],
)
def test_what_somebody_likes(told: Told, text: str, expected: set[str]) -> None:
    assert {each.replace("favorite", "favourite") for each in told(text)} == expected


@pytest.mark.parametrize("text", ["I don't dislike opera.", "I don't hate mornings", "I don't mind decaf"])
def test_a_double_negation_states_nothing(told: Told, text: str) -> None:
    assert told(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "I like that idea!",
        "I love it",
        "I like how you put it",
        "I'd like a shorter version",
        "love your work",
        "I love you guys",
        "I like the second option more",
        "I got into art school",
    ],
)
def test_what_points_at_the_talk_is_no_taste(told: Told, text: str) -> None:
    assert told(text) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I no longer eat coriander, it tastes of soap now.", {"Mira avoids coriander"}),
        ("I stopped eating meat", {"Mira avoids meat"}),
        ("i dont eat pork or shellfish", {"Mira avoids pork", "Mira avoids shellfish"}),
        ("I can't eat walnuts.", {"Mira avoids walnuts"}),
        ("i dont touch dairy", {"Mira avoids dairy"}),
        ("I gave up beer in May", {"Mira avoids beer", "ended Mira drinks beer"}),
        ("So: no more coffee.", {"Mira avoids coffee"}),
        ("In the mornings I drink rooibos now", {"Mira drinks rooibos"}),
        ("I'm vegan, what can I cook?", {"Mira diet vegan"}),
        ("i'm not vegetarian any more", {"ended Mira diet vegetarian"}),
        ("went vegan last year", {"Mira diet vegan"}),
        ("I'm on a low-FODMAP diet", {"Mira diet low-fodmap"}),
        ("I'm allergic to peanuts and kiwi", {"Mira allergic_to peanuts", "Mira allergic_to kiwi"}),
        ("my son has a severe peanut allergy", {"Mira's son allergic_to peanut"}),
        ("I'm lactose intolerant", {"Mira intolerant_to lactose"}),
        ("I've had the cough for three days", {"Mira has_condition cough"}),
        ("I'm deaf in one ear.", {"Mira has_condition deaf in one ear"}),
        ("I was diagnosed with coeliac disease", {"Mira has_condition coeliac disease"}),
        ("I take warfarin", {"Mira takes warfarin"}),
    ],
)
def test_what_somebody_eats_and_suffers_from(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I no longer drive, neither by day nor by night.", {"ended Mira habit drive"}),
        ("I quit smoking", {"ended Mira habit smoke"}),
        ("I swim on Tuesdays", {"Mira habit swim"}),
        ("I play the cello", {"Mira plays cello"}),
        ("I used to play handball", {"ended Mira plays handball"}),
        ("I switched from vim to Helix", {"ended Mira uses vim", "Mira uses Helix"}),
        ("I don't use Facebook anymore", {"ended Mira uses Facebook"}),
    ],
)
def test_what_somebody_does_by_habit(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected


def test_what_is_no_longer_eaten_is_said_so_in_the_sentence(read: Callable[[str], list]) -> None:
    (found,) = read("I no longer eat coriander")
    assert found.text == "Mira no longer eats coriander."
    assert found.is_preference
