"""plan: what a query asks for and how it is looked for, by rules alone. Pure.

Says which words and names are looked up, when the thing asked about happened, who is asked about, what kind of answer
is wanted, and, by the recipe, how much is fetched and read again. Every finding adds a line to `reasons`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from hotpath import weights
from hotpath._only_when import asks_only_when
from hotpath._shape import Shape, shape_of
from hotpath.recipes import BALANCED, CHANNELS, ChannelPlan, Fusion, Recipe
from shared.language.function_words import telling_little
from shared.language.guessing import language_of
from shared.language.names import Name, names_in
from shared.language.text import query_terms
from shared.language.time_expressions import Order, Times, Window, times

__all__ = ["CHANNELS", "MAX_TERMS", "Plan", "plan"]

MAX_TERMS: Final = 32
"""Distinct terms of a query that are looked up; the rest of a longer one is for the embedding alone."""
MAX_CHARS: Final = 2_000
"""Names are read up to here; a longer query is a document."""

_COUNTED_BACK: Final = " ago"
_FIRST_PERSON: Final = re.compile(r"\b(?:I|we|me|my|mine|myself|us|our)\b|\bI['\u2019](?:m|ve|d|ll)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What recall sets out to do for one query."""

    query: str
    terms: tuple[str, ...]
    """Terms to look up, in the order of the query."""
    language: str | None
    """Of the query (BCP 47), as far as it can be guessed."""
    little: frozenset[str]
    """Those of the terms that are words of grammar."""
    names: tuple[Name, ...]
    """Of people, places, works."""
    window: Window | None
    """When the thing asked about happened, where the query gives a time."""
    only_when: bool
    """Of little else than that it asks, so what lies there comes first, and bears on it."""
    order: Order | None
    """Whether the first or the latest of several is asked for."""
    about_user: bool
    """The asker asks about themselves: what they said counts for more."""
    about_assistant: bool
    """The asker asks what the assistant said."""
    shape: Shape
    search: bool
    """False where nothing is asked, as in a greeting."""
    recipe: str
    channels: Mapping[str, ChannelPlan]
    """Which are asked, and for how much."""
    graph: bool
    """Whether the graph is gone along, as far as it knows the names of the query."""
    hits: int
    rerank: int
    """How many of the fused hits are read again; 0 for none."""
    rerank_share: float
    """Of the deadline, what that may take."""
    fusion: Fusion
    weights: weights.Weights
    reasons: tuple[str, ...]
    """What was found and decided, a line each."""


def plan(
    query: str,
    *,
    now: datetime,
    k: int | None = None,
    channels: frozenset[str] = CHANNELS,
    recipe: Recipe = BALANCED,
) -> Plan:
    """Plan a query by a recipe, with those of its channels that are among `channels`.

    `now` is the asker's present, in their time zone. What one asks of oneself, or of what the assistant said, is found
    without the graph and not read again: both lost more there than they gained (docs/why.md, "Reading again"). Nor is a
    question over several hops, whose later hops have none of its words.
    """
    shape = shape_of(query)
    said = times(query, now)
    about_assistant = shape is Shape.ASSISTANT
    about_user = not about_assistant and _FIRST_PERSON.search(query) is not None
    hits = k or (recipe.hits_of_list if shape is Shape.LIST else recipe.hits)
    names = tuple(names_in(query[:MAX_CHARS]))
    own = about_user or about_assistant
    only_when = asks_only_when(query[:MAX_CHARS], said.window)
    along = recipe.graph and (shape is Shape.MULTI_HOP or (bool(names) and not own))
    asked = _channels(recipe, channels if along else channels - {"graph"}, said, hits)
    language, terms = language_of(query[:MAX_CHARS]), _terms(query, said)
    made = Plan(
        query=query,
        terms=terms,
        language=language,
        little=telling_little(terms, language),
        names=names,
        window=said.window,
        only_when=only_when,
        order=said.order,
        about_user=about_user,
        about_assistant=about_assistant,
        shape=shape,
        search=shape is not Shape.SMALL_TALK,
        recipe=recipe.name,
        channels=asked,
        graph="graph" in asked,
        hits=hits,
        rerank=0 if own or ("graph" in asked and shape is Shape.MULTI_HOP) else recipe.rerank,
        rerank_share=recipe.rerank_share,
        fusion=recipe.fusion,
        weights=weights.dated(recipe.weights) if only_when else recipe.weights,
        reasons=(),
    )
    return replace(made, reasons=tuple(_reasons(made, said, recipe)))


def _terms(query: str, said: Times) -> tuple[str, ...]:
    """What the query is looked up by. A time counted back from the asker's present stands in no memory of that time.

    Who did a thing a month ago told it as of that day, and "month" and "ago" find whatever else holds them.
    """
    matched = said.window.matched if said.window else ""
    about = query.replace(matched, " ") if matched.casefold().endswith(_COUNTED_BACK) else query
    return tuple(query_terms(about, MAX_TERMS) or query_terms(query, MAX_TERMS))


def _channels(recipe: Recipe, asked: frozenset[str], said: Times, hits: int) -> dict[str, ChannelPlan]:
    """Of the recipe's channels those that are asked, each for no fewer than there shall be hits."""
    return {
        name: replace(each, limit=max(each.limit, hits)) if each.limit < hits and name != "fresh" else each
        for name, each in recipe.channels.items()
        if name in asked and (name != "temporal" or said.window is not None)
    }


def _reasons(made: Plan, said: Times, recipe: Recipe) -> Iterator[str]:
    if not made.search:
        yield "small talk: nothing is asked, so nothing is searched"
        return
    yield f"words: {' '.join(made.terms)}" if made.terms else "words: none but stop words, so by meaning alone"
    if made.names:
        yield f"names: {', '.join(name.shown for name in made.names)}"
    yield from _reasons_of_time(made, said)
    if made.about_assistant:
        yield "who: the assistant, since the query asks what it said"
    elif made.about_user:
        yield "who: the asker, since the query is in the first person"
    yield f"shape: {made.shape}{_WHY_SHAPE.get(made.shape, '')}"
    yield f"recipe: {recipe.name}, {recipe.why}"
    yield f"channels: {', '.join(f'{name} up to {each.limit}' for name, each in made.channels.items())}"
    if made.graph:
        hops = "goes over several hops" if made.shape is Shape.MULTI_HOP else "names somebody or something"
        yield f"graph: on, since the question {hops}"
    if made.rerank:
        yield f"rerank: the best {made.rerank}, within {made.rerank_share:.0%} of the deadline"


_WHY_SHAPE: Final = {
    Shape.LIST: ", so more hits: its parts are gathered over sessions",
    Shape.SINGLE_FACT: ", since it has the marks of no other",
}


def _reasons_of_time(made: Plan, said: Times) -> Iterator[str]:
    if said.window is not None:
        start, end, matched = said.window.start, said.window.end, said.window.matched
        yield f"when: {start:%Y-%m-%d} until before {end:%Y-%m-%d}, from {matched!r}"
    if made.only_when:
        yield "when: nothing else is asked, so what lies there comes first"
    if said.order is not None:
        yield f"order: the {said.order} of several"
    if said.anchor is not None:
        yield f"event: {said.anchor.relation} {said.anchor.event!r}, of which the query gives no date"
