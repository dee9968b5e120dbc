from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.belief.predicates import (
    BUILT_IN,
    SEPARATOR,
    Cardinality,
    Predicate,
    canonical_name,
    claim_of,
    object_key,
    sentence,
    side_of,
    subject_key,
)
from shared.contract.errors import InvalidInput

PARTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(str.strip)
FERMENTS = Predicate(name="ferments", cardinality=Cardinality.MULTI, reads="ferments", aliases=("pickles",))


# Names.


@pytest.mark.parametrize(
    "written", ["lives_in", "Lives in", "livesIn", "lives-in", "location", "Home", "has a residence"]
)
def test_a_predicate_is_found_by_each_of_its_names_however_written(written: str) -> None:
    assert BUILT_IN.find(written).name == "lives_in"


def test_an_unknown_predicate_has_many_objects() -> None:
    found = BUILT_IN.find("Collects Stamps Of")
    assert (found.name, found.cardinality, found.reads) == (
        "collects_stamps_of",
        Cardinality.MULTI,
        "collects stamps of",
    )


@pytest.mark.parametrize("written", ["favorite colour", "favourite_colour", "has_favorite_colour", "favorite_color"])
def test_there_is_one_favourite_of_a_kind(written: str) -> None:
    claims = [claim_of("Mira", written, colour, BUILT_IN) for colour in ("blue", "green")]
    assert claims[0].key == claims[1].key
    assert {claim.predicate for claim in claims} == {BUILT_IN.find(written).name}


def test_a_predicate_without_a_letter_is_refused() -> None:
    with pytest.raises(InvalidInput, match="has a name"):
        canonical_name("--")


@pytest.mark.parametrize(
    ("name", "cardinality"),
    [
        ("name", "single"), ("lives_in", "single"), ("birthplace", "single"), ("birthday", "single"),
        ("employer", "single"), ("job", "single"), ("partner", "single"), ("dentist", "single"), ("doctor", "single"),
        ("phone", "single"), ("diet", "single"), ("child", "multi"), ("sibling", "multi"), ("friend", "multi"),
        ("pet", "multi"), ("owns", "multi"), ("allergy", "multi"), ("speaks", "multi"), ("skill", "multi"),
        ("decided", "multi"), ("instruction", "multi"), ("appointment", "multi"), ("plans", "multi"),
    ],
)  # fmt: skip
def test_what_people_say_of_themselves_is_known(name: str, cardinality: str) -> None:
    found = BUILT_IN.find(name)
    assert found in BUILT_IN.predicates.values()
    assert found.cardinality == cardinality


# Keys.


def test_a_single_valued_key_is_of_subject_and_predicate() -> None:
    varna, porto = (claim_of("Mira", "lives_in", town, BUILT_IN) for town in ("Varna", "Porto"))
    assert varna.key == porto.key == f"mira{SEPARATOR}lives_in"
    assert side_of(varna) != side_of(porto)


def test_a_multi_valued_key_is_of_the_object_too() -> None:
    assert claim_of("Mira", "speaks", "Czech", BUILT_IN).key != claim_of("Mira", "speaks", "Greek", BUILT_IN).key


def test_likes_and_dislikes_of_one_thing_share_a_key_and_differ_in_their_side() -> None:
    said = [claim_of("Mira", each, "the opera", BUILT_IN) for each in ("loves", "hates", "avoids")]
    assert {claim.key for claim in said} == {f"mira{SEPARATOR}attitude_to{SEPARATOR}opera"}
    assert len({side_of(claim) for claim in said}) == 3
    assert claim_of("Mira", "likes", "ballet", BUILT_IN).key != said[0].key


def test_a_claim_keeps_the_words_of_its_subject_and_object() -> None:
    claim = claim_of(" Mira's ", "Location", "the  Old Town.", BUILT_IN)
    assert (claim.subject, claim.predicate, claim.object) == ("Mira's", "lives_in", "the Old Town.")


@pytest.mark.parametrize("part", [0, 1, 2])
def test_a_blank_part_is_refused(part: int) -> None:
    parts = ["Mira", "lives_in", "Varna"]
    parts[part] = "  "
    with pytest.raises(InvalidInput, match="blank"):
        claim_of(*parts, BUILT_IN)


@given(PARTS, PARTS, PARTS, PARTS)
def test_two_claims_have_one_key_only_if_their_parts_are_the_same(a: str, b: str, c: str, d: str) -> None:
    first, second = claim_of(a, "collects", b, BUILT_IN), claim_of(c, "collects", d, BUILT_IN)
    same = (subject_key(a), object_key(b)) == (subject_key(c), object_key(d))
    assert (first.key == second.key) == same
    assert first.key.count(SEPARATOR) == 2


@given(PARTS)
def test_the_separator_in_a_part_is_a_space(part: str) -> None:
    assert SEPARATOR not in object_key(part + SEPARATOR + part)
    assert SEPARATOR not in subject_key(part + SEPARATOR + part)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Porto", "porto."), ("the Old Town", "old  town"), ("“Moby Dick”", "moby dick"), ("São Paulo", "Sao Paulo"),
        ("ＡＢＣ", "abc"), ("Dr. Halloran", "Dr Halloran"), ("Porto, Portugal", "porto portugal"), ("It’s", "it's"),
        ("gray", "Grey"), ("neighborhood center", "neighbourhood centre"), ("color-blind", "colour-blind"),
    ],
)  # fmt: skip
def test_the_same_object_is_known_again(first: str, second: str) -> None:
    assert object_key(first) == object_key(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("4417", "4471"), ("-5", "5"), ("5%", "5"), ("€5", "$5"), (".5", "5"), ("1:30", "130"), ("not Porto", "Porto"),
        ("C#", "C"), ("C++", "C"), ("2031-03-04", "2031-03-05"), ("1.5", "15"), ("no meat", "meat"), ("Ann", "Anna"),
        ("color.example", "colour.example"), ("Colorado", "Colourado"),
    ],
)  # fmt: skip
def test_another_number_sign_date_or_negation_is_another_object(first: str, second: str) -> None:
    assert object_key(first) != object_key(second)


def test_a_subject_is_known_again_as_a_name() -> None:
    assert subject_key("Dr. Halloran's") == subject_key("dr halloran")
    long = "the second of the keys to the shed behind the house of "
    assert subject_key(f"{long}Ann") != subject_key(f"{long}Bea")
    assert subject_key("42") == "42"


# An app's own.


def test_an_app_adds_predicates_and_the_registry_it_started_from_stays_as_it_is() -> None:
    own = BUILT_IN.with_(FERMENTS)
    assert own.find("pickles") is FERMENTS
    assert BUILT_IN.find("pickles").name == "pickles"


@pytest.mark.parametrize(
    "clashing",
    [
        Predicate(name="location", cardinality=Cardinality.MULTI, reads="is at"),
        Predicate(name="sleeps_in", cardinality=Cardinality.MULTI, reads="sleeps in", aliases=("Lives in",)),
        Predicate(name="lives_in", cardinality=Cardinality.MULTI, reads="lives in"),
    ],
)
def test_a_name_that_is_taken_is_refused_with_whose_it_is(clashing: Predicate) -> None:
    with pytest.raises(InvalidInput, match="is taken by 'lives_in'") as caught:
        BUILT_IN.with_(clashing)
    assert caught.value.details["predicate"] == clashing.name


@pytest.mark.parametrize(
    "clashing",
    [
        Predicate(name="attitude_to", cardinality=Cardinality.MULTI, reads="thinks of"),
        Predicate(name="rates", cardinality=Cardinality.MULTI, reads="rates", keyed_as="speaks"),
        Predicate(name="rates", cardinality=Cardinality.MULTI, reads="rates", keyed_as="rates"),
    ],
)
def test_no_name_in_a_key_stands_for_two_predicates_that_do_not_contradict_each_other(clashing: Predicate) -> None:
    with pytest.raises(InvalidInput, match="is taken by"):
        BUILT_IN.with_(clashing)


def test_an_app_adds_another_side_to_what_is_keyed_together() -> None:
    cares = Predicate(name="cares_for", cardinality=Cardinality.MULTI, reads="cares for", keyed_as="attitude_to")
    said = claim_of("Mira", "cares_for", "opera", BUILT_IN.with_(cares))
    assert said.key == claim_of("Mira", "dislikes", "opera", BUILT_IN).key


@pytest.mark.parametrize(
    "fields",
    [{"name": "Lives In"}, {"name": " "}, {"reads": ""}, {"keyed_as": "place", "cardinality": Cardinality.SINGLE}],
)
def test_a_predicate_that_cannot_be_keyed_or_read_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        Predicate(**{"name": "x", "cardinality": Cardinality.MULTI, "reads": "x", **fields})


def test_a_claim_can_be_read() -> None:
    assert sentence(claim_of("Mira", "location", "Varna", BUILT_IN), BUILT_IN) == "Mira lives in Varna"


@pytest.mark.parametrize("unseen", ["\u200b", "\u2060", "\ufeff", "\u202e", "\u00ad", "\u2067"])
def test_what_cannot_be_seen_makes_no_other_claim(unseen: str) -> None:
    seen = claim_of("mira", "likes", "green tea", BUILT_IN)
    assert claim_of(f"mi{unseen}ra", "likes", f"{unseen}green t{unseen}ea", BUILT_IN) == seen


def test_what_a_word_is_spelt_with_stays_in_it() -> None:
    assert claim_of("mira", "likes", "می\u200cخواهم", BUILT_IN).object == "می\u200cخواهم"
