"""What calls of models have cost can be unknown, and a pass of a job says who is at it.

Days before this one keep the 0 that stood for it."""

from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Allow it, and add the columns, both at once however many rows there are.

    The check on the column holds of what is known.
    """
    op.execute("alter table spending alter column cost_usd drop not null")
    op.execute("alter table job add column holder text, add column held_since timestamptz")
