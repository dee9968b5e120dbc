"""What a process remembers of its recalls: the vectors of queries, and whole bundles.

A bundle is given again only to the same question under the same settings, in the same minute, while all that the scope
sees stands as it stood: `shared.store.standing`, read in the very state of the database that it was made from. So it is
never stale and never another scope's: once something is forgotten, by whichever process, no bundle from before is given
again. A minute, since queries say "yesterday" and memories age.

Nor is what was forgotten held for long. The process that forgets lets go of all at once (`let_go`); another does so
with what a user was given before when that user asks again, or with all of it when the minute is over.
"""

from __future__ import annotations

import hashlib
import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields
from datetime import datetime
from functools import lru_cache
from typing import Final, Generic, NamedTuple, TypeVar

from hotpath._ask import Ask
from shared import clock
from shared.contract.bundle import Bundle
from shared.language.tokens import DEFAULT_COUNTER
from shared.models._vectors import Vectors
from shared.settings import Settings
from shared.store.standing import Standing

LONGEST_QUERY_CHARS: Final = 2_000
"""Of a query whose bundle is kept: a longer one is a document, and nobody asks it twice."""
LARGEST_CHARS: Final = 50_000
"""Of a bundle that is kept, in its text: eight times what a default budget makes."""
MOST_HITS: Final = 200
"""Of one that is kept."""
MINUTE_S: Final = 60

_NOT_ASKED: Final = frozenset({"deadline_ms", "recipe"})
"""How long one would wait does not change a bundle that lacks nothing, and a recipe is known by its name."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Lru(Generic[Key, Value]):
    """At most so many values; the one that was not asked for the longest goes first. Safe with threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: OrderedDict[Key, Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Key) -> Value | None:
        """What is held under a key."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def put(self, key: Key, value: Value) -> None:
        """Hold a value."""
        with self._lock:
            self._held[key] = value
            self._held.move_to_end(key)
            while len(self._held) > self._most:
                self._held.popitem(last=False)

    def drop(self, unwanted: Callable[[Key], bool]) -> None:
        """Hold none of some values any more."""
        with self._lock:
            for key in [*filter(unwanted, self._held)]:
                del self._held[key]

    def clear(self) -> None:
        """Hold nothing."""
        with self._lock:
            self._held.clear()


class QueryVectors:
    """Vectors by model and query. A query is held as its digest: constant size, and nobody's words."""

    def __init__(self, most: int) -> None:
        self._vectors: Lru[tuple[str, bytes], Vectors] = Lru(most)

    def get(self, model_key: str, query: str) -> Vectors | None:
        """The vector of a query by a model."""
        return self._vectors.get((model_key, _digest(query)))

    def put(self, model_key: str, query: str, vector: Vectors) -> None:
        """Hold one."""
        held = vector.copy()  # it may be a row of a larger array, which would be held with it
        held.flags.writeable = False
        self._vectors.put((model_key, _digest(query)), held)

    def let_go(self) -> None:
        """Hold none."""
        self._vectors.clear()


def _digest(query: str) -> bytes:
    return hashlib.sha256(query.encode("utf-8", "surrogatepass")).digest()


class BundleKey(NamedTuple):
    """All that a bundle depends on."""

    configured: Settings
    asked: tuple[object, ...]
    """Every argument: the whole scope, the query, the budget, the recipe and what else there is."""
    channels: frozenset[str]
    counter: str
    minute: datetime
    standing: Standing
    whose: tuple[str, str]
    """Tenant and user, whose standing it is."""
    epoch: int
    """How often this process had been told to let go."""


class Bundles:
    """The bundles of the present minute."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._bundles: Lru[BundleKey, Bundle] = Lru(most)
        self._minute: datetime | None = None
        self._epoch = 0
        self._stood: dict[tuple[str, str], Standing] = {}
        """By tenant and user, the standing that what is held of them was made from."""
        self._ending: weakref.finalize[[threading.Timer, int], Bundles] | None = None
        """Ends the timer that will let go of what is held; None while nothing is."""
        self._lock = threading.Lock()

    def key(
        self, configured: Settings, ask: Ask, channels: frozenset[str], standing: Standing | None
    ) -> BundleKey | None:
        """What the bundle of a question is held under; None where it is not to be held."""
        if not self.most or standing is None or len(ask.query) > LONGEST_QUERY_CHARS:
            return None
        minute, whose = _minute(), (ask.scope.tenant_id, ask.scope.user_id)
        if minute != self._minute:
            self._clear()
            self._minute = minute
        if self._stood.setdefault(whose, standing) != standing:
            # another process may have forgotten what is held: no such key comes again
            self._stood[whose] = standing
            self._bundles.drop(lambda held: held.whose == whose and held.standing != standing)
        asked = (ask.recipe.name, *(getattr(ask, each.name) for each in fields(ask) if each.name not in _NOT_ASKED))
        counter = DEFAULT_COUNTER.name
        return BundleKey(configured, asked, channels, counter, minute, standing, whose, self._epoch)

    def get(self, key: BundleKey) -> Bundle | None:
        """The bundle, if it is held."""
        return self._bundles.get(key)

    def put(self, key: BundleKey, bundle: Bundle) -> None:
        """Hold a bundle until its minute is over, unless it lacks something or is large."""
        if bundle.degraded or len(bundle.text) > LARGEST_CHARS or len(bundle.hits) > MOST_HITS:
            return
        with self._lock:
            if key.minute == _minute() and self._is_as_it_was(key) and self._will_let_go():
                self._bundles.put(key, bundle)

    def _is_as_it_was(self, key: BundleKey) -> bool:
        """Whether nothing is known to have been forgotten since the key was made."""
        return key.epoch == self._epoch and self._stood.get(key.whose) == key.standing

    def let_go(self) -> None:
        """Hold none, nor those that are being made: their minute is over, or something was forgotten."""
        with self._lock:
            if self._ending is not None:
                self._ending()
            self._ending = None
            self._epoch += 1
            self._clear()

    def _clear(self) -> None:
        self._bundles.clear()
        self._stood.clear()

    def _will_let_go(self) -> bool:
        """Have all let go of when the minute is over; False where there is no thread for that."""
        if self._ending is not None:
            return True
        timer = _timer(MINUTE_S - clock.now().second, weakref.WeakMethod(self.let_go))
        try:
            timer.start()
        except RuntimeError:
            return False
        self._ending = weakref.finalize(self, _cancel, timer, os.getpid())
        self._ending.atexit = False
        return True


def _minute() -> datetime:
    return clock.now().replace(second=0, microsecond=0)


def _cancel(timer: threading.Timer, pid: int) -> None:
    if pid == os.getpid():  # a child has no such thread, and its lock may have been held when it was forked
        timer.cancel()


def _timer(after_s: float, let_go: Callable[[], Callable[[], None] | None]) -> threading.Timer:
    """Not yet started; it keeps neither the process nor whatever holds bundles."""

    def over() -> None:
        held = let_go()
        if held is not None:
            held()

    timer = threading.Timer(after_s, over)
    timer.name, timer.daemon = "daybook-cache", True
    return timer


@dataclass(slots=True)
class Slot:
    """Where the bundle of one recall is held, or may be."""

    bundles: Bundles
    key: BundleKey | None = None
    held: Bundle | None = None

    def look(self, configured: Settings, ask: Ask, channels: frozenset[str], standing: Standing | None) -> bool:
        """Whether the bundle is held."""
        self.key = self.bundles.key(configured, ask, channels, standing)
        self.held = self.bundles.get(self.key) if self.key is not None else None
        return self.held is not None

    def keep(self, bundle: Bundle) -> None:
        """Hold the bundle, where that may be."""
        if self.key is not None:
            self.bundles.put(self.key, bundle)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caches:
    """Both caches of a process."""

    vectors: QueryVectors
    bundles: Bundles


def caches(configured: Settings) -> Caches:
    """This process's, of the sizes that the settings name; a child made by fork begins with empty ones."""
    return _caches(os.getpid(), configured.query_cache, configured.bundle_cache)


def let_go(configured: Settings) -> None:
    """Hold nothing of what this process was asked and gave; for whoever has had something forgotten.

    What another process holds is given by it to nobody, and let go of there as this module says.
    """
    held = caches(configured)
    held.bundles.let_go()
    held.vectors.let_go()


@lru_cache(maxsize=4)
def _caches(_pid: int, vectors: int, bundles: int) -> Caches:
    return Caches(vectors=QueryVectors(vectors), bundles=Bundles(bundles))
