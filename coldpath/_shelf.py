"""Where a replay keeps what a stream comes to: in a file, so that no stream is too long for a process's memory.

The file is SQLite's private one: it has no name that anybody could open, and is gone with the process, however that
ends. Of each kind some thousand values are at hand; those that came to hand, or were changed, the longest ago go first,
however often they are asked for, and are read again with what was put in behind them, since a comparison goes through a
stream in order.
"""

from __future__ import annotations

import json
import pickle
import sqlite3
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from collections.abc import Set as AbstractSet
from contextlib import closing, contextmanager
from itertools import islice
from typing import Any, Final, Generic, TypeVar
from uuid import UUID

from shared.belief.state import Versions, events_of
from shared.contract.errors import ServiceFailed
from shared.contract.events import Event

AT_HAND: Final = 4_000
"""Values of a kind that are held at once: some 5 MB."""
_READ_AHEAD: Final = 200
_PREPARING: Final = (
    "pragma journal_mode = off",
    "pragma synchronous = off",
    "pragma cache_size = -4000",
    "begin",  # once: of a file that nobody reads again nothing need ever be committed
    "create table kept (place integer primary key, key unique, value)",
)
_PLACE: Final = "select place from kept where key = ?"
_FROM: Final = "select key, value from kept where place >= ? order by place limit ?"
_KEYS: Final = "select key from kept order by place"
_INSERT: Final = "insert into kept values (?, ?, ?)"
_UPDATE: Final = "update kept set value = ? where key = ?"
_DELETE: Final = "delete from kept where key = ?"
_TOUCHED: Final = "create table touched (sequence, memory, primary key (sequence, memory)) without rowid"
_TOUCH: Final = "insert or ignore into touched values (?, ?)"
_TOUCHING: Final = """
    select distinct memory from touched where sequence in (select value from json_each(?)) order by memory
"""

Key = TypeVar("Key")
Value = TypeVar("Value")


class Shelf(MutableMapping[Key, Value], Generic[Key, Value]):
    """A mapping in the order in which its keys were first put in."""

    def __init__(self, store: Callable[[Key], object], load: Callable[[Any], Key]) -> None:
        """Open a file; `store` says how a key is written, and `load` how it is read again."""
        self._database = sqlite3.connect("", isolation_level=None)
        for statement in _PREPARING:
            self._database.execute(statement)
        self._store, self._load = store, load
        self._at_hand: dict[Key, Value] = {}
        self._changed: set[Key] = set()
        self._new: dict[Key, int] = {}
        self._places = self._length = 0

    def __getitem__(self, key: Key) -> Value:
        if key not in self._at_hand:
            self._read(key)
        return self._at_hand[key]

    def __setitem__(self, key: Key, value: Value) -> None:
        if key not in self:
            self._places += 1
            self._length += 1
            self._new[key] = self._places
        self._at_hand.pop(key, None)
        self._at_hand[key] = value
        self._changed.add(key)
        if len(self._at_hand) > AT_HAND:
            self._put_away(len(self._at_hand) - AT_HAND // 2)

    def __delitem__(self, key: Key) -> None:
        if key not in self:
            raise KeyError(key)
        self._at_hand.pop(key, None)
        self._changed.discard(key)
        if self._new.pop(key, None) is None:
            self._database.execute(_DELETE, (self._store(key),))
        self._length -= 1

    def __contains__(self, key: object) -> bool:
        return key in self._at_hand or self._place(key) is not None  # type: ignore[arg-type]

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Key]:
        self.write()
        for (stored,) in self._database.execute(_KEYS):
            yield self._load(stored)

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def write(self) -> None:
        """Write what has changed; it stays at hand."""
        new = ((self._new.pop(key), self._store(key), _packed(self._at_hand[key])) for key in [*self._new])
        self._changed -= self._new.keys()
        self._database.executemany(_INSERT, new)
        changed = ((_packed(self._at_hand[key]), self._store(key)) for key in self._changed)
        self._database.executemany(_UPDATE, changed)
        self._changed.clear()

    def _put_away(self, count: int) -> None:
        self.write()
        for key in list(islice(self._at_hand, count)):
            del self._at_hand[key]

    def _read(self, key: Key) -> None:
        """Have a value at hand, with some that were put in behind it."""
        place = self._place(key)
        if place is None:
            raise KeyError(key)
        for stored, value in self._database.execute(_FROM, (place, _READ_AHEAD)).fetchall():
            self._at_hand.setdefault(self._load(stored), pickle.loads(value))  # noqa: S301 - written by this process
        if len(self._at_hand) > AT_HAND:
            asked = self._at_hand.pop(key)
            self._put_away(len(self._at_hand) - AT_HAND // 2)
            self._at_hand[key] = asked

    def _place(self, key: Key) -> int | None:
        row = self._database.execute(_PLACE, (self._store(key),)).fetchone()
        return row[0] if row else None


class _Memories(Shelf[UUID, Versions]):
    """With which events each memory hangs on."""

    def __init__(self) -> None:
        super().__init__(lambda memory: memory.bytes, lambda stored: UUID(bytes=stored))
        self._database.execute(_TOUCHED)

    def write(self) -> None:
        rows = ((sequence, memory.bytes) for memory in self._changed for sequence in events_of(self._at_hand[memory]))
        self._database.executemany(_TOUCH, rows)
        super().write()

    def touching(self, sequences: AbstractSet[int]) -> Iterator[UUID]:
        """As `shared.belief.state.Kept` has it, in order of their ids."""
        self.write()
        found = self._database.execute(_TOUCHING, (json.dumps(list(sequences)),)).fetchall()
        return (memory for memory in (UUID(bytes=stored) for (stored,) in found) if memory in self)


class Shelves:
    """What a stream comes to, as `shared.belief.state.Kept` has it."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.memories = _Memories()
        self.evidence: Shelf[int, Event] = Shelf(int, int)

    def touching(self, sequences: AbstractSet[int]) -> Iterable[UUID]:
        """See `shared.belief.state.Kept`."""
        return self.memories.touching(sequences)


@contextmanager
def shelves() -> Iterator[Shelves]:
    """Shelves whose files are gone behind the block.

    Raises:
        ServiceFailed: the machine's disk does not keep them.
    """
    try:
        kept = Shelves()
        with closing(kept.memories), closing(kept.evidence):
            yield kept
    except sqlite3.Error as error:
        advice = "make room for temporary files in SQLITE_TMPDIR or TMPDIR, else in /var/tmp, and do it again"
        raise ServiceFailed(f"what a stream comes to could not be kept in a file ({error}): {advice}") from error


def _packed(value: object) -> bytes:
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
