"""How all stands that a reader sees, as one value: while it is the same, so is what a recall comes to."""

from __future__ import annotations

from typing import Final, NewType

from shared.contract.measures import Act
from shared.store.db import Query, Session
from shared.store.queries import queries

QUERY: Final[Query] = queries("standing")["standing"]
"""For `Database.transaction(beside=…)`: it costs no round trip there."""

Standing = NewType("Standing", tuple[str | None, ...])
"""The readable owners with the end of each one's stream, the counters of every view, which generations are live, and
what waits to be taken in, and what gates have set."""


def of(session: Session) -> Standing | None:
    """How all stands in a transaction that began with `QUERY` beside it; None where that could not be read."""
    if session.beside is None:
        return None
    return Standing((",".join(session.owners), *session.beside.values()))


def is_raised(session: Session) -> bool:
    """Whether a gate has raised the budget of the tenant's recalls, in a transaction as for `of`."""
    return session.beside is not None and Act.RAISE_BUDGET in (session.beside["held"] or "")
