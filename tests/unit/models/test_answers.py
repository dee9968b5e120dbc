import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.models.answers import ParseFailed, declines, facts_in, unescaped

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=6,
)
ENTRIES = st.lists(st.dictionaries(st.text(max_size=6), VALUES, max_size=3), max_size=4)
PROSE = st.text(alphabet=st.characters(exclude_characters='{}[]"<'), max_size=40)


@given(ENTRIES, PROSE, PROSE)
def test_what_is_whole_comes_back_whole_whatever_prose_is_around(entries, before, after):
    assert facts_in(f"{before}{json.dumps({'facts': entries})}{after}") == entries


@given(ENTRIES.filter(bool), st.data())
def test_what_is_cut_off_anywhere_is_a_failure(entries, data):
    whole = json.dumps({"facts": entries})
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
    with pytest.raises(ParseFailed):
        facts_in(cut)


@given(st.text(alphabet='{}[]",:\\ \nabfacts<think>/`1'))
def test_any_text_gives_entries_or_a_failure(text):
    with suppress(ParseFailed):
        assert isinstance(facts_in(text), list)


@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        "{" * 200_000,
        '{"' * 100_000,
        "[ a" * 100_000,
        "<think>" * 100_000,
        '{"facts":[' * 50_000,
        '"' * 200_000,
        "<think></think>" * 100_000,
        '{"a":1,' * 50_000,
        "[1," * 100_000,
        '{"facts": [' + '{"text": "a"},' * 50_000,
    ],
)
def test_hostile_text_costs_no_time(text):
    with pytest.raises(ParseFailed):
        facts_in(text)


def test_brackets_of_prose_are_passed_over():
    text = 'I looked [as asked] at lines {1, 2}: {"facts": [{"text": "a"}]} [end'
    assert facts_in(text) == [{"text": "a"}]


def test_a_comma_in_a_text_stays():
    assert facts_in('{"facts": [{"text": "a,]",},],}') == [{"text": "a,]"}]


@pytest.mark.parametrize(
    ("text", "declined"),
    [
        ("I\u2019m sorry, but I can\u2019t help with that.", True),
        ("Przykro mi, nie mogę tego zrobić.", True),
        ("申し訳ありませんが、お答えできません。", True),
        ("抱歉，我无法提供帮助。", True),
        ("Here are the facts:", False),
        ("Mira は泳ぐことができません。", False),
        ("Mira 无法吃花生。", False),
        ("Mira는 수영할 수 없습니다.", False),
        ("", False),
    ],
)
def test_a_refusal_is_known_by_its_words(text, declined):
    assert declines(text) is declined


@given(ENTRIES)
def test_an_answer_means_the_same_without_escapes(entries):
    written = json.dumps({"facts": entries})
    assert facts_in(unescaped(written)) == facts_in(written)


def test_letters_stand_for_their_numbers_and_what_json_needs_stays():
    assert (
        unescaped(r'"\u0073k \u0442 \u0022 \u005c \u000a \\u0073 \ud83d"')
        == r'"sk т \u0022 \u005c \u000a \\u0073 \ud83d"'
    )
