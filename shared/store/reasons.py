"""Why Postgres, or its driver, refused: in words that may be shown and logged."""

from __future__ import annotations

import re
from typing import Final

import psycopg

from shared.contract.errors import SchemaMismatch

_URL: Final = re.compile(r"\b([a-z][\w+.-]*://).*", re.IGNORECASE)
_PASSWORD: Final = re.compile(r"\b(password\s*=\s*)('(?:[^'\\]|\\.)*'|\S+)", re.IGNORECASE)


def reason(error: BaseException) -> str:
    """The first line of an error, without any part of a connection string that may hold a password.

    A driver that cannot read a connection string quotes what it stumbled over, which can be any part of the password;
    nothing of such a message is kept. Where a whole URL is quoted, all from its scheme on is masked: a password may
    hold the very characters that should end it.
    """
    if isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None:
        return "the connection string cannot be read: write it as postgresql://user:password@host:port/database"
    line = str(error).strip().split("\n", 1)[0]
    return _PASSWORD.sub(r"\1***", _URL.sub(r"\1***", line))


def mismatch(found: str | None, *, needed: str) -> SchemaMismatch:
    """The error for a database whose schema has the version `found`; versions are in the order of their names."""
    state = f"schema version {found}" if found else "no Daybook schema"
    advice = "run `daybook migrate`"
    if found and found > needed:
        advice = "this code is older than the database and must be upgraded; nothing has been changed"
    msg = f"the database has {state}, this code needs {needed}: {advice}"
    return SchemaMismatch(msg, found=found, needed=needed)
