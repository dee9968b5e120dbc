"""Names are told by how they are written."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.language.name_keys import MAX_KEY_CHARS, MAX_PHRASES, aliases, key_of, phrases
from shared.language.names import MAX_NAMES, names_in


def keys(text: str) -> list[str]:
    return [name.key for name in names_in(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yesterday I met Oskar Lind in Graz.", ["oskar lind", "graz"]),
        ("We sailed past the Isle of Skye and the Bay of Biscay", ["isle of skye", "bay of biscay"]),
        ("She plays for Alexander the Great's troupe", ["alexander the great"]),
        ("Lunch with Ludwig van Beethoven", ["ludwig van beethoven"]),
        ("it says Mr. Brandt lives by St. Anna", ["mr brandt", "st anna"]),
        ("the U.S. and the UN, or J. R. R. Oakes", ["us", "un", "jrr oakes"]),
        ("I put Windows 95 on the old box", ["windows 95"]),
        ("my phone is an iPhone and the db is PostgreSQL", ["iphone", "postgresql"]),
        ("order AB-1234 has not come", ["ab 1234"]),
        ('we sang "Green Fields Forever" twice', ["green fields forever"]),
        ("as in “The Hollow Crown”", ["hollow crown"]),
        ("thanks to @mira_k and #OpenWater", ["mira k", "openwater"]),
        ("we saw Hello Love and The Oak Room there", ["hello love", "oak room"]),
        ("we went to Rock & Rye", ["rock rye"]),
    ],
)
def test_names_are_found_as_they_are_written(text: str, expected: list[str]) -> None:
    assert keys(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Painting is fun. Thanks! Really? Yes.",
        "I think I'm late, and I'll say so on Monday, in May.",
        "What did they do? When was that? Hello there.",
        "at 10th street for 5k and 3pm, 2024",
        "THIS IS ALL A MATTER OF SHOUTING FOLKS",
        "You're late. Can't you come? We've time; don't hurry. They\u2019ll wait. Won't they?",
        "and I said BTW that it is OK",
        "",
        "…!?  \n\n",
        "he said “well I never thought that it would come to this in the end”",
    ],
)
def test_what_only_begins_a_sentence_or_is_a_date_or_shouted_is_no_name(text: str) -> None:
    assert keys(text) == []


def test_the_first_word_of_a_sentence_is_a_name_where_the_text_writes_it_so_inside_of_one() -> None:
    assert keys("Hope sailed home. We all like Hope.") == ["hope"]
    assert keys("Hope is all we have, and hope dies last.") == []


def test_the_first_word_of_a_sentence_is_a_name_where_it_is_no_ordinary_word() -> None:
    assert keys("Melanie went out. Camping is fun.") == ["melanie"]


def test_an_ordinary_word_that_begins_a_sentence_is_part_of_a_name_where_it_says_no_more_than_another() -> None:
    assert keys("New York is large. Tell Oskar Lind. Friends are fun.") == ["new york", "oskar lind"]


def test_an_owner_is_a_name_beside_what_is_owned() -> None:
    assert keys("we read Nadia's Garden") == ["nadia", "nadia garden"]


def test_months_are_part_of_a_person_and_no_name_alone() -> None:
    assert keys("a song by Brian May from June") == ["brian may"]


def test_a_name_in_each_form_has_one_key() -> None:
    written = ["The Oak Room", "the Oak Room", "Oak-Room", "OAK ROOM", "Oak Room's", "oak  room", "Ôak Room"]
    assert {key_of(each) for each in written} == {"oak room"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("昨日「秋の空」を読んだ", ["秋の空"]),
        ("アントニオ・バレラと会った", ["アントニオ バレラ"]),
        ("вчера я видел Анну в Минске", ["анну", "минске"]),
        ("我们昨天去了公园", []),
        ("어제 공원에 갔어요", []),
        ("ذهبت إلى السوق", []),
        ("เมื่อวานไปตลาด", []),
    ],
)
def test_scripts_without_capitals_give_what_they_mark_and_nothing_wrong(text: str, expected: list[str]) -> None:
    assert keys(text) == expected


def test_aliases_are_what_a_name_begins_and_ends_with_its_initials_and_short_forms() -> None:
    assert set(aliases("melanie smith")) == {"melanie", "smith"}
    assert set(aliases("melanie")) == {"mel", "mela"}
    assert "nyc" in aliases("new york city")
    assert aliases("oak") == []


def test_an_alias_is_never_an_ordinary_word_or_the_name_itself() -> None:
    assert not {"of may", "may", "end of"} & set(aliases("end of may"))
    assert aliases("addams family") == ["addams"]


def test_phrases_of_a_query_are_looked_up_whatever_their_case() -> None:
    assert {"melanie", "new york", "new york city"} <= set(phrases("what of melanie's New York City trip?"))
    assert len(phrases("word " * 5_000)) <= MAX_PHRASES


@given(st.text(max_size=400))
def test_any_text_gives_bounded_names_that_are_told_by_their_keys(text: str) -> None:
    found = names_in(text)
    assert len({name.key for name in found}) == len(found) <= MAX_NAMES
    for name in found:
        assert 0 < len(name.key) <= MAX_KEY_CHARS
        assert key_of(name.key) in {name.key, ""}
        assert all(0 < len(alias) <= MAX_KEY_CHARS for alias in aliases(name.key))


HOSTILE = [
    "A",
    "A ",
    "Ab of the ",
    '"',
    "``",
    "a.b.",
    "A' ",
    "@",
    "#a",
    "ア",
    "Mr. ",
    " ",
    "A.B.",
    "\n",
    "x'",
    "「",
    "Aa1-",
    "Oskar ",
]


@pytest.mark.parametrize("part", HOSTILE)
def test_a_megabyte_of_anything_is_read_in_time_that_grows_with_it(part: str) -> None:
    text = part * (1_000_000 // len(part))
    began = time.perf_counter()
    found = names_in(text)
    assert time.perf_counter() - began < 5
    assert len(found) <= MAX_NAMES
