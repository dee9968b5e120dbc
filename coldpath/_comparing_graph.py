"""What the graph view holds of a stream, beside what its memories come to, as far as the view has come."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from itertools import groupby
from operator import itemgetter
from typing import Final

import numpy as np

from shared.belief.communities import Community, communities
from shared.belief.state import State, Versions
from shared.contract.records import MemoryVersion
from shared.contract.scope import Owner, room_id_of
from shared.language.name_keys import aliases
from shared.store import communities as groups
from shared.store import generations, graph
from shared.store.db import Session
from shared.store.graph import Mentioning

_NAME: Final = itemgetter(0)
Differ = Callable[[str, str, str], None]


def mentioning_of(version: MemoryVersion) -> Mentioning:
    """What the graph view holds of a memory, as it is held."""
    return graph.mentioning(doc=version.doc, text=version.text, speaker=version.speaker)


class Names:
    """The graph view, as the memories of a stream go by (`coldpath._comparing.Part`)."""

    def __init__(self, session: Session, state: State, differ: Differ) -> None:
        """Begin before the first memory; `differ` is told the table, key and column of all that differs."""
        self._session, self._state, self._differ = session, state, differ
        build = generations.live(session, "graph")
        self._generation = build.generation if build else 0
        self._said = graph.counted(session, self._generation)
        self._reached = 0
        self._docs: dict[str, array[int]] = {}
        self._beyond: set[str] = set()
        """Names in memories that the view has not come to."""
        made = groups.made_of(session)
        self._grouped = groups.stored(session)
        self._made = made if made is not None and made == groups.as_it_stands(session) else None
        self._open = _Open(session.owner, self._made.doc if self._made else 0)

    def take(self, versions: Versions) -> None:
        """Go on with the next memory, in order of their numbers."""
        names = mentioning_of(versions[0]).names
        self._open.take(versions[-1], names)
        if versions[0].doc > self._said["doc"]:
            self._beyond.update(names)
            return
        self._reached += 1
        for name in names:
            self._docs.setdefault(name, array("i")).append(versions[0].doc)

    def end(self) -> None:
        """Say what differs, once all memories have gone by."""
        if self._said["documents"] != self._reached:
            self._differ("graph_stream", f"generation {self._generation}", "documents")
        if self._said["doc"] > self._state.docs:
            self._differ("graph_stream", f"generation {self._generation}", "doc")
        comes_to: dict[str, Callable[[str], list[int | str]]] = {
            "mentions": lambda name: list(self._docs[name]),
            "entities": lambda name: [len(self._docs[name])],
            "aliases": lambda name: sorted(aliases(name)),
        }
        for what, table in (("mentions", "mention"), ("entities", "entity"), ("aliases", "entity_alias")):
            of = {name for name in self._docs if what != "aliases" or aliases(name)}
            for name, column in _unlike(graph.stored(self._session, self._generation, what), of, comes_to[what]):
                self._differ(table, f"name {_masked(name)}", column)
        self._groups()

    def _groups(self) -> None:
        """Groups are compared as long as nothing has come since they were made; later none may name what is gone."""
        if self._made is not None:
            if self._grouped != [each.members for each in self._open.groups()]:
                self._differ("community", f"event {self._made.sequence}", "rows")
            return
        grouped = {name for members in self._grouped for name in members}
        for name in sorted(grouped - self._docs.keys() - self._beyond):
            self._differ("community", f"name {_masked(name)}", "unknown")


class _Open:
    """The names in what is open of a stream up to a number, but for what is one agent's alone."""

    def __init__(self, owner: Owner, doc: int) -> None:
        self._is_room, self._doc = room_id_of(owner) is not None, doc
        self._docs: dict[str, array[int]] = {}
        self._count = 0

    def take(self, version: MemoryVersion, names: Iterable[str]) -> None:
        if version.is_open and version.doc <= self._doc and (self._is_room or version.agent_id is None):
            self._count += 1
            for name in names:
                self._docs.setdefault(name, array("i")).append(version.doc)

    def groups(self) -> list[Community]:
        """The groups that the names make."""
        return communities(((name, np.array(self._docs[name], np.int64)) for name in sorted(self._docs)), self._count)


def groups_of(state: State, owner: Owner, doc: int) -> list[Community]:
    """The groups that the names of a stream make, by its open memories up to `doc` but those of one agent alone."""
    found = _Open(owner, doc)
    for versions in state.memories.values():
        found.take(versions[-1], mentioning_of(versions[-1]).names)
    return found.groups()


def _unlike(
    stored: Iterable[tuple[str, int | str]], names: AbstractSet[str], comes_to: Callable[[str], list[int | str]]
) -> Iterator[tuple[str, str]]:
    """The names of which other rows are stored than they come to, and what is wrong with them."""
    seen: set[str] = set()
    for name, rows in groupby(stored, key=_NAME):
        seen.add(name)
        held = sorted((value for _, value in rows), key=str)
        if name not in names:
            yield name, "unknown"
        elif held != sorted(comes_to(name), key=str):
            yield name, "rows"
    for name in names - seen:
        yield name, "missing"


def _masked(name: str) -> str:
    """Another name for a name that does not say it: it is somebody's."""
    return hashlib.sha256(name.encode()).hexdigest()[:12]
