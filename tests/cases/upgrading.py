"""Databases as the first release left them, and what they hold and are: to be compared before and after an upgrade."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from alembic import command
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import create_engine

from shared.store.migrate import _alchemy_url, _config
from shared.testing import Urls
from tests.cases.first_release import fill

LOGIN: Final = "daybook"
_PARTITIONS: Final = 2
Contents = dict[str, tuple[int, str, tuple[str, ...]]]

_COLUMNS: Final = """
    select relname, array_agg(attname::text order by attname)
    from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
        and relname <> 'alembic_version' and attnum > 0 and not attisdropped
    group by 1
"""
_CONTENTS: Final = """
    select count(*), md5(coalesce(string_agg(row::text, chr(10) order by row::text), ''))
    from (select {columns} from {table}) as row
"""
# All that a migration may make: by what it says, not by number.
_SCHEMA: Final = """
    select 'column ' || attrelid::regclass || '.' || attname || ' ' || format_type(atttypid, atttypmod)
        || ' ' || attnotnull || ' ' || coalesce(pg_get_expr(adbin, adrelid), '') || ' ' || coalesce(attacl::text, '')
    from pg_attribute join pg_class on pg_class.oid = attrelid
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and attnum > 0
    union all
    select 'table ' || relname || ' ' || relrowsecurity || relforcerowsecurity || coalesce(relacl::text, '')
    from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
    union all
    select 'index ' || pg_get_indexdef(indexrelid) || ' ' || indisvalid
    from pg_index join pg_class on pg_class.oid = indrelid where relnamespace = 'public'::regnamespace
    union all
    select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
    from pg_constraint where connamespace = 'public'::regnamespace and conrelid <> 0
    union all
    select 'policy ' || row(policy.*)::text from pg_policies as policy where schemaname = 'public'
    union all
    select 'trigger ' || pg_get_triggerdef(pg_trigger.oid)
    from pg_trigger join pg_class on pg_class.oid = tgrelid
    where relnamespace = 'public'::regnamespace and not tgisinternal and not tgname like 'probe%'
    union all
    select 'function ' || pg_get_functiondef(pg_proc.oid) from pg_proc
    where pronamespace = 'public'::regnamespace and not exists (
        select from pg_depend where objid = pg_proc.oid and deptype = 'e'
    )
"""


@contextmanager
def first_release(servers: Any) -> Iterator[Urls]:
    """A copy of it; dropped afterwards, whoever is still connected."""
    with new_database(servers, template=_built(servers)) as urls:
        yield urls


@contextmanager
def new_database(servers: Any, *, template: str = "template1") -> Iterator[Urls]:
    """A database that is a copy of another."""
    name = f"test_{secrets.token_hex(6)}"
    with psycopg.connect(servers.migrate_url, autocommit=True) as server:
        names = {"name": sql.Identifier(name), "template": sql.Identifier(template)}
        server.execute(sql.SQL("create database {name} template {template}").format(**names))
        try:
            yield Urls(database_url=renamed(servers.database_url, name), migrate_url=renamed(servers.migrate_url, name))
        finally:
            server.execute(sql.SQL("drop database {name} with (force)").format(**names))


_templates: Final[dict[str, str]] = {}


def _built(servers: Any) -> str:
    """The name of the one that is copied; made once for each server, and gone with it."""
    if servers.migrate_url not in _templates:
        name = f"first_release_{secrets.token_hex(6)}"
        with psycopg.connect(servers.migrate_url, autocommit=True) as server:
            server.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        url = renamed(servers.migrate_url, name)
        make_schema(url)
        fill(url)
        _templates[servers.migrate_url] = name
    return _templates[servers.migrate_url]


def make_schema(url: str, *, revision: str = "0001") -> None:
    """Bring an empty database to the first released schema, and no further."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("create extension if not exists vector")
    engine = create_engine(_alchemy_url(url))
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql(f"set daybook.partitions = {_PARTITIONS}")
            connection.commit()
            command.upgrade(_config(connection), revision)
            connection.commit()
    finally:
        engine.dispose()


def renamed(url: str, database: str, **other: str) -> str:
    """The same server, another database, and another login if that is given."""
    parts = {**conninfo_to_dict(url), **other}
    return f"postgresql://{parts['user']}:{parts['password']}@{parts['host']}:{parts['port']}/{database}"


def read(urls: Urls, query: str, *parameters: object) -> list[tuple[Any, ...]]:
    """Rows of a query, as the owner, who is a superuser here."""
    with psycopg.connect(urls.migrate_url) as connection:
        return connection.execute(query.encode(), parameters or None).fetchall()


def version(url: str) -> str:
    with psycopg.connect(url) as connection:
        [row] = connection.execute("select version_num from alembic_version").fetchall()
        return str(row[0])


def contents(url: str, *, like: Contents | None = None) -> Contents:
    """Of each table: how many rows, a digest of them, and its columns; of those of `like` alone, if it is given."""
    with psycopg.connect(url) as connection:
        tables = {name: tuple(columns) for name, columns in connection.execute(_COLUMNS)}
        if like is not None:
            tables = {name: columns for name, (_, _, columns) in like.items()}
        found: Contents = {}
        for name, columns in sorted(tables.items()):
            names = sql.SQL(", ").join(map(sql.Identifier, columns))
            query = sql.SQL(_CONTENTS).format(columns=names, table=sql.Identifier(name))
            [(count, digest)] = connection.execute(query).fetchall()
            found[name] = (count, digest, columns)
        return found


def ledger_hashes(url: str) -> list[tuple[Any, ...]]:
    """The hash chain of every stream, in order."""
    with psycopg.connect(url) as connection:
        query = "select tenant_id, stream, sequence, hash from event order by 1, 2, 3"
        return connection.execute(query).fetchall()


def schema(url: str) -> list[str]:
    """All that makes a schema, in words."""
    with psycopg.connect(url) as connection:
        return sorted(row[0] for row in connection.execute(_SCHEMA.encode()))
