"""Which streams there are, of all tenants: for jobs that go through them. Reads only."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal

from shared.contract.scope import Owner
from shared.store.db import Database, Row, Session
from shared.store.generations import View
from shared.store.queries import queries

_SQL: Final = queries("streams")

Numbered = Literal["sparse", "graph"]
"""The views that say of each owner up to which memory's number they go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """How far a view has come with an owner's memories."""

    owner: Owner
    last_doc: int
    """The number of the owner's newest memory."""
    doc: int
    """The number of the last one that has been taken in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A stream with its place on the round that jobs make through all of them."""

    tenant_id: str
    owner: Owner
    events: int
    """Its last sequence."""
    place: int
    """A digest of whose it is: the streams of all tenants are mixed, and one that is new has a place among them."""


def on_round(database: Database, tenant_id: str | None, *, behind: int | None, limit: int) -> list[Placed]:
    """The next streams on the round behind a place, of one tenant or (None) of all; behind the last comes the first."""
    return _placed(database, "on_round", tenant_id, behind=behind, limit=limit)


def at_places(database: Database, tenant_id: str | None, places: Collection[int]) -> list[Placed]:
    """The streams at some places of the round, in order."""
    return _placed(database, "at_places", tenant_id, places=list(places)) if places else []


def _placed(database: Database, query: str, tenant_id: str | None, **more: object) -> list[Placed]:
    with database.claiming() as connection:
        rows = connection.execute(_SQL[query], {"tenant_id": tenant_id, **more}).fetchall()
    return [
        Placed(tenant_id=row["tenant_id"], owner=Owner(row["user_id"]), events=row["last_sequence"], place=row["place"])
        for row in rows
    ]


def of_tenant(database: Database, tenant_id: str | None) -> list[tuple[str, Owner, int]]:
    """Tenant, owner and last sequence of every stream, of one tenant or (None) of all, in order."""
    with database.claiming() as connection:
        rows = connection.execute(_SQL["of_tenant"], {"tenant_id": tenant_id}).fetchall()
    return [(row["tenant_id"], Owner(row["user_id"]), row["last_sequence"]) for row in rows]


def behind(within: Database | Session, tenant_id: str, generation: int, view: Numbered = "sparse") -> list[Position]:
    """The owners whose memories a generation of a view has not all taken in, in order."""
    return _positions(_of_views(within, f"behind_{view}", tenant_id, generation=generation))


def trailing(within: Database | Session, tenant_id: str, generation: int, view: Numbered) -> list[Position]:
    """The owners of whom the live generation of a view has taken in more than another one, in order.

    Words are entered as memories are numbered, so of these it is the same as `behind`; names come after.
    """
    if view == "sparse":
        return behind(within, tenant_id, generation, view)
    return _positions(_of_views(within, "trailing_graph", tenant_id, generation=generation))


def _positions(rows: list[Row]) -> list[Position]:
    return [Position(owner=Owner(row["user_id"]), last_doc=row["last_doc"], doc=row["doc"]) for row in rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far the profile view goes with an owner's stream."""

    owner: Owner
    last_sequence: int
    """Where it should go to."""
    sequence: int
    """Where it goes."""


def behind_profile(within: Database | Session, tenant_id: str, generation: int) -> list[Reach]:
    """The owners with memories of whose stream a generation of the profile view lacks the end, in order."""
    return _reaches(_of_views(within, "behind_profile", tenant_id, generation=generation))


def trailing_profile(within: Database | Session, tenant_id: str, generation: int) -> list[Reach]:
    """The owners of whose stream the live generation of the profile view has more than another one, in order."""
    return _reaches(_of_views(within, "trailing_profile", tenant_id, generation=generation))


def _reaches(rows: list[Row]) -> list[Reach]:
    return [
        Reach(owner=Owner(row["user_id"]), last_sequence=row["last_sequence"], sequence=row["sequence"]) for row in rows
    ]


def with_memories(database: Database, tenant_id: str) -> list[tuple[Owner, int]]:
    """The tenant's owners of whom a memory is there and the last number that each one has given, in order.

    Whoever has been erased is none of them, so that no job writes anything of them again.
    """
    return [(Owner(row["user_id"]), row["last_doc"]) for row in _of_views(database, "with_memories", tenant_id)]


def with_cold(database: Database, tenant_id: str) -> set[Owner]:
    """The tenant's owners of whom a memory is in the cold tier, by the counters of the live view of words."""
    return {Owner(row["user_id"]) for row in _of_views(database, "with_cold", tenant_id)}


def has_memories(session: Session) -> bool:
    """Whether a memory of the session's owner is there; under the stream's lock it stays so."""
    return bool(_of_views(session, "has_memories", session.tenant_id, user_id=session.owner))


def numbered(database: Database, tenant_id: str) -> int:
    """How many numbers the tenant's streams have given to memories, those that are gone included."""
    (row,) = _of_views(database, "numbered", tenant_id)
    return int(row["docs"])


def lacking_vectors(within: Database | Session, tenant_id: str, generation: int) -> list[tuple[Owner, int]]:
    """The owners some of whose memories have no vector in a generation, and how many, by the views' counters."""
    rows = _of_views(within, "lacking_vectors", tenant_id, generation=generation)
    return [(Owner(row["user_id"]), row["lacking"]) for row in rows]


def lacking_tenants(database: Database) -> list[str]:
    """The tenants some of whose memories have no vector in the live generation, by the views' counters, in order."""
    with database.claiming() as connection:
        return [row["tenant_id"] for row in connection.execute(_SQL["lacking_tenants"]).fetchall()]


def with_vectors(database: Database, tenant_id: str, generation: int) -> tuple[int, int]:
    """How many vectors a generation has, and how many memories of the tenant words find, by the views' counters."""
    (row,) = _of_views(database, "with_vectors", tenant_id, generation=generation)
    return row["vectors"], row["documents"]


def left_over(database: Database, tenant_id: str, view: View) -> list[tuple[Owner, int]]:
    """Owner and number of the generations of a view that have rows and are not kept, in order; not of `memory`."""
    return [(Owner(row["user_id"]), row["generation"]) for row in _of_views(database, f"left_over_{view}", tenant_id)]


def tenants(database: Database) -> list[str]:
    """Every tenant that has had a memory, in order."""
    with database.claiming() as connection:
        return [row["tenant_id"] for row in connection.execute(_SQL["tenants"]).fetchall()]


def behind_tenants(database: Database) -> list[str]:
    """The tenants of whose memories the live generation of the graph view has not taken in all, in order."""
    with database.claiming() as connection:
        return [row["tenant_id"] for row in connection.execute(_SQL["behind_tenants"]).fetchall()]


def is_known(database: Database, tenant_id: str) -> bool:
    """Whether a tenant has a stream."""
    return bool(_of_views(database, "is_known", tenant_id))


def _of_views(within: Database | Session, query: str, tenant_id: str, **parameters: object) -> list[Row]:
    """Ask as the claimer: in a transaction of its own, or within somebody's, who needs no second connection for it."""
    whose = {"tenant_id": tenant_id, **parameters}
    if isinstance(within, Database):
        with within.claiming() as connection:
            return connection.execute(_SQL[query], whose).fetchall()
    before = within.row(_SQL["become_claimer"]) or {}
    rows = within.connection.execute(_SQL[query], whose).fetchall()
    within.execute(_SQL["become_again"], role=before["before"])
    return rows
