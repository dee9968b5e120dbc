"""Indexes of links that begin with an end: by what they began with before, statistics of yesterday chose the wrong one."""

from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Put two in the place of one. Links are few beside memories, so they are made at once."""
    op.execute("create index memory_link_source on memory_link (source, tenant_id, generation)")
    op.execute("drop index memory_link_target")
    op.execute("create index memory_link_target on memory_link (target, tenant_id, generation)")
