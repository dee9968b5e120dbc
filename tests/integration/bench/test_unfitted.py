"""Questions that weights were fitted on are ranked by weights that were fitted without them, on real tables."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from rich.progress import Progress

from bench.corpus import Conversation, Corpus, Question, Turn
from bench.embedders import Remembering
from bench.figures import figures
from bench.place import Place
from bench.pooling import UNFITTED, pooled
from bench.product import Product, inline_services
from bench.quality import answer
from bench.systems import OUT_OF_FOLD, WHOLE
from bench.unfitted import recipes
from hotpath.recipes import BALANCED

SAID = (
    "I bought a red kayak at the harbour.",
    "The paddles came from an uncle in Bergen.",
    "My tomatoes gave twelve jars of sauce.",
    "The bees swarmed in May, behind the garage.",
    "I repaired the bicycle of my neighbour Sofie.",
    "The piano was tuned on a rainy Monday.",
)
ASKED = ("red kayak", "paddles of the uncle", "jars of sauce", "when the bees swarmed", "whose bicycle", "piano tuned")


@pytest.fixture
def corpus() -> Corpus:
    at = datetime(2022, 4, 1, tzinfo=UTC)
    turns = tuple(
        Turn(id=f"s{number // 2}:{number}", session_id=f"s{number // 2}", speaker="user", at=at, text=text, role="user")
        for number, text in enumerate(SAID)
    )
    questions = tuple(
        Question(
            id=f"q{number}",
            conversation_id="c",
            query=f"What about {asked}?",
            kind="single",
            answer="",
            gold_turn_ids=(turn.id,),
            gold_session_ids=(turn.session_id,),
            answerable=True,
            asked_at=at,
        )
        for number, (asked, turn) in enumerate(zip(ASKED, turns, strict=True))
    )
    conversation = Conversation(id="c", turns=turns, participants=("user",))
    return Corpus(name="Made-up", conversations=(conversation,), questions=questions, remarks=())


def test_each_fold_has_weights_of_its_own_and_the_rest_as_shipped(where: Place, corpus: Corpus) -> None:
    encoder = Remembering(where.embedder)
    memory = Product(inline_services(where, encoder)).feed(corpus.conversations[0], lambda _: None)
    found = recipes(corpus, {"c": memory}, Progress(disable=True))
    assert set(found) <= {question.id for question in corpus.questions}
    assert len(found) > 2
    assert len({recipe.name for recipe in found.values()}) > 1
    for recipe in found.values():
        assert recipe.weights != BALANCED.weights
        assert (recipe.weights.date, recipe.weights.graph) == (BALANCED.weights.date, BALANCED.weights.graph)
        assert (recipe.channels, recipe.rerank) == (BALANCED.channels, BALANCED.rerank)


def test_what_is_ranked_out_of_fold_stands_for_recall_in_the_figures(where: Place, corpus: Corpus) -> None:
    encoder = Remembering(where.embedder)
    product = Product(inline_services(where, encoder))
    answered = answer(corpus, product, encoder, Progress(disable=True), unfitted=recipes)
    assert all({WHOLE, OUT_OF_FOLD} <= set(outcome.ranked) for outcome in answered.outcomes)
    assert figures(corpus, answered).best == OUT_OF_FOLD
    both = pooled([(corpus, answered)])
    assert both.corpora == {"Made-up": OUT_OF_FOLD}
    assert {UNFITTED, "rank-bm25"} <= set(both.figures)
    assert UNFITTED not in {gain.system for gain in both.gains}
