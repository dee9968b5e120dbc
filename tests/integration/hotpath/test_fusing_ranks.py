"""A recipe that fuses ranks, from the question to the bundle."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from hotpath import recipes
from hotpath._rrf import K
from hotpath.recipes import BALANCED, register
from shared.contract.bundle import Bundle
from shared.contract.scope import Scope

MIRA = Scope(tenant_id="acme", user_id="mira")
TOLD = (
    "The beehives stand behind the garage. The beehives hum.",
    "The garage needs paint.",
    "Beehives and garage are far from here, it was said once of some other place and its many roads and fields.",
)
QUERY = "Are beehives at the garage?"

Tell = Callable[..., None]
Ask = Callable[..., Bundle]


@pytest.fixture(autouse=True)
def _with_a_recipe_for_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipes, "_RECIPES", dict(recipes._RECIPES))
    register(dataclasses.replace(BALANCED, name="ranks", why="an embedder of our own", fusion="rrf", rerank=0))
    register(dataclasses.replace(BALANCED, name="scores", why="the same by scores", rerank=0))


def test_each_channel_gives_by_the_place_in_its_ranking_and_by_nothing_else(tell: Tell, ask: Ask) -> None:
    for text in TOLD:
        tell(MIRA, text)
    bundle = ask(MIRA, QUERY, recipe="ranks", explain=True)
    items = sorted((item for item in bundle.items if item.rank), key=lambda item: item.rank or 0)
    assert len(items) == len(TOLD)
    for name in ("words", "words_before", "meaning"):
        ranked = sorted((item.scores[name] for item in items if item.scores[name] > 0), reverse=True)
        for item in items:
            place = ranked.index(item.scores[name]) + 1 if item.scores[name] > 0 else None
            given = (K + 1) / (K + place) / 3 if place else 0.0
            assert item.scores[f"+{name}"] == pytest.approx(given), (name, item.text)
    assert [item.score for item in items] == sorted((item.score for item in items), reverse=True)
    by_scores = ask(MIRA, QUERY, recipe="scores", explain=True)
    assert {item.text: item.scores["+words"] for item in by_scores.items} != {
        item.text: item.scores["+words"] for item in bundle.items
    }


def test_what_is_on_its_way_takes_its_place_among_the_ranks(tell: Tell, ask: Ask) -> None:
    for text in TOLD[1:]:
        tell(MIRA, text)
    tell(MIRA, TOLD[0], "The garage is cold.", work=False)
    bundle = ask(MIRA, QUERY, recipe="ranks")
    best, second = sorted((item for item in bundle.items if item.fresh), key=lambda item: -item.score)
    assert best.text == TOLD[0]
    assert best.score == pytest.approx(2 / 3), "it leads by words, of which two of three rankings are"
    assert second.score == pytest.approx(2 / 3 * (K + 1) / (K + 2))
    assert {item.rank for item in bundle.items} == {1, 2, 3, 4}


def test_without_the_embedder_the_ranking_by_words_is_left(
    tell: Tell, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in TOLD:
        tell(MIRA, text)

    def fail(_: object) -> None:
        raise RuntimeError("the channel is off")

    monkeypatch.setattr("hotpath._embed.embedder", fail)
    bundle = ask(MIRA, QUERY, recipe="ranks", explain=True)
    assert bundle.degraded == ("dense",)
    best = min((item for item in bundle.items if item.rank), key=lambda item: item.rank or 0)
    assert best.scores["+words"] == pytest.approx(1 / 3)
    assert best.scores["+meaning"] == 0.0
