"""search: a plan's channels, run against the views, to candidates with all their features.

Each channel is a part of the transaction: one that fails or takes more than its share of the time is named in
`failed`, and the others answer. What passes here is whatever any channel found; nothing is dropped before all have been
asked.
"""

# Above 300 lines: each channel is a function, and what is asked of all of them in turn is read with them.

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, TypeVar

import numpy as np
import psycopg
from numpy.typing import NDArray

from hotpath import _sparse, _temporal, _tiers
from hotpath._breaker import Breakers
from hotpath._embed import Embedded
from hotpath._features import of_meaning, of_words
from hotpath._graph import NOTHING_JOINED, Joined
from hotpath._plan import Plan
from hotpath._question import Question
from shared import clock, metrics
from shared.contract.errors import ModelMismatch
from shared.contract.scope import Owner
from shared.log import logger
from shared.store import generations, memories, postings, uses, vectors
from shared.store.db import Session
from shared.store.keys import Ints, distinct, docs_of, keys_of, places_of
from shared.store.memories import NOTHING_SHOWN, Shown
from shared.store.uses import NO_COUNTS, Counts
from shared.store.vectors import NOTHING_NEAR, Nearness

Floats = NDArray[np.float64]
Result = TypeVar("Result")

EXACT_UP_TO: Final = 20_000
"""Memories in scope up to which every vector is compared. At 20,000 both ways took the same time; in smaller scopes
beside a large one HNSW was slower and missed rows (docs/why.md, "Exact or HNSW")."""

AGENTS_UP_TO: Final = 20_000
"""Memories of those that an agent may see that are looked at one by one, where the best of all are another's."""

SHOWING: Final = "search"
"""Among the failed: what of that which was found may be shown could not be looked up in time."""
_STATISTICS: Final = "statistics"
"""The breaker of what is asked of the sparse view even where the channel rests."""
_LOG: Final = logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """The memories that some channel found, with their features as they are."""

    shown: Shown
    owners: Sequence[Owner]
    """As the keys count them."""
    features: Mapping[str, Floats]
    """Arrays parallel to those of `shown`: the measured ones of `weights.Weights`, `coverage`, and `said`, which is the
    same but for names of who speaks. NaN where a channel gave no answer. `linked`, where links were followed, is 1 at
    their far ends: it explains a score, and is no part of it."""
    fared: Counts = NO_COUNTS
    """What was reported of those of them that served recalls, or misled."""
    pieces: Mapping[int, int] = field(default_factory=dict)
    """By key, the independent evidence of those of them that may rest on more than one piece."""


NO_CANDIDATES: Final = Candidates(shown=NOTHING_SHOWN, owners=(), features={})


@dataclass(slots=True, kw_only=True)
class Found:
    """What the channels came to."""

    candidates: Candidates = NO_CANDIDATES
    failed: list[str] = field(default_factory=list)
    answered: set[str] = field(default_factory=set)
    """What has answered, each time that it was asked unless it is among the failed too."""
    words: Sequence[_sparse.OwnerScores] = ()
    """What the sparse channel scored."""
    breakers: Breakers = field(default_factory=Breakers)
    """What is told how each channel did."""

    def report(self) -> None:
        """Tell the breakers what has answered; once, at the end, since most channels are asked more than once."""
        for channel in self.answered - {*self.failed}:
            self.breakers.succeeded(channel)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """What the sparse channel came to."""

    scores: Sequence[_sparse.OwnerScores] = ()
    """Of what it may come upon."""
    features: Sequence[_sparse.OwnerScores] = ()
    """Of what any channel may come upon."""
    in_scope: int = 0
    """Memories that the session reads, of the tiers that it may come upon."""
    has_cold: bool = False
    """Whether any of them are in the cold tier."""
    in_cold: bool = False
    """Whether the cold tier was come upon too."""


def search(session: Session, question: Question, found: Found) -> None:
    """Ask the views and gather in `found` the candidates that may be shown.

    The query's vector is asked for when there is nothing left to do without it.
    """
    plan, when = question.plan, {"as_of": question.as_of, "known_at": question.known_at}
    words = _words(session, question, found)
    found.words = words.features
    dated = None
    if "temporal" in plan.channels:
        dated = ask(session, "temporal", found, lambda: _temporal.search(session, plan, **when))
    query = question.embedded()
    met = _meet(session, question, found, words, query)
    met = met if dated is None else replace(met, keys=distinct(met.keys, dated), dated=dated)
    shown = _shown(session, met, question, found, in_cold=words.in_cold)
    if len(shown.keys) < plan.hits and _may_be_behind(session, plan, words.in_scope):
        met, shown = _of_the_agent(session, question, found, words, query, (met, shown))
    if not len(shown.keys):
        return
    near = met.near
    if len(near.keys):
        near = ask(session, "dense", found, lambda: _with_neighbours(session, query, shown.keys, near)) or near
    fared, pieces = _beside(session, question, found, shown)
    features = of_words(session, plan, words.features, shown) | of_meaning(near, shown)
    features["graph"] = met.joined.of(shown.keys)
    if len(met.joined.linked):
        features["linked"] = np.isin(shown.keys, met.joined.linked).astype(np.float64)
    found.candidates = Candidates(shown=shown, owners=session.owners, features=features, fared=fared, pieces=pieces)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Met:
    """What the channels that rank memories came upon."""

    keys: Ints
    """Sorted, each once."""
    near: Nearness
    joined: Joined
    dated: Ints = field(default_factory=lambda: NOTHING_SHOWN.keys)
    """Those of them that are of the time which is asked about."""


def _meet(session: Session, question: Question, found: Found, words: _Words, query: Embedded) -> _Met:
    """The best of each channel, as many as the plan says."""
    plan = question.plan
    limit = plan.channels["sparse"].limit if "sparse" in plan.channels else 0
    best = [keys_of(session.owners.index(each.owner), each.best(limit)) for each in words.scores]
    near, joined = NOTHING_NEAR, NOTHING_JOINED
    if query.vector is not None:
        near = ask(session, "dense", found, lambda: _near(session, question, query, words.in_scope)) or near
    if plan.graph:
        follow = question.known_at is None  # which links there were then is not known
        hot_alone = words.has_cold and not question.of_the_past
        walk = partial(_tiers.joined, session, plan, near, follow=follow, hot_alone=hot_alone)
        joined = ask(session, "graph", found, walk) or joined
        best.append(joined.best(plan.channels["graph"].limit))
    return _Met(keys=distinct(near.keys, *best), near=near, joined=joined)


def _shown(session: Session, met: _Met, question: Question, found: Found, *, in_cold: bool) -> Shown:
    """Those of the memories that may be shown; none, and `search` among the failed, where that takes too long.

    What is in the cold tier may be if words had to be looked for there, or it is of the time that is asked about.
    """
    if not len(met.keys):
        return NOTHING_SHOWN
    cold = met.keys if in_cold or question.of_the_past else met.dated
    try:
        with session.reading():
            return memories.visible(session, met.keys, as_of=question.as_of, known_at=question.known_at, cold=cold)
    except psycopg.errors.QueryCanceled:
        if session.connection.closed:
            raise
        found.failed.append(SHOWING)
        metrics.CHANNEL_FAILURES.labels(channel=SHOWING, reason="deadline").inc()
        return NOTHING_SHOWN


def _may_be_behind(session: Session, plan: Plan, in_scope: int) -> bool:
    """Whether what an agent may see may be behind another's: views do not tell agents apart."""
    limits = [plan.channels[name].limit for name in ("sparse", "dense") if name in plan.channels]
    return bool(session.narrowed and limits) and min(limits) < in_scope


def _of_the_agent(
    session: Session, question: Question, found: Found, words: _Words, query: Embedded, first: tuple[_Met, Shown]
) -> tuple[_Met, Shown]:
    """The best of each channel among what an agent may see, beside what was found first, which is kept in any case."""
    met, shown = first
    own = ask(session, SHOWING, found, lambda: memories.of_agent(session, limit=AGENTS_UP_TO))
    if own is None or not len(own):
        return first
    plan, near = question.plan, met.near
    if query.vector is not None:
        near = ask(session, "dense", found, lambda: _near_among(session, plan, query, own, met.near)) or near
    limit = plan.channels["sparse"].limit if "sparse" in plan.channels else 0
    best = [
        keys_of(place, each.best(limit, docs_of(own[places_of(own) == place])))
        for each in words.scores
        for place in [session.owners.index(each.owner)]
    ]
    joined = met.joined.keys[np.isin(met.joined.keys, own)]
    keys = distinct(shown.keys, near.keys[np.isin(near.keys, own)], joined, *best)
    again = _shown(session, replace(met, keys=keys), question, found, in_cold=words.in_cold)
    return (replace(met, near=near), again) if len(again.keys) > len(shown.keys) else first


def _beside(session: Session, question: Question, found: Found, shown: Shown) -> tuple[Counts, Mapping[int, int]]:
    """What is known of candidates beside the query: how they have fared, and how far they are confirmed."""
    fared = pieces = None
    if question.known_at is None:  # what became of recalls was not known then
        fared = ask(session, "uses", found, lambda: uses.of(session, shown.keys))
    if any(shown.may_be_confirmed):
        several = shown.keys[np.array(shown.may_be_confirmed, np.bool_)]
        when = {"as_of": question.as_of, "known_at": question.known_at}
        pieces = ask(session, "evidence", found, lambda: memories.confirmed(session, several, **when))
    return fared or NO_COUNTS, pieces or {}


def ask(
    session: Session, channel: str, found: Found, question: Callable[[], Result], *, breaker: str = ""
) -> Result | None:
    """Ask one channel; None, and its name among the failed, where it gives no answer.

    `breaker` is what is told of a failure, where that is not the channel's.

    Raises:
        psycopg.Error: the connection is gone, and with it all channels.
    """
    if channel in found.failed:
        return None
    began_s = clock.monotonic_s()
    try:
        with session.reading():
            answer = question()
    except Exception as error:
        if session.connection.closed:
            raise
        found.failed.append(channel)
        found.breakers.failed(breaker or channel, error, began_s=began_s)
        is_late = isinstance(error, psycopg.errors.QueryCanceled)
        reason = "deadline" if is_late else type(error).__name__
        metrics.CHANNEL_FAILURES.labels(channel=channel, reason=reason).inc()
        if not is_late:
            _LOG.warning("channel %s failed: %s: %s", channel, type(error).__name__, error)
        return None
    found.answered.add(breaker or channel)
    return answer


def _words(session: Session, question: Question, found: Found) -> _Words:
    """The sparse channel, and how much there is in scope, which is asked where that channel rests too."""
    plan = question.plan
    if found.breakers.refused([_STATISTICS]):
        found.failed.append("sparse")
        return _Words()
    statistics = ask(session, "sparse", found, lambda: postings.statistics(session), breaker=_STATISTICS) or {}
    has_cold = any(each.cold_documents for each in statistics.values())
    counted = {owner: each.of_both if question.of_the_past else each for owner, each in statistics.items()}
    words = _Words(in_scope=sum(each.documents for each in counted.values()), has_cold=has_cold)
    if not plan.terms or not (words.in_scope or has_cold) or "sparse" not in plan.channels:
        return words
    cold = has_cold and question.searches_cold
    scores = ask(session, "sparse", found, lambda: _tiers.scored(session, plan, statistics, cold=cold))
    if scores is None:
        return words
    in_cold = question.of_the_past or scores.lacking
    return replace(words, scores=scores.both if in_cold else scores.hot, features=scores.both, in_cold=in_cold)


def _near(session: Session, question: Question, query: Embedded, in_scope: int) -> Nearness:
    if query.vector is None or query.model_id is None:
        return NOTHING_NEAR
    limit, approximate = question.plan.channels["dense"].limit, in_scope > EXACT_UP_TO
    found = vectors.nearest(
        session, query.model_id, query.vector, limit=limit, approximate=approximate, cold=question.of_the_past
    )
    if not len(found.keys):
        stored = generations.dense_model(session)
        if stored not in (None, query.model_id):
            raise ModelMismatch(generations.mismatch(stored, query.model_id))
    return found


def _near_among(session: Session, plan: Plan, query: Embedded, keys: Ints, near: Nearness) -> Nearness:
    """The nearest of some memories, beside those that are known already."""
    if query.vector is None or query.model_id is None:
        return near
    among = vectors.cosines(session, query.model_id, query.vector, keys[~near.has(keys)])
    return near.joined(among.best(plan.channels["dense"].limit))


def _with_neighbours(session: Session, query: Embedded, keys: Ints, near: Nearness) -> Nearness:
    """How near the candidates and their neighbours are, beside those that are known already."""
    if query.vector is None or query.model_id is None:
        return near
    around = distinct(keys - 1, keys, keys + 1)
    return near.joined(vectors.cosines(session, query.model_id, query.vector, around[~near.has(around)]))
