"""An index of what is held in words of its own by the operation that opened it: what a job has written, batch by batch.

Made outside a transaction, leaf by leaf and concurrently: writers wait for no build. Killed anywhere and run again, it
goes on: what is whole stays, and what an interrupted build left invalid is made anew.
"""

from alembic import op
from sqlalchemy import text

revision = "0018"
down_revision = "0017"

_LEAVES = "select inhrelid::regclass::text from pg_inherits where inhparent = 'memory'::regclass order by 1"
_IS_VALID = "select indisvalid from pg_index where indexrelid = to_regclass(:name)"
_KEYS = "(tenant_id, generation, user_id, opened_by) where epistemic_type <> 'evidence'"


def upgrade() -> None:
    """Add the index, which nothing needs yet. Every row that is there stays as it is."""
    with op.get_context().autocommit_block():
        connection = op.get_bind()
        connection.execute(text(f"create index if not exists memory_written on only memory {_KEYS}"))
        for leaf in connection.execute(text(_LEAVES)).scalars().all():
            if not connection.execute(text(_IS_VALID), {"name": f"{leaf}_written"}).scalar():
                connection.execute(text(f"drop index concurrently if exists {leaf}_written"))
                connection.execute(text(f"create index concurrently {leaf}_written on {leaf} {_KEYS}"))
            connection.execute(text(f"alter index memory_written attach partition {leaf}_written"))
