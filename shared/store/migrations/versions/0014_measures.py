"""How memory does: new tables, and columns of the log of recalls that have a value for every row that is there."""

from importlib import resources

from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add the tables and the columns. Every row that is there stays as it is."""
    script = resources.files("shared.store.migrations").joinpath("versions", "0014_measures.sql").read_text("utf-8")
    # Past SQLAlchemy, whose parameters would give a % a meaning.
    op.get_bind().connection.driver_connection.execute(script)  # type: ignore[union-attr]
