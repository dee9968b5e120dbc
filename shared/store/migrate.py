"""Bring a database to the schema of this code."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from importlib import resources
from typing import TYPE_CHECKING, Final

import psycopg
from alembic.config import Config
from psycopg import sql
from sqlalchemy import URL, create_engine, make_url
from sqlalchemy.exc import NotSupportedError, OperationalError, ProgrammingError
from sqlalchemy.pool import NullPool

from shared.contract.errors import DatabaseUnavailable, ExtensionMissing, Misconfigured

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

_LOCK: Final = 0x6461_7962_6F6F_6B  # "daybook": one migrator at a time in a database
_INHERIT_PER_GRANT: Final = 160_000
_CONNECT_TIMEOUT_S: Final = 5
_ROLES: Final = ("daybook_app", "daybook_worker", "daybook_claimer", "daybook_reader")


def migrate(migrate_url: str, *, login: str | None, partitions: int) -> str:
    """Upgrade the schema to the newest version and return its revision; does nothing where it is there already.

    `login` is the user that `DAYBOOK_DATABASE_URL` connects as; it is made a member of Daybook's roles. Holds an
    advisory lock, so a second migrator waits and then finds nothing to do. Each revision is one transaction: killed at
    any point, the next call goes on from the last whole one.

    Raises:
        DatabaseUnavailable: the server does not answer.
        ExtensionMissing: the extension `vector` is missing and this login may not create it.
        Misconfigured: this login may not create the schema.
    """
    from alembic import command
    from alembic.runtime.migration import MigrationContext

    engine = create_engine(_alchemy_url(migrate_url), poolclass=NullPool)
    try:
        with engine.connect() as connection, _alone(connection):
            _require_vector(connection)
            connection.exec_driver_sql("select set_config('daybook.partitions', %s, false)", (str(partitions),))
            connection.commit()
            command.upgrade(_config(connection), "head")
            connection.commit()
            _admit(connection, login)
            connection.commit()
            return str(MigrationContext.configure(connection).get_current_revision())
    except OperationalError as error:
        raise DatabaseUnavailable(f"Postgres did not answer: {str(error.orig).strip()}") from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise _not_allowed(error) from error
    except ProgrammingError as error:
        if isinstance(error.orig, psycopg.errors.InsufficientPrivilege):
            raise _not_allowed(error.orig) from error
        raise
    finally:
        engine.dispose()


def prepare_dense(migrate_url: str, *, model_id: str, dimension: int) -> None:
    """Make the HNSW index of one embedding model on each leaf that lacks it, without blocking writers.

    An index that an interrupted build left invalid is made anew. m = 16 and ef_construction = 64 are pgvector's own.

    Raises:
        DatabaseUnavailable: the server does not answer.
    """
    digest = hashlib.sha256(model_id.encode()).hexdigest()[:8]
    try:
        with psycopg.connect(migrate_url, autocommit=True) as connection:
            connection.execute("select pg_advisory_lock(%s)", (_LOCK,))
            for leaf in _leaves(connection, "memory_vector"):
                _index_leaf(connection, leaf, f"{leaf}_hnsw_{digest}", model_id, dimension)
    except psycopg.errors.InsufficientPrivilege as error:
        raise _not_allowed(error) from error
    except psycopg.OperationalError as error:
        raise DatabaseUnavailable(f"Postgres did not answer: {str(error).strip()}") from error


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
    reason = str(error).strip().split("\n", 1)[0]
    return Misconfigured(f"the login may not do this: {reason}; set DAYBOOK_MIGRATE_URL to the owner of the database")


def login_of(database_url: str) -> str | None:
    """The user name that a Postgres URL connects as, if it names one."""
    return psycopg.conninfo.conninfo_to_dict(database_url).get("user")  # type: ignore[return-value]


def _alchemy_url(url: str) -> URL:
    for scheme in ("postgresql://", "postgres://"):
        if url.startswith(scheme):
            made = make_url("postgresql+psycopg://" + url.removeprefix(scheme))
            given = {"connect_timeout": str(_CONNECT_TIMEOUT_S), **made.query}
            return made.set(query=given)
    raise Misconfigured("a database URL must begin with postgresql://")


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(resources.files("shared.store.migrations")))
    config.attributes["connection"] = connection
    return config


@contextmanager
def _alone(connection: Connection) -> Iterator[None]:
    connection.exec_driver_sql("select pg_advisory_lock(%s)", (_LOCK,))
    connection.commit()
    try:
        yield
    finally:
        connection.rollback()
        connection.exec_driver_sql("select pg_advisory_unlock(%s)", (_LOCK,))
        connection.commit()


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


def _admit(connection: Connection, login: str | None) -> None:
    """Let `login` act as Daybook's roles, by SET ROLE alone: what it inherits, an unscoped statement could use."""
    if login is None:
        return
    per_grant = _server_version(connection) >= _INHERIT_PER_GRANT
    how = "with inherit false, set true" if per_grant else ""
    own = connection.exec_driver_sql("select current_user").scalar() == login
    driver = connection.connection.driver_connection
    for role in _ROLES:
        if own and _may_act_as(connection, role, "SET" if per_grant else "MEMBER"):
            continue  # one who is no owner either has nothing to grant, and nothing to do
        statement = sql.SQL("grant {} to {} " + how).format(sql.Identifier(role), sql.Identifier(login))
        driver.execute(statement)  # type: ignore[union-attr]
    if not how and not own:
        driver.execute(sql.SQL("alter role {} noinherit").format(sql.Identifier(login)))  # type: ignore[union-attr]


def _may_act_as(connection: Connection, role: str, privilege: str) -> bool:
    return bool(connection.exec_driver_sql("select pg_has_role(%s, %s)", (role, privilege)).scalar())


def _server_version(connection: Connection) -> int:
    return int(str(connection.exec_driver_sql("show server_version_num").scalar()))
