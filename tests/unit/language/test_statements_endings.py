from __future__ import annotations

from collections.abc import Callable

import pytest

from shared.contract.candidates import Change
from shared.language.statements import Statement

Told = Callable[[str], set[str]]
Read = Callable[..., list[Statement]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Rex passed away last week.",
            {
                "ended Mira pet Rex",
                "ended Mira partner Rex",
                "ended Mira marital_status married to Rex",
                "ended Mira marital_status engaged to Rex",
            },
        ),
        ("I cancelled our holiday in Crete.", {"never Mira travels_to Crete", "never Mira plans holiday to Crete"}),
        ("We're not flying to Crete after all.", {"never Mira travels_to Crete"}),
        (
            "We called off the wedding.",
            {"the wedding scheduled_for cancelled", "ended Mira marital_status engaged"},
        ),
        ("I cancelled my vet appointment.", {"Mira's vet appointment scheduled_for cancelled"}),
        (
            "My flight to Crete was moved to 5 June.",
            {
                "Mira's flight to Crete scheduled_for 2031-06-05",
                "never Mira travels_to Crete",
                "never Mira plans flight to Crete",
            },
        ),
        ("I left Elkem for Hydro.", {"ended Mira works_at Elkem", "ended Mira lives_in Elkem"}),
        (
            "We decided against Redis.",
            {
                "Mira decided against Redis",
                "ended Mira decided use Redis",
                "ended Mira decided go with Redis",
                "ended Mira decided Redis",
            },
        ),
        ("You can use tables again.", {"ended Mira instruction never use tables"}),
        ("You don't have to use metric units any more.", {"ended Mira instruction use metric units"}),
        ("You don't need to reply in Danish any more.", {"ended Mira preferred_language Danish"}),
        ("I stopped taking warfarin.", {"ended Mira takes warfarin"}),
        ("I quit my second job at Elkem.", {"ended Mira second_job Elkem"}),
    ],
)
def test_what_is_over_ends_what_was_claimed_of_it(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The battery died yesterday.",
        "Ola didn't die.",
        "I cancelled this week.",
        "I cancelled my gym membership.",
        "We're not flying to Crete on Monday.",
        "I left Bern for a week.",
        "I left the house for Bern.",
        "Did you cancel my trip to Crete?",
    ],
)
def test_what_only_sounds_like_an_end_ends_nothing(read: Read, text: str) -> None:
    assert [each for each in read(text) if each.change is not Change.HOLDS] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I took a second job as a courier.", {"Mira second_job courier"}),
        ("I also work at Elkem.", {"Mira second_job Elkem"}),
        ("I work at Elkem on the side.", {"Mira second_job Elkem"}),
        ("I got a job at Elkem.", {"Mira works_at Elkem"}),
        ("I also play the harp.", {"Mira plays harp"}),
    ],
)
def test_a_job_beside_another_does_not_take_its_place(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Always reply in Danish, and never use tables.",
            {"Mira preferred_language Danish", "Mira instruction never use tables"},
        ),
        (
            "Always reply in Danish and sign with K.",
            {"Mira preferred_language Danish", "Mira instruction Always sign with K"},
        ),
        (
            "From now on, reply in Danish, keep it short and don't use tables.",
            {
                "Mira preferred_language Danish",
                "Mira instruction From now on, keep it short",
                "Mira instruction From now on, don't use tables",
            },
        ),
        ("Always cite sources and give page numbers.", {"Mira instruction Always cite sources and give page numbers"}),
    ],
)
def test_each_order_of_a_sentence_stands_by_itself(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("From now on call me Kit.", "Kit"),
        ("I want you to call me Kit.", "Kit"),
        ("Call me Kit from now on.", "Kit"),
        ("You may call me Kit", "Kit"),
        ("Please address me as Ms. Holm.", "Ms. Holm"),
        ("They call me Kit.", "Kit"),
    ],
)
def test_however_it_is_put_what_to_call_somebody_has_one_key(told: Told, text: str, name: str) -> None:
    assert told(text) == {f"Mira preferred_name {name}"}


@pytest.mark.parametrize("text", ["Call me tomorrow.", "Don't call me stupid.", "Call me when you get there."])
def test_what_is_no_name_is_none(told: Told, text: str) -> None:
    assert told(text) == set()


def test_a_medicine_taken_daily_is_taken_and_no_habit_beside(read: Read) -> None:
    (found,) = read("I take 5 mg warfarin every morning.")
    assert (found.predicate, found.text) == ("takes", "Mira takes 5 mg warfarin every morning.")


@pytest.mark.parametrize(
    ("text", "relation"),
    [("Kit and I got married last Saturday.", "spouse"), ("I got engaged to Kit last Saturday.", "fiancé")],
)
def test_who_marries_is_that_since_then(read: Read, text: str, relation: str) -> None:
    (found,) = (each for each in read(text) if each.predicate == "partner")
    assert found.text == f"Kit is Mira's {relation}."
    assert str(found.since) == "2031-05-17"
