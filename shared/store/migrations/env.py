"""How Alembic runs Daybook's migrations; called by `shared.store.migrate`, never by hand."""

from alembic import context

from shared.store.tables import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, transaction_per_migration=True)
with context.begin_transaction():
    context.run_migrations()
