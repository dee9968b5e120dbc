"""embed: the query's vector, in time or not at all."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hotpath._ask import Progress
from hotpath._plan import Plan
from shared import metrics
from shared.log import logger
from shared.models.embedding import embedder
from shared.settings import Settings

_LOG: Final = logger(__name__)
_SHARE_OF_DEADLINE: Final = 0.7
"""Of the time left, what embedding may take: the rest is for the search by words."""
_THREADS: Final = 8


def query_vector(configured: Settings, plan: Plan, progress: Progress) -> tuple[NDArray[np.float32] | None, str | None]:
    """The query's vector and its model's id; (None, None) and a failed `dense` where it cannot be had in time.

    Embedding runs on a thread, since nothing can interrupt a model that is being loaded; it goes on loading there for
    the next query.
    """
    if "dense" not in plan.channels:
        return None, None
    future = _threads(os.getpid()).submit(_encode, configured, plan.query)
    try:
        return future.result(timeout=progress.left_ms() * _SHARE_OF_DEADLINE / 1000)
    except TimeoutError:
        reason = "deadline"
    except Exception as error:  # noqa: BLE001 - a channel that fails makes the answer degraded, never an exception
        reason = type(error).__name__
        _LOG.warning("channel dense failed: %s", error)
    progress.failed.append("dense")
    metrics.CHANNEL_FAILURES.labels(channel="dense", reason=reason).inc()
    return None, None


def _encode(configured: Settings, query: str) -> tuple[NDArray[np.float32], str]:
    model = embedder(configured)
    return model.encode_query(query), model.model.key


@lru_cache(maxsize=1)
def _threads(_pid: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_THREADS, thread_name_prefix="daybook-embed")
