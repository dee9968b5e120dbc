"""A question can be settled by what was said since. Those that were open and are, before this one, expire unanswered."""

from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Allow the state. Every row is looked at, and holds: the states there were are among those there are."""
    op.execute(
        "alter table review drop constraint review_state_check, add constraint review_state_check "
        "check (state in ('open', 'approved', 'rejected', 'expired', 'settled'))"
    )
