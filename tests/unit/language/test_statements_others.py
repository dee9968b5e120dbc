"""What belongs to somebody else, is so no longer or hardly ever, and its neighbours, which are to be read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Told = Callable[[str], set[str]]


@pytest.mark.parametrize(
    "text",
    [
        "My desk neighbour is a woman who speaks Danish and plays the harp.",
        "I share a flat with Ola, who is vegan and hates jazz.",
        "I know a guy who works at Elkem and lives in Moss.",
        "I have a colleague whose brother lives in Bern.",
        "I met a girl that has three dogs.",
        "I work with Ola, a nurse at St Mary's.",
        "I married a man who drives a Volvo and quit Equinor.",
    ],
)
def test_what_somebody_else_does_is_not_claimed_of_the_speaker(told: Told, text: str) -> None:
    assert told(text) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I work at Elkem, which makes silicon, and I play the harp.", {"Mira works_at Elkem", "Mira plays harp"}),
        ("I live in Moss, which I love, and work at Elkem.", {"Mira lives_in Moss", "Mira works_at Elkem"}),
        ("I have a bike that I love.", {"Mira owns bike"}),
        ("I work with Ola at Elkem.", {"Mira works_at Elkem"}),
    ],
)
def test_what_the_speaker_does_beside_a_relative_clause_is_read(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "I've lived in Bern, Basel and Chur.",
        "I've lived in Bern.",
        "I live in Bern and Chur.",
        "I grew up in Bern, Basel and Chur.",
        "I've worked at Elkem, Hydro and Equinor.",
        "I've used Vim, Emacs and Nano.",
        "I've played chess in Riga.",
    ],
)
def test_what_somebody_has_done_once_or_in_many_places_is_not_so_now(told: Told, text: str) -> None:
    assert told(text) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I've lived in Bern since 2019.", {"Mira lives_in Bern"}),
        ("I've lived in Bern for six years.", {"Mira lives_in Bern"}),
        ("We've lived in Bern all our lives.", {"Mira lives_in Bern"}),
        ("I've always lived in Bern.", {"Mira lives_in Bern"}),
        ("I've been working at Elkem.", {"Mira works_at Elkem"}),
        ("I've used Vim since 2010.", {"Mira uses Vim"}),
        ("I live in Austin, Texas, and work at Dell.", {"Mira lives_in Austin, Texas", "Mira works_at Dell"}),
    ],
)
def test_a_perfect_that_lasts_is_so_now(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "I seldom eat fish.",
        "I rarely drink tea.",
        "I eat fish very rarely.",
        "I hardly ever drink wine.",
        "I don't usually drink tea.",
        "I don't always eat fish.",
        "I don't eat fish on Fridays.",
        "I don't drink tea in the evening.",
        "I don't eat bread with butter.",
        "I don't like tea on weekdays.",
        "I only drink wine when my sister visits.",
        "I only eat fish on Saturdays.",
        "I drink wine, but only if it is free.",
        "I live nowhere special these days.",
    ],
)
def test_what_is_done_hardly_ever_or_denied_of_a_part_is_no_habit_and_nothing_avoided(told: Told, text: str) -> None:
    assert told(text) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I never eat fish.", {"Mira avoids fish"}),
        ("I don't eat fish at all.", {"Mira avoids fish"}),
        ("I stopped eating fish in January.", {"Mira avoids fish"}),
        ("I always drink tea.", {"Mira drinks tea"}),
        ("I only drink tea.", {"Mira drinks tea"}),
        ("I don't like tea.", {"Mira dislikes tea"}),
    ],
)
def test_what_is_denied_of_all_is_avoided(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "We have a cabin that belongs to my aunt.",
        "We have a cabin. It belongs to my aunt.",
        "I have a bike, but it's borrowed.",
        "I have a dog. It's my neighbour's.",
        "I have a car on loan from Ola.",
    ],
)
def test_what_belongs_to_another_is_not_the_speakers(told: Told, text: str) -> None:
    assert told(text) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I own a flat that I rent out.", {"Mira owns flat"}),
        ("I have a dog. It's my best friend.", {"Mira pet dog"}),
        ("I have a bike that belongs to me alone.", {"Mira owns bike"}),
    ],
)
def test_what_is_ones_own_stays_so(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected
