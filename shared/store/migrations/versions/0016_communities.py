"""Groups of names that are spoken of together: new tables, which nothing needs yet."""

from importlib import resources

from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Add the tables. Every row that is there stays as it is."""
    script = resources.files("shared.store.migrations").joinpath("versions", "0016_communities.sql").read_text("utf-8")
    # Past SQLAlchemy, whose parameters would give the % of format() a meaning.
    op.get_bind().connection.driver_connection.execute(script)  # type: ignore[union-attr]
