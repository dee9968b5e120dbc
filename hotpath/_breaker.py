"""Breakers: what keeps failing is not asked for a while, so that no recall waits for what will not come.

One a channel, in each process, for each database and model. It opens after `FAILURES` occasions one after the other,
and lets one recall through when a pause is over: if that goes well it closes, else the pause is doubled. What counts is
the server, the machine and the network. A time-out may be of what one scope holds, or of how little time it gives: it
counts for that scope alone, and for all others once `FAILURES` scopes in a row had one.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import psycopg

from shared import clock, metrics
from shared.contract.errors import DatabaseUnavailable, Retryable
from shared.contract.scope import Scope
from shared.log import logger
from shared.settings import Settings

FAILURES: Final = 3
"""Occasions in a row: one may be a restart, and two a restart that took long."""
FIRST_PAUSE_S: Final = 1.0
"""Short, since a server that has restarted, or a model that has been loaded by now, is there again soon."""
LONGEST_PAUSE_S: Final = 30.0
"""Of this, a recall that is let through for a trial takes a fifteenth at the default deadline."""
PATIENCE_S: Final = 0.1
"""A time-out counts that came after this long; a shorter one says that the caller was in a hurry."""

MOST_HELD: Final = 4_096
"""Breakers of single scopes that have failed; the one that failed the longest ago goes first."""

DATABASE: Final = "database"
"""The breaker of the server as a whole."""

_EVERYBODY: Final = b""
_LOG: Final = logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """How one breaker stands. Instants are by `clock.monotonic_s`."""

    failures: int = 0
    """Occasions in a row that failed."""
    counted_s: float = float("-inf")
    """When the last of them was counted."""
    open_until_s: float | None = None
    """When the next is let through; None while it is closed."""
    pause_s: float = FIRST_PAUSE_S
    whose: frozenset[bytes] = frozenset()
    """Of the failures that were time-outs, whose recalls those were."""

    def admits(self, now_s: float) -> bool:
        """Whether one may try."""
        return self.open_until_s is None or now_s >= self.open_until_s


CLOSED: Final = State()


def tried(state: State, now_s: float) -> State:
    """After one was let through: where it is a trial, the others wait for what comes of it, or for another pause."""
    return state if state.open_until_s is None else replace(state, open_until_s=now_s + state.pause_s)


def failed(state: State, *, began_s: float, now_s: float, whose: frozenset[bytes] = frozenset()) -> State:
    """After a try that began at `began_s` failed; `whose` it was, where that may be the reason.

    One that ran beside another that was counted is of the same occasion: sixteen threads that wait for one server that
    restarts have failed once. Nor does a scope count that has been counted, but where it is the trial.
    """
    if began_s < state.counted_s or (state.open_until_s is None and whose and whose <= state.whose):
        return state
    failures, whose = state.failures + 1, state.whose | whose
    if failures < FAILURES:
        return replace(state, failures=failures, counted_s=now_s, whose=whose)
    pause_s = FIRST_PAUSE_S if state.open_until_s is None else min(2 * state.pause_s, LONGEST_PAUSE_S)
    whose = whose if state.open_until_s is None else state.whose
    return State(failures=failures, counted_s=now_s, open_until_s=now_s + pause_s, pause_s=pause_s, whose=whose)


def counts(error: BaseException, took_s: float) -> bool:
    """Whether an error after `took_s` may say something of the server, the machine or the network.

    A statement that was ended for its time says nothing of the server as a whole, which has answered.
    """
    if isinstance(error, DatabaseUnavailable) and isinstance(error.__cause__, psycopg.errors.QueryCanceled):
        return False
    if is_late(error):
        return took_s >= PATIENCE_S
    return isinstance(error, (OSError, MemoryError, psycopg.OperationalError, Retryable))


def is_late(error: BaseException) -> bool:
    """Whether something did not come in time."""
    return isinstance(error, (psycopg.errors.QueryCanceled, TimeoutError, DatabaseUnavailable))


class Breakers:
    """The breakers of one process for one database and model, as the recalls of a scope see them. Safe with threads."""

    def __init__(self) -> None:
        self._states: OrderedDict[tuple[str, bytes], State] = OrderedDict()
        self._lock = threading.Lock()
        self._whose = _EVERYBODY

    def of(self, scope: Scope) -> Breakers:
        """The same, for recalls of a scope: tenant and owner, which are kept as a digest."""
        seen = Breakers()
        seen._states, seen._lock = self._states, self._lock
        seen._whose = hashlib.sha256(repr((scope.tenant_id, scope.owner)).encode("utf-8", "surrogatepass")).digest()
        return seen

    def refused(self, channels: Iterable[str]) -> tuple[str, ...]:
        """Those of the channels that are not to be asked now, in order. Who is not refused may be the trial."""
        return tuple(channel for channel in channels if not self._admits(channel)) if self._states else ()

    def succeeded(self, channel: str) -> None:
        """A channel has answered: it is closed, whatever came before."""
        if not self._states:
            return
        with self._lock:
            before = [self._states.pop(key) for key in self._keys(channel) if key in self._states]
        if any(state.open_until_s is not None for state in before):
            _LOG.info("breaker_closed channel=%s", channel)

    def failed(self, channel: str, error: BaseException, *, began_s: float) -> None:
        """A channel that was asked at `began_s` has not answered."""
        now_s = clock.monotonic_s()
        if not counts(error, now_s - began_s):
            return
        whose = frozenset({self._whose} - {_EVERYBODY}) if is_late(error) else frozenset()
        with self._lock:
            if whose:  # its own first: of one occasion either may be the last that was wanting
                self._count((channel, self._whose), error, began_s, now_s)
            self._count((channel, _EVERYBODY), error, began_s, now_s, whose)

    def _count(
        self,
        key: tuple[str, bytes],
        error: BaseException,
        began_s: float,
        now_s: float,
        whose: frozenset[bytes] = frozenset(),
    ) -> None:
        before = self._states.get(key, CLOSED)
        after = self._states[key] = failed(before, began_s=began_s, now_s=now_s, whose=whose)
        self._states.move_to_end(key)
        while len(self._states) > MOST_HELD:
            self._states.popitem(last=False)
        if after.open_until_s is not None and after is not before:
            channel, owner = key
            metrics.BREAKERS_OPENED.labels(channel=channel).inc()
            of = "one scope" if owner else "all"
            _LOG.warning(
                "breaker_open channel=%s of=%r pause_s=%.0f: %s", channel, of, after.pause_s, type(error).__name__
            )

    @contextmanager
    def watching(self, channel: str) -> Iterator[None]:
        """Report what becomes of the block."""
        began_s = clock.monotonic_s()
        try:
            yield
        except Exception as error:
            self.failed(channel, error, began_s=began_s)
            raise
        self.succeeded(channel)

    def _admits(self, channel: str) -> bool:
        now_s = clock.monotonic_s()
        with self._lock:
            held = {key: self._states[key] for key in self._keys(channel) if key in self._states}
            if not all(state.admits(now_s) for state in held.values()):
                metrics.CHANNEL_FAILURES.labels(channel=channel, reason="breaker").inc()
                return False
            self._states.update({key: tried(state, now_s) for key, state in held.items()})
            return True

    def _keys(self, channel: str) -> set[tuple[str, bytes]]:
        return {(channel, _EVERYBODY), (channel, self._whose)}


def breakers(configured: Settings) -> Breakers:
    """This process's, for the database and the model that the settings name."""
    return _breakers(os.getpid(), configured.database_url, configured.data_dir, configured.embedding_model)


@lru_cache(maxsize=16)
def _breakers(*_of: object) -> Breakers:
    return Breakers()
