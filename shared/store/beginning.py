"""How a transaction begins, in one round trip, and how it ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final, LiteralString

import psycopg
from psycopg import sql

from shared import clock
from shared.contract.scope import Owner
from shared.store.connecting import Watched
from shared.store.queries import queries

_SQL: Final = queries("session")
_BOUNDS_WHOLE: Final = 170_000
"""The first server version that can end a transaction which takes too long as a whole."""
_TO_END_S: Final = 0.05
"""What the end of a transaction may take beyond its deadline: a round trip, after which the connection serves again."""

_Connection = psycopg.Connection[dict[str, Any]]


@contextmanager
def watched(connection: Watched, until_s: float | None) -> Iterator[None]:
    """A connection that waits for the server until an instant, or for ever."""
    connection.give_up_at_s = until_s
    try:
        yield
    finally:
        connection.give_up_at_s = None


@contextmanager
def ended(connection: Watched, *, is_reading: bool) -> Iterator[None]:
    """Commit at the end of the block, or roll back where it raises.

    A block that only read has all it came for: where its end fails, the connection is dropped, and nothing raised.
    """
    try:
        yield
    except BaseException:
        _allow_for_the_end(connection)
        with suppress(psycopg.Error):  # of a connection that is gone: why the block raised says more
            connection.rollback()
        raise
    _allow_for_the_end(connection)
    try:
        connection.commit()
    except psycopg.Error:
        if not is_reading:
            raise
        connection.close()


def _allow_for_the_end(connection: Watched) -> None:
    if connection.give_up_at_s is not None:
        connection.give_up_at_s = max(connection.give_up_at_s, clock.monotonic_s() + _TO_END_S)


def begin_writing(connection: _Connection, parameters: Mapping[str, object], *, is_bounded: bool) -> None:
    """Begin in one round trip."""
    with connection.pipeline():
        connection.execute("begin")
        connection.execute(_SQL["become"], parameters)
        if is_bounded and connection.info.server_version >= _BOUNDS_WHOLE:
            connection.execute(_SQL["bound_whole"], parameters)


def begin_reading(
    connection: _Connection,
    parameters: Mapping[str, object],
    whose: Mapping[str, object],
    beside: LiteralString | sql.Composed | None,
) -> tuple[Sequence[Owner], dict[str, Any] | None]:
    """Begin in one round trip; returns whose rows may be read, and what came of `beside`."""
    try:
        with connection.pipeline():
            connection.execute("begin")
            connection.execute(_SQL["read_only"])
            connection.execute(_SQL["become"], parameters)
            widened = connection.execute(_SQL["widen_to_rooms"], whose)
            found = connection.execute(beside, whose) if beside else None
            connection.execute(_SQL["begin_again_here"])
    except psycopg.Error:
        if connection.closed or beside is None:
            raise
        connection.rollback()
        return begin_reading(connection, parameters, whose, None)
    owners = [Owner(each) for each in (widened.fetchone() or {})["owners"].split(",")]
    return owners, found.fetchone() if found else None
