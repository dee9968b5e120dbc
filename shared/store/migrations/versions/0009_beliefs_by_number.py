"""An index of what is held in words of its own, by number: the newest of it without a look at every episode.

Made outside a transaction, leaf by leaf and concurrently: writers wait for no build. Killed anywhere and run again, it
goes on: what is whole stays, and what an interrupted build left invalid is made anew.
"""

from alembic import op
from sqlalchemy import text

revision = "0009"
down_revision = "0008"

_LEAVES = "select inhrelid::regclass::text from pg_inherits where inhparent = 'memory'::regclass order by 1"
_IS_VALID = "select indisvalid from pg_index where indexrelid = to_regclass(:name)"
_KEYS = "(tenant_id, generation, user_id, doc) where epistemic_type <> 'evidence' and closed_at is null"


def upgrade() -> None:
    """Add the index, which nothing needs yet. Every row that is there stays as it is."""
    with op.get_context().autocommit_block():
        connection = op.get_bind()
        connection.execute(text(f"create index if not exists memory_belief on only memory {_KEYS}"))
        for leaf in connection.execute(text(_LEAVES)).scalars().all():
            if not connection.execute(text(_IS_VALID), {"name": f"{leaf}_belief"}).scalar():
                connection.execute(text(f"drop index concurrently if exists {leaf}_belief"))
                connection.execute(text(f"create index concurrently {leaf}_belief on {leaf} {_KEYS}"))
            connection.execute(text(f"alter index memory_belief attach partition {leaf}_belief"))
