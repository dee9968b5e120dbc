"""A question that carries only a time is told from one that asks for something at that time."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hotpath._plan import plan
from hotpath.recipes import BALANCED

NOW = datetime(2031, 5, 21, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    "query",
    [
        "What did I do yesterday?",
        "yesterday",
        "What happened last week?",
        "What did we talk about on Friday?",
        "Summarise last week, please",
        "What did I do last May?",
        "Was habe ich gestern gemacht?",
        "Qu'ai-je fait hier ?",
        "¿Qué hice ayer?",
        "Что я делал вчера?",
        "ماذا فعلت أمس؟",
        "昨日何をしましたか？",
        "我昨天做了什么？",
        "어제 뭐 했어?",
        "เมื่อวานฉันทำอะไร",
    ],
)
def test_a_question_of_a_time_alone_puts_the_time_before_all_else(query: str) -> None:
    made = plan(query, now=NOW)
    assert made.only_when
    assert made.weights.date > made.weights.total - made.weights.date
    assert "when: nothing else is asked, so what lies there comes first" in made.reasons


@pytest.mark.parametrize(
    "query",
    [
        "What did I do?",
        "Where did we camp last May?",
        "What did I eat yesterday?",
        "What did Tove do yesterday?",
        "昨日すしを食べた",
        "Was habe ich gestern gekocht?",
        "Which 3 trees did I plant yesterday?",
    ],
)
def test_a_question_of_more_than_a_time_is_ranked_as_any_other(query: str) -> None:
    made = plan(query, now=NOW)
    assert not made.only_when
    assert made.weights == BALANCED.weights
