"""The database that the settings mean, ready to use."""

from __future__ import annotations

from shared.contract.errors import SchemaMismatch
from shared.embedded._endpoints import Endpoints, endpoints
from shared.models.embedding import embedder
from shared.settings import Settings
from shared.store.db import Database, database


def open_database(settings: Settings) -> Database:
    """The process's connections to the database of the settings.

    An embedded database is brought to this code's schema when it is first opened: it is nobody else's. A configured one
    is left as it is; `Database` refuses it where it does not fit.

    Raises:
        ServiceFailed, Misconfigured: an embedded server could not be had.
    """
    found = endpoints(settings, broker=False)
    opened = database(found.database_url, settings)
    if settings.database_url is None and not opened.checked:
        try:
            opened.check()
        except SchemaMismatch as error:
            if error.details.get("found"):
                raise
            migrate_to(found, settings)
    return opened


def migrate_to(found: Endpoints, settings: Settings) -> str:
    """Bring the schema of `found` to this code's, with the indexes of the configured model; returns its revision."""
    from shared.store.migrate import (
        login_of,
        migrate,
        prepare_dense,
    )  # late: it brings SQLAlchemy, which only this needs

    revision = migrate(found.migrate_url, login=login_of(found.database_url), partitions=settings.partitions)
    model = embedder(settings).model
    prepare_dense(found.migrate_url, model_id=model.key, dimension=model.dimension)
    return revision
