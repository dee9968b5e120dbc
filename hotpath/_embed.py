"""embed: the query's vector, in time or not at all."""

from __future__ import annotations

import os
import time
from concurrent.futures import Future
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hotpath._ask import Progress
from hotpath._breaker import Breakers
from hotpath._cache import caches
from hotpath._threads import Busy, Threads, within
from shared import clock, metrics
from shared.log import logger
from shared.models.embedding import embedder
from shared.settings import Settings

_LOG: Final = logger(__name__)
_SHARE_OF_DEADLINE: Final = 0.7
"""Of the time left, what embedding may take: the rest is for the search by words."""
_THREADS: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """A query's vector and its model's id; neither where it could not be had in time."""

    vector: NDArray[np.float32] | None = None
    model_id: str | None = None


class Embedding:
    """A query's vector on its way, while it is planned and searched by words.

    It runs on a thread, since nothing can interrupt a model that is being loaded; it goes on loading there for the next
    query. Where no thread can be had, or too many wait for one, there is none to wait for; nor where it is not `asked`.
    """

    def __init__(
        self, configured: Settings, query: str, progress: Progress, breakers: Breakers, *, asked: bool = True
    ) -> None:
        self._progress = progress
        self._breakers = breakers
        self._began_s = clock.monotonic_s()
        self._future: Future[tuple[Embedded, float]] | None = None  # with how long it took in seconds
        self._refusal: Exception | None = None
        if asked:
            try:
                self._future = _threads(os.getpid()).begin(partial(_encode, configured, query))
                time.sleep(0)  # lets go of the interpreter, for which the thread would wait until this one does
            except (Busy, RuntimeError) as error:
                self._refusal = error

    def result(self) -> Embedded:
        """The vector, waited for as long as the deadline allows; without it `dense` is among the failed."""
        if self._refusal is not None:
            return self._failed("busy" if isinstance(self._refusal, Busy) else "no thread", self._refusal)
        if self._future is None:
            return Embedded()
        self._progress.database_beside_embed_s = self._progress.database.seconds
        with self._progress.waiting():
            try:
                found, took_s = within(self._future, self._progress.left_ms() * _SHARE_OF_DEADLINE / 1000)
            except TimeoutError as error:
                return self._failed("deadline", error)
            except Exception as error:  # noqa: BLE001 - a failed channel makes the answer degraded, never an exception
                _LOG.warning("channel dense failed: %s", error)
                return self._failed(type(error).__name__, error)
        self._progress.timings_ms["embed"] = took_s * 1000
        return found

    def _failed(self, reason: str, error: Exception) -> Embedded:
        self._breakers.failed("dense", error, began_s=self._began_s)
        self._progress.timings_ms["embed"] = (clock.monotonic_s() - self._began_s) * 1000
        self._progress.failed.append("dense")
        metrics.CHANNEL_FAILURES.labels(channel="dense", reason=reason).inc()
        return Embedded()


def _encode(configured: Settings, query: str) -> tuple[Embedded, float]:
    began_s = clock.monotonic_s()
    model, known = embedder(configured), caches(configured).vectors
    model_id = model.model.key
    vector = known.get(model_id, query)
    if vector is None:
        vector = model.encode_query(query)
        known.put(model_id, query, vector)
    return Embedded(vector=vector, model_id=model_id), clock.monotonic_s() - began_s


@lru_cache(maxsize=1)
def _threads(_pid: int) -> Threads:
    return Threads(_THREADS, "daybook-embed")
