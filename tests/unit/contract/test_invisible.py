"""What shows nothing is left out of memories and their keys; what joins letters or pictures stays where it does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.belief.predicates import BUILT_IN, claim_of
from shared.contract.invisible import shown_sentence, shows, without_invisible

STRAY = [
    "mira likes \u200dtea.",
    "mira likes t\u200dea.",
    "mira likes tea\u200c.",
    "mira likes tea\u200d\u200d\u200c.",
    "mira \u200clikes tea.",
    "mira likes te\u034fa.",
    "\u200dmira likes tea.\u200d",
    "mira\u2060 likes\u200b \ufefftea.",
]
SPELT = [
    "می\u200cخواهم",  # Persian
    "نامه\u200c",  # at the end of a word
    "ക്\u200d",  # Malayalam, an older spelling of a letter
    "क्\u200dष",  # Devanagari
    "শ্রী\u200c",  # Bengali
    "ශ්\u200dරී",  # Sinhala
    "ក\u200cខ",  # Khmer
    "👨\u200d👩\u200d👧",
    "👩🏽\u200d💻",
    "❤\ufe0f\u200d🔥",
    "🏳\ufe0f\u200d🌈",
    "🐈\u200d⬛",
    "🙂\u200d↔\ufe0f",
]


@pytest.mark.parametrize("text", STRAY)
def test_a_joiner_that_joins_nothing_is_gone(text: str) -> None:
    assert shown_sentence(text) == "mira likes tea."


@pytest.mark.parametrize("text", SPELT)
def test_words_and_emoji_stay_spelt(text: str) -> None:
    assert without_invisible(f"I like {text} a lot.") == f"I like {text} a lot."


@pytest.mark.parametrize("text", ["👨\u200d", "👨\u200d and tea", "👨 \u200d👩", "1\u200d2"])
def test_a_joiner_beside_one_picture_joins_nothing(text: str) -> None:
    assert "\u200d" not in without_invisible(text)


def test_a_key_is_the_same_with_and_without() -> None:
    assert claim_of("mi\u200dra", "likes", "\u200dtea\u200c", BUILT_IN) == claim_of("mira", "likes", "tea", BUILT_IN)


@given(text=st.text(alphabet="aтक्ش👨👩❤\ufe0f\u200c\u200d\u200b .🏽", max_size=20))
def test_doing_it_twice_changes_nothing_more(text: str) -> None:
    once = without_invisible(text)
    assert without_invisible(once) == once
    assert shows(once) == shows(text)
