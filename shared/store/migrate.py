"""Bring a database to the schema of this code."""

from __future__ import annotations

import hashlib
import time
from contextlib import contextmanager
from importlib import resources
from typing import TYPE_CHECKING, Final

import psycopg
from alembic.config import Config
from psycopg import sql
from sqlalchemy import URL, create_engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NotSupportedError, PendingRollbackError, ProgrammingError
from sqlalchemy.pool import NullPool

from shared.clock import monotonic_s
from shared.contract.errors import (
    DatabaseUnavailable,
    DaybookError,
    ExtensionMissing,
    Misconfigured,
    SchemaMismatch,
)
from shared.store import roles
from shared.store.db import SCHEMA_VERSION
from shared.store.reasons import mismatch, reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import Connection

_LOCK: Final = 0x6461_7962_6F6F_6B  # "daybook": one migrator at a time in a database
_LOCK_TIMEOUT_S: Final = 120.0
"""Above what a migration, and the indexes of a database of some 100,000 memories, take."""
_TABLE_TIMEOUT_S: Final = 20.0
"""Whoever comes to a table after a migrator that waits for it, waits behind it: a long dump is not waited for."""
_PAUSE_S: Final = 0.05
_CONNECT_TIMEOUT_S: Final = 5
_TRY_LOCK: Final = "select pg_try_advisory_lock(%s)"


def migrate(migrate_url: str, *, login: str | None, partitions: int) -> str:
    """Upgrade the schema to the newest version and return its revision; does nothing where it is there already.

    `login` is the user that `DAYBOOK_DATABASE_URL` connects as; it is made a member of Daybook's roles. Holds an
    advisory lock, so a second migrator waits, for 120 s at most, and then finds nothing to do. Each revision is one
    transaction, but for those that make indexes of large tables concurrently, which may be run again: killed at any
    point, the next call goes on from the last whole one.

    Raises:
        DatabaseUnavailable: the server does not answer, another migrator is at it all that time, or somebody holds a
            table for longer than a revision waits; what was done by whole revisions stays.
        ExtensionMissing: the extension `vector` is missing and this login may not create it.
        SchemaMismatch: the schema is newer than this code, or a migration of data met rows that do not fit.
        Misconfigured: this login may not do it, or the database holds what is not Daybook's.
    """
    engine = create_engine(_alchemy_url(migrate_url), poolclass=NullPool)
    try:
        with _typed(), engine.connect() as connection, _alone(connection):
            found = _revision(connection)
            _require_no_newer(found)
            _require_vector(connection)
            roles.require(connection, login, is_empty=found is None, is_behind=found != SCHEMA_VERSION)
            _upgrade(connection, partitions)
            roles.admit(connection, login)
            connection.commit()
            return SCHEMA_VERSION
    finally:
        engine.dispose()


def _upgrade(connection: Connection, partitions: int) -> None:
    from alembic import command

    for name, value in (("daybook.partitions", str(partitions)), ("lock_timeout", f"{_TABLE_TIMEOUT_S:g}s")):
        connection.exec_driver_sql("select set_config(%s, %s, false)", (name, value))
    connection.commit()
    command.upgrade(_config(connection), "head")
    connection.commit()
    reached = _revision(connection)
    if reached != SCHEMA_VERSION:
        msg = f"the migrations end at {reached}, this code needs {SCHEMA_VERSION}: its files do not belong together"
        raise SchemaMismatch(f"{msg}; install it anew", found=reached, needed=SCHEMA_VERSION)


def _revision(connection: Connection) -> str | None:
    from alembic.runtime.migration import MigrationContext

    found = MigrationContext.configure(connection).get_current_revision()
    connection.commit()
    return found


@contextmanager
def _typed() -> Iterator[None]:
    """Have what Postgres refuses come out as one of our errors, whether it came by way of SQLAlchemy or not."""
    try:
        yield
    except DBAPIError as error:
        if (known := _known(error.orig or error)) is None:
            raise
        raise known from error
    except PendingRollbackError as error:  # a block outside a transaction has lost the server, and its end hides it
        hidden = error.__context__
        if not isinstance(hidden, DBAPIError) or (known := _known(hidden.orig or hidden)) is None:
            raise
        raise known from error
    except psycopg.Error as error:
        if (known := _known(error)) is None:
            raise
        raise known from error


def _known(error: BaseException) -> DaybookError | None:
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        return _not_allowed(error)
    if isinstance(error, (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected)):
        msg = f"somebody holds what the migration needs ({reason(error)})"
        return DatabaseUnavailable(f"{msg}; stop workers and dumps, and migrate again: it goes on from there")
    if isinstance(error, (psycopg.errors.DuplicateTable, psycopg.errors.DuplicateFunction)):
        return Misconfigured(f"{reason(error)}: give Daybook a database of its own")
    if isinstance(error, psycopg.OperationalError):
        return DatabaseUnavailable(f"Postgres did not answer: {reason(error)}")
    return None


def prepare_dense(migrate_url: str, *, model_id: str, dimension: int) -> None:
    """Make the HNSW index of one embedding model on each leaf that lacks it, without blocking writers.

    An index that an interrupted build left invalid is made anew. m = 16 and ef_construction = 64 are pgvector's own.

    Raises:
        DatabaseUnavailable: the server does not answer, or another migrator is at it for 120 s.
        Misconfigured: this login does not own the schema.
    """
    digest = hashlib.sha256(model_id.encode()).hexdigest()[:8]
    with _typed(), psycopg.connect(migrate_url, autocommit=True) as connection:
        _take_lock(lambda: bool(connection.execute(_TRY_LOCK, (_LOCK,)).fetchone() == (True,)))
        for leaf in _leaves(connection, "memory_vector"):
            _index_leaf(connection, leaf, f"{leaf}_hnsw_{digest}", model_id, dimension)


def _leaves(connection: psycopg.Connection, parent: str) -> list[str]:
    rows = connection.execute(
        "select relname from pg_inherits join pg_class on pg_class.oid = inhrelid "
        "where inhparent = %s::regclass order by 1",
        (parent,),
    )
    return [name for (name,) in rows]


def _index_leaf(connection: psycopg.Connection, leaf: str, name: str, model_id: str, dimension: int) -> None:
    row = connection.execute("select indisvalid from pg_index where indexrelid = to_regclass(%s)", (name,)).fetchone()
    if row is not None and row[0]:
        return
    names = {"name": sql.Identifier(name), "leaf": sql.Identifier(leaf)}
    connection.execute(sql.SQL("drop index if exists {name}").format(**names))
    connection.execute(
        sql.SQL(
            "create index concurrently {name} on {leaf} "
            "using hnsw ((embedding::halfvec({dimension})) halfvec_cosine_ops) where model_id = {model_id}"
        ).format(**names, dimension=sql.Literal(dimension), model_id=sql.Literal(model_id))
    )


def _not_allowed(error: psycopg.errors.InsufficientPrivilege) -> Misconfigured:
    return Misconfigured(
        f"the login may not do this: {reason(error)}; set DAYBOOK_MIGRATE_URL to the owner of the database"
    )


def login_of(database_url: str) -> str | None:
    """The user name that a Postgres URL connects as, if it names one."""
    return psycopg.conninfo.conninfo_to_dict(database_url).get("user")  # type: ignore[return-value]


def _alchemy_url(url: str) -> URL:
    for scheme in ("postgresql://", "postgres://"):
        if url.startswith(scheme):
            made = _parsed("postgresql+psycopg://" + url.removeprefix(scheme))
            given = {"connect_timeout": str(_CONNECT_TIMEOUT_S), **made.query}
            return made.set(query=given)
    raise Misconfigured("a database URL must begin with postgresql://")


def _parsed(url: str) -> URL:
    try:
        return make_url(url)
    except (ArgumentError, ValueError):  # their messages, and tracebacks, quote it
        raise Misconfigured("the database URL cannot be read: write it as postgresql://user:password@host/db") from None


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(resources.files("shared.store.migrations")))
    config.attributes["connection"] = connection
    return config


@contextmanager
def _alone(connection: Connection) -> Iterator[None]:
    def try_lock() -> bool:
        held = connection.exec_driver_sql(_TRY_LOCK, (_LOCK,)).scalar()
        connection.commit()
        return bool(held)

    _take_lock(try_lock)
    try:
        yield
    finally:
        connection.rollback()
        connection.exec_driver_sql("select pg_advisory_unlock(%s)", (_LOCK,))
        connection.commit()


def _take_lock(try_lock: Callable[[], bool]) -> None:
    """Ask for the lock until it is given.

    A statement that waited for it would hold a snapshot meanwhile, which the lock's holder waits for in turn when it
    makes an index concurrently.
    """
    deadline = monotonic_s() + _LOCK_TIMEOUT_S
    while not try_lock():
        if monotonic_s() > deadline:
            msg = f"another migrator has been at this database for {_LOCK_TIMEOUT_S:g} s: wait for it, or end it"
            raise DatabaseUnavailable(msg)
        time.sleep(_PAUSE_S)


def _require_no_newer(found: str | None) -> None:
    if found and found > SCHEMA_VERSION:
        raise mismatch(found, needed=SCHEMA_VERSION)


def _require_vector(connection: Connection) -> None:
    installed = "select exists (select from pg_extension where extname = 'vector')"
    if connection.exec_driver_sql(installed).scalar():
        return
    try:
        connection.exec_driver_sql("create extension vector")
        connection.commit()
    except (NotSupportedError, ProgrammingError) as error:
        msg = f"the database lacks pgvector; a superuser must run once: CREATE EXTENSION vector; ({error.orig})"
        raise ExtensionMissing(msg.replace("\n", " ")) from error
