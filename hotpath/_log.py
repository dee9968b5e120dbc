"""What recalls put before models, written down off the hot path.

A recall leaves its turn in a bounded queue and goes on. One thread writes what has gathered, in one transaction for
each tenant. What the queue has no room for, or Postgres does not take, is dropped and counted: a log is no reason to
wait or to fail. The thread starts at the first turn, anew after a fork, and is given a moment at exit.
"""

from __future__ import annotations

import atexit
import os
import queue
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from shared import metrics
from shared.contract.errors import DaybookError
from shared.contract.scope import owner_of
from shared.contract.turns import Injected, Turn, began_at
from shared.embedded import open_database
from shared.log import logger
from shared.settings import Settings, settings
from shared.store import recalls
from shared.store.db import Database, Role

if TYPE_CHECKING:
    from shared.contract.bundle import Bundle
    from shared.contract.scope import Scope

MOST_WAITING: Final = 2_000
"""Turns in the queue: some minutes of a busy agent's, in a few megabytes."""
MOST_WRITTEN: Final = 200
"""Turns of one transaction."""
LINGER_S: Final = 0.25
"""How long the first turn of a batch waits for others: most transactions are saved, and no recall is slowed by one."""
EXIT_S: Final = 2.0
"""What the last turns of a process are given to be written."""

_LOG: Final = logger(__name__)


class TurnLog:
    """The log of one process, whatever databases it recalls from."""

    def __init__(self, open_: Callable[[Settings], Database] = open_database, *, linger_s: float = LINGER_S) -> None:
        self._open = open_
        self._linger_s = linger_s
        self._turns: queue.Queue[_Noted] = queue.Queue(MOST_WAITING)
        self._hurry = threading.Event()
        self._starting = threading.Lock()
        self._pid: int | None = None

    def note(self, configured: Settings, turn: Turn) -> None:
        """Have a turn written down in the database of some settings. Never raises, never blocks."""
        try:
            self._start()
            self._turns.put_nowait(_Noted(configured, turn))
        except queue.Full:
            _dropped(1, "full")
        except RuntimeError:  # the system gives no more threads, or Python is ending
            _dropped(1, "no thread")

    def flush(self, timeout_s: float) -> bool:
        """Wait until the turns so far are written or dropped; False if that took longer."""
        if self._pid != os.getpid():
            return True
        self._hurry.set()
        try:
            with self._turns.all_tasks_done:
                return self._turns.all_tasks_done.wait_for(lambda: self._turns.unfinished_tasks == 0, timeout_s)
        finally:
            self._hurry.clear()

    def _start(self) -> None:
        if self._pid == os.getpid():
            return
        with self._starting:
            if self._pid != os.getpid():
                self._turns, self._hurry = queue.Queue(MOST_WAITING), threading.Event()
                threading.Thread(target=self._write_all, name="daybook-turns", daemon=True).start()
                self._pid = os.getpid()
                atexit.register(self.flush, EXIT_S)

    def _write_all(self) -> None:
        turns, hurry = self._turns, self._hurry
        while True:
            batch = [turns.get()]
            hurry.wait(self._linger_s)
            while len(batch) < MOST_WRITTEN and not turns.empty():
                batch.append(turns.get())
            for (configured, tenant_id), noted in _together(batch).items():
                self._write(configured, tenant_id, noted)
            for _ in batch:
                turns.task_done()

    def _write(self, configured: Settings, tenant_id: str, turns: Sequence[Turn]) -> None:
        owners = sorted({turn.owner for turn in turns} | {each.owner for turn in turns for each in turn.injected})
        try:
            with self._open(configured).transaction(Role.APP, tenant_id, owners) as session:
                recalls.write(session, turns)
        except Exception as error:  # noqa: BLE001 - nobody would see this thread die, and every later turn with it
            _dropped(len(turns), type(error).__name__)


class _Noted(NamedTuple):
    """A turn, and where it goes."""

    configured: Settings
    turn: Turn


def _together(batch: Sequence[_Noted]) -> dict[tuple[Settings, str], list[Turn]]:
    """What one transaction can take: of one database and one tenant."""
    found: dict[tuple[Settings, str], list[Turn]] = {}
    for configured, turn in batch:
        found.setdefault((configured, turn.tenant_id), []).append(turn)
    return found


def _dropped(turns: int, reason: str) -> None:
    metrics.TURNS_DROPPED.labels(reason=reason).inc(turns)
    _LOG.warning("turns_dropped turns=%d: %s", turns, reason)


_LOGGED: Final = TurnLog()


def note(scope: Scope, bundle: Bundle, *, recipe: str, about_now: bool = True) -> None:
    """Have a recall written down, unless `DAYBOOK_RECALL_LOG` says otherwise. Never raises, never blocks.

    Not one that searched nothing, as of small talk, or where memory could not be asked: it put nothing before a model,
    and does not know what was forgotten since when.
    """
    if not _searched(bundle):
        return
    try:
        configured = settings()
    except DaybookError:
        return  # then nothing was recalled, and nobody knows where to write
    if configured.recall_log:
        _LOGGED.note(configured, turn_of(scope, bundle, recipe=recipe, about_now=about_now))


def _searched(bundle: Bundle) -> bool:
    """Whether memory was read, also where there was none yet."""
    if bundle.watermarks or bundle.cached:
        return True
    failed = not {"database", "deadline"}.isdisjoint(bundle.degraded)
    return "search" in bundle.timings_ms and not failed


def flush(timeout_s: float = EXIT_S) -> bool:
    """Wait until what this process has noted by now is written or dropped; False if that took longer."""
    return _LOGGED.flush(timeout_s)


def turn_of(scope: Scope, bundle: Bundle, *, recipe: str, about_now: bool = True) -> Turn:
    """A recall as it is logged: its hits, and what it showed beside them. What is on its way is no memory yet."""
    ordinals = {item.memory_id: item.ordinal for item in bundle.items}
    hits = {
        hit.memory_id: Injected(
            owner=owner_of(hit.sources[0].stream),
            memory_id=hit.memory_id,
            rank=rank,
            score=hit.score,
            ordinal=ordinals.get(hit.memory_id),
        )
        for rank, hit in enumerate(bundle.hits, 1)
        if hit.sources and hit.sources[0].sequence > 0
    }
    beside = [
        Injected(
            owner=owner_of(item.sources[0].stream),
            memory_id=item.memory_id,
            rank=None,
            score=item.score,
            ordinal=item.ordinal,
        )
        for item in bundle.items
        if item.memory_id not in hits and item.sources and not item.fresh
    ]
    own = [mark.last_sequence for mark in bundle.watermarks if mark.owner == scope.owner]
    return Turn(
        turn_id=bundle.turn_id,
        tenant_id=scope.tenant_id,
        owner=scope.owner,
        recalled_at=began_at(bundle.turn_id),
        agent_id=scope.agent_id,
        session_id=scope.session_id,
        verdict=bundle.verdict,
        recipe=recipe,
        tokens=bundle.tokens,
        watermark=max(own, default=0),
        injected=(*hits.values(), *beside),
        conflicts=bundle.conflicts,
        conflicts_shown=len({item.group for item in bundle.items if item.group}),
        about_now=about_now,
    )
