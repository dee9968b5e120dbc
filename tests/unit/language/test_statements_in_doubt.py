"""What is not so by its own words, is doubted, or is no home, no number and no value, is not claimed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from shared.language.statements import Statement, Talk, statements_in
from shared.models.parsing import english_tagger

Told = Callable[[str], set[str]]
Heard = Callable[..., list[set[str]]]


@pytest.fixture
def heard() -> Heard:
    """What each of several messages of one run states, said by Mira."""

    def heard(*texts: str) -> list[set[str]]:
        talk, said_on = Talk(), date(2031, 5, 24)
        found: list[list[Statement]] = [
            statements_in(text, tag=english_tagger(), speaker="Mira", said_on=said_on, talk=talk) for text in texts
        ]
        return [
            {f"{'' if each.change == 'holds' else each.change + ' '}{each.predicate} {each.object}" for each in one}
            for one in found
        ]

    return heard


@pytest.mark.parametrize(
    "text",
    [
        "Neither Otto nor I work at Heron.",
        "Neither Otto nor I live in Porto.",
        "Honestly, neither Ida nor I speak Danish.",
        "Neither my wife nor I drink coffee.",
        "Either Otto or I work at Heron.",
    ],
)
def test_what_is_so_of_neither_is_claimed_of_nobody(told: Told, text: str) -> None:
    assert told(text) == set()


def test_what_stands_behind_neither_is_claimed_all_the_same(told: Told) -> None:
    assert told("Neither Otto nor I work at Heron, but my sister works at Lindt.") == {"Mira's sister works_at Lindt"}


@pytest.mark.parametrize(
    "text",
    [
        "I doubt my brother works at Heron.",
        "I doubt I'm allergic to dust.",
        "I'm not sure my sister works at Heron.",
        "I'm not at all certain my brother lives in Porto.",
        "I'm not sure whether or not my sister works at Heron.",
        "I'm unsure my brother lives in Porto.",
        "Not sure my sister works at Heron.",
        "It's unlikely my sister works at Heron.",
    ],
)
def test_what_is_doubted_is_not_claimed(told: Told, text: str) -> None:
    assert told(text) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm sure my sister works at Heron.", {"Mira's sister works_at Heron"}),
        ("I don't doubt my sister works at Heron.", {"Mira's sister works_at Heron"}),
        ("Not sure about lunch. My sister works at Heron.", {"Mira's sister works_at Heron"}),
        ("Not true, I live in Porto.", {"Mira lives_in Porto"}),
        ("Either way, I live in Porto or nearby.", {"Mira lives_in Porto"}),
        ("No idea, my sister is vegan though.", {"Mira's sister diet vegan"}),
        ("I'm not sure what to cook, my sister is vegan.", {"Mira's sister diet vegan"}),
    ],
)
def test_what_stands_beside_a_doubt_is_claimed(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "I moved on from Trello to Linear.",
        "We've moved on from Oslo to Bergen in that spreadsheet.",
        "I moved from Emacs to Kakoune.",
        "I moved from techno to fado.",
        "I moved to matcha last month.",
        "I moved to night shifts.",
        "i moved to oat milk",
        "We moved from Tesco to Waitrose.",
        "I moved from football to padel.",
    ],
)
def test_a_move_to_what_is_no_place_is_no_home(told: Told, text: str) -> None:
    assert {each for each in told(text) if "lives_in" in each} == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I moved from Kiel to Bonn.", {"ended Mira lives_in Kiel", "Mira lives_in Bonn"}),
        ("i moved to kiel", {"Mira lives_in kiel"}),
        ("I moved to New York for Heron.", {"Mira lives_in New York"}),
        ("I moved from a big flat to Leeds.", {"Mira lives_in Leeds"}),
        ("I moved to the countryside.", {"Mira lives_in the countryside"}),
    ],
)
def test_a_move_to_a_place_is_one(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [
        ("I work at Heron.", "I moved from Heron to Lindt.", {"ended works_at Heron", "works_at Lindt"}),
        ("I use Kakoune.", "I moved from Kakoune to Micro.", {"ended uses Kakoune", "uses Micro"}),
        ("I work at Lindt.", "I moved to Lindt last year.", set()),
        ("I live in Kiel.", "I moved from Kiel to Bonn.", {"ended lives_in Kiel", "lives_in Bonn"}),
    ],
)
def test_where_somebody_moves_from_what_they_hold_as_something_else_it_is_no_home(
    heard: Heard, before: str, text: str, expected: set[str]
) -> None:
    assert heard(before, text)[1] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't like rowing, I love it!", {"Mira likes rowing"}),
        ("I don't like opera. I absolutely adore it.", {"Mira likes opera"}),
        ("My brother doesn't like olives, he loves them.", {"Mira's brother likes olives"}),
        ("I don't like opera, I love jazz.", {"Mira dislikes opera", "Mira likes jazz"}),
        ("I don't like opera, my wife loves it.", {"Mira dislikes opera"}),
        ("I don't like opera, I hate it.", {"Mira dislikes opera"}),
    ],
)
def test_what_is_denied_only_to_say_more_is_liked(told: Told, text: str, expected: set[str]) -> None:
    assert {each for each in told(text) if "likes" in each and "wife" not in each} == expected


@pytest.mark.parametrize(
    "text",
    [
        "I live in Porto, or so my bank thinks.",
        "I work at Heron, or so they say.",
        "I live in Porto, at least the post office believes so.",
        "I'm vegan, or so I'm told.",
        "I live in Porto, that's what my landlord thinks.",
    ],
)
def test_what_others_hold_is_not_claimed(told: Told, text: str) -> None:
    assert told(text) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I've lived in Porto for ten years or so.", {"Mira lives_in Porto"}),
        ("I've lived in Porto for a year or so, my sister says it rains a lot.", {"Mira lives_in Porto"}),
        ("I live in Porto, at least until June.", {"Mira lives_in Porto"}),
    ],
)
def test_about_so_long_is_no_rumour(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "I live in Porto half of the year.",
        "I live in Porto part of the year.",
        "I live in Porto half the week.",
        "My favourite colour is none of your business.",
        "My favourite band is a secret.",
        "My address is none of your concern.",
        "My phone is 2 years old.",
        "My phone number is private.",
    ],
)
def test_a_part_and_what_is_withheld_are_no_values(told: Told, text: str) -> None:
    assert told(text) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My phone is a Pixel 7.", {"Mira uses Pixel 7"}),
        ("My new phone is an iPhone 12.", {"Mira uses iPhone 12"}),
        ("My phone is 020 7946 0991.", {"Mira phone 020 7946 0991"}),
        ("I live in Porto most of the year.", {"Mira lives_in Porto"}),
        ("I work at Heron half of the week.", {"Mira works_at Heron"}),
        ("My favourite colour is green.", {"Mira favourite_colour green"}),
    ],
)
def test_a_model_is_no_number_and_a_value_is_one(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [
        ("I work at Lindt.", "I left Lindt.", "ended works_at Lindt"),
        ("I work at Lindt.", "I left Lindt last week.", "ended works_at Lindt"),
        ("I work at Lindt.", "I got laid off.", "ended works_at employer"),
        ("I work at Lindt.", "I work at Lindt no more.", "ended works_at Lindt"),
        ("I'm vegetarian.", "I eat fish again.", "ended diet vegetarian"),
        ("I'm vegan.", "I'm eating cheese again.", "ended diet vegan"),
        ("I'm moving to Kiel in July.", "Our move to Kiel fell through.", "never plans move to Kiel"),
        ("I'm getting married to Otto in July.", "The wedding is off.", "never plans get married to Otto"),
    ],
)
def test_what_is_over_or_off_ends_what_was_said(heard: Heard, before: str, text: str, expected: str) -> None:
    assert expected in heard(before, text)[1]


@pytest.mark.parametrize("text", ["I left Lindt at five.", "I left Lindt in tears.", "I nearly got laid off."])
def test_what_is_not_left_for_good_ends_no_job(heard: Heard, text: str) -> None:
    assert {each for each in heard("I work at Lindt.", text)[1] if "works_at" in each} == set()
