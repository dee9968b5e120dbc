"""Each variant differs from what it is compared with in one thing."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from bench.systems import FEATURES_OFF, WHOLE, Variant, variants
from hotpath.recipes import BALANCED, CHANNELS, recipe

BY_NAME = {variant.name: variant for variant in variants()}


def test_the_whole_is_what_an_agent_gets_that_sets_nothing() -> None:
    assert variants()[0] == Variant(name=WHOLE, group="whole")
    assert (BY_NAME[WHOLE].recipe, BY_NAME[WHOLE].channels) == (BALANCED, CHANNELS)


def test_names_are_distinct_and_each_is_compared_with_one_that_is_there() -> None:
    assert len(BY_NAME) == len(variants())
    assert {variant.against for variant in variants()} <= set(BY_NAME)


def test_every_channel_is_left_out_once() -> None:
    without = [CHANNELS - variant.channels for variant in variants() if variant.group == "channel off"]
    assert len(without) == len(CHANNELS)
    assert set(without) == {frozenset({channel}) for channel in CHANNELS}


def test_recipes_can_be_asked_for_by_name() -> None:
    assert all(recipe(variant.recipe.name) == variant.recipe for variant in variants())


@pytest.mark.parametrize("name", [name for name in BY_NAME if name not in {WHOLE, "fast", "thorough"}])
def test_a_variant_differs_in_one_thing(name) -> None:
    variant, other = BY_NAME[name], BY_NAME[BY_NAME[name].against]
    named = {each.name for each in fields(variant.recipe)} - {"name", "why"}
    differ = {each for each in named if getattr(variant.recipe, each) != getattr(other.recipe, each)}
    assert len(differ) + (variant.channels != other.channels) == 1


@pytest.mark.parametrize("name", FEATURES_OFF)
def test_a_feature_that_is_left_out_weighs_nothing_and_the_others_as_before(name) -> None:
    left = BY_NAME[name].recipe.weights
    assert left == replace(BALANCED.weights, **dict.fromkeys(FEATURES_OFF[name], 0.0))
    assert left != BALANCED.weights
