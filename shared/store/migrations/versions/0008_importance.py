"""What an app says of how much a message matters, kept with the memories made from it: a new column, empty at first."""

from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the column. Every row that is there stays as it is: of its message nobody has said anything."""
    op.execute("alter table memory add column importance double precision check (importance between 0 and 1)")
