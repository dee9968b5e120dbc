"""What recall is taken apart into, as data: the whole of it, a channel alone, a channel or stage off, other recipes.

A variant is a recipe that any app could register, and the channels that are asked: nothing in the product knows of it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Final, Literal

from hotpath.recipes import BALANCED, CHANNELS, FAST, THOROUGH, Recipe, register
from hotpath.weights import Weights

Group = Literal["whole", "out of fold", "channel alone", "channel off", "stage off", "feature off", "recipe", "fusion"]

WHOLE: Final = "recall"
WITHOUT_RERANK: Final = "without rerank"
WITHOUT_GRAPH: Final = "without graph"
OUT_OF_FOLD: Final = "recall, out of fold"
"""As shipped, but with weights that were fitted without the question's part of the set."""

FEATURES_OFF: Final = {
    "without neighbours": ("words_before", "words_neighbour", "meaning_before", "meaning_neighbour"),
    "without the session": ("words_session",),
    "without speaker": ("speaker",),
    "without date": ("date",),
}
"""What is left out of the fused score, by feature of `hotpath.weights.Weights`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """Recall, with something otherwise than it is."""

    name: str
    group: Group
    recipe: Recipe = BALANCED
    channels: frozenset[str] = CHANNELS
    against: str = WHOLE
    """What it is compared with: the variant that differs from it in one thing."""


@cache
def variants() -> tuple[Variant, ...]:
    """Every one, the whole of recall first; their recipes are registered.

    Reranking reads the features again, so to leave one out of the fused score shows in full only without it.
    """
    plain = _recipe(WITHOUT_RERANK, rerank=0)
    equal = Weights(**{each.name: float(each.name != "graph") for each in fields(Weights)})
    return (
        Variant(name=WHOLE, group="whole"),
        *(
            Variant(name=f"recall, {channel} alone", group="channel alone", channels=frozenset({channel}))
            for channel in ("sparse", "dense")
        ),
        *(
            Variant(name=f"without {channel}", group="channel off", channels=CHANNELS - {channel})
            for channel in ("sparse", "dense", "temporal", "graph", "fresh")
        ),
        Variant(name=WITHOUT_RERANK, group="stage off", recipe=plain),
        *(
            Variant(name=name, group="feature off", recipe=_weighted(name, _without(features)), against=WITHOUT_RERANK)
            for name, features in FEATURES_OFF.items()
        ),
        Variant(name="fast", group="recipe", recipe=FAST),
        Variant(name="thorough", group="recipe", recipe=THOROUGH),
        Variant(name="equal weights", group="fusion", recipe=_weighted("equal", equal), against=WITHOUT_RERANK),
        Variant(name="RRF", group="fusion", recipe=_recipe("rrf", rerank=0, fusion="rrf"), against=WITHOUT_RERANK),
    )


def _recipe(name: str, **changes: object) -> Recipe:
    changed: Recipe = replace(BALANCED, name=f"bench-{name.replace(' ', '-')}", why="to be measured", **changes)  # type: ignore[arg-type]
    return register(changed)


def _weighted(name: str, weights: Weights) -> Recipe:
    return _recipe(name, rerank=0, weights=weights)


def _without(features: tuple[str, ...]) -> Weights:
    return replace(BALANCED.weights, **dict.fromkeys(features, 0.0))
