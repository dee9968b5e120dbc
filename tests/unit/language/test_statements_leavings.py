"""What somebody says is over ends the claims that they may have made at another time, and those alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from shared.language.statements import Statement

Told = Callable[[str], set[str]]
EMPLOYER = {"ended Mira works_at employer"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I left Lindt.", {"ended Mira works_at Lindt"}),
        ("I quit Lindt two months ago.", {"ended Mira works_at Lindt"}),
        (
            "I've left Kiel for good.",
            {"ended Mira lives_in Kiel", "ended Mira works_at Kiel", "ended Mira studies_at Kiel"},
        ),
        ("I got laid off.", EMPLOYER),
        ("Sadly, I was made redundant last month.", EMPLOYER),
        ("I've gone freelance.", EMPLOYER),
        ("I lost my job.", EMPLOYER),
        ("I retired in April.", {*EMPLOYER, "Mira job retired"}),
        ("Lindt let me go last Friday.", {"ended Mira works_at Lindt"}),
        ("Lindt fired me.", {"ended Mira works_at Lindt"}),
        ("Lindt was my employer until May.", {"ended Mira works_at Lindt"}),
        ("I graduated.", {"ended Mira studies_at school", "ended Mira job student"}),
        ("Ulla isn't my boss any more.", {"ended Mira manager Ulla"}),
        ("Ulla isn't my boss, she's a colleague.", {"ended Mira manager Ulla"}),
        ("Otto and I are just friends now.", {"ended Mira partner Otto"}),
        ("Otto and I have fallen out.", {"ended Mira friend Otto"}),
        ("We got back together.", {"ended Mira marital_status separated"}),
        ("Figaro now lives with my aunt.", {"ended Mira pet Figaro"}),
        ("We found Figaro a new home.", {"ended Mira pet Figaro"}),
        ("We found a new home for Figaro.", {"ended Mira pet Figaro"}),
        ("Figaro is no longer with us.", {"ended Mira pet Figaro"}),
        ("The Honda got stolen last night.", {"ended Mira owns Honda"}),
        ("I traded my Honda in for a Kia.", {"ended Mira owns Honda"}),
        ("I dropped Notion.", {"ended Mira uses Notion"}),
        ("I've moved on from Vim to Helix.", {"ended Mira uses Vim"}),
        ("I drink again.", {"ended Mira avoids alcohol"}),
        ("The baby was born on Tuesday.", {"ended Mira has_condition pregnant"}),
        ("Turns out the penicillin allergy was a misdiagnosis.", {"never Mira allergic_to penicillin"}),
        ("As a former vegan, I know the shops.", {"ended Mira diet vegan"}),
        ("My contract at Lindt ended.", {"ended Mira works_at Lindt"}),
        ("My contract with Lindt wasn't renewed.", {"ended Mira works_at Lindt"}),
        ("Lindt didn't renew my contract.", {"ended Mira works_at Lindt"}),
        ("My work contract has expired.", EMPLOYER),
        ("They let me go.", EMPLOYER),
        ("My boss fired me last week.", EMPLOYER),
        ("I handed in my notice.", EMPLOYER),
        ("I gave my two weeks' notice yesterday.", EMPLOYER),
        ("I've changed jobs.", EMPLOYER),
        ("I quit.", EMPLOYER),
        ("I've resigned.", EMPLOYER),
        ("I stepped down as CTO.", {"ended Mira job CTO"}),
        ("I resigned as head of sales last month.", {"ended Mira job head of sales"}),
        (
            "I outgrew my peanut allergy.",
            {"ended Mira allergic_to peanut", "ended Mira allergic_to peanuts", "ended Mira intolerant_to peanut"},
        ),
        ("Tim moved to Turku.", {"ended Tim lives_in home"}),
        ("Tim has recently moved back to Turku.", {"ended Tim lives_in home"}),
        ("I quit keto.", {"ended Mira diet keto"}),
        ("I've given up coffee.", {"ended Mira drinks coffee"}),
        ("The wedding is off.", {"ended Mira marital_status engaged"}),
        ("We broke off the engagement.", {"ended Mira marital_status engaged"}),
    ],
)
def test_what_is_over_ends_what_may_have_been_said_of_it(told: Told, text: str, expected: set[str]) -> None:
    assert expected <= told(text)
    assert {each for each in told(text) if each.startswith(("ended", "never"))} <= expected


@pytest.mark.parametrize(
    "text",
    [
        "I left Lindt at five.",
        "I left Kiel on the early train.",
        "I left Otto a note.",
        "I almost got laid off.",
        "If I get laid off, I will move to Kiel.",
        "My brother got laid off.",
        "I might have lost my job.",
        "Did I tell you that Lindt let me go?",
        "Lindt let me go home early.",
        "Lindt withdrew my offer last week.",
        "A former vegan opened a steak house in our street.",
        "Oskar works as an ex-vegan blogger.",
        "I was told that as a former vegan, Oskar misses tofu.",
        "Figaro now lives with our new puppy in the kitchen.",
        "Ulla isn't my only boss.",
        "Figaro now lives with us.",
        "The Honda got washed.",
        "I dropped Otto off at school.",
        "I don't drink again.",
        "The baby was crying.",
        "We graduated to bigger questions.",
        "They let me go home early.",
        "My boss let me go first.",
        "I changed trains, I'm at Kiel now.",
        "I gave my notice board away to nobody.",
        "My contract with my landlord is long.",
        "I outgrew my coat.",
        "I quit the game early.",
        "We moved to Turku.",
        "She moved to Turku.",
        "The wedding is off the beaten track.",
        "If they let me go, I will rest.",
    ],
)
def test_what_only_sounds_like_it_ends_nothing(told: Told, text: str) -> None:
    assert {each for each in told(text) if each.startswith(("ended", "never"))} == set()


def test_it_is_over_by_the_day_it_says(read: Callable[..., list[Statement]]) -> None:
    (left,) = (each for each in read("I quit Lindt two months ago.") if each.predicate == "works_at")
    assert left.until is not None
    assert str(left.until)[:7] == "2031-03"
