"""Made-up conversations look like real ones where it matters to an index."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from bench.synthetic import NAME, SESSION_TURNS, WORDS, Writer, word
from shared.language.stop_words import STOP_WORDS
from shared.language.text import terms


def test_no_two_ranks_have_one_word_and_none_is_a_stop_word() -> None:
    words = {word(rank) for rank in range(WORDS)}
    assert len(words) == WORDS
    assert words.isdisjoint(STOP_WORDS)


def test_frequent_words_are_short() -> None:
    assert len(word(0)) == 4
    assert len(word(WORDS - 1)) == 6


def test_a_sentence_says_eight_words_and_the_rest_are_stop_words() -> None:
    for sentence in Writer(1).sentences(8):
        assert len(terms(sentence)) == 8
        assert 13 <= len(sentence.split()) <= 22


def test_the_most_frequent_word_stands_in_one_memory_of_fifteen_or_so() -> None:
    counts = Counter(term for sentence in Writer(1).sentences(4_000) for term in set(sentence.split()) if len(term) > 3)
    frequent = sum(word(0) in sentence.split() for sentence in Writer(1).sentences(4_000))
    assert counts[word(0)] == frequent
    assert 1 / 30 < frequent / 4_000 < 1 / 10


@given(turns=st.integers(min_value=1, max_value=3 * SESSION_TURNS))
def test_sessions_hold_exactly_the_turns_asked_for(turns: int) -> None:
    sessions = list(Writer(2).sessions(turns))
    assert sum(map(len, sessions)) == turns
    assert max(map(len, sessions)) <= SESSION_TURNS


def test_messages_of_the_user_bear_a_name_and_those_of_the_assistant_none() -> None:
    (session,) = Writer(3).sessions(4)
    assert [(message["role"], message.get("speaker")) for message in session] == [
        ("user", NAME),
        ("assistant", None),
    ] * 2
    assert [message["ts"] for message in session] == sorted(message["ts"] for message in session)


def test_the_same_seed_writes_the_same_and_another_something_else() -> None:
    assert Writer(4).questions(5) == Writer(4).questions(5)
    assert Writer(4).sentences(5) != Writer(5).sentences(5)
