"""search: a plan's channels, run against the views, to candidates with all their features.

Each channel runs in a savepoint of its own: one that fails or is out of time is named in `failed`, and the others
answer. What passes here is whatever any channel found; nothing is dropped before all have been asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, TypeVar

import numpy as np
import psycopg
from numpy.typing import NDArray

from hotpath import _sparse
from hotpath._embed import Embedded
from hotpath._plan import Plan
from shared import metrics
from shared.contract.errors import ModelMismatch
from shared.contract.scope import Owner
from shared.log import logger
from shared.store import generations, memories, postings, vectors
from shared.store.db import Session
from shared.store.keys import Ints, docs_of, keys_of, places_of
from shared.store.memories import NOTHING_SHOWN, Shown
from shared.store.vectors import NOTHING_NEAR, Nearness

Floats = NDArray[np.float64]
Result = TypeVar("Result")

EXACT_UP_TO: Final = 20_000
"""Memories in scope up to which every vector is compared. At 20,000 both ways took the same time; in smaller scopes
beside a large one HNSW was slower and missed rows (docs/why.md, "Exact or HNSW")."""

_WORD_FEATURES: Final = ("words", "words_before", "words_session", "words_neighbour", "coverage")
_LOG: Final = logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A query and what is asked of it."""

    plan: Plan
    embedded: Callable[[], Embedded]
    """Gives the query's vector; waits for it."""
    as_of: datetime | None
    known_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """The memories that some channel found, with their features as they are."""

    shown: Shown
    owners: Sequence[Owner]
    """As the keys count them."""
    features: Mapping[str, Floats]
    """Arrays parallel to those of `shown`: the measured ones of `weights.Weights`, and `coverage`. NaN where a channel
    gave no answer."""


NO_CANDIDATES: Final = Candidates(shown=NOTHING_SHOWN, owners=(), features={})


@dataclass(slots=True, kw_only=True)
class Found:
    """What the channels came to."""

    candidates: Candidates = NO_CANDIDATES
    failed: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """What the sparse channel came to."""

    scores: Sequence[_sparse.OwnerScores] = ()
    in_scope: int = 0
    """Open memories that the session reads."""


def search(session: Session, question: Question, found: Found) -> None:
    """Ask the views and gather in `found` the candidates that may be shown.

    The query's vector is asked for when there is nothing left to do without it.
    """
    words = ask(session, "sparse", found, lambda: _words(session, question.plan)) or _Words()
    best = [keys_of(session.owners.index(each.owner), each.best(question.plan.candidates)) for each in words.scores]
    query = question.embedded()
    near = ask(session, "dense", found, lambda: _near(session, question.plan, query, words.in_scope)) or NOTHING_NEAR
    keys = _distinct(near.keys, *best)
    if not len(keys):
        return
    shown = memories.visible(session, keys, as_of=question.as_of, known_at=question.known_at)
    if not len(shown.keys):
        return
    near = ask(session, "dense", found, lambda: _with_neighbours(session, query, shown.keys, near)) or near
    features = _word_features(session, words.scores, shown) | _meaning_features(near, shown)
    found.candidates = Candidates(shown=shown, owners=session.owners, features=features)


def ask(session: Session, channel: str, found: Found, question: Callable[[], Result]) -> Result | None:
    """Ask one channel; None, and its name among the failed, where it gives no answer.

    Raises:
        psycopg.Error: the connection is gone, and with it all channels.
    """
    if channel in found.failed:
        return None
    try:
        with session.savepoint():
            return question()
    except psycopg.errors.QueryCanceled:
        _fail(found, channel, "deadline")
    except Exception as error:
        if session.connection.closed:
            raise
        _fail(found, channel, type(error).__name__)
        _LOG.warning("channel %s failed: %s: %s", channel, type(error).__name__, error)
    return None


def _fail(found: Found, channel: str, reason: str) -> None:
    found.failed.append(channel)
    metrics.CHANNEL_FAILURES.labels(channel=channel, reason=reason).inc()


def _words(session: Session, plan: Plan) -> _Words:
    statistics = postings.statistics(session)
    in_scope = sum(each.documents for each in statistics.values())
    if not plan.terms or not in_scope or "sparse" not in plan.channels:
        return _Words(in_scope=in_scope)
    return _Words(scores=_sparse.score(plan.terms, postings.fetch(session, plan.terms), statistics), in_scope=in_scope)


def _near(session: Session, plan: Plan, query: Embedded, in_scope: int) -> Nearness:
    if query.vector is None or query.model_id is None:
        return NOTHING_NEAR
    found = vectors.nearest(
        session, query.model_id, query.vector, limit=plan.candidates, approximate=in_scope > EXACT_UP_TO
    )
    if not len(found.keys):
        stored = generations.dense_model(session)
        if stored not in (None, query.model_id):
            raise ModelMismatch(generations.mismatch(stored, query.model_id))
    return found


def _with_neighbours(session: Session, query: Embedded, keys: Ints, near: Nearness) -> Nearness:
    """How near the candidates and their neighbours are, beside those that are known already."""
    if query.vector is None or query.model_id is None or not len(near.keys):
        return near
    around = _distinct(keys - 1, keys, keys + 1)
    return near.joined(vectors.cosines(session, query.model_id, query.vector, around[~near.has(around)]))


def _distinct(*keys: Ints) -> Ints:
    """All of them sorted, each once; `np.unique` took six times as long."""
    found: Ints = np.sort(np.concatenate(keys))
    is_new = np.ones(len(found), np.bool_)
    is_new[1:] = found[1:] != found[:-1]
    return found[is_new]


def _word_features(session: Session, scores: Sequence[_sparse.OwnerScores], shown: Shown) -> dict[str, Floats]:
    features = np.zeros((len(_WORD_FEATURES), len(shown.keys)))
    places, docs = places_of(shown.keys), docs_of(shown.keys)
    for each in scores:
        mine = places == session.owners.index(each.owner)
        doc, first = docs[mine], shown.sessions[mine]
        features[:, mine] = (
            _sparse.at(each.words, doc),
            each.together(doc, first),
            _sparse.at(each.by_session, first),
            each.neighbour(doc, first),
            _sparse.at(each.coverage, doc),
        )
    return dict(zip(_WORD_FEATURES, features, strict=True))


def _meaning_features(near: Nearness, shown: Shown) -> dict[str, Floats]:
    own, before, after = near.of(np.add.outer([0, -1, 1], shown.keys), shown.sessions)
    return {
        "meaning": own,
        "meaning_before": np.where(np.isnan(before), own, (own + before) / 2),
        "meaning_neighbour": np.fmax(before, after),
    }
