"""The statements of a recall without the recall: noted while it runs them, and run again on a plain connection."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from unittest.mock import patch

import psycopg
from psycopg.pq import Format

from shared.contract.scope import TENANT_OWNER
from shared.store import halfvec
from shared.store.db import Role
from shared.store.queries import queries

if TYPE_CHECKING:
    from shared.contract.scope import Scope

_HOUSEKEEPING: Final = frozenset({"begin", "commit", "rollback", *queries("session").values()})
"""What begins, bounds and ends a transaction: whoever asks by hand is who he is already."""


class Statement(NamedTuple):
    """A statement with its parameters."""

    query: Any
    parameters: Any
    binary: bool


@contextmanager
def noted() -> Iterator[list[Statement]]:
    """The statements that this thread runs within the block, in order, without those of its transactions."""
    found: list[Statement] = []
    me, execute = threading.get_ident(), psycopg.Cursor.execute

    def note(cursor: Any, query: Any, parameters: Any = None, **more: Any) -> Any:
        if threading.get_ident() == me and not (isinstance(query, str) and query in _HOUSEKEEPING):
            found.append(Statement(query, parameters, cursor.format is Format.BINARY))
        return execute(cursor, query, parameters, **more)

    with patch.object(psycopg.Cursor, "execute", note):
        yield found


def connected(database_url: str, scope: Scope, **options: Any) -> psycopg.Connection[Any]:
    """A connection in autocommit that may read and write the scope's rows, once and for all."""
    connection: psycopg.Connection[Any] = psycopg.connect(database_url, autocommit=True, **options)
    halfvec.speak(connection)
    owners = ",".join(dict.fromkeys([scope.user_id, TENANT_OWNER]))
    connection.execute(
        "select set_config('role', %s, false), set_config('daybook.tenant', %s, false), "
        "set_config('daybook.users', %s, false), set_config('plan_cache_mode', 'force_custom_plan', false)",
        (str(Role.APP), scope.tenant_id, owners),
    )
    return connection


def run(connection: psycopg.Connection[Any], statements: Sequence[Statement]) -> None:
    """Run statements one after the other, in one transaction, and take in what each gives."""
    with connection.transaction():
        for each in statements:
            with connection.cursor(binary=each.binary) as cursor:
                cursor.execute(each.query, each.parameters)
                cursor.fetchall()
