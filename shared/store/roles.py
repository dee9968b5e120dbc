"""Who may act as Daybook's roles: what a migrator needs for it, and letting the login in.

Roles belong to the whole server. In a second database of one server they are there already, and whoever owns that
database may only grant them with the admin option, which a DBA gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from psycopg import sql

from shared.contract.errors import Misconfigured
from shared.store.db import Role

if TYPE_CHECKING:
    from sqlalchemy import Connection

_ACTED_AS: Final = frozenset({Role.CLAIMER, Role.WORKER})
"""Migrations of data act as these: under forced row-level security the owner of the tables sees no row."""
_INHERIT_PER_GRANT: Final = 160_000
# A superuser may do everything, and has every privilege on every role.
_STANDING = """
    select name, to_regrole(name) is not null as is_made,
        coalesce(pg_has_role(to_regrole(name), %(grants)s) or %(creates)s and %(version)s < 160000, false) as may_grant,
        coalesce(pg_has_role(to_regrole(name), %(acts)s), false) as may_act,
        coalesce(pg_has_role(to_regrole(quote_ident(%(login)s)), to_regrole(name), %(acts)s), false) as lets_login_in,
        coalesce(pg_has_role(to_regrole(quote_ident(%(login)s)), to_regrole(name), 'USAGE'), false) as is_inherited
    from unnest(%(names)s::text[]) with ordinality as wanted (name, place)
    order by place
"""
_SELF = """
    select current_user::text as name, quote_ident(current_user) as quoted, rolsuper or rolcreaterole as creates,
        current_setting('server_version_num')::integer as version,
        %(login)s::text is null or to_regrole(quote_ident(%(login)s)) is not null as login_is_made
    from pg_roles
    where rolname = current_user
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    """How the migrator, and the login, stand to one role."""

    name: str
    is_made: bool
    may_grant: bool
    may_act: bool
    lets_login_in: bool
    is_inherited: bool

    def lacks(self, login: str | None, *, own: bool) -> bool:
        """Whether the login is still to be let in: by SET ROLE alone, for an unscoped statement could use the rest."""
        return login is not None and not (self.lets_login_in and (own or not self.is_inherited))


def require(connection: Connection, login: str | None, *, is_empty: bool, is_behind: bool) -> None:
    """Make sure, before anything is changed, that this connection may make, grant and act as what it will have to.

    `is_empty` says that there is no schema yet, `is_behind` that there are migrations to be run.

    Raises:
        Misconfigured: it may not; the message is what a superuser must run once.
    """
    me = connection.exec_driver_sql(_SELF, {"login": login}).one()
    if not me.login_is_made:
        raise Misconfigured(f"DAYBOOK_DATABASE_URL connects as {login!r}, and the server has no such role: make it")
    roles = _standings(connection, login, creates=me.creates, version=me.version)
    missing = [each.name for each in roles if not each.is_made]
    if (is_empty or missing) and not me.creates:
        what = f"makes the roles {', '.join(missing)}" if missing else "makes roles"
        raise _for_a_dba(f"{me.name!r} {what} and may not", f"ALTER ROLE {me.quoted} CREATEROLE;")
    foreign = [
        each.name
        for each in roles
        if each.is_made
        and not each.may_grant
        and (each.lacks(login, own=me.name == login) or (is_behind and each.name in _ACTED_AS and not each.may_act))
    ]
    if foreign:
        grant = f"GRANT {', '.join(foreign)} TO {me.quoted} WITH ADMIN OPTION;"
        raise _for_a_dba(f"{me.name!r} may not grant {', '.join(foreign)}, which somebody else made", grant)


def admit(connection: Connection, login: str | None) -> None:
    """Let `login` act as Daybook's roles, by SET ROLE alone; does nothing where it may already."""
    me = connection.exec_driver_sql(_SELF, {"login": login}).one()
    per_grant = me.version >= _INHERIT_PER_GRANT
    how = "with inherit false, set true" if per_grant else ""
    driver = connection.connection.driver_connection
    for each in _standings(connection, login, creates=me.creates, version=me.version):
        if login is not None and each.lacks(login, own=me.name == login):
            grant = sql.SQL("grant {} to {} " + how).format(sql.Identifier(each.name), sql.Identifier(login))
            driver.execute(grant)  # type: ignore[union-attr]
            if not per_grant and me.name != login:
                noinherit = sql.SQL("alter role {} noinherit").format(sql.Identifier(login))
                driver.execute(noinherit)  # type: ignore[union-attr]


def _standings(connection: Connection, login: str | None, *, creates: bool, version: int) -> list[_Standing]:
    parameters = {
        "names": [role.value for role in Role],
        "login": login,
        "creates": creates,
        "version": version,
        "grants": "MEMBER WITH ADMIN OPTION",
        "acts": "SET" if version >= _INHERIT_PER_GRANT else "MEMBER",
    }
    return [_Standing(**row._asdict()) for row in connection.exec_driver_sql(_STANDING, parameters)]


def _for_a_dba(why: str, statement: str) -> Misconfigured:
    return Misconfigured(f"{why}; the schema is as it was. A superuser must run once: {statement}", statement=statement)
