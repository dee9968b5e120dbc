"""Who is a couple no longer, by name or by what they were, as of when the sentence says."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from shared.contract.candidates import Change
from shared.language.statements import Statement

Told = Callable[[str], set[str]]
Read = Callable[..., list[Statement]]


@pytest.mark.parametrize(
    "text",
    [
        "My boyfriend Otto and I broke up.",
        "My girlfriend, Otto, and I have split up.",
        "My partner Otto left me.",
        "My husband Otto left me for another woman.",
        "My fiancé Otto dumped me last month.",
        "My boyfriend Otto broke up with me on Sunday.",
        "I broke up with my boyfriend Otto.",
        "I left my boyfriend Otto because he lied.",
        "Otto and I are no longer together.",
        "Otto and I are not together any more.",
        "Otto and I called it quits when I moved to Rome.",
        "Sadly, my partner Otto and I decided to part ways.",
    ],
)
def test_whoever_has_parted_is_no_partner_and_is_taken_for_none_by_the_way(told: Told, text: str) -> None:
    assert {each for each in told(text) if "partner" in each} == {"ended Mira partner Otto"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My husband Otto and I got divorced.", {"ended Mira partner Otto", "Mira marital_status divorced"}),
        ("My wife and I separated last week.", {"ended Mira partner wife", "Mira marital_status separated"}),
        ("We got divorced in April.", {"ended Mira partner spouse", "Mira marital_status divorced"}),
        ("I got divorced in April.", {"ended Mira partner spouse", "Mira marital_status divorced"}),
        ("I'm single again.", {"ended Mira partner partner", "Mira marital_status single"}),
        ("I'm a widow now.", {"ended Mira partner spouse", "Mira marital_status widowed"}),
        ("My wife died in April.", {"ended Mira partner wife", "ended Mira marital_status married"}),
        ("My husband Otto passed away.", {"ended Mira partner Otto", "ended Mira marital_status married"}),
        (
            "I lost my husband Otto to cancer.",
            {"ended Mira partner Otto", "ended Mira marital_status married"},
        ),
        ("I'm married to Otto.", {"Mira partner Otto", "Mira marital_status married to Otto"}),
        ("Otto and I got married in April.", {"Mira partner Otto", "Mira marital_status married to Otto"}),
    ],
)
def test_a_marriage_begins_and_ends_with_its_partner(told: Told, text: str, expected: set[str]) -> None:
    assert expected <= told(text)


@pytest.mark.parametrize(
    "text",
    [
        "My girlfriend left me a note.",
        "My girlfriend left me at the airport.",
        "My girlfriend Ida left me in charge.",
        "Otto and I got separated at the fair.",
        "My husband Otto and I are getting divorced.",
        "My boss Ida left in April.",
        "My parents separated last year.",
        "My sister and her husband split up.",
        "Did my wife Ida and I break up?",
        "If my wife Ida left me, I'd move to Rome.",
        "Otto and I split the bill.",
        "My colleague Ida and I split up the tasks.",
        "My wife and I separated our finances.",
        "My husband is dead tired.",
        "We divorced the two repositories.",
        "I lost my husband in the crowd.",
    ],
)
def test_what_only_sounds_like_a_parting_parts_nobody(read: Read, text: str) -> None:
    ended = [each for each in read(text) if each.change is not Change.HOLDS]
    assert not ended
    assert not [each for each in read(text) if each.predicate == "marital_status" and each.subject == "Mira"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ida and I got divorced in April.", date(2031, 4, 30)),
        ("Ida and I broke up last year.", date(2030, 12, 31)),
        ("Ida and I broke up on 3 May.", date(2031, 5, 3)),
        ("Ida and I broke up this month.", date(2031, 5, 24)),
        ("Ida and I broke up.", None),
        ("Ida died in April.", date(2031, 4, 30)),
    ],
)
def test_an_end_within_a_month_is_as_of_its_last_day_and_of_none_to_come(
    read: Read, text: str, expected: date | None
) -> None:
    assert {each.until for each in read(text) if each.change is Change.ENDED} == {expected}


def test_who_parted_years_ago_may_have_somebody_else_by_now(told: Told) -> None:
    assert told("My husband and I divorced in 2019.") == set()
    assert "ended Mira partner Ida" in told("Ida and I divorced in 2019.")
