"""How far each view goes, for what was written before that was kept; afterwards whoever writes words must say so."""

from alembic import op
from sqlalchemy import Connection, text

from shared.contract.errors import SchemaMismatch

revision = "0003"
down_revision = "0002"

# Whoever still writes is waited for, and waits: what is counted stays so until the commit. Readers go on.
_LOCKS = "lock table memory_vector, sparse_stream in share row exclusive mode"
_STREAMS = "select tenant_id, user_id, stream from stream order by tenant_id, stream"
_WHOSE = """
    select set_config('role', 'daybook_worker', true), set_config('daybook.tenant', :tenant_id, true),
        set_config('daybook.users', :user_id, true)
"""
# Until now each memory was entered in the transaction that numbered it, and none was ever taken out again.
_FOUND = """
    select stream.last_doc,
        (
            select count(*) from sparse_stream
            where sparse_stream.tenant_id = stream.tenant_id and sparse_stream.user_id = stream.user_id
        ) as counted,
        (
            select coalesce(sum(documents), 0) from sparse_stream
            where sparse_stream.tenant_id = stream.tenant_id and sparse_stream.user_id = stream.user_id
        ) as documents,
        (
            select coalesce(max(doc), 0) from memory_vector
            where memory_vector.tenant_id = stream.tenant_id and memory_vector.user_id = stream.user_id
        ) as last_vector
    from stream
    where stream.tenant_id = :tenant_id and stream.stream = :stream
"""
_SPARSE = "update sparse_stream set doc = :last_doc where tenant_id = :tenant_id and user_id = :user_id"
_DENSE = """
    insert into dense_stream (tenant_id, generation, user_id, vectors)
    select tenant_id, generation, user_id, count(*)
    from memory_vector
    where tenant_id = :tenant_id and user_id = :user_id
    group by tenant_id, generation, user_id
"""
_ALL = "select count(*) from sparse_stream"
# An old worker's words would be entered without a number, and never be found missing: it is refused instead.
_CONTRACT = "alter table sparse_stream alter column doc drop default"


def upgrade() -> None:
    """Stream by stream, as the role that may: the owner of the tables sees no row under forced row-level security.

    Raises:
        SchemaMismatch: another number of rows was touched than there are; nothing of this revision stays.
    """
    connection = op.get_bind()
    _let_in(connection)
    op.execute(_LOCKS)
    _claim(connection)
    touched = 0
    for row in connection.execute(text(_STREAMS)).fetchall():
        touched += _count(connection, row._asdict())
    _claim(connection)
    there = connection.execute(text(_ALL)).scalar()
    if there != touched:
        raise _misfit(f"{there} rows in sparse_stream, of which {touched} belong to a stream")
    op.execute("reset role")
    op.execute(_CONTRACT)


def _let_in(connection: Connection) -> None:
    """Let the owner act as the two roles, by SET ROLE alone where the server knows the difference."""
    row = connection.execute(text("select current_setting('server_version_num')::integer >= 160000")).one()
    privilege, how = ("SET", "with inherit false, set true") if row[0] else ("MEMBER", "")
    for role in ("daybook_claimer", "daybook_worker"):
        parameters = {"role": role, "privilege": privilege}
        if not connection.execute(text("select pg_has_role(:role, :privilege)"), parameters).scalar():
            connection.execute(text(f"grant {role} to current_user {how}"))


def _claim(connection: Connection) -> None:
    connection.execute(text("select set_config('role', 'daybook_claimer', true)"))


def _count(connection: Connection, stream: dict[str, object]) -> int:
    connection.execute(text(_WHOSE), stream)
    found = connection.execute(text(_FOUND), stream).one()
    touched = connection.execute(text(_SPARSE), {**stream, "last_doc": found.last_doc}).rowcount
    expected = 1 if found.last_doc else 0
    if not touched == found.counted == expected or found.documents != found.last_doc:
        raise _misfit(
            f"stream {stream['stream']!r} of tenant {stream['tenant_id']!r} has {found.last_doc} memories, and in "
            f"sparse_stream {found.counted} rows with {found.documents} documents, of which {touched} were updated"
        )
    if found.last_vector > found.last_doc:
        raise _misfit(
            f"stream {stream['stream']!r} of tenant {stream['tenant_id']!r} has {found.last_doc} memories, and a "
            f"vector of number {found.last_vector}"
        )
    connection.execute(text(_DENSE), stream)
    return touched


def _misfit(what: str) -> SchemaMismatch:
    msg = f"{what}; the schema stays at 0002: mend that as docs/operations.md says under Upgrading, and migrate again"
    return SchemaMismatch(msg, found="0002", needed="0003")
