"""Names that are spoken of together: which groups they make, and what each group is about. Pure.

Two names are together as often as one memory mentions both. Groups are found by Louvain's method (Blondel et al. 2008),
with a fixed seed on nodes in the order of the alphabet, so that the same mentions give the same groups.

What is held at once is bounded: the names that most memories mention, of each its closest companions. A name in a tenth
of all memories joins everything, and one that a single memory mentions is no more together with one than with another:
neither is in any group.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

MOST_NAMES: Final = 5_000
"""Names of a stream that are grouped, those that most memories mention."""
MOST_COMPANIONS: Final = 40
"""Of each, the names that it is together with most often: so at most 200,000 edges."""
MOST_IN_A_MEMORY: Final = 12
"""Names of one memory that are together, the rarest: a list of names is about none of them."""
COMMON_SHARE: Final = 0.1
LEAST_COMMON: Final = 30
"""Memories that may mention a name in any case, however few there are."""
FEWEST_MEMBERS: Final = 3
LABEL_NAMES: Final = 3
_SEED: Final = 20

Ints = NDArray[np.int64]
Edges = Mapping[tuple[int, int], int]
"""By the places of two names, the lower first: how many memories mention both."""


def maker() -> str:
    """By what groups are made: another version may come to others."""
    return f"louvain/2 networkx/{version('networkx')}"


@dataclass(frozen=True, slots=True)
class Community:
    """A group of names."""

    members: tuple[str, ...]
    """Those first that tell most of what it is about: in it often, and seldom elsewhere."""

    @property
    def label(self) -> str:
        """What it is about."""
        return label_of(self.members)


def label_of(members: Sequence[str]) -> str:
    """What a group is about, by its members in order."""
    return " \u00b7 ".join(members[:LABEL_NAMES])


def communities(mentions: Iterable[tuple[str, Ints]], memories: int) -> list[Community]:
    """The groups of a stream's names, the largest first, then by their members.

    `mentions` gives of each name, in the order of the alphabet, the numbers of the open memories that mention it;
    `memories` is how many there are in all.
    """
    most = max(LEAST_COMMON, int(COMMON_SHARE * memories))
    kept = [(name, docs) for name, docs in mentions if 1 < len(docs) <= most]
    if len(kept) > MOST_NAMES:
        often = sorted(kept, key=lambda each: (-len(each[1]), each[0]))[:MOST_NAMES]
        kept = sorted(often, key=lambda each: each[0])
    names = [name for name, _ in kept]
    sizes = np.array([len(docs) for _, docs in kept], np.int64)
    edges = together([docs for _, docs in kept], sizes)
    groups = _groups(len(names), edges)
    inside = _inside(groups, edges, len(names))

    def tells_most(place: int) -> tuple[float, str]:
        return -inside[place] * math.log(1 + memories / int(sizes[place])), names[place]

    found = [Community(tuple(names[place] for place in sorted(group, key=tells_most))) for group in groups]
    return sorted(found, key=lambda each: (-len(each.members), each.members))


def together(docs_of: Sequence[Ints], sizes: Ints) -> dict[tuple[int, int], int]:
    """How often names are mentioned together, of each with its closest companions alone.

    `docs_of` are the memories of each name, `sizes` how many those are.
    """
    by_memory: dict[int, list[int]] = {}
    for place, docs in enumerate(docs_of):
        for doc in docs.tolist():
            by_memory.setdefault(doc, []).append(place)
    counts: list[dict[int, int]] = [{} for _ in docs_of]
    for places in by_memory.values():
        rarest = sorted(places, key=lambda place: (sizes[place], place))[:MOST_IN_A_MEMORY]
        for one, other in combinations(sorted(rarest), 2):
            counts[one][other] = counts[one].get(other, 0) + 1
    return _closest(counts)


def _closest(counts: Sequence[Mapping[int, int]]) -> dict[tuple[int, int], int]:
    """Pairs that are among the closest of either of them."""
    of: list[list[tuple[int, int]]] = [[] for _ in counts]
    for one, others in enumerate(counts):
        for other, number in others.items():
            of[one].append((-number, other))
            of[other].append((-number, one))
    edges: dict[tuple[int, int], int] = {}
    for one, companions in enumerate(of):
        for number, other in sorted(companions)[:MOST_COMPANIONS]:
            edges[min(one, other), max(one, other)] = -number
    return edges


def _groups(size: int, edges: Edges) -> list[list[int]]:
    if not edges:
        return []
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(range(size))
    graph.add_weighted_edges_from((one, other, float(edges[one, other])) for one, other in sorted(edges))
    found = nx.community.louvain_communities(graph, weight="weight", seed=_SEED)
    return [sorted(group) for group in found if len(group) >= FEWEST_MEMBERS]


def _inside(groups: Sequence[Sequence[int]], edges: Edges, size: int) -> list[int]:
    """How often each name is together with others of its group."""
    group_of = {place: number for number, group in enumerate(groups) for place in group}
    inside = [0] * size
    for (one, other), number in edges.items():
        if group_of.get(one, -1) == group_of.get(other, -2):
            inside[one] += number
            inside[other] += number
    return inside
