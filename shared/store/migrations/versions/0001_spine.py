"""The spine: inbox, ledger, memories, the sparse and the dense view, decisions and receipts."""

from importlib import resources

from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make every table, leaf, trigger, role, policy and grant of the first schema."""
    script = resources.files("shared.store.migrations").joinpath("versions", "0001_spine.sql").read_text("utf-8")
    # Past SQLAlchemy, whose parameters would give the % of format() a meaning.
    op.get_bind().connection.driver_connection.execute(script)  # type: ignore[union-attr]
