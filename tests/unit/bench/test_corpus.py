"""A part of a corpus is spread over all of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench.corpus import first, spread


@pytest.mark.parametrize(
    ("count", "taken"), [(1, [0]), (2, [0, 4]), (3, [0, 3, 6]), (9, list(range(9))), (20, list(range(9)))]
)
def test_a_part_is_spread_from_first_to_last(corpus, count, taken) -> None:
    questions = tuple(replace(corpus.questions[0], id=str(number)) for number in range(9))
    part = spread(replace(corpus, questions=questions), count)
    assert [question.id for question in part.questions] == [str(number) for number in taken]


def test_the_first_conversations_keep_their_questions(corpus) -> None:
    assert first(corpus, 1).questions == corpus.questions
    assert [each.id for each in first(corpus, 1).conversations] == ["c"]
    moved = replace(corpus, conversations=corpus.conversations[::-1])
    assert first(moved, 1).questions == ()
