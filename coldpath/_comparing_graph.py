"""What the graph view holds of a stream, beside what its memories come to, as far as the view has come."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Final

import numpy as np

from shared.belief.communities import Community, communities
from shared.belief.state import State
from shared.contract.records import MemoryVersion
from shared.contract.scope import Owner, room_id_of
from shared.language.name_keys import aliases
from shared.store import communities as groups
from shared.store import generations, graph
from shared.store.db import Session
from shared.store.graph import Mentioning

_NAME: Final = itemgetter(0)


def mentioning_of(version: MemoryVersion) -> Mentioning:
    """What the graph view holds of a memory, as it is held."""
    return graph.mentioning(doc=version.doc, text=version.text, speaker=version.speaker)


def differences(session: Session, state: State) -> Iterator[tuple[str, str, str]]:
    """Table, key and column of all that differs in the live generation."""
    build = generations.live(session, "graph")
    generation = build.generation if build else 0
    said = graph.counted(session, generation)
    reached = [versions[0] for versions in state.memories.values() if versions[0].doc <= said["doc"]]
    expected: dict[str, list[int]] = {}
    for version in sorted(reached, key=lambda version: version.doc):
        for name in mentioning_of(version).names:
            expected.setdefault(name, []).append(version.doc)
    if said["documents"] != len(reached):
        yield "graph_stream", f"generation {generation}", "documents"
    if said["doc"] > state.docs:
        yield "graph_stream", f"generation {generation}", "doc"
    comes_to: dict[str, dict[str, list[int | str]]] = {
        "mentions": {name: list(docs) for name, docs in expected.items()},
        "entities": {name: [len(docs)] for name, docs in expected.items()},
        "aliases": {name: sorted(aliases(name)) for name in expected if aliases(name)},
    }
    for what, table in (("mentions", "mention"), ("entities", "entity"), ("aliases", "entity_alias")):
        for name, column in _unlike(graph.stored(session, generation, what), comes_to[what]):
            yield table, f"name {_masked(name)}", column
    yield from _groups(session, state)


def groups_of(state: State, owner: Owner, doc: int) -> list[Community]:
    """The groups that the names of a stream make, by its open memories up to `doc` but those of one agent alone."""
    is_room = room_id_of(owner) is not None
    newest = (versions[-1] for versions in state.memories.values())
    held = sorted(
        (each for each in newest if each.is_open and each.doc <= doc and (is_room or each.agent_id is None)),
        key=lambda version: version.doc,
    )
    docs: dict[str, list[int]] = {}
    for version in held:
        for name in mentioning_of(version).names:
            docs.setdefault(name, []).append(version.doc)
    return communities(((name, np.array(docs[name], np.int64)) for name in sorted(docs)), len(held))


def _groups(session: Session, state: State) -> Iterator[tuple[str, str, str]]:
    """Groups are compared as long as nothing has come since they were made; later no name may be left that is gone."""
    made, stored = groups.made_of(session), groups.stored(session)
    if made is not None and made == groups.as_it_stands(session):
        if stored != [each.members for each in groups_of(state, session.owner, made.doc)]:
            yield "community", f"event {made.sequence}", "rows"
        return
    mentioned = {name for versions in state.memories.values() for name in mentioning_of(versions[0]).names}
    for name in sorted({name for members in stored for name in members} - mentioned):
        yield "community", f"name {_masked(name)}", "unknown"


def _unlike(stored: Iterable[tuple[str, int | str]], expected: dict[str, list[int | str]]) -> Iterator[tuple[str, str]]:
    """The names of which other rows are stored than expected, and what is wrong with them."""
    for name, rows in groupby(stored, key=_NAME):
        wanted = expected.pop(name, None)
        held = sorted((value for _, value in rows), key=str)
        if wanted is None:
            yield name, "unknown"
        elif held != sorted(wanted, key=str):
            yield name, "rows"
    for name in expected:
        yield name, "missing"


def _masked(name: str) -> str:
    """Another name for a name that does not say it: it is somebody's."""
    return hashlib.sha256(name.encode()).hexdigest()[:12]
