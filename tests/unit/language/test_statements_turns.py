from __future__ import annotations

from collections.abc import Callable

import pytest

from shared.language.statements import Statement

Told = Callable[[str], set[str]]
Read = Callable[..., list[Statement]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My name isn't Kim, it's Kit.", {"never Mira name Kim", "Mira name Kit"}),
        ("I used to love figs but now I hate them.", {"ended Mira likes figs", "Mira dislikes figs"}),
        ("I used to hate figs, now I love them.", {"ended Mira dislikes figs", "Mira likes figs"}),
        (
            "My favourite team used to be Brann, but these days it's Viking.",
            {"ended Mira favourite_team Brann", "Mira favourite_team Viking"},
        ),
        ("I changed my name to Kit Holm.", {"Mira name Kit Holm"}),
        ("I've changed my surname to Holm.", {"Mira surname Holm"}),
        ("So you know, I moved to Moss in May.", {"Mira lives_in Moss"}),
        ("Just so you know I'm allergic to figs.", {"Mira allergic_to figs"}),
        ("Use British spelling.", {"Mira instruction Use British spelling"}),
        (
            "About me:\n- name: Kit\n- city: Moss\n- hobbies: chess, rowing\n- pets: none",
            {"Mira name Kit", "Mira lives_in Moss", "Mira hobby chess", "Mira hobby rowing"},
        ),
    ],
)
def test_what_has_taken_the_place_of_what_was_so(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Do you know I live in Moss?",
        "I changed my mind to the red one.",
        "I changed my phone number to something easier.",
        "Use British spelling here for once.",
        "About the form:\n- name: Kit\n- city: Moss",
        "I used to like the band, now I manage them.",
    ],
)
def test_what_only_looks_so_takes_no_place(read: Read, text: str) -> None:
    assert [each for each in read(text) if each.change == "holds"] == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("My vet appointment is on 3 June at 9.", "Mira's vet appointment is on 2031-06-03 at 9."),
        ("My interview is on 3 June at 14:30.", "Mira's interview is on 2031-06-03 at 14:30."),
        ("The party is on 3 June from 7 to 9pm.", "The party is on 2031-06-03 from 7 to 9pm."),
        ("The party is on 3 June, 3pm.", "The party is on 2031-06-03 at 3pm."),
        ("My interview was moved from 9am to 11am on 3 June.", "Mira's interview is on 2031-06-03 at 11am."),
        ("I'm flying to Crete on 3 June at 7am.", "Mira travels to Crete on 2031-06-03 at 7am."),
        ("My interview is on 3 June at 5 Mill Lane.", "Mira's interview is on 2031-06-03."),
        ("The party is on 3 June.", "The party is on 2031-06-03."),
    ],
)
def test_an_hour_is_kept_in_the_words(read: Read, text: str, shown: str) -> None:
    assert shown in {each.text for each in read(text)}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("I bought a Skoda yesterday.", "Mira bought a Skoda on 2031-05-23."),
        ("I sold my Volvo.", "Mira no longer has a Volvo."),
        ("I own an Audi.", "Mira has an Audi."),
        ("I'm planning a trip to Crete in June.", "Mira plans a trip to Crete in 2031-06."),
    ],
)
def test_a_thing_has_its_article(read: Read, text: str, shown: str) -> None:
    assert shown in {each.text for each in read(text)}
