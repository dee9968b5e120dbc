"""Every question is asked of every system."""

from __future__ import annotations

import pytest
from rich.progress import Progress

from bench.embedders import Remembering
from bench.quality import CHANNELS_ALONE, WHOLE, Answered, answer
from shared.testing import HashEmbedder


@pytest.fixture
def progress():
    return Progress(disable=True)


@pytest.fixture
def answered(corpus, product, progress) -> Answered:
    return answer(corpus, product, Remembering(HashEmbedder()), progress)


def test_a_conversation_that_nobody_asks_about_is_not_fed(answered, product) -> None:
    assert product.fed == ["c"]


def test_baselines_channels_and_the_whole_rank_the_same_question(answered) -> None:
    ranked = answered.outcomes[0].ranked
    assert set(ranked) > {WHOLE, *CHANNELS_ALONE, "rank-bm25", "bare embedder"}
    assert ranked["rank-bm25"][0] == "a1"
    assert ranked["bare embedder"][0] == "a1"
    assert ranked[WHOLE] == ("b1", "b2", "a1")
    assert ranked["recall, dense alone"] == ("a2",)


def test_an_unanswerable_question_gives_a_verdict_and_no_ranking(answered) -> None:
    unanswerable = answered.outcomes[2]
    assert unanswerable.ranked == {}
    assert not unanswerable.supported


def test_what_warms_the_caches_is_not_measured(answered, product, corpus) -> None:
    assert len(answered.outcomes) == len(corpus.questions)
    assert len(product.memory.asked) == len(corpus.questions) + 1


def test_the_embedder_reads_no_speaker_where_speakers_are_roles(corpus, product, progress) -> None:
    from dataclasses import replace

    chat = corpus.conversations[0]
    roles = tuple(replace(turn, speaker=turn.role) for turn in chat.turns)
    chats = replace(corpus, conversations=(replace(chat, turns=roles),))
    outcome = answer(chats, product, Remembering(HashEmbedder()), progress).outcomes[0]
    assert "bare embedder" in outcome.ranked
    assert "bare embedder, date and speaker" not in outcome.ranked
