"""A denial or a dislike of a circumstance says nothing of the thing; and what tells of long ago nothing of today."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from shared.language.statements import Statement

Told = Callable[[str], set[str]]


@pytest.mark.parametrize(
    "text",
    [
        "I'm not allergic to nuts when they're roasted.",
        "I'm not allergic to penicillin in small doses.",
        "I'm not allergic to cats that are hairless.",
        "I'm not diabetic because of sugar.",
        "I don't have diabetes type 1, it's type 2.",
        "I'm not vegan because of the animals but because of the climate.",
        "I'm not vegan out of conviction.",
        "I'm not vegan just for fun.",
        "I no longer work late at Lindt.",
        "I no longer work at Lindt full time.",
        "I no longer work at Lindt with Otto.",
        "I no longer work at Lindt on Fridays.",
        "I don't live alone in Kiel any more.",
        "I no longer live in Kiel during the week.",
        "I no longer play chess with Otto.",
        "I stopped taking metformin at night, I take it in the morning now.",
        "I stopped taking ibuprofen every day.",
        "I stopped playing the cello for a minute.",
        "I stopped using Vim for Java.",
    ],
)
def test_a_denial_that_is_limited_ends_nothing(told: Told, text: str) -> None:
    assert {each for each in told(text) if each.startswith(("ended", "never"))} == set()


@pytest.mark.parametrize(
    "text",
    [
        "I hate winter when it's grey.",
        "I hate coffee that's gone cold.",
        "I hate Kiel sometimes.",
        "I hate my job on Mondays.",
        "I hate dogs that bark all night.",
        "I hate Rome in August.",
        "Tonight I hate jazz.",
        "I don't like Python for big projects.",
        "I don't like fish in the evening.",
        "I don't like the mountains in winter.",
        "I hate my neighbours right now.",
        "I like coffee when I'm in Italy.",
    ],
)
def test_a_taste_of_a_circumstance_is_none_of_the_thing(told: Told, text: str) -> None:
    assert {each for each in told(text) if "likes" in each} == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I no longer work at Lindt.", "ended Mira works_at Lindt"),
        ("I no longer work at Lindt since May.", "ended Mira works_at Lindt"),
        ("I stopped taking metformin in May.", "ended Mira takes metformin"),
        ("I no longer play chess because of my knee.", "ended Mira plays chess"),
        ("I no longer play chess for good.", "ended Mira plays chess"),
        ("I'm not vegan any more because my doctor said so.", "ended Mira diet vegan"),
        ("I'm not allergic to nuts.", "never Mira allergic_to nuts"),
        ("I'm not allergic to nuts at all.", "never Mira allergic_to nuts"),
        ("I hate coffee.", "Mira dislikes coffee"),
        ("I don't like fish.", "Mira dislikes fish"),
        ("I love coffee in the morning.", "Mira likes coffee"),
    ],
)
def test_what_is_denied_or_disliked_as_a_whole_is(told: Told, text: str, expected: str) -> None:
    assert expected in told(text)


@pytest.mark.parametrize(
    "text",
    [
        "I moved to Kiel in 2001.",
        "I joined Lindt in 2003.",
        "I got a job at Lindt in 2003.",
        "I married Otto in 1999.",
        "I got divorced in 2005.",
        "I moved to Kiel when I was a child.",
        "My sister moved to Kiel in 2010.",
    ],
)
def test_what_happened_long_ago_tells_of_then(read: Callable[..., list[Statement]], text: str) -> None:
    assert [each for each in read(text) if each.change == "holds"]
    assert all(each.of_then for each in read(text) if each.change == "holds")


@pytest.mark.parametrize(
    "text",
    [
        "I moved to Kiel last month.",
        "I've lived in Kiel since 2001.",
        "I moved to Kiel in 2001 and have lived there since.",
        "I moved to Kiel in 2001 and still live there.",
        "I have worked at Lindt for ten years.",
        "I've been vegan since I was a child.",
        "I live in Kiel.",
    ],
)
def test_what_is_so_since_then_tells_of_today(read: Callable[..., list[Statement]], text: str) -> None:
    assert [each.of_then for each in read(text)] == [False]
