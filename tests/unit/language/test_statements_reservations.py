"""What a sentence takes away from what it says, by another clause, in brackets or in a word, is not claimed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from shared.language.statements import Statement

Told = Callable[[str], set[str]]


@pytest.mark.parametrize(
    "text",
    [
        "I share a flat with Otto (who loves opera and hates tea).",
        "I met Ida (works at Heron, likes opera) yesterday.",
        "I share a flat with Otto [who hates tea].",
        "I've been vegan once.",
        "I have been vegan three times.",
        "I've been married twice.",
        "I have liked opera in the past.",
        "I mentioned to Otto that I'm vegan, which is a lie.",
        "I told Otto I'm vegan, which isn't true.",
        "I lie and say I'm 29.",
        "I always lie and say I live in Porto.",
        "For the game, my name is Zorro.",
        "In our campaign I'm a wizard and I live in Porto.",
        "My name is Zorro in this game.",
        "I told my boss I'm allergic to dust so I could leave.",
        "I told my boss that I'm allergic to dust to get out of cleaning.",
        "I live in Porto, not.",
        "I like opera - not!",
        "I play guitar, er, piano.",
        "I drink coffee less and less.",
        "I play chess less often.",
        "I eat meat less these days.",
        "Not a big fan of opera, are you?",
        "Not a fan of opera, is she?",
        "I drink coffee only when I'm tired.",
        "I only drink tea at work.",
        "I eat fish, but only when my mother cooks it.",
        "I like tea, but only in the morning.",
        "Only when tired do I drink coffee.",
    ],
)
def test_what_its_own_sentence_takes_away_is_not_claimed(told: Told, text: str) -> None:
    assert told(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "I live near Porto.",
        "I live in the same city as Otto.",
        "I live in a different country.",
        "I live nowhere in particular.",
        "I live in no particular place.",
        "I work at the same company as Otto.",
        "I got a bike from Otto for repair.",
        "I got a laptop from work to test.",
        "I got a camera for the weekend.",
    ],
)
def test_what_is_no_home_and_what_is_not_theirs_is_not_claimed(told: Told, text: str) -> None:
    assert told(text) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My dad (who lives in Turin and works at Heron) likes opera.", {"Mira's dad likes opera"}),
        ("I work at Heron (a factory) and I like opera (mostly baroque).", {"Mira works_at Heron", "Mira likes opera"}),
        ("I like opera (I hate jazz though).", {"Mira likes opera", "Mira dislikes jazz"}),
        ("I've lived in Utrecht since 2010, but not any more.", {"ended Mira lives_in Utrecht"}),
        ("I like opera, but not any more.", {"ended Mira likes opera"}),
        ("I'm vegan (not any more).", {"ended Mira diet vegan"}),
        ("I've been vegan for ten years.", {"Mira diet vegan"}),
        ("I've been a nurse nine years.", {"Mira job nurse"}),
        ("I've been married for years.", {"Mira marital_status married"}),
        ("I have always liked opera.", {"Mira likes opera"}),
        ("I've loved opera since school.", {"Mira likes opera"}),
        ("I live in Porto, er, Milan.", {"Mira lives_in Milan"}),
        ("My name is Ann, uh, Anna.", {"Mira name Anna"}),
        ("I have two dogs, um, three.", {"Mira pet three dogs"}),
        ("I live in Porto, um, I mean Milan.", {"Mira lives_in Milan"}),
        ("I live in a village in Cornwall.", {"Mira lives_in Cornwall"}),
        ("I live in a small town.", {"Mira lives_in a small town"}),
        ("I live in a town called Ely.", {"Mira lives_in Ely"}),
        ("I got a bike from Otto.", {"Mira owns bike"}),
        ("I drink tea, and my only sister lives in Oslo.", {"Mira drinks tea"}),
        ("I live in Porto. I'm a nurse in the ER at Heron.", {"Mira lives_in Porto", "Mira job nurse"}),
        ("I've started to enjoy running in the mornings.", {"Mira likes running in the mornings"}),
        ("I've been vegan for a while now.", {"Mira diet vegan"}),
        ("I only moved to Porto in May.", {"Mira lives_in Porto"}),
    ],
)
def test_what_is_left_of_a_sentence_is_claimed(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    "text", ["I moved to Porto in 2032.", "I got married in 2033.", "I moved to Porto in May 2032."]
)
def test_what_was_done_in_a_time_to_come_is_not_claimed(told: Told, text: str) -> None:
    assert told(text) == set()


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("I work at Heron until the end of June.", None, date(2031, 6, 30)),
        ("I work at Heron until late June.", None, date(2031, 6, 30)),
        ("I work at Heron until mid-June.", None, date(2031, 6, 15)),
        ("I work at Heron until the end of the month.", None, date(2031, 5, 31)),
        ("I work at Heron through the end of 2032.", None, date(2032, 12, 31)),
        ("I moved to Porto in '98.", date(1998, 1, 1), None),
        ("I've lived in Porto since June ’98.", date(1998, 6, 1), None),
        ("I've lived in Porto since '29.", date(2029, 1, 1), None),
    ],
)
def test_an_end_and_a_short_year_are_times(
    read: Callable[..., list[Statement]], text: str, since: date | None, until: date | None
) -> None:
    (found,) = read(text)
    assert (found.since, found.until) == (since, until)


@pytest.mark.parametrize(
    "text",
    [
        "I have played piano since I was 12.",
        "I've been vegan since I was a kid.",
        "I've lived in Porto since my divorce.",
        "I moved to Porto in the 90s.",
        "We bought a house in the 90s.",
        "I've loved opera since school.",
    ],
)
def test_what_began_on_no_day_that_is_given_did_not_begin_when_it_is_said(
    read: Callable[..., list[Statement]], text: str
) -> None:
    (found,) = read(text)
    assert (found.since, found.earlier) == (None, True)


@pytest.mark.parametrize(
    "text", ["I live in Porto.", "I moved to Porto.", "I've lived in Porto since 2029.", "I'm vegan now."]
)
def test_what_gives_its_day_or_none_begins_as_ever(read: Callable[..., list[Statement]], text: str) -> None:
    (found,) = read(text)
    assert not found.earlier


@pytest.mark.parametrize(
    "text",
    [
        "I had lived in Ghent for ten years before I moved to Bonn.",
        "My aunt had been a nurse for twenty years before she retired.",
        "We had owned a boat for years when we sold it.",
        "I had used Vim for years before Helix came out.",
        "I had been vegan for a year until I tried cheese.",
        "I have been vegan for a year before trying cheese.",
        "I've worked at Elkem for three years until I joined Hydro.",
        "I had to move to Rome last year.",
    ],
)
def test_what_had_been_so_before_something_else_is_no_word_on_today(told: Told, text: str) -> None:
    assert not {each for each in told(text) if not each.startswith(("ended", "never"))}
