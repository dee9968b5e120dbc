"""Named ways to recall, as data: how much each channel fetches, how hits are fused, how many are read again.

from hotpath.recipes import BALANCED, register

register(dataclasses.replace(BALANCED, name="support", why="long threads", hits=40))
recall(scope, query, recipe="support")

The scores of channels are fused by weights that were fitted with the embedder that is shipped. Whoever has another, of
which nobody knows how its cosines lie, and no labelled questions to fit weights on, can have ranks fused instead:

register(dataclasses.replace(BALANCED, name="ranks", why="an embedder of our own", fusion="rrf"))
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal, get_args

from hotpath.weights import DEFAULT, FLOOR_COSINE, Weights
from shared.contract.errors import InvalidInput, InvalidQuery

Fusion = Literal["score", "rrf"]

CHANNELS: Final = frozenset({"sparse", "dense", "fresh", "temporal", "graph"})
"""Which there are."""
MOST: Final = 10_000
"""Of hits and candidates; more is a dump of the memory and no recall."""

_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelPlan:
    """What is asked of one channel."""

    limit: int
    """Most candidates that it gives; of `fresh`, most runs that are looked at."""
    floor: float = 0.0
    """With less a memory is no hit by this channel alone: of `dense` a cosine, of `sparse` a BM25 score, which has to
    be more than that. The other channels have no measure, and no floor."""

    def __post_init__(self) -> None:
        """Refuse limits that are none."""
        if not 1 <= self.limit <= MOST:
            raise InvalidInput(f"a channel's limit must be from 1 to {MOST:,}, not {self.limit!r}", limit=self.limit)
        if not self.floor >= 0:
            raise InvalidInput(f"a channel's floor must be 0 or more, not {self.floor!r}", floor=self.floor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """One way to recall.

    Raises:
        InvalidInput: a value is out of its bounds, or there is no such channel.
    """

    name: str
    why: str
    """When to take it; shown in the plan."""
    channels: Mapping[str, ChannelPlan]
    hits: int
    """Hits of a recall that names no `k`."""
    hits_of_list: int
    """The same where a list or a count is asked for: its parts are gathered over sessions."""
    rerank: int
    """How many of the fused hits are read again; 0 for none."""
    rerank_share: float
    """Of the deadline, what that may take."""
    graph: bool
    """Whether questions over several hops, and others with a name that are not about the asker, go along the graph."""
    fusion: Fusion = "score"
    """`rrf` fuses ranks (`hotpath._rrf`), by no weights: for scores that cannot be compared. Where they can be, it was
    4 to 12 points of recall@10 worse on conversations, and equal on documents (docs/benchmarks.md)."""
    weights: Weights = field(default=DEFAULT)

    def __post_init__(self) -> None:
        """Check all of it: an app's own recipe fails where it is made, not where it is used."""
        if not _NAME.fullmatch(self.name):
            raise InvalidInput(f"a recipe's name is small letters, digits, - and _, not {self.name!r}", name=self.name)
        unknown = sorted(set(self.channels) - CHANNELS)
        if unknown or not self.channels:
            known = ", ".join(sorted(CHANNELS))
            said = f"the unknown channel {unknown[0]!r}" if unknown else "no channel"
            raise InvalidInput(f"recipe {self.name!r} has {said}; there are {known}", name=self.name)
        for name, value in (("hits", self.hits), ("hits_of_list", self.hits_of_list)):
            if not 1 <= value <= MOST:
                raise InvalidInput(f"{name} of recipe {self.name!r} must be from 1 to {MOST:,}, not {value!r}")
        if not 0 <= self.rerank <= MOST:
            raise InvalidInput(f"rerank of recipe {self.name!r} must be from 0 to {MOST:,}, not {self.rerank!r}")
        if not 0 <= self.rerank_share <= 1:
            raise InvalidInput(f"rerank_share of recipe {self.name!r} must be from 0 to 1, not {self.rerank_share!r}")
        if self.fusion not in get_args(Fusion):
            raise InvalidInput(f"fusion of recipe {self.name!r} must be score or rrf, not {self.fusion!r}")


def _channels(candidates: int, dated: int) -> Mapping[str, ChannelPlan]:
    return MappingProxyType(
        {
            "sparse": ChannelPlan(limit=candidates),
            "dense": ChannelPlan(limit=candidates, floor=FLOOR_COSINE),
            "temporal": ChannelPlan(limit=dated),
            "graph": ChannelPlan(limit=dated),
            "fresh": ChannelPlan(limit=50),
        }
    )


FAST: Final = Recipe(
    name="fast",
    why="the fused order as it is, for every turn of an agent",
    channels=_channels(100, 50),
    hits=20,
    hits_of_list=30,
    rerank=0,
    rerank_share=0.0,
    graph=False,
)
BALANCED: Final = Recipe(
    name="balanced",
    why="the best hits are read again, and questions over several hops or with a name go along the graph",
    # 30 candidates gave a point less of recall@10 on LoCoMo than 100
    channels=_channels(100, 50),
    hits=20,
    hits_of_list=30,
    rerank=50,
    rerank_share=0.3,
    graph=True,
)
THOROUGH: Final = Recipe(
    name="thorough",
    why="for questions that are worth a wait: more is fetched, more is read again, more is shown",
    channels=_channels(300, 150),
    hits=40,
    hits_of_list=60,
    rerank=150,
    rerank_share=0.6,
    graph=True,
)
DEFAULT_RECIPE: Final = BALANCED.name

_LOCK: Final = threading.Lock()
_RECIPES: Final = {each.name: each for each in (FAST, BALANCED, THOROUGH)}


def recipe(name: object) -> Recipe:
    """The recipe of a name.

    Raises:
        InvalidQuery: there is none.
    """
    found = _RECIPES.get(name) if isinstance(name, str) else None
    if found is None:
        raise InvalidQuery(f"recipe must be one of {', '.join(sorted(_RECIPES))}, not {name!r}")
    return found


def register(made: Recipe) -> Recipe:
    """Add a recipe of an app's own, for this process; the same once more is no matter.

    Raises:
        InvalidInput: the name stands for another recipe.
    """
    with _LOCK:
        held = _RECIPES.setdefault(made.name, made)
    if held != made:
        raise InvalidInput(
            f"there is another recipe called {made.name!r}; give yours a name of its own", name=made.name
        )
    return made
