"""A sentence and its claim say the same, or the sentence claims nothing, or the entry is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.language.tokens import ConservativeCounter
from tests.model_reading import entry, line
from warmpath._agreeing import UNSURE
from warmpath._checking import MOST_CLAIMS_OF_A_TEXT, checked
from warmpath._mentioning import mentions
from warmpath._windows import windows


def judged(said, *entries):
    [window] = windows([line(said)], [], budget_tokens=6_000, counter=ConservativeCounter())
    return checked(entries, window)


@pytest.mark.parametrize(
    ("said", "text", "predicate", "obj"),
    [
        ("I like jazz and I have 2 dogs", "Mira has 2 dogs.", "likes", "jazz"),
        ("I have 2 dogs and 3 cats", "Mira has 2 dogs.", "owns", "3 dogs"),
        ("I have two dogs", "Mira has two dogs.", "owns", "3 dogs"),
        ("Ana is my sister and Eva is my cousin", "Eva is Mira's cousin.", "sibling", "Ana"),
    ],
)
def test_a_claim_of_something_else_than_the_sentence_says_is_refused(said, text, predicate, obj):
    found = judged(said, entry(text, predicate=predicate, object=obj))
    assert ([each.reason for each in found.refused], found.taken) == (["other_object"], [])


@pytest.mark.parametrize(
    ("said", "text", "predicate", "obj", "language"),
    [
        ("I live in Porto and I love Rome", "Mira loves Rome.", "lives_in", "Rome", "en"),
        ("I live in Porto", "Mira lives in Porto.", "lives_in", "Oporto, Portugal region", "en"),
        ("Я живу в Москве", "Мира живёт в Москве.", "lives_in", "Moscow", "ru"),
        ("ポルトに住んでいます", "ミラはポルトに住んでいます。", "lives_in", "Porto", "ja"),
    ],
)
def test_a_sentence_whose_claim_may_be_another_claims_nothing_and_is_less_sure(said, text, predicate, obj, language):
    [taken] = judged(said, entry(text, predicate=predicate, object=obj, language=language)).taken
    assert (taken.candidate.text, taken.candidate.claim, taken.candidate.confidence) == (text, None, UNSURE)


@pytest.mark.parametrize(
    ("said", "text", "predicate", "obj"),
    [
        ("I live in Porto", "Mira lives in Porto.", "lives_in", "Porto"),
        ("I have two dogs", "Mira has two dogs.", "owns", "2 dogs"),
        ("I have 2 dogs", "Mira has 2 dogs since 2029.", "owns", "2 dogs"),
        ("I was born on 4 May 1988", "Mira was born on 4 May 1988.", "birthday", "1988-05-04"),
        ("I am vegetarian", "Mira is vegetarian.", "diet", "vegetarian"),
        ("My pronouns are they/them", "Mira uses the pronouns they/them.", "pronouns", "they/them"),
        ("Mieszkam w Warnie", "Mira mieszka w Warnie.", "lives_in", "Warna"),
        ("Я живу в Москве", "Мира живёт в Москве.", "lives_in", "Москва"),
        ("Ich esse gern Äpfel", "Mira isst gern Äpfel.", "likes", "Apfel"),
        ("ポルトに住んでいます", "ミラはポルトに住んでいます。", "lives_in", "ポルト"),
        ("Call me at 9:30", "Mira wants to be called at 9:30.", "instruction", "call at 9.30 am"),
    ],
)
def test_a_claim_that_the_sentence_says_is_kept_in_any_language(said, text, predicate, obj):
    [taken] = judged(said, entry(text, predicate=predicate, object=obj, language=None)).taken
    assert taken.candidate.claim is not None
    assert taken.candidate.confidence == 0.9


def test_one_sentence_claims_no_more_than_a_few_things():
    found = judged("I like tea a lot", *[entry("Mira likes tea.", predicate=f"p{n}", object="tea") for n in range(99)])
    assert len(found.taken) == MOST_CLAIMS_OF_A_TEXT
    assert found.counts == {"too_many_of_a_line": 99 - MOST_CLAIMS_OF_A_TEXT}
    assert found.refused == []


def test_a_short_line_tells_no_more_than_its_length_allows_and_a_long_one_more():
    entries = [entry(f"Mira keeps bees, {'x' * n}.") for n in range(1, 90)]
    short, long = judged("I keep bees", *entries), judged("I keep bees, " * 60, *entries)
    assert 0 < len(short.taken) < len(long.taken) < len(entries)


words = st.text(alphabet=st.characters(whitelist_categories=["Ll", "Lo"], max_codepoint=0x3100), min_size=2, max_size=9)


@settings(deadline=None)
@given(st.lists(words, min_size=1, max_size=4), st.lists(words, max_size=4))
def test_what_stands_in_a_text_word_for_word_is_never_said_to_be_missing(what, around):
    assert mentions(" ".join([*around, *what, *around]), " ".join(what)) is not False
