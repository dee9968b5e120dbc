"""Work as state, generations that are built beside the live one, and forgetting: what is new, which nothing needs yet."""

from importlib import resources

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add tables, columns and the eraser's role. Every row that is there stays as it is."""
    script = resources.files("shared.store.migrations").joinpath("versions", "0002_work.sql").read_text("utf-8")
    # Past SQLAlchemy, whose parameters would give the % of format() a meaning.
    op.get_bind().connection.driver_connection.execute(script)  # type: ignore[union-attr]
