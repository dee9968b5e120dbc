"""rerank: the best hits read again with the turns around them, within the deadline.

What reads them is a small table of weights over `_reading.features`, or a cross-encoder where the settings name one.
The places change and the scores stay: whatever comes first takes the highest. Out of time, the fused order stands.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import astuple, replace
from functools import lru_cache, partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hotpath._ask import Ask, Progress
from hotpath._breaker import breakers
from hotpath._bundle import Evidence
from hotpath._expand import Around, Piece
from hotpath._plan import Plan
from hotpath._reading import Reading, features
from hotpath._threads import Threads, within
from hotpath.weights import RERANK
from shared import clock, metrics
from shared.log import logger
from shared.models.reranking import cross_encoder
from shared.settings import Settings

OFF: Final = "off"
FEATURES: Final = "features"
EXPLAINED: Final = "+rerank"
"""Under which name an item's scores say how many places it rose or, below 0, fell."""

Floats = NDArray[np.float64]
Read = Callable[[Sequence[Reading]], Floats]
"""Readings in the fused order to a score for each; the higher the better."""

_LOG: Final = logger(__name__)
_THREADS: Final = 4


def depth(plan: Plan, settings: Settings) -> int:
    """How many hits are to be read again; 0 for none."""
    return 0 if settings.reranker == OFF else plan.rerank


def rerank(ask: Ask, plan: Plan, progress: Progress, evidence: Evidence, settings: Settings) -> Evidence:
    """The evidence with its best hits in the order of a second reading, cut to as many as the plan wants.

    Where that cannot be had in time, or fails, they are in the order they came, and `rerank` is among the failed.
    """
    hits: Sequence[Piece] = evidence.hits
    most = depth(plan, settings)
    if most and len(hits) > 1:
        with progress.step("rerank"):
            spare_ms = min(plan.rerank_share * progress.deadline_ms, progress.left_ms())
            read = reader(plan, settings, asker=ask.scope.user_id, spare_ms=spare_ms)
            try:
                with breakers(settings).of(ask.scope).watching("rerank"):
                    hits = reranked(hits, evidence.around, read, most=most, explain=ask.explain)
            except Exception as error:  # noqa: BLE001 - a failed channel makes the answer degraded, never an exception
                progress.failed.append("rerank")
                _note(error)
    if hits is evidence.hits and len(hits) <= plan.hits:
        return evidence
    return replace(evidence, hits=tuple(hits[: plan.hits]), around=evidence.around.only(hits[: plan.hits]))


def reranked(hits: Sequence[Piece], around: Around, read: Read, *, most: int, explain: bool = False) -> list[Piece]:
    """The hits, of which the first `most` are in the order that `read` finds; of equal ones, as they were."""
    again, rest = hits[:most], hits[most:]
    found = read(readings_of(again, around))
    order = np.argsort(-found, kind="stable").tolist()
    return [
        *(
            _moved(again[old], held, old, new, explain=explain)
            for new, (old, held) in enumerate(zip(order, again, strict=True))
        ),
        *rest,
    ]


def reader(plan: Plan, settings: Settings, *, asker: str, spare_ms: float) -> Read:
    """What reads hits for one query. It raises `TimeoutError` after `spare_ms`, and whatever a model raises."""
    until_s = clock.monotonic_s() + spare_ms / 1000
    if settings.reranker == FEATURES:
        return lambda readings: by_features(plan, readings, asker=asker, late=lambda: clock.monotonic_s() > until_s)
    return lambda readings: _by_model(settings, plan.query, readings, until_s)


def by_features(plan: Plan, readings: Sequence[Reading], *, asker: str, late: Callable[[], bool]) -> Floats:
    """(readings,): the fused score of each and what the table gives for its features.

    Raises:
        TimeoutError: `late` said so.
    """
    fused = np.array([reading.fused for reading in readings])
    scores: Floats = fused + features(plan, readings, asker=asker, late=late) @ _table()
    return scores


def _moved(hit: Piece, held: Piece, old: int, new: int, *, explain: bool) -> Piece:
    """A hit in the place of another, with its score."""
    scores = {**hit.scores, EXPLAINED: float(old - new)} if explain else hit.scores
    return hit._replace(score=held.score, rank=held.rank, scores=scores)


def _note(error: Exception) -> None:
    late = isinstance(error, TimeoutError)
    metrics.CHANNEL_FAILURES.labels(channel="rerank", reason="deadline" if late else type(error).__name__).inc()
    if not late:
        _LOG.warning("rerank failed: %s", error)


def _by_model(settings: Settings, query: str, readings: Sequence[Reading], until_s: float) -> Floats:
    """On a thread, since nothing can interrupt a model; one that is being loaded goes on loading for the next query."""
    model = cross_encoder(settings.reranker, settings)
    texts = ["\n".join(filter(None, (each.before, each.text, each.after))) for each in readings]
    future = _threads(os.getpid()).begin(partial(model.scores, query, texts))
    return within(future, until_s - clock.monotonic_s())


def readings_of(hits: Sequence[Piece], around: Around) -> list[Reading]:
    """The hits with the turns before and after each."""
    return [_reading(hit, around) for hit in hits]


def _reading(hit: Piece, around: Around) -> Reading:
    before, after = around.beside(hit)
    return Reading(
        text=hit.text,
        fused=hit.score,
        speaker=hit.speaker,
        role=hit.role,
        session=(hit.owner, hit.session_id or hit.memory_id),
        before=before,
        after=after,
    )


@lru_cache(maxsize=1)
def _table() -> Floats:
    return np.array(astuple(RERANK))


@lru_cache(maxsize=1)
def _threads(_pid: int) -> Threads:
    return Threads(_THREADS, "daybook-rerank")
