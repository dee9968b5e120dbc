from __future__ import annotations

import pytest

from shared.belief.entities import How, Match, known_names, may_be_a_slip, resolve_name, slips, stand_ins
from shared.belief.predicates import BUILT_IN, claim_of
from shared.contract.records import Claim

KNOWN = ["Dr. Halloran", "Mira Petrova", "Christina Lindqvist", "Reykjavik", "Depot 4711 Northern", "Ananananas", "Ann"]


def alias(name: str, other: str) -> Claim:
    return claim_of(name, "also_known_as", other, BUILT_IN)


def different(name: str, other: str) -> Claim:
    return claim_of(name, "different_from", other, BUILT_IN)


@pytest.mark.parametrize("written", ["Dr. Halloran", "dr halloran", "DR. HALLORAN's"])
def test_the_same_name_folded_is_matched_exactly(written: str) -> None:
    assert resolve_name(written, known_names(KNOWN)) == Match("Dr. Halloran", How.EXACT)


def test_an_alias_stands_for_the_main_name_even_where_it_is_in_use_itself() -> None:
    known = known_names([*KNOWN, "Mimi"], [alias("Mira Petrova", "Mimi")])
    assert resolve_name("mimi", known) == Match("Mira Petrova", How.ALIAS)
    assert resolve_name("Mira Petrova", known) == Match("Mira Petrova", How.EXACT)


def test_aliases_are_followed_to_their_end() -> None:
    known = known_names([], [alias("Mira Petrova", "Mimi"), alias("Mimi", "Mi")])
    assert resolve_name("Mi", known) == Match("Mira Petrova", How.ALIAS)


def test_in_a_circle_of_aliases_all_stand_for_one() -> None:
    known = known_names(["Mimi", "Mira"], [alias("Mira", "Mimi"), alias("Mimi", "Mira")])
    assert {resolve_name(name, known) for name in ("Mira", "Mimi")} == {
        Match("Mimi", How.ALIAS),
        Match("Mimi", How.EXACT),
    }


def test_an_alias_of_two_is_none_of_either() -> None:
    known = known_names(["Mira", "Oskar"], [alias("Mira", "Boss"), alias("Oskar", "Boss")])
    assert resolve_name("Boss", known) is None


def test_without_its_belief_an_alias_is_a_name_of_its_own_again() -> None:
    assert resolve_name("Mimi", known_names(KNOWN)) is None


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Christina Lindquist", "Christina Lindqvist"),
        ("Christina Lindvqist", "Christina Lindqvist"),
        ("Christina Lindqvis", "Christina Lindqvist"),
        ("Reykjavick", "Reykjavik"),
        ("Mira Petrowa", "Mira Petrova"),
    ],
)
def test_a_slip_in_a_long_name_is_seen_through(written: str, name: str) -> None:
    assert resolve_name(written, known_names(KNOWN)) == Match(name, How.FUZZY)


@pytest.mark.parametrize(
    "written",
    [
        "Anna",  # short
        "Mira Petrov",  # a name of its own, in many languages
        "Mirra Petrova",  # the slip is in a short word
        "Kristina Lindqvist",  # the first letter
        "Christine Lindquist",  # two slips
        "Depot 4712 Northern",  # another number
        "Depot 4711 Northern 2",  # another word
        "Ananananass",  # too few different letters to tell
        "Halloran",  # part of a name
    ],
)
def test_what_may_be_another_is_not_matched(written: str) -> None:
    assert resolve_name(written, known_names(KNOWN)) is None


def test_ordinary_words_are_never_matched_fuzzily() -> None:
    assert resolve_name("interestin", known_names(["Interesting"])) is None


def test_a_slip_that_could_be_of_two_names_is_matched_to_neither() -> None:
    assert resolve_name("Konstantina", known_names(["Konstantine", "Konstantino"])) is None


def test_digits_are_never_a_slip() -> None:
    assert resolve_name("Reykjavik12", known_names(["Reykjavik11"])) is None


def test_what_is_said_to_be_different_is_never_matched() -> None:
    names = ["Christina Lindqvist", "Mira"]
    apart = [different("Christina Lindqvist", "Christina Lindquist"), different("Mimi", "Mira"), alias("Mira", "Mimi")]
    known = known_names(names, apart)
    assert resolve_name("Christina Lindquist", known) is None
    assert resolve_name("Mimi", known) is None


def test_a_slip_in_an_alias_is_matched_to_the_main_name_unless_that_is_said_to_be_another() -> None:
    names, claims = ["Christina Lindqvist"], [alias("The Chairwoman", "Christina Lindqvist")]
    assert resolve_name("Christina Lindquist", known_names(names, claims)) == Match("The Chairwoman", How.FUZZY)
    claims.append(different("Chairwoman", "Christina Lindquist"))
    assert resolve_name("Christina Lindquist", known_names(names, claims)) is None


def test_what_is_known_does_not_hang_on_the_order_in_which_it_came() -> None:
    claims = [alias("Mira Petrova", "Mimi"), alias("mira petrova", "Mi"), different("Ann", "Anne")]
    names = ["Mira Petrova", "MIRA PETROVA", "Ann"]
    assert known_names(names, claims) == known_names(reversed(names), reversed(claims))


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"christina halloran": 3, "cristina halloran": 1}, {"cristina halloran": "christina halloran"}),
        ({"christina halloran": 3, "cristina halloran": 2}, {}),
        ({"christina halloran": 2, "cristina halloran": 1}, {}),
        ({"christina halloran": 3, "christine halloran": 5, "christin halloran": 1}, {}),
        ({"marina petrova": 3, "marina petrov": 1}, {}),
        ({"mira": 9, "mirra": 1}, {}),
    ],
    ids=["once beside often", "twice", "beside twice", "between two", "a short word", "a short name"],
)
def test_what_is_written_once_beside_what_is_written_often_is_a_slip(
    counts: dict[str, int], expected: dict[str, str]
) -> None:
    assert stand_ins(counts, [], counts) == expected
    assert stand_ins(counts, [], []) == {}, "only what is asked about"


def test_an_alias_stands_for_its_name_and_so_does_a_slip_of_the_alias() -> None:
    counts = {"mira": 3, "christina halloran": 1, "cristina halloran": 1}
    known_as = [alias("Mira", "Christina Halloran")]
    assert stand_ins(counts, known_as, counts) == {"christina halloran": "mira", "cristina halloran": "mira"}
    assert stand_ins({}, known_as, ["christina halloran"]) == {"christina halloran": "mira"}


def test_slips_are_looked_for_among_long_names_alone() -> None:
    assert slips("cristina halloran", ["christina halloran", "cristina halloran", "tove"]) == {"christina halloran"}
    assert may_be_a_slip("cristina halloran")
    assert not may_be_a_slip("mira")
    assert slips("mira", ["mirra", "mira"]) == set()
