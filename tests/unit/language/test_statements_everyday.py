from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from shared.language.statements import Statement, Talk, statements_in
from shared.models.parsing import english_tagger

Told = Callable[[str], set[str]]


def _read(text: str, *, people: frozenset[str] = frozenset({"mira"}), talk: Talk | None = None) -> list[Statement]:
    talk = talk or Talk(people=people)
    return statements_in(text, tag=english_tagger(), speaker="Mira", said_on=date(2031, 3, 3), talk=talk)


def _claims(found: list[Statement]) -> set[str]:
    return {
        f"{'' if each.change == 'holds' else f'{each.change} '}{each.subject} {each.predicate} {each.object}"
        for each in found
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What should I get my sister Tess for her birthday?", {"Mira sibling Tess"}),
        ("Thanks, Tess, my sister, will be pleased", {"Mira sibling Tess"}),
        ("My late wife Joan planted these.", {"ended Mira partner Joan"}),
        ("Not Curtis, he's my ex.", {"Mira former_partner Curtis", "ended Mira partner Curtis"}),
        ("can you not use bleach, it sets my asthma off", {"Mira has_condition asthma"}),
        ("My son's eczema is back", {"Mira's son has_condition eczema"}),
        ("We have a tutor called Pilar", {"Mira tutor Pilar"}),
        (
            "My kids are Marlon (9) and baby Jude.",
            {"Mira child Marlon", "Mira child Jude", "Marlon age 9"},
        ),
        ("me and Sam are married", {"Mira partner Sam", "Mira marital_status married to Sam"}),
        ("roommate is this guy Pat, plays bassoon", {"Mira roommate Pat", "Pat plays bassoon"}),
        ("mum's scan is on 9 June", {"Mira's mum's scan scheduled_for 2031-06-09"}),
    ],
)
def test_what_is_taken_for_granted_and_whose_it_is(text: str, expected: set[str]) -> None:
    assert _claims(_read(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Traded in the Civic yesterday and got a RAV4!", {"ended Mira owns Civic", "Mira owns RAV4"}),
        ("my bike got stolen on Tuesday", {"ended Mira owns bike"}),
        ("swapped my iPhone for a Pixel last month", {"ended Mira owns iPhone", "Mira owns Pixel"}),
        ("we lost our lovely dog Bramble on Saturday", {"ended Mira pet Bramble"}),
        (
            "My doctor took me off lisinopril and put me on losartan",
            {"ended Mira takes lisinopril", "Mira takes losartan"},
        ),
        ("I've never been to Japan", {"never Mira visited Japan"}),
        ("I do NOT have diabetes", {"never Mira has_condition diabetes"}),
        ("I can't swim", {"never Mira skill swim"}),
        ("I have put in my papers at Sundaram Mills", {"ended Mira works_at Sundaram Mills"}),
        (
            "not in Brooklyn anymore. Jersey City since aug 1",
            {"ended Mira lives_in Brooklyn", "Mira lives_in Jersey City"},
        ),
        ("no nuts please, I'm allergic", {"Mira allergic_to nuts"}),
        ("I broke my wrist on Saturday", {"Mira has_condition broken wrist"}),
        ("I won first prize at the Hadley show", {"Mira achieved first prize at the Hadley show"}),
    ],
)
def test_what_changes_what_is_denied_and_what_was_done(text: str, expected: set[str]) -> None:
    assert _claims(_read(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We practise on Tuesdays at St Mary's", {"Mira habit practice on Tuesdays at St Mary's"}),
        ("remind me to call the vet", {"Mira task call the vet"}),
        ("I must buy more chairs", {"Mira task buy more chairs"}),
        ("my goal is to run a half marathon", {"Mira goal run a half marathon"}),
        ("The invoices are due on 15 May", {"the invoices deadline 2031-05-15"}),
        ("the spare key is in the teapot on the top shelf", {"the spare key located_in teapot on the top shelf"}),
        ("landlord's putting the rent up to £950 from 1 May", {"the rent price £950"}),
        ("the barbecue is on the 26th, at my sister Tess's place",
         {"the barbecue scheduled_for 2031-03-26", "the barbecue located_in Tess's place", "Mira sibling Tess"}),
        ("book club is at my house a week on Friday",
         {"the book club scheduled_for 2031-03-14", "the book club located_in Mira's house"}),
        ("standup moves to 9.30 from Monday", {"the standup scheduled_for 9.30"}),
        ("OK, decided, we're taking the barn!", {"Mira decided taking the barn"}),
        ("could you keep it to code from now on?", {"Mira instruction keep it to code from now on"}),
    ],
)  # fmt: skip
def test_habits_duties_things_and_decisions(text: str, expected: set[str]) -> None:
    assert _claims(_read(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "I need to write an essay about frogs.",
        "My code is in the src folder.",
        "I can't read the file.",
        "I bought a Coke.",
        "I moved the function to Utils.",
        "My grandson is giving me his car on Friday",
        "Had to say goodbye to old Murphy, our donkey",
        "if I won I'd buy a farm and never answer an email again",
        "We sold out of tickets.",
        "I picked up the kids.",
        "not in the mood anymore",
        "never say never",
    ],
)
def test_what_looks_like_it_and_is_not(text: str) -> None:
    assert _read(text) == []


def test_an_animal_is_named_by_a_word_alone_and_got_on_the_day_that_follows() -> None:
    found = _read("Oh, and we've got a kitten now! Biscuit. Picked her up on Saturday.")
    assert [(each.object, each.since) for each in found] == [("Biscuit", date(2031, 3, 1))]


def test_the_last_day_ends_the_job_that_was_given_notice() -> None:
    found = _read("I have put in my papers at Sundaram Looms. Last working day is 30th June only.")
    assert [(each.object, each.change, each.until) for each in found] == [
        ("Sundaram Looms", "ended", date(2031, 6, 30))
    ]


def test_whoever_it_is_true_of_instead_is_told_of() -> None:
    found = _claims(_read("I'm not allergic to peanuts! That's my nephew Theo."))
    assert found == {"never Mira allergic_to peanuts", "Mira relative Theo", "Theo allergic_to peanuts"}


def test_among_several_what_one_says_one_will_do_is_a_task() -> None:
    room = frozenset({"mira", "tomasz"})
    assert _claims(_read("I'll do the invoices", people=room)) == {"Mira task do the invoices"}
    assert _read("I'll do the invoices") == []


def test_she_is_the_only_one_who_was_named_before() -> None:
    talk = Talk(people=frozenset({"mira"}))
    _read("My daughter Ffion is coming over", talk=talk)
    assert _claims(_read("she loves trains", talk=talk)) == {"Ffion likes trains"}
    assert _read("he loves trains", talk=talk) == []
