"""Which complete build of each view is live. The one writer of `generation`."""

from __future__ import annotations

from typing import Final, Literal

from shared.contract.errors import ModelMismatch
from shared.store.db import Session
from shared.store.queries import queries

_SQL: Final = queries("generations")
FIRST: Final = 1

View = Literal["memory", "sparse", "dense"]


def ensure(session: Session, *views: View) -> None:
    """Make the first generation of the tenant's views live where there is none."""
    session.execute_many(_SQL["ensure"], [{"view": view, "live": FIRST, "model_id": None} for view in views])


def ensure_dense(session: Session, model_id: str) -> None:
    """Make the first generation of the dense view live, for one embedding model.

    Raises:
        ModelMismatch: the live one is of another model. Vectors of two models are never compared.
    """
    session.execute(_SQL["ensure"], view="dense", live=FIRST, model_id=model_id)
    stored = dense_model(session)
    if stored != model_id:
        raise ModelMismatch(mismatch(stored, model_id), stored=stored, configured=model_id)


def dense_model(session: Session) -> str | None:
    """Which model the tenant's live vectors are of; None where there are none."""
    row = session.row(_SQL["dense_model"])
    return str(row["model_id"]) if row else None


def mismatch(stored: str | None, configured: str) -> str:
    """What to say when two models meet."""
    return (
        f"the stored vectors are of {stored}, the configured model is {configured}; set DAYBOOK_EMBEDDING_MODEL back "
        "to the stored one: vectors of two models are never compared"
    )
