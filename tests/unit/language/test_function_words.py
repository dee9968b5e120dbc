"""What is asked with in other languages is told from what is asked about."""

from __future__ import annotations

import pytest

from shared.language.function_words import telling_little
from shared.language.guessing import language_of
from shared.language.text import query_terms


@pytest.mark.parametrize(
    ("query", "telling"),
    [
        ("Where do the bees live?", ["bee", "live"]),
        ("Was habe ich mit Tove gekocht?", ["tove", "gekocht"]),
        ("¿Quién es el vecino?", ["vecino"]),
        ("猫の名前は何ですか？", ["猫", "名前"]),
        ("厨房是什么颜色？", ["厨房", "颜色"]),
        ("내 고양이는 뭐야?", ["고양", "양이", "이는"]),
    ],
)
def test_words_of_grammar_tell_little(query: str, telling: list[str]) -> None:
    terms = query_terms(query, 32)
    little = telling_little(terms, language_of(query))
    assert little < set(terms) or not little
    assert [term for term in terms if term not in little] == telling


def test_of_an_unknown_language_every_term_tells() -> None:
    assert telling_little(["xq", "ich"], None) == frozenset()
