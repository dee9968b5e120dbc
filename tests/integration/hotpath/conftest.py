"""Runs told to the warm path, and recalls with time enough for any machine."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from hotpath import _breaker, _cache, recall
from shared.contract.bundle import Bundle
from shared.contract.scope import Scope
from shared.settings import Settings
from shared.testing import HashEmbedder
from warmpath._door import Door
from warmpath._work import Result


@pytest.fixture(autouse=True)
def _fresh_process() -> None:
    """Nothing is remembered of the tests before, as in a process that has just begun."""
    _cache._caches.cache_clear()
    _breaker._breakers.cache_clear()


@pytest.fixture
def tell(door: Door, work_off: Callable[[], list[Result]]) -> Callable[..., None]:
    """Observe a run of some messages, each a text or a mapping, and work it off unless `work` is False."""
    numbers = itertools.count(1)

    def do(scope: Scope, *messages: str | dict[str, Any], work: bool = True, **more: Any) -> None:
        more.setdefault("run_id", f"run-{next(numbers)}")
        raw = [
            {"role": "user", "text": each} if isinstance(each, str) else {"role": "user", **each} for each in messages
        ]
        door.observe(scope, raw, **more)
        if work:
            work_off()

    return do


@pytest.fixture
def ask(environment: Settings, embedder: HashEmbedder) -> Callable[..., Bundle]:
    """Recall, with time and room enough."""

    def do(scope: Scope, query: str, **more: Any) -> Bundle:
        return recall(scope, query, **{"deadline_ms": 30_000, "budget_tokens": 20_000, **more})

    return do
