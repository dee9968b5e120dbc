"""The graph channel: personalised PageRank over names and the memories that mention them.

A walk begins at the names of the query, and a little at the memories nearest to it in meaning; it goes from a name to a
memory that mentions it, from there to another name, and half of the time begins anew (HippoRAG 2, Gutiérrez et al.
2025, section 3). From the memories that it begins at it goes along the links of the cold path too. Where it is met
often, something joins a memory to the query though they share no word. Without a name that is known there is nothing to
begin at, and the other channels answer alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hotpath._spelling import spellings
from shared.contract.relations import Relation
from shared.language.name_keys import aliases, phrases
from shared.language.names import Name
from shared.store import graph, links
from shared.store.db import Session
from shared.store.graph import Called
from shared.store.keys import Ints
from shared.store.links import NOTHING_BESIDE, Beside
from shared.store.vectors import Nearness

Floats = NDArray[np.float64]

DAMPING: Final = 0.5
"""How often a step follows the graph rather than begins anew; HippoRAG's."""
NEAR_WEIGHT: Final = 0.05
"""What the nearest memory is worth as a beginning where the query's names are worth 1 together; HippoRAG 2's."""
ALIKE_WEIGHT: Final = 0.3
"""Of an edge between two names that may stand for the same, where a mention is worth 1: at 1 every Smith is one."""
LINK_WEIGHT: Final = 0.5
"""Of an edge between two memories that are linked, times how sure the link is, where a mention is worth 1."""
TOLERANCE: Final = 1e-6
"""Change of all scores together below which the walk is at rest: a thousandth of what tells hits apart."""
MOST_STEPS: Final = 50
"""With a damping of .5 the tolerance is reached after 20."""

MOST_ASKED: Final = 64
"""Names and other forms of them that are looked up for one query."""
MOST_RESPELLED: Final = 2
"""Names of a query that nobody is known by, of which other spellings are looked up: some 500 each."""
MOST_ALIKE: Final = 10
"""Longer names that a name of the query may stand for."""
PER_SEED: Final = 50
"""Memories that a walk begins with at one name of the query."""
NEAREST: Final = 10
"""Memories near in meaning that a walk begins with too: with 50 they drowned the names."""
COMMONEST: Final = 100
"""A name that more memories mention joins everything to everything."""
MOST_NAMES: Final = 400
"""Names of a neighbourhood, the rarest first: twice as many found nothing more, half as many four points less."""
PER_NAME: Final = 20
"""Memories of each of them."""
TOLD_BY_NAMES: Final = (Relation.SAME_TOPIC,)
"""Links that say no more than mentions do: followed too, they counted names twice, and cost .6 points of nDCG@10."""
MOST_FOLLOWED: Final = 20
"""Memories of a beginning whose links are followed: those nearest in meaning, then the newest that mention a name."""
PER_MEMORY: Final = 4
"""Links of each, the surest."""
FLOOR: Final = 0.02
"""Of the best score, what a memory must have to be a hit by the graph alone."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Joined:
    """Memories that a walk met: parallel arrays, sorted by key."""

    keys: Ints
    """See `shared.store.keys`."""
    scores: Floats
    """Square roots of how often the walk is there: that falls by a power of ten with each hop. 0 to 1."""
    linked: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    """Sorted keys of those at which a link ended that was followed."""

    def best(self, limit: int) -> Ints:
        """Keys of the `limit` best."""
        return self.keys[np.argsort(-self.scores, kind="stable")[:limit]]

    def of(self, keys: Ints) -> Floats:
        """The score of each of `keys`, 0 where the walk did not meet it."""
        if not len(self.keys):
            return np.zeros(len(keys))
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        found: Floats = np.where(self.keys[places] == keys, self.scores[places], 0.0)
        return found


NOTHING_JOINED: Final = Joined(keys=np.empty(0, np.int64), scores=np.empty(0))


def search(session: Session, query: str, named: Sequence[Name], near: Nearness, *, follow: bool = True) -> Joined:
    """The memories that are joined to the query; `named` are its names, `near` those nearest to it in meaning.

    In three statements, and up to two more where nobody is known by a name as it is spelled; in one less where links
    are not to be followed.
    """
    names = asked(query, named)
    if not names:
        return NOTHING_JOINED
    seeds = seeds_of(names, _called(session, query, names))
    if not seeds:
        return NOTHING_JOINED
    begin = np.argsort(-near.cosines, kind="stable")[:NEAREST]
    rows = graph.around(
        session,
        list(seeds),
        near.keys[begin],
        per_seed=PER_SEED,
        commonest=COMMONEST,
        most_names=MOST_NAMES,
        per_name=PER_NAME,
    )
    beginning = _followed(rows, seeds, near.keys[begin])
    ties = links.beside(session, beginning, limit=PER_MEMORY, without=TOLD_BY_NAMES) if follow else NOTHING_BESIDE
    found = neighbourhood(rows, ties)
    return _joined(found, rank(found, seeds, _worth(found.keys, near.keys[begin], near.cosines[begin])))


def _followed(rows: Sequence[tuple[str, Sequence[int]]], seeds: Collection[str], near: Ints) -> Ints:
    """The memories whose links are followed."""
    naming = sorted({key for name, keys in rows if name in seeds for key in keys}, reverse=True)
    return np.array([*dict.fromkeys([*near.tolist(), *naming])][:MOST_FOLLOWED], np.int64)


def _called(session: Session, query: str, names: Sequence[str]) -> list[Called]:
    """Who is called so; where nobody is, who is called by the one name a slip away that somebody is called by.

    Of a query without any capital nothing is taken for a slip: most of what is looked up for it is no name.
    """
    forms = [*names, *(form for name in names for form in aliases(name))]
    found = graph.called(session, list(dict.fromkeys(forms))[:MOST_ASKED], limit=MOST_ALIKE)
    unknown = unknown_of(names, found) if query.lower() != query else []
    return [*found, *_meant(session, unknown[:MOST_RESPELLED])] if unknown else found


def _meant(session: Session, misspelled: Sequence[str]) -> list[Called]:
    slips = {name: near for name in misspelled if (near := spellings(name))}
    known = graph.known(session, [each for near in slips.values() for each in near]) if slips else set()
    meant = {name: form for name, near in slips.items() if (form := only_one(known.intersection(near)))}
    found = graph.called(session, sorted(set(meant.values())), limit=MOST_ALIKE) if meant else []
    return [replace(each, asked=name) for name, form in meant.items() for each in found if each.asked == form]


def only_one(forms: Collection[str]) -> str | None:
    """The form that is meant: where there are several, nobody can tell."""
    return next(iter(forms)) if len(forms) == 1 else None


def unknown_of(names: Sequence[str], found: Iterable[Called]) -> list[str]:
    """The names by which nobody was found, nor by a part of them."""
    asked, exact = set(), set()
    for each in found:
        asked.add(each.asked)
        if each.name == each.asked:
            exact.add(each.name)
    return [name for name in names if name not in asked and exact.isdisjoint(aliases(name))]


def asked(query: str, named: Sequence[Name]) -> list[str]:
    """Keys of the names in a query, which are `named`; of one without any capital, of all that might be names."""
    names = [name.key for name in named]
    return names if names or query.lower() != query else phrases(query)


def seeds_of(names: Sequence[str], found: Iterable[Called]) -> dict[str, float]:
    """What entities are worth as beginnings: less, the more memories mention them (HippoRAG's specificity).

    A name stands for the entity called exactly so; where there is none, for those with a longer name, or else for those
    whose name is a part of it, and is worth half.
    """
    held: dict[str, list[Called]] = {}
    for each in found:
        if each.memories <= COMMONEST:
            held.setdefault(each.asked, []).append(each)
    seeds: dict[str, float] = {}
    for name in names:
        exact = [each for each in held.get(name, ()) if each.name == name]
        parts = (each for form in aliases(name) for each in held.get(form, ()) if each.name == form)
        for each in exact or held.get(name) or parts:
            worth = (1.0 if exact else 0.5) / max(1, each.memories)
            seeds[each.name] = max(worth, seeds.get(each.name, 0.0))
    return seeds


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Neighbourhood:
    """A part of the graph: who mentions whom."""

    names: Sequence[str]
    keys: Ints
    """Of each memory, ascending: see `shared.store.keys`."""
    mentioned: Ints
    mentioning: Ints
    """Parallel: places in `names` and in `keys`, one pair for each mention."""
    alike: Sequence[tuple[int, int]] = ()
    """Pairs of places in `names` that may stand for the same."""
    tied: Sequence[tuple[int, int, float]] = ()
    """Pairs of places in `keys` that are linked, each once, and how sure that is."""
    linked: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    """Sorted keys of the memories at the far ends of links."""


def neighbourhood(rows: Sequence[tuple[str, Sequence[int]]], ties: Beside = NOTHING_BESIDE) -> Neighbourhood:
    """What was read of the graph: each name and the keys of the memories that mention it, and links of some of them."""
    names = [name for name, _ in rows]
    mentioned = np.repeat(np.arange(len(rows)), [len(keys) for _, keys in rows])
    said = np.array([key for _, keys in rows for key in keys], np.int64)
    every, places_of_all = np.unique(np.concatenate([said, ties.keys, ties.others]), return_inverse=True)
    mentioning, tied = places_of_all[: len(said)], places_of_all[len(said) :].reshape(2, -1).T
    places = {name: place for place, name in enumerate(names)}
    alike = [(place, places[form]) for name, place in places.items() for form in aliases(name) if form in places]
    surest: dict[tuple[int, int], float] = {}
    for (one, other), score in zip(np.sort(tied, axis=1).tolist(), ties.scores.tolist(), strict=True):
        surest[one, other] = max(score, surest.get((one, other), 0.0))
    return Neighbourhood(
        names=names,
        keys=every,
        mentioned=mentioned,
        mentioning=mentioning,
        alike=alike,
        tied=[(*pair, score) for pair, score in surest.items() if score > 0],
        linked=np.unique(ties.others),
    )


def rank(found: Neighbourhood, seeds: Mapping[str, float], near: Floats) -> Floats:
    """How often a walk is at each memory, 0 to 1, parallel to `found.keys`.

    `seeds` says what names are worth as beginnings, by their proportion; `near` the same of memories, 0 to 1, parallel
    to `found.keys`.
    """
    begin = np.array([seeds.get(name, 0.0) for name in found.names])
    if not begin.sum() > 0:
        return np.zeros(len(found.keys))
    begin = np.concatenate([begin / begin.sum(), NEAR_WEIGHT * near])
    return walk(_edges(found), begin / begin.sum())[len(found.names) :]


def _edges(found: Neighbourhood) -> tuple[Ints, Ints, Floats]:
    """Both ends of each edge, in both directions, and its weight."""
    memories = found.mentioning + len(found.names)
    alike = np.array(found.alike, np.int64).reshape(-1, 2)
    ends = np.array([pair[:2] for pair in found.tied], np.int64).reshape(-1, 2) + len(found.names)
    sure = LINK_WEIGHT * np.array([score for *_, score in found.tied])
    one = np.concatenate([found.mentioned, alike[:, 0], ends[:, 0]])
    other = np.concatenate([memories, alike[:, 1], ends[:, 1]])
    weights = np.concatenate([np.ones(len(memories)), np.full(len(alike), ALIKE_WEIGHT), sure])
    return np.concatenate([one, other]), np.concatenate([other, one]), np.concatenate([weights, weights])


def walk(edges: tuple[Ints, Ints, Floats], begin: Floats) -> Floats:
    """How often a walk that begins by `begin`, which adds up to 1, is at each node; adds up to 1 too.

    From a node without an edge it begins anew.
    """
    from scipy.sparse import csr_array

    sources, targets, weights = edges
    size = len(begin)
    leaving = np.bincount(sources, weights, size)
    share = weights / leaving[sources]
    step = csr_array((share, (targets, sources)), shape=(size, size))
    stuck = leaving == 0
    at = begin
    for _ in range(MOST_STEPS):
        moved = step @ at + at[stuck].sum() * begin
        following: Floats = DAMPING * moved + (1 - DAMPING) * begin
        if np.abs(following - at).sum() < TOLERANCE:
            return following
        at = following
    return at


def _worth(keys: Ints, near: Ints, cosines: Floats) -> Floats:
    """What each of `keys` is worth as a beginning by its nearness: 1 the nearest of those that are near, 0 the last."""
    worth = np.zeros(len(keys))
    if len(near) and len(keys):
        low, high = cosines.min(), cosines.max()
        places = np.minimum(np.searchsorted(keys, near), len(keys) - 1)
        there = keys[places] == near
        worth[places[there]] = ((cosines - low) / (high - low) if high > low else np.ones(len(near)))[there]
    return worth


def _joined(found: Neighbourhood, scores: Floats) -> Joined:
    if not len(found.keys) or not scores.max() > 0:
        return NOTHING_JOINED
    met = scores >= FLOOR * scores.max()
    return Joined(keys=found.keys[met], scores=np.sqrt(scores[met]), linked=found.linked)
