"""What calls of models have cost can be unknown: days before this one keep the 0 that stood for it."""

from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Allow it. The check on the column holds of what is known."""
    op.execute("alter table spending alter column cost_usd drop not null")
