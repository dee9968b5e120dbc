"""Beliefs: what a memory claims, how memories are tied, what was proposed, who must be asked, and what models cost."""

from importlib import resources

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add tables, columns and constraints, which nothing needs yet. Every row that is there stays as it is."""
    script = resources.files("shared.store.migrations").joinpath("versions", "0007_beliefs.sql").read_text("utf-8")
    # Past SQLAlchemy, whose parameters would give the % of format() a meaning.
    op.get_bind().connection.driver_connection.execute(script)  # type: ignore[union-attr]
