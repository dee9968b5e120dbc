"""Connections to Postgres, and transactions that are always somebody's.

A process has one pool per database, made after a fork and not before. A transaction is opened for a role, a tenant and
the owners whose rows it may touch; all three, and every other setting, are local to it, so a connection that goes back
to the pool remembers nobody.
"""

# Above 300 lines: a transaction, its time-outs and what goes wrong with it are read together.

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, LiteralString

import psycopg
from psycopg import sql
from psycopg.pq import TransactionStatus
from psycopg.rows import dict_row, tuple_row
from psycopg_pool import ConnectionPool, PoolTimeout

from shared import clock
from shared.contract.errors import DatabaseUnavailable, ExtensionMissing, InvalidInput, InvalidScope, Misconfigured
from shared.contract.scope import Owner, room_id_of
from shared.store import halfvec
from shared.store.beginning import begin_reading, begin_writing, ended, watched
from shared.store.connecting import Late, Seen, Watched, check, remembering
from shared.store.queries import queries
from shared.store.reasons import mismatch, reason
from shared.store.waiting import Deadline, Spent

if TYPE_CHECKING:
    from shared.settings import Settings

SCHEMA_VERSION: Final = "0020"
"""The revision of the schema that this code reads and writes; a test compares it with the migrations' head."""

Row = dict[str, Any]
Connection = psycopg.Connection[Row]
_SQL: Final = queries("session")
Query = LiteralString | sql.Composed

# what the driver says of connections that are given up is for whoever set up logging, not for everybody's terminal
logging.getLogger("psycopg").addHandler(logging.NullHandler())

_WORK_TIMEOUT_S: Final = 300.0
_CLAIM_IDLE_MS: Final = 10_000
"""How long whoever claims may leave the server waiting: others who claim wait behind, so far less than work may."""
_NO_SUCH_NUMBER: Final = (
    psycopg.errors.NumericValueOutOfRange,
    psycopg.errors.InvalidRowCountInLimitClause,
    psycopg.errors.InvalidRowCountInResultOffsetClause,
)
"""A caller's number is larger than any that is stored, or no number of rows."""
_ENDED: Final = frozenset({"25P03", "25P04"})
"""The session was ended by the server: idle within a transaction, or too long a transaction."""


class Role(StrEnum):
    """The database roles; each owns nothing and can log in nowhere."""

    APP = "daybook_app"
    """The agent's process: accepts runs, recalls."""
    WORKER = "daybook_worker"
    """Stages of the warm path and jobs of the cold one, for one owner at a time."""
    CLAIMER = "daybook_claimer"
    """Sees which work waits, of all tenants, and none of its content."""
    READER = "daybook_reader"
    """Reads one owner's rows and writes nothing."""
    ERASER = "daybook_eraser"
    """Removes content that is forgotten, and rebuilds views from the ledger, for one owner at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """An open transaction of one role on the rows of some owners in one tenant.

    Each query it runs is given `tenant_id` and `owners` as parameters, so a query states whose rows it means although
    row-level security stands beneath.
    """

    connection: Connection
    tenant_id: str
    owners: tuple[Owner, ...]
    spent: Spent = field(default_factory=Spent)
    deadline: Deadline | None = None
    beside: Row | None = None
    """What came of the statement that was sent along with the beginning; None where it failed, or there was none."""
    agent_id: str | None = None
    """Where given, memories that another agent's name stands on are not read, but for those of rooms."""

    @property
    def owner(self) -> Owner:
        """The one owner that is written for: the first."""
        return self.owners[0]

    def rows(self, query: Query, /, **parameters: object) -> list[Row]:
        """Run a query and return all its rows."""
        with self.spent.counted():
            return self.execute(query, **parameters).fetchall()

    def row(self, query: Query, /, **parameters: object) -> Row | None:
        """Run a query and return its first row, if it has one."""
        with self.spent.counted():
            return self.execute(query, **parameters).fetchone()

    def columns(self, query: Query, /, **parameters: object) -> list[tuple[Any, ...]]:
        """Run a query and return its result column by column, for arithmetic on many rows."""
        self.keep_deadline()
        with self.spent.counted(), self.connection.cursor(row_factory=tuple_row, binary=True) as cursor:
            cursor.execute(query, self.whose(**parameters))
            rows = cursor.fetchall()
            return list(zip(*rows, strict=True)) if rows else [()] * len(cursor.description or ())

    def execute(self, query: Query, /, **parameters: object) -> psycopg.Cursor[Row]:
        """Run a statement."""
        self.keep_deadline()
        return self.connection.execute(query, self.whose(**parameters))

    def execute_many(self, query: Query, /, each: Iterable[Mapping[str, object]]) -> int:
        """Run a statement once for each set of parameters, in one round trip; returns how many rows it touched."""
        with self.connection.cursor() as cursor:
            cursor.executemany(query, [self.whose(**parameters) for parameters in each])
            return max(0, cursor.rowcount)

    def keep_deadline(self) -> None:
        """Bound what comes next by the time left, where the bound in force is too loose by now."""
        if self.deadline is not None and self.deadline.is_loose:
            self.connection.execute(_SQL["bound"], {"timeout_ms": self.deadline.bound()})

    def savepoint(self) -> AbstractContextManager[object]:
        """A part of the transaction that can fail without the rest."""
        return self.spent.around(self.connection.transaction())

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A part of a read-only transaction that can fail without the rest, within its share of the deadline.

        It costs nothing unless it fails: what only reads has nothing to keep, so the transaction goes back to where it
        began.

        Raises:
            psycopg.Error: whatever failed; the transaction goes on, unless the connection is closed.
        """
        part = self.deadline.part() if self.deadline else nullcontext()
        try:
            with part:
                yield
        except Exception:
            if self.connection.info.transaction_status is TransactionStatus.INERROR:
                self._begin_again()
            raise

    def _begin_again(self) -> None:
        with self.spent.counted():
            self.connection.execute(_SQL["begin_again"])
        if self.deadline:
            self.deadline.forget_bound()

    def whose(self, **parameters: object) -> dict[str, object]:
        """Parameters of a query, and with them what every query of the session is given."""
        return {
            "tenant_id": self.tenant_id,
            "owner": self.owner,
            "owners": list(self.owners),
            "agent_id": self.agent_id,
            "narrowed": list(self.narrowed),
            **parameters,
        }

    @property
    def narrowed(self) -> tuple[Owner, ...]:
        """Of whose memories the agent reads its own and those that are no agent's."""
        return () if self.agent_id is None else tuple(each for each in self.owners if room_id_of(each) is None)


def also(session: Session, owners: Iterable[str]) -> Session:
    """The same transaction, which may touch the rows of `owners` too from here on."""
    widened = (*session.owners, *(Owner(each) for each in owners))
    session.execute(_SQL["own"], all_owners=",".join(widened))
    return replace(session, owners=widened)


class Database:
    """One Postgres database as its login sees it. Thread-safe; make it through `database()`."""

    def __init__(
        self, url: str, *, pool_size: int, connect_timeout_s: float, work_timeout_s: float = _WORK_TIMEOUT_S
    ) -> None:
        self._timeout_s = connect_timeout_s
        self._work_ms = round(work_timeout_s * 1000)
        self._checked = False
        self._seen = Seen(most=pool_size)
        self._pool: ConnectionPool[Watched] = ConnectionPool(
            url,
            connection_class=remembering(self._seen),
            kwargs={
                "row_factory": dict_row,
                "connect_timeout": max(2, round(connect_timeout_s)),
                "application_name": "daybook",
                "autocommit": True,
            },
            min_size=0,
            max_size=pool_size,
            timeout=connect_timeout_s,
            check=check,
            configure=halfvec.speak,
            reconnect_timeout=connect_timeout_s,
            open=True,
        )

    def transaction(
        self,
        role: Role,
        tenant_id: str,
        owners: Sequence[Owner],
        *,
        read_only: bool = False,
        timeout_ms: int = 0,
        spent: Spent | None = None,
        beside: Query | None = None,
        agent_id: str | None = None,
    ) -> AbstractContextManager[Session]:
        """One transaction as `role`, on the rows of `owners` in `tenant_id`; commits unless the block raises.

        A read-only one sees one state of the database throughout, and also takes in the rooms that its owners take part
        in. `timeout_ms` bounds the whole: the wait for a connection and each statement may take a share of what is left
        of it. Without it (0), reading has no bound, and writing the deadline of a task for each statement. Whoever
        writes and leaves the server waiting for as long, because its process was stopped, loses its session, and with
        it every lock. Whoever reads does not wait for a silent server beyond `timeout_ms` either. What is waited for
        the server, to begin and to commit included, is added to `spent`.

        `beside`, for reading, is a statement of one row that is sent along with the beginning, in the same round trip.
        It is given `tenant_id` and `user_ids`, the owners before their rooms are added; it may fail without the rest.
        `agent_id` narrows what is read (`Session.agent_id`).

        Raises:
            InvalidScope: no tenant or no owner was named; nothing was sent.
            DatabaseUnavailable: no connection within the time-out, or it broke.
            SchemaMismatch: the database has another schema version.
            Misconfigured: the login is no member of the role.
            InvalidInput: a number that was passed on to a query is larger than any can be, or no number of rows.
        """
        if not tenant_id or not owners:
            raise InvalidScope("a transaction needs a tenant and at least one owner")
        spent = spent or Spent()
        deadline = Deadline.within(timeout_ms) if timeout_ms else None
        return spent.around(
            self._transaction(
                role,
                tenant_id,
                owners,
                read_only=read_only,
                deadline=deadline,
                spent=spent,
                beside=beside,
                agent_id=agent_id,
            )
        )

    @contextmanager
    def _transaction(
        self,
        role: Role,
        tenant_id: str,
        owners: Sequence[Owner],
        *,
        read_only: bool,
        deadline: Deadline | None,
        spent: Spent,
        beside: Query | None,
        agent_id: str | None,
    ) -> Iterator[Session]:
        parameters: dict[str, object] = {"role": role, "tenant_id": tenant_id, "owners": ",".join(owners)}
        with self._connection(deadline, gives_up=read_only) as connection:
            parameters |= self._bounds(deadline, read_only=read_only)
            with ended(connection, is_reading=read_only):
                if read_only:
                    whose = {"tenant_id": tenant_id, "user_ids": list(owners)}
                    owners, row = begin_reading(connection, parameters, whose, beside)
                else:
                    row = None
                    begin_writing(connection, parameters, is_bounded=deadline is not None)
                yield Session(
                    connection=connection,
                    tenant_id=tenant_id,
                    owners=tuple(owners),
                    spent=spent,
                    deadline=deadline,
                    beside=row,
                    agent_id=agent_id,
                )

    def _bounds(self, deadline: Deadline | None, *, read_only: bool) -> dict[str, object]:
        left_ms = max(1, round(deadline.left_ms())) if deadline else self._work_ms
        work_ms = 0 if read_only else self._work_ms
        return {
            "timeout_ms": deadline.bound() if deadline else str(work_ms),
            "idle_ms": None if read_only else str(left_ms),
        }

    @contextmanager
    def claiming(self) -> Iterator[Connection]:
        """One transaction as the claimer: state of work across tenants, and no content.

        Statements are sent together and their results waited for where they are read, or at the end.
        """
        bounds = {"timeout_ms": str(self._work_ms), "idle_ms": str(min(_CLAIM_IDLE_MS, self._work_ms))}
        with self._connection() as connection, connection.pipeline():
            connection.execute("begin")  # not transaction(), which waits for the server where it begins and ends
            try:
                connection.execute(_SQL["become_claimer"], bounds)
                yield connection
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    @contextmanager
    def bare(self) -> Iterator[Connection]:
        """A connection as the login itself, in autocommit, for checks of the server; it sees no rows of anybody."""
        with self._connection(check_schema=False) as connection:
            yield connection

    @property
    def checked(self) -> bool:
        """Whether the server has been found to have the schema this code expects."""
        return self._checked

    def check(self) -> None:
        """Make sure that the server answers and has the schema this code expects.

        Raises:
            DatabaseUnavailable, ExtensionMissing, SchemaMismatch: it does not.
        """
        with self._connection(check_schema=False) as connection:
            self._check_schema(connection)

    def close(self) -> None:
        """Close the pool's connections."""
        self._pool.close()

    @contextmanager
    def _connection(
        self, deadline: Deadline | None = None, *, check_schema: bool = True, gives_up: bool = False
    ) -> Iterator[Watched]:
        """A connection that is waited for within the deadline, and if it `gives_up` waits for the server until then."""
        wait_s = deadline.wait_s(self._timeout_s) if deadline else self._timeout_s
        until_s = deadline.at_s if deadline and gives_up else None
        began_s = clock.monotonic_s()
        try:
            with self._pool.connection(timeout=wait_s) as connection, self._seen.use(), watched(connection, until_s):
                if check_schema and not self._checked:
                    self._check_schema(connection)
                yield connection
        except PoolTimeout as error:
            without = f"no connection to Postgres within {wait_s:.3g} s"
            if deadline and self._seen.is_busy(since_s=began_s):
                raise DatabaseUnavailable(f"{without}: others had them all") from Late(str(error))
            why = self._seen.refusal or f"is it running and reachable? ({error})"
            raise DatabaseUnavailable(f"{without}: {why}") from error
        except psycopg.errors.InsufficientPrivilege as error:
            msg = f"the login of DAYBOOK_DATABASE_URL may not do this: {reason(error)}; run `daybook migrate`"
            raise Misconfigured(f"{msg}, which lets it into Daybook's roles") from error
        except _NO_SUCH_NUMBER as error:
            msg = f"a number that was asked for is none that there can be ({reason(error)}): pass one that was shown"
            raise InvalidInput(msg) from error
        except psycopg.OperationalError as error:
            raise DatabaseUnavailable(f"Postgres did not answer: {reason(error)}") from error
        except psycopg.InternalError as error:
            if error.sqlstate not in _ENDED:
                raise
            raise DatabaseUnavailable(f"Postgres has ended the session: {reason(error)}") from error

    def _check_schema(self, connection: Connection) -> None:
        row = connection.execute(_SQL["extension"]).fetchone()
        if not row or not row["installed"]:
            raise ExtensionMissing
        found = _stored_version(connection)
        if found != SCHEMA_VERSION:
            raise mismatch(found, needed=SCHEMA_VERSION)
        self._checked = True


def _stored_version(connection: Connection) -> str | None:
    try:
        row = connection.execute(_SQL["schema_version"]).fetchone()
    except (psycopg.errors.UndefinedTable, psycopg.errors.InsufficientPrivilege):
        return None
    return str(row["version_num"]) if row else None


_databases: dict[tuple[int, str], Database] = {}
_making: Final[dict[int, threading.Lock]] = {}
"""By process: one that a thread of the parent held at the moment of a fork would stay locked in the child."""


def database(url: str, settings: Settings) -> Database:
    """The process's one pool for `url`. After a fork the child gets its own."""
    key = (os.getpid(), url)
    with _lock():
        if key not in _databases:
            _databases[key] = Database(
                url,
                pool_size=settings.pool_size,
                connect_timeout_s=settings.connect_timeout_s,
                work_timeout_s=settings.task_deadline_s,
            )
        return _databases[key]


def forget_pools() -> None:
    """Close every pool of this process; for the end of a command or a test."""
    with _lock():
        for (pid, _), each in list(_databases.items()):
            if pid == os.getpid():
                each.close()
        _databases.clear()


def _lock() -> threading.Lock:
    return _making.setdefault(os.getpid(), threading.Lock())
