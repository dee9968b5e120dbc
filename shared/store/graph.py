"""The graph view: which memory mentions which name. The one writer of `mention`, `entity`, `entity_alias` and
`graph_stream`.

Entities and memories are its nodes, mentions its edges: two entities belong together where one memory mentions both,
and two memories where they mention one entity. All of it is a function of which memories are held, whatever the order
they came in, so that it is what a replay comes to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from shared.language.indexing import named
from shared.language.name_keys import aliases, key_of
from shared.language.names import names_in
from shared.store import communities, generations, memories
from shared.store.db import Row, Session
from shared.store.generations import Generations
from shared.store.keys import Ints
from shared.store.queries import queries

_SQL: Final = queries("graph")

CAUGHT_UP_AT_A_TIME: Final = 1_000
"""Memories that `catch_up` enters: about a second. Whoever indexes a run holds its stream that long, and no longer."""
_NOTHING: Final[Row] = {"documents": 0, "doc": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mentioning:
    """A memory as the graph view takes it in."""

    doc: int
    names: tuple[str, ...]
    """Keys of the names in its text and of its speaker, each once."""


def mentioning(*, doc: int, text: str, speaker: str | None) -> Mentioning:
    """What the graph view holds of a memory."""
    keys = (key_of(named(speaker)), *(name.key for name in names_in(text)))
    return Mentioning(doc=doc, names=tuple(dict.fromkeys(filter(None, keys))))


def catch_up(session: Session, found: Generations, *, until: int) -> None:
    """Enter the owner's next memories, as far as number `until`, into the generations of the view.

    A portion at a time: a stream that is far behind is not waited for. A generation that is being built and trails the
    live one is left to its builder. The caller holds the stream's lock and one on the view, which `found` is of.
    """
    reached = positions(session)
    live = reached.get(found.live.generation, 0)
    into: dict[int, list[int]] = {}
    for build in found.kept:
        at = reached.get(build.generation, 0)
        if at < until and (build != found.building or at >= live):
            into.setdefault(at, []).append(build.generation)
    for after, numbers in into.items():
        enter_next(session, numbers, after=after, until=min(after + CAUGHT_UP_AT_A_TIME, until))


def enter_next(session: Session, into: Sequence[int], *, after: int, until: int) -> int:
    """Enter the owner's memories from behind number `after` to `until`; returns how many that are. Locks as above."""
    rows = memories.to_enter(session, after=after, until=until)
    mentions = [mentioning(doc=row["doc"], text=row["text"], speaker=row["speaker"]) for row in rows]
    enter(session, mentions, into, until=until)
    return len(rows)


def enter(session: Session, mentions: Sequence[Mentioning], into: Sequence[int], *, until: int) -> None:
    """Enter memories of the owner behind what each generation of `into` has, up to number `until`. Locks as above."""
    names = [(name, each.doc) for each in mentions for name in each.names]
    times: dict[str, int] = {}
    for name, _ in names:
        times[name] = times.get(name, 0) + 1
    if names:
        columns = {"names": [name for name, _ in names], "docs": [doc for _, doc in names]}
        rows = session.rows(_SQL["mention"], generations=list(into), **columns)
        _call(session, [(row["generation"], row["name"]) for row in rows if row["memories"] == times[row["name"]]])
    session.execute(_SQL["count"], generations=list(into), documents=len(mentions), doc=until)


def _call(session: Session, new: Sequence[tuple[int, str]]) -> None:
    """Write down under which other forms names that are new are found."""
    rows = [(generation, alias, name) for generation, name in new for alias in aliases(name)]
    if rows:
        columns = dict(zip(("generations", "aliases", "names"), map(list, zip(*rows, strict=True)), strict=True))
        session.execute(_SQL["call"], **columns)


def positions(session: Session) -> dict[int, int]:
    """By generation: the number of the owner's last memory that it has taken in."""
    return {row["generation"]: row["doc"] for row in session.rows(_SQL["positions"])}


def remove(session: Session, docs: Sequence[int]) -> int:
    """Take numbered memories of the owner out of every generation; returns how many mentions went.

    What nobody mentions any more goes with them. Locks as for `catch_up`.
    """
    rows = session.rows(_SQL["unmention"], docs=list(docs))
    left = [(row["generation"], row["name"]) for row in rows if not row["memories"]]
    if left:
        columns = {"generations": [generation for generation, _ in left], "names": [name for _, name in left]}
        session.execute(_SQL["drop_aliases"], **columns)
        session.execute(_SQL["drop_entities"], **columns)
        communities.remove(session, columns["names"])
    session.execute(_SQL["discount"], docs=list(docs))
    return sum(row["gone"] for row in rows)


def clear(session: Session) -> int:
    """Take everything of the owner out of every generation; returns how many mentions went."""
    gone = session.execute(_SQL["clear_mentions"]).rowcount
    for query in ("clear_aliases", "clear_entities", "clear_streams"):
        session.execute(_SQL[query])
    return gone


def drop(session: Session, generation: int, *, limit: int) -> int:
    """See `generations.drop`. Names go before their mentions: `remove` finds a name by what mentions it."""
    statements = [_SQL[f"drop_{table}"] for table in ("generation_aliases", "generation_entities", "mentions")]
    return generations.drop(session, statements, _SQL["drop_stream"], generation, limit=limit)


def stored(session: Session, generation: int, what: str) -> Iterator[tuple[str, int | str]]:
    """The owner's `mentions` (name, doc), `entities` (name, memories) or `aliases` (name, alias) in a generation.

    In order of names, fetched in portions.
    """
    with session.connection.cursor(name=f"graph_{what}") as cursor:
        cursor.itersize = 5_000
        parameters = {"tenant_id": session.tenant_id, "owner": session.owner, "owners": list(session.owners)}
        cursor.execute(_SQL[what], {**parameters, "generation": generation})
        for row in cursor:
            name = row.pop("name")
            (value,) = row.values()
            yield name, value


def counted(session: Session, generation: int) -> Row:
    """What a generation is said to hold of the owner: `documents`, and up to which `doc`."""
    return session.row(_SQL["counted"], generation=generation) or _NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """An entity that is called as was asked."""

    asked: str
    name: str
    memories: int
    """How many memories of all owners that the session reads mention it."""


def called(session: Session, names: Sequence[str], *, limit: int) -> list[Called]:
    """Who is called by each of `names`, as it stands or as another form of theirs; of the latter at most `limit` each.

    In order of `names`.
    """
    found: dict[tuple[str, str], int] = {}
    for row in session.rows(_SQL["called"], names=list(names), limit=limit):
        key = row["asked"], row["name"]
        found[key] = found.get(key, 0) + row["memories"]
    return [Called(asked=asked, name=name, memories=number) for (asked, name), number in found.items()]


def known(session: Session, names: Sequence[str]) -> set[str]:
    """Those of the names by which somebody is called, as they stand or as another form of theirs."""
    (found,) = session.columns(_SQL["known"], names=list(names))
    return set(found)


def sharing(session: Session, docs: Sequence[int], *, commonest: int, per_name: int) -> list[tuple[int, str, int, int]]:
    """Of numbered memories of the owner, older ones that mention the same: number, name, its memories, older number.

    By names that `commonest` memories mention at most; of each the `per_name` newest older ones.
    """
    columns = session.columns(_SQL["sharing"], docs=list(docs), commonest=commonest, per_name=per_name)
    return list(zip(*columns, strict=True))


def around(
    session: Session, names: Sequence[str], near: Ints, *, per_seed: int, commonest: int, most_names: int, per_name: int
) -> list[tuple[str, list[int]]]:
    """Names in the neighbourhood of some names and memories, each with the keys of memories that mention it.

    Of each of `names`, `per_seed` memories are a beginning. Names that more than `commonest` memories mention are left
    out, and of the others the `most_names` rarest kept, of each `per_name` memories besides those that it begins with.
    """
    columns = session.columns(
        _SQL["around"],
        names=list(names),
        near=near.tolist(),
        per_seed=per_seed,
        commonest=commonest,
        most_names=most_names,
        per_name=per_name,
    )
    return list(zip(*columns, strict=True))
