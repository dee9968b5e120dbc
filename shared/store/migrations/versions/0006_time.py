"""Indexes: memories by the time they are of and by agent, and outcomes apart from the rest of their stream.

Made outside a transaction, leaf by leaf and concurrently: writers wait for no build. Killed anywhere and run again, it
goes on: what is whole stays, and what an interrupted build left invalid is made anew.
"""

from alembic import op
from sqlalchemy import Connection, text

revision = "0006"
down_revision = "0005"

_LEAVES = """
    select inhrelid::regclass::text from pg_inherits where inhparent = cast(:parent as regclass) order by 1
"""
_IS_VALID = "select indisvalid from pg_index where indexrelid = to_regclass(:name)"
_INDEXES = {
    "memory_agent": ("memory", "(tenant_id, generation, user_id, agent_id, doc)"),
    "memory_time": ("memory", "(tenant_id, generation, user_id, valid_from, doc)"),
    "event_outcome": ("event", "(tenant_id, user_id, run_id) where kind = 'outcome'"),
}


def upgrade() -> None:
    """Add the indexes, which nothing needs yet. Every row that is there stays as it is."""
    with op.get_context().autocommit_block():
        for name, (parent, keys) in _INDEXES.items():
            _index(op.get_bind(), name, parent, keys)


def _index(connection: Connection, name: str, parent: str, keys: str) -> None:
    """Make an index of a partitioned table: of the parent alone, which takes no time, then of each leaf."""
    connection.execute(text(f"create index if not exists {name} on only {parent} {keys}"))
    for leaf in connection.execute(text(_LEAVES), {"parent": parent}).scalars().all():
        of_leaf = f"{leaf}_{name.removeprefix(f'{parent}_')}"
        if not connection.execute(text(_IS_VALID), {"name": of_leaf}).scalar():
            connection.execute(text(f"drop index concurrently if exists {of_leaf}"))
            connection.execute(text(f"create index concurrently {of_leaf} on {leaf} {keys}"))
        connection.execute(text(f"alter index {name} attach partition {of_leaf}"))
