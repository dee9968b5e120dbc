"""Groups of names that are spoken of together. The one writer of `community` and `community_stream`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Final

import numpy as np

from shared.belief.communities import Community, Ints, maker
from shared.contract.scope import room_id_of
from shared.store.columns import portions
from shared.store.db import Session
from shared.store.queries import queries

_SQL: Final = queries("communities")


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeOf:
    """What the groups of a stream were made of, and by what: where it differs, they are to be found anew."""

    generation: int
    """Of the graph view."""
    doc: int
    """Up to which number that had taken memories in."""
    sequence: int
    """The stream's last event."""
    made_by: str
    """See `shared.belief.communities.maker`."""


def mentions(session: Session, *, generation: int, doc: int) -> Iterator[tuple[str, Ints]]:
    """Of each name that several open memories of the owner mention, up to number `doc`, which; in order of names.

    Those that one agent alone may read are left out. Fetched in portions.
    """
    with session.connection.cursor(name="community_mentions") as cursor:
        cursor.itersize = 2_000
        cursor.execute(_SQL["mentions"], session.whose(generation=generation, doc=doc, **_of_no_agent(session)))
        for row in cursor:
            yield row["name"], np.array(row["docs"], np.int64)


def held(session: Session, *, doc: int) -> int:
    """How many open memories the owner has up to number `doc`, but for those that one agent alone may read."""
    row = session.row(_SQL["held"], doc=doc, **_of_no_agent(session))
    return row["memories"] if row else 0


def _of_no_agent(session: Session) -> dict[str, object]:
    """What makes a statement read what every agent may, whoever asks: groups are one and the same for all."""
    return {"agent_id": None, "narrowed": [session.owner] if room_id_of(session.owner) is None else []}


def made_of(session: Session) -> MadeOf | None:
    """What the owner's groups were made of; None where there never were any."""
    row = session.row(_SQL["made_of"])
    return MadeOf(**row) if row else None


def as_it_stands(session: Session) -> MadeOf | None:
    """What groups of the owner would be made of by now; None where there is no graph view, or nothing in it."""
    row = session.row(_SQL["as_it_stands"])
    return MadeOf(**row, made_by=maker()) if row else None


def stored(session: Session) -> list[tuple[str, ...]]:
    """The owner's groups in order, each with its names in order; those of which nothing is left are passed over."""
    found: dict[int, list[str]] = {}
    for row in session.rows(_SQL["stored"]):
        found.setdefault(row["number"], []).append(row["name"])
    return [tuple(names) for names in found.values()]


def write(session: Session, found: Sequence[Community], made: MadeOf) -> None:
    """Put groups in the place of those that there are. The caller is the eraser and holds the stream's lock.

    A name that nobody mentions any more is left out.
    """
    clear(session)
    session.execute(_SQL["note"], **asdict(made))
    for columns in portions(_rows(found)):
        session.execute(_SQL["insert"], **columns, generation=made.generation)


def remove(session: Session, names: Collection[str]) -> None:
    """Take names of the owner out of the groups, as nobody mentions them any more. For the eraser."""
    session.execute(_SQL["remove"], names=list(names))


def clear(session: Session) -> int:
    """Take out everything of the owner; returns how many names were in a group. For the eraser."""
    gone = session.execute(_SQL["clear"]).rowcount
    session.execute(_SQL["clear_stream"])
    return gone


def _rows(found: Iterable[Community]) -> Iterator[dict[str, object]]:
    return (
        {"number": number, "place": place, "name": name}
        for number, each in enumerate(found, 1)
        for place, name in enumerate(each.members, 1)
    )
