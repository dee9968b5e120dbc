"""Sentences that leave a verb out: what stands behind the second subject is said of that one, or of nobody."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Told = Callable[[str], set[str]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "My cousin works at Elkem and my uncle at Hydro.",
            {"Mira's cousin works_at Elkem", "Mira's uncle works_at Hydro"},
        ),
        ("I work at Elkem, and my husband at Hydro.", {"Mira works_at Elkem", "Mira's husband works_at Hydro"}),
        ("My grandma speaks Welsh and my grandad Breton.", {"Mira's grandma speaks Welsh"}),
        ("My aunt speaks Danish and my uncle Greek.", {"Mira's aunt speaks Danish", "Mira's uncle speaks Greek"}),
        ("I speak Dutch and my wife Polish.", {"Mira speaks Dutch", "Mira's wife speaks Polish"}),
        ("My wife speaks Polish and I Dutch.", {"Mira's wife speaks Polish", "Mira speaks Dutch"}),
        ("My aunt is a doctor and my uncle a carpenter.", {"Mira's aunt job doctor", "Mira's uncle job carpenter"}),
        ("My son is a baker and my daughter a welder.", {"Mira's son job baker", "Mira's daughter job welder"}),
        ("My niece is vegan but my nephew vegetarian.", {"Mira's niece diet vegan", "Mira's nephew diet vegetarian"}),
        ("My dad is 71 and my mum 68.", {"Mira's dad age 71", "Mira's mum age 68"}),
        ("My niece plays the harp and my nephew the drums.", {"Mira's niece plays harp", "Mira's nephew plays drums"}),
        (
            "My aunt lives in Turin, my uncle in Genoa and my cousin in Pisa.",
            {"Mira's aunt lives_in Turin", "Mira's uncle lives_in Genoa", "Mira's cousin lives_in Pisa"},
        ),
        ("Ida lives in Rome and Otto in Milan.", {"Ida lives_in Rome", "Otto lives_in Milan"}),
    ],
)
def test_what_has_no_verb_of_its_own_has_that_of_the_first_subject(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I love Vienna and my sister Eva.", {"Mira likes Vienna"}),
        ("My mother loves Verdi and my father Puccini.", {"Mira's mother likes Verdi"}),
        ("My mother doesn't live in Bern and my father in Zug.", set()),
        ("My uncle never worked at Elkem and my aunt at Hydro.", {"never Mira's uncle works_at Elkem"}),
        ("My aunt works at Elkem and Hydro.", {"Mira's aunt works_at Elkem"}),
        ("I lived in Rome and Milan in 2020.", set()),
    ],
)
def test_what_cannot_be_told_is_said_of_nobody(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I live with my wife and my son in Leeds.", {"Mira lives_in Leeds"}),
        ("My brother is Tom and my boss Ida.", {"Mira sibling Tom", "Mira manager Ida"}),
        ("I met Otto and my sister Ida in Rome.", {"Mira sibling Ida"}),
        (
            "I live in Rome with my husband Tom and my son Max.",
            {"Mira lives_in Rome", "Mira partner Tom", "Mira child Max"},
        ),
    ],
)
def test_a_list_of_people_leaves_no_verb_out(told: Told, text: str, expected: set[str]) -> None:
    assert told(text) == expected
