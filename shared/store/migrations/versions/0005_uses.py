"""What recalls put before models, and what came of it: new tables, which nothing needs yet."""

from importlib import resources

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the log of recalls and the view of usefulness. Every row that is there stays as it is."""
    script = resources.files("shared.store.migrations").joinpath("versions", "0005_uses.sql").read_text("utf-8")
    # Past SQLAlchemy, whose parameters would give the % of format() a meaning.
    op.get_bind().connection.driver_connection.execute(script)  # type: ignore[union-attr]
