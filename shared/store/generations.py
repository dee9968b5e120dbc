"""Which complete build of each view is live, which is being built, and which was live before. The one writer of
`generation`.

Whoever writes a view holds a shared lock on it until the end of the transaction, so what `writing` says stays true that
long. Opening a build, switching and going back take the lock alone: from then on every writer writes the new one too,
and no write falls between two generations.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import psycopg

from shared.contract.errors import ModelMismatch, NotFound
from shared.store.db import Database, Query, Row, Session
from shared.store.queries import queries

_SQL: Final = queries("generations")
FIRST: Final = 1
_PAUSE_S: Final = 0.5

View = Literal["memory", "sparse", "dense", "graph", "profile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """One generation of a view."""

    generation: int
    model_id: str | None
    """Of the dense view: which model its vectors are of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Generations:
    """The generations of a tenant's view."""

    live: Build
    building: Build | None
    previous: Build | None
    """The one that was live before and can be gone back to."""

    @property
    def kept(self) -> tuple[Build, ...]:
        """All that are written, the live one first."""
        return tuple(each for each in (self.live, self.building, self.previous) if each)


def of(session: Session, view: View) -> Generations | None:
    """The generations of the tenant's view; None where nothing has been written to it."""
    row = session.row(_SQL["of_view"], view=view)
    return _generations(row) if row else None


def live(session: Session, view: View) -> Build | None:
    """The live generation of the tenant's view; None where nothing has been written to it."""
    found = of(session, view)
    return found.live if found else None


def writing(session: Session, view: View, *, model_id: str | None = None) -> Generations:
    """The generations that a writer of the view writes; held so until the transaction ends.

    Makes the first one live where there is none, with `model_id`. Take this lock before any stream's.
    """
    with session.connection.pipeline():
        session.execute(_SQL["share"], view=view)
        found = session.execute(_SQL["of_view"], view=view)
    row = found.fetchone()
    if row is None:
        session.execute(_SQL["ensure"], view=view, live=FIRST, model_id=model_id)
        row = session.row(_SQL["of_view"], view=view) or {}
    return _generations(row)


def ensure(session: Session, *views: View) -> None:
    """Make the first generation of the tenant's views live where there is none."""
    session.execute_many(_SQL["ensure"], [{"view": view, "live": FIRST, "model_id": None} for view in views])


def writing_dense(session: Session, model_id: str) -> tuple[int, ...]:
    """The generations of the dense view whose vectors are of one model, as `writing` gives them, the live one first.

    Raises:
        ModelMismatch: the live one is of another model. Vectors of two models are never compared.
    """
    found = writing(session, "dense", model_id=model_id)
    if found.live.model_id != model_id:
        raise ModelMismatch(mismatch(found.live.model_id, model_id), stored=found.live.model_id, configured=model_id)
    return tuple(each.generation for each in found.kept if each.model_id == model_id)


def dense_model(session: Session) -> str | None:
    """Which model the tenant's live vectors are of; None where there are none."""
    build = live(session, "dense")
    return build.model_id if build else None


def models(database: Database) -> set[str]:
    """The models that the live vectors of all tenants are of."""
    with database.claiming() as connection:
        return {row["model_id"] for row in connection.execute(_SQL["models"]).fetchall()}


def open_build(session: Session, view: View, *, model_id: str | None = None, replacing: bool = True) -> Build:
    """The build of the view that is under way, or a new one; from here on every writer writes it too.

    A build of another model is given up for it if it may be `replacing` one, and the generation before the live one is
    kept no longer: their rows are to be dropped.

    Raises:
        ModelMismatch: the build under way is of another model, and not to be given up.
    """
    alone(session, view)
    found = of(session, view)
    if found is None:
        session.execute(_SQL["ensure"], view=view, live=FIRST, model_id=model_id)
    elif found.building and found.building.model_id == model_id:
        return found.building
    elif found.building and not replacing:
        msg = f"generation {found.building.generation}, of {found.building.model_id}, is being built, and {model_id} is"
        msg = f"{msg} configured here: set DAYBOOK_EMBEDDING_MODEL to the former wherever workers run and restart them"
        raise ModelMismatch(f"{msg}, or give it up with `daybook reembed` in the foreground")
    row = session.row(_SQL["open_build"], view=view, model_id=model_id) or {}
    return Build(generation=row["building"], model_id=row["building_model"])


def alone(session: Session, view: View) -> None:
    """Wait until nobody writes the view, and let nobody write it until the transaction ends.

    Writers that come while this waits wait behind it: so it waits for a while only, and lets them by before it asks
    again. A long erasure would hold up all of a tenant's work otherwise.
    """
    while True:
        try:
            with session.savepoint():
                session.execute(_SQL["wait_shortly"])
                session.execute(_SQL["alone"], view=view)
                session.execute(_SQL["wait_on"])
        except psycopg.errors.LockNotAvailable:
            time.sleep(_PAUSE_S)
        else:
            return


def switch(session: Session, view: View) -> None:
    """Make the generation that is built the live one, and the live one the previous. The caller is `alone`."""
    session.execute(_SQL["switch"], view=view)


def go_back(session: Session, view: View) -> Generations:
    """Make the previous generation live again and the live one the previous; returns what is so now.

    Raises:
        NotFound: there is none to go back to.
    """
    alone(session, view)
    row = session.row(_SQL["go_back"], view=view)
    if row is None:
        raise NotFound(_no_earlier(view, of(session, view)), view=view)
    return _generations(row)


def drop(session: Session, statements: Sequence[Query], counter: Query, generation: int, *, limit: int) -> int:
    """Take away up to `limit` rows of the owner in a generation that is kept no longer; returns how many went.

    `statements` each delete so many rows of one table, `counter` the row that counts them, once nothing else is left:
    where fewer went. The caller holds the stream's lock and one on the view.
    """
    gone = 0
    for statement in statements:
        gone += session.execute(statement, generation=generation, limit=limit - gone).rowcount
        if gone >= limit:
            return gone
    session.execute(counter, generation=generation)
    return gone


def _no_earlier(view: View, found: Generations | None) -> str:
    if found is not None and found.building is not None:
        where = f"generation {found.building.generation} is being built and took its place"
        return f"the {view} view of this tenant has no earlier generation: {where}; let the build end, then go back"
    return f"the {view} view of this tenant has no earlier generation: it was never rebuilt"


def mismatch(stored: str | None, configured: str) -> str:
    """What to say when two models meet."""
    return (
        f"the stored vectors are of {stored}, the configured model is {configured}; set DAYBOOK_EMBEDDING_MODEL back "
        "to the stored one, or run `daybook reembed`: vectors of two models are never compared"
    )


def _generations(row: Row) -> Generations:
    def build(number: str, model: str) -> Build | None:
        return Build(generation=row[number], model_id=row[model]) if row[number] is not None else None

    return Generations(
        live=Build(generation=row["live"], model_id=row["model_id"]),
        building=build("building", "building_model"),
        previous=build("previous", "previous_model"),
    )
