"""Indexes of claims by the operation that opened and that closed them: what changed since, without a look at all.

Made outside a transaction, leaf by leaf and concurrently: writers wait for no build. Killed anywhere and run again, it
goes on: what is whole stays, and what an interrupted build left invalid is made anew.
"""

from alembic import op
from sqlalchemy import text

revision = "0012"
down_revision = "0011"

_LEAVES = "select inhrelid::regclass::text from pg_inherits where inhparent = 'memory'::regclass order by 1"
_IS_VALID = "select indisvalid from pg_index where indexrelid = to_regclass(:name)"
_KEYS = {
    "opened": "(tenant_id, generation, user_id, opened_by) where claim_key is not null",
    "closed": "(tenant_id, generation, user_id, closed_by) where claim_key is not null and closed_by is not null",
}


def upgrade() -> None:
    """Add the indexes, which nothing needs yet. Every row that is there stays as it is."""
    with op.get_context().autocommit_block():
        for name, keys in _KEYS.items():
            _index(name, keys)


def _index(name: str, keys: str) -> None:
    connection = op.get_bind()
    connection.execute(text(f"create index if not exists memory_{name} on only memory {keys}"))
    for leaf in connection.execute(text(_LEAVES)).scalars().all():
        if not connection.execute(text(_IS_VALID), {"name": f"{leaf}_{name}"}).scalar():
            connection.execute(text(f"drop index concurrently if exists {leaf}_{name}"))
            connection.execute(text(f"create index concurrently {leaf}_{name} on {leaf} {keys}"))
        connection.execute(text(f"alter index memory_{name} attach partition {leaf}_{name}"))
