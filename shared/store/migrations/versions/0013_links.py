"""Links that jobs propose: how sure they are, what they were drawn from, and what took them back."""

from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add the columns and an index. Every row that is there stays as it is: nobody has proposed it or taken it back."""
    op.execute("alter table memory_link add column closed_by bigint check (closed_by > opened_by)")
    op.execute("alter table memory_link add column score double precision check (score between 0 and 1)")
    op.execute("alter table memory_link add column via bigint check (via < opened_by)")
    op.execute("create index memory_link_number on memory_link (tenant_id, generation, user_id, opened_by)")
    op.execute(
        "create index memory_link_via on memory_link (tenant_id, generation, user_id, via) where via is not null"
    )
    op.execute("grant update (closed_by) on memory_link to daybook_worker")
