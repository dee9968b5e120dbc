"""Recipes are data that is checked where it is made, and are known by their names."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from hotpath import recipes
from hotpath.recipes import BALANCED, CHANNELS, FAST, THOROUGH, ChannelPlan, recipe, register
from shared.contract.errors import InvalidInput, InvalidQuery


@pytest.fixture(autouse=True)
def _the_three_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipes, "_RECIPES", {each.name: each for each in (FAST, BALANCED, THOROUGH)})


def test_three_are_there_from_the_start() -> None:
    assert [recipe(name) for name in ("fast", "balanced", "thorough")] == [FAST, BALANCED, THOROUGH]
    assert recipe(recipes.DEFAULT_RECIPE) is BALANCED
    assert all(set(each.channels) == CHANNELS for each in (FAST, BALANCED, THOROUGH))


def test_fast_reads_nothing_again_and_thorough_does_most() -> None:
    assert (FAST.rerank, FAST.rerank_share, FAST.graph) == (0, 0.0, False)
    assert BALANCED.rerank < THOROUGH.rerank
    assert BALANCED.hits < THOROUGH.hits
    assert BALANCED.channels["dense"].limit < THOROUGH.channels["dense"].limit


@pytest.mark.parametrize("name", ["slow", "", "Balanced", None, 7, ["fast"]])
def test_an_unknown_recipe_is_refused_with_the_names_of_those_there_are(name: object) -> None:
    with pytest.raises(InvalidQuery, match=r"^recipe must be one of balanced, fast, thorough, not "):
        recipe(name)


def test_an_app_adds_its_own_and_once_more_is_no_matter() -> None:
    mine = dataclasses.replace(BALANCED, name="support", why="long threads", hits=40)
    assert register(mine) is mine
    assert recipe("support") is mine
    register(dataclasses.replace(mine))
    with pytest.raises(InvalidQuery, match=r"one of balanced, fast, support, thorough"):
        recipe("slow")


@pytest.mark.parametrize("name", ["balanced", "fast"])
def test_a_name_that_is_taken_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match=f"another recipe called '{name}'"):
        register(dataclasses.replace(BALANCED, name=name, hits=3))
    assert recipe(name) in (FAST, BALANCED)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": "My Recipe"}, "name is small letters"),
        ({"name": ""}, "name is small letters"),
        ({"channels": {"smell": ChannelPlan(limit=3)}}, "unknown channel 'smell'; there are "),
        ({"channels": {}}, "has no channel"),
        ({"hits": 0}, "hits of recipe"),
        ({"hits": 10_001}, "hits of recipe"),
        ({"hits_of_list": 0}, "hits_of_list of recipe"),
        ({"rerank": -1}, "rerank of recipe"),
        ({"rerank_share": 1.1}, "rerank_share of recipe"),
        ({"rerank_share": float("nan")}, "rerank_share of recipe"),
        ({"fusion": "vote"}, "must be score or rrf"),
    ],
)
def test_a_recipe_with_a_wrong_value_cannot_be_made(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        dataclasses.replace(BALANCED, **{"name": "mine", **wrong})


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"limit": 10_001}, {"limit": 5, "floor": -0.1}])
def test_a_channel_with_a_wrong_bound_cannot_be_made(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=r"a channel.s (?:limit|floor) must be"):
        ChannelPlan(**wrong)


def test_no_one_can_change_a_recipe_that_others_use() -> None:
    with pytest.raises(TypeError):
        BALANCED.channels["sparse"] = ChannelPlan(limit=1)  # type: ignore[index]
