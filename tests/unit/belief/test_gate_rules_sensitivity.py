from __future__ import annotations

import pytest

from shared.belief.rules.gate import judge
from shared.belief.rules.sensitivity import POLICIES, WEIGHTS, Policies, Policy, Sensitive, classes_of, parsed_policies
from shared.contract.errors import InvalidInput
from shared.contract.records import Action
from tests.unit.belief.gates import candidate, context, line


def found(text: str) -> tuple[Sensitive, ...]:
    return classes_of(text, holds_secret=False)


@pytest.mark.parametrize(
    ("sensitive", "text"),
    [
        (Sensitive.IDENTITY, "Mira's passport number is X1234567."),
        (Sensitive.IDENTITY, "Mira's SSN is 078-05-1120."),
        (Sensitive.IDENTITY, "Mira's IBAN is DE89 3704 0044 0532 0130 00."),
        (Sensitive.HEALTH, "Mira is allergic to walnuts."),
        (Sensitive.HEALTH, "Mira was diagnosed with asthma."),
        (Sensitive.HEALTH, "Mira ist schwanger."),
        (Sensitive.HEALTH, "ミラは糖尿病です。"),
        (Sensitive.SEXUALITY, "Oskar is gay."),
        (Sensitive.SEXUALITY, "Oskar came out to his parents."),
        (Sensitive.RELIGION, "Oskar is a Catholic."),
        (Sensitive.RELIGION, "Mira goes to church on Sundays."),
        (Sensitive.POLITICS, "Oskar voted for the greens."),
        (Sensitive.POLITICS, "Oskar is a member of the Green Party."),
        (Sensitive.CRIME, "Oskar was arrested in May."),
        (Sensitive.FINANCE, "Mira earns 4,200 a month."),
        (Sensitive.FINANCE, "Mira makes $90k per year."),
        (Sensitive.FINANCE, "Mira owes Tove 200 euros."),
        (Sensitive.CHILDREN, "Mira's son is 6 years old."),
        (Sensitive.CHILDREN, "Mira's daughter starts school in September."),
    ],
)
def test_what_is_delicate_is_told_by_its_words(sensitive: Sensitive, text: str) -> None:
    assert sensitive in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "Mira keeps two beehives behind the garage.",
        "The mosque opens at nine.",
        "Mira lives near the old prison.",
        "Mira votes on the best cake each May.",
        "Mira's password manager is Bitvault.",
        "Mira's bus is the 14.",
        "Mira's son plays the cello.",
        "Mira has an [redacted: api key] for Bitvault.",
        "Mira's flat has a gay colour scheme.",
        "Mira is from Democrat County.",
    ],
)
def test_a_word_of_the_field_is_not_yet_delicate(text: str) -> None:
    assert found(text) == ()


def test_the_most_delicate_stands_first() -> None:
    text = "Mira's son, 6 years old, is diabetic; his passport number is X1234567."
    assert found(text) == (Sensitive.IDENTITY, Sensitive.HEALTH, Sensitive.CHILDREN)
    assert classes_of(text, holds_secret=True)[0] is Sensitive.CREDENTIALS
    assert set(WEIGHTS) == set(POLICIES) == set(Sensitive)


@pytest.mark.parametrize(
    ("text", "said", "action"),
    [
        ("Mira is Muslim.", "I'm Muslim", Action.STORE),
        ("The user is Muslim.", "I'm Muslim", Action.STORE),
        ("Oskar is Muslim.", "Oskar is Muslim", Action.REVIEW),
        ("Mira was arrested in May.", "I was arrested in May", Action.STORE),
        ("Mira's brother was arrested in May.", "My brother was arrested in May", Action.REVIEW),
        ("Mira's sister is allergic to nuts.", "My sister is allergic to nuts", Action.STORE),
        ("Mira's SSN is 078-05-1120.", "My SSN is 078-05-1120", Action.STORE),
        ("Ana's SSN is 078-05-1120.", "Ana's SSN is 078-05-1120", Action.REVIEW),
        ("Mira's son is 6 years old.", "My son is 6 years old", Action.STORE),
    ],
)
def test_what_people_say_of_themselves_is_stored_and_what_exposes_others_waits_for_a_person(
    text: str, said: str, action: Action
) -> None:
    assert judge(candidate(text), context(line(said))).decision.action is action


def test_policies_are_set_for_a_class_or_for_one_side_of_it() -> None:
    found = parsed_policies({"health:others": "refuse", "health": "ask", "finance:own": "ask"})
    assert found[Sensitive.HEALTH] == Policies(own=Policy.ASK, others=Policy.REFUSE)
    assert found[Sensitive.FINANCE] == Policies(own=Policy.ASK, others=POLICIES[Sensitive.FINANCE].others)
    assert {sensitive for sensitive in Sensitive if found[sensitive] != POLICIES[sensitive]} == {
        Sensitive.HEALTH,
        Sensitive.FINANCE,
    }
    assert parsed_policies({}) == POLICIES
    assert parsed_policies({"credentials": "refuse"}) == POLICIES


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("helth", "ask", "'helth'"),
        ("health:mine", "ask", "'health:mine'"),
        ("health:", "ask", "'health:'"),
        ("health", "maybe", "'maybe'"),
        ("credentials", "store", "always refused"),
        ("credentials:own", "ask", "always refused"),
    ],
)
def test_what_is_no_policy_is_refused_by_name(name: str, value: str, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        parsed_policies({name: value})
