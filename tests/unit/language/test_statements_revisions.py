from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.language.statements import Statement
from shared.language.statements.revisions import parted

Told = Callable[[str], set[str]]
Read = Callable[..., list[Statement]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The viewing is on 20 June, no wait, the 21st.", {"the viewing scheduled_for 2031-06-21"}),
        ("The viewing is on 20 June - no, wait, on 22 June.", {"the viewing scheduled_for 2031-06-22"}),
        ("The viewing is on 20 June. Oops, I mean the 21st.", {"the viewing scheduled_for 2031-06-21"}),
        ("I have six hens. No wait, seven.", {"Mira pet seven hens"}),
        ("I'm 41. Sorry, 42.", {"Mira age 42"}),
        ("I live in Moss. Sorry, Bergen.", {"Mira lives_in Bergen"}),
        ("I live in Moss, I mean Bergen.", {"Mira lives_in Bergen"}),
        ("My sister Tess lives in York. No wait, in Hull.", {"Mira sibling Tess", "Tess lives_in Hull"}),
        ("I work at Elkem. Scratch that, I work at Hydro now.", {"Mira works_at Hydro"}),
    ],
)
def test_what_is_given_anew_stands_in_the_place_of_what_was_said_right_before(
    told: Told, text: str, expected: set[str]
) -> None:
    assert told(text) == expected


def test_another_month_moves_what_is_to_come(read: Read) -> None:
    (found,) = read("I will go to Lyon for exchange in February. Ah sorry, I meant March.")
    assert (found.object, found.text) == ("Lyon", "Mira travels to Lyon in 2032-03.")


def test_another_while_leaves_open_since_when(read: Read) -> None:
    (found,) = read("I've lived in Osaka for six years. Actually no, seven years.")
    assert (found.text, found.since) == ("Mira lives in Osaka.", None)


@pytest.mark.parametrize(
    "text",
    [
        "I own a boat. Well, my dad does.",
        "I live in Moss. Well, I did.",
        "I'm a pilot, or was until last year.",
        "I work at Elkem. Or rather, my brother does.",
        "Let's go with the oak floor. Actually, no, let's take the cheaper one.",
        "I teach maths. I mean, I taught maths.",
        "I told the landlord I have a dog, but that's not true.",
        "I'm allergic to figs. I was joking.",
        "I have a motorbike. I made that up.",
        "I'm vegan. That was a lie.",
    ],
)
def test_of_what_its_speaker_takes_back_nothing_is_left(told: Told, text: str) -> None:
    assert told(text) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I live in Moss. I mean, I love Moss.", {"Mira lives_in Moss", "Mira likes Moss"}),
        ("I live in Moss. Sorry, I can't come tomorrow.", {"Mira lives_in Moss"}),
        ("I live in Moss, sorry for the late reply.", {"Mira lives_in Moss"}),
        ("I love figs. Wait, what time is it?", {"Mira likes figs"}),
        ("I play the harp. Sorry for the typos.", {"Mira plays harp"}),
        ("I love opera. Well, who doesn't.", {"Mira likes opera"}),
        ("I don't drink wine, but my wife does.", {"Mira avoids wine"}),
        ("I'm a nurse. No problem with blood.", {"Mira job nurse"}),
        ("I have a cat. Oops.", {"Mira pet cat"}),
        ("I never lived in Moss, I was joking.", {"never Mira lives_in Moss"}),
        ("I no longer live in Moss. That was wrong of me.", {"ended Mira lives_in Moss"}),
    ],
)
def test_what_only_sounds_like_a_correction_takes_nothing_back(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_parting_keeps_every_character_at_its_place(text: str) -> None:
    cut = parted(text)
    assert len(cut) == len(text)
    assert all(new == "." for old, new in zip(text, cut, strict=True) if old != new)
