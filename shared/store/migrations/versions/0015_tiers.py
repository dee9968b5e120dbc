"""The cold tier: which memories are in it, and their words apart from the others'. Nothing is in it at first."""

from alembic import op

revision = "0015"
down_revision = "0014"

_COLUMNS = """
alter table memory add column tier text not null default 'hot' check (tier in ('hot', 'cold'));
alter table posting add column tier text not null default 'hot' check (tier in ('hot', 'cold'));
alter table sparse_stream
    add column cold_documents integer not null default 0,
    add column cold_length_sum bigint not null default 0,
    add column cold_sessions integer not null default 0
"""
# Before the term, so that the words of the hot tier lie together, however many are in the other.
_KEY = """
alter table posting drop constraint posting_pkey;
alter table posting add primary key (tenant_id, generation, user_id, tier, term, block)
"""


def upgrade() -> None:
    """Add the columns, and make the index of the words anew: some seconds for a million memories."""
    op.execute(_COLUMNS)
    op.execute(_KEY)
