"""search: a plan's channels, run against the views, to candidates with all their features.

Each channel runs in a savepoint of its own: one that fails or is out of time is named in `failed`, and the others
answer. What passes here is whatever any channel found; nothing is dropped before all have been asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, TypeVar

import numpy as np
import psycopg
from numpy.typing import NDArray

from hotpath import _sparse
from hotpath._plan import Plan
from shared import metrics
from shared.contract.errors import ModelMismatch
from shared.contract.scope import Owner
from shared.log import logger
from shared.store import generations, memories, postings, vectors
from shared.store.db import Row, Session
from shared.store.postings import Statistics

Key = tuple[Owner, int]
Result = TypeVar("Result")

EXACT_UP_TO: Final = 20_000
"""Memories in scope up to which every vector is compared. At 20,000 both ways took the same time, in smaller scopes
beside a large one HNSW was slower and missed rows (docs/why.md, "Exact or HNSW")."""

_LOG: Final = logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A query with its vector, where there is one."""

    plan: Plan
    vector: NDArray[np.float32] | None
    model_id: str | None
    as_of: datetime | None
    known_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A memory that a channel found, with its features as they are; None where a channel gave no answer."""

    row: Row
    words: float
    words_before: float
    words_session: float
    words_neighbour: float
    coverage: float
    meaning: float | None
    meaning_before: float | None
    meaning_neighbour: float | None

    @property
    def key(self) -> Key:
        """Owner and number."""
        return Owner(self.row["user_id"]), self.row["doc"]


@dataclass(slots=True, kw_only=True)
class Found:
    """What the channels came to."""

    candidates: list[Candidate] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


def search(session: Session, question: Question) -> Found:
    """Ask all channels and gather the candidates that may be shown."""
    found = Found()
    statistics = ask(session, "sparse", found, lambda: postings.statistics(session)) or {}
    sparse = ask(session, "sparse", found, lambda: _words(session, question.plan, statistics)) or []
    near = ask(session, "dense", found, lambda: _near(session, question, statistics)) or {}
    keys = {(scores.owner, int(doc)) for scores in sparse for doc in scores.best(question.plan.candidates)}
    keys.update(near)
    rows = memories.visible(session, sorted(keys), as_of=question.as_of, known_at=question.known_at) if keys else []
    cosines = ask(session, "dense", found, lambda: _cosines(session, question, rows, near)) or near
    by_owner = {scores.owner: scores for scores in sparse}
    found.candidates = [_candidate(row, by_owner.get(row["user_id"]), cosines) for row in rows]
    return found


def ask(session: Session, channel: str, found: Found, question: Callable[[], Result]) -> Result | None:
    """Ask one channel; None, and its name among the failed, where it gives no answer."""
    if channel in found.failed:
        return None
    try:
        with session.connection.transaction():
            return question()
    except psycopg.errors.QueryCanceled:
        _fail(found, channel, "deadline")
    except Exception as error:  # noqa: BLE001 - a channel that fails makes the answer degraded, never an exception
        _fail(found, channel, type(error).__name__)
        _LOG.warning("channel %s failed: %s: %s", channel, type(error).__name__, error)
    return None


def _fail(found: Found, channel: str, reason: str) -> None:
    found.failed.append(channel)
    metrics.CHANNEL_FAILURES.labels(channel=channel, reason=reason).inc()


def _words(session: Session, plan: Plan, statistics: Mapping[Owner, Statistics]) -> list[_sparse.OwnerScores]:
    if not plan.terms or not statistics:
        return []
    return _sparse.score(plan.terms, postings.fetch(session, plan.terms), statistics)


def _near(session: Session, question: Question, statistics: Mapping[Owner, Statistics]) -> dict[Key, float]:
    if question.vector is None or question.model_id is None:
        return {}
    stored = generations.dense_model(session)
    if stored not in (None, question.model_id):
        raise ModelMismatch(generations.mismatch(stored, question.model_id))
    in_scope = sum(each.documents for each in statistics.values())
    nearest = vectors.nearest(
        session,
        question.model_id,
        question.vector,
        limit=question.plan.candidates,
        approximate=in_scope > EXACT_UP_TO,
    )
    return {(owner, doc): cosine for owner, doc, cosine in nearest}


def _cosines(session: Session, question: Question, rows: Iterable[Row], near: dict[Key, float]) -> dict[Key, float]:
    """Cosines of the candidates and of their neighbours."""
    if question.vector is None or question.model_id is None or not near:
        return near
    around = {(Owner(row["user_id"]), row["doc"] + step) for row in rows for step in (-1, 0, 1)} - near.keys()
    return near | vectors.cosines(session, question.model_id, question.vector, sorted(around))


def _candidate(row: Row, scores: _sparse.OwnerScores | None, cosines: dict[Key, float]) -> Candidate:
    owner, doc, first = Owner(row["user_id"]), row["doc"], row["session_doc"]
    known = scores is not None and doc < len(scores.words)
    own = cosines.get((owner, doc))
    before = cosines.get((owner, doc - 1)) if doc > first else None
    after = cosines.get((owner, doc + 1))
    return Candidate(
        row=row,
        words=float(scores.words[doc]) if scores and known else 0.0,
        words_before=float(scores.words_before[doc]) if scores and known else 0.0,
        words_session=float(scores.by_session[first]) if scores and first < len(scores.by_session) else 0.0,
        words_neighbour=scores.neighbour(doc, first) if scores else 0.0,
        coverage=float(scores.coverage[doc]) if scores and known else 0.0,
        meaning=own,
        meaning_before=own if own is None or before is None else (own + before) / 2,
        meaning_neighbour=max((side for side in (before, after) if side is not None), default=None),
    )
