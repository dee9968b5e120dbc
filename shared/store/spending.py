"""What a tenant's calls of models have cost, by day in UTC. The one writer of `spending`."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Final

from shared.contract.candidates import Usage
from shared.store.db import Session
from shared.store.queries import queries

_SQL: Final = queries("spending")
_COUNTS: Final = ("calls", "input_tokens", "output_tokens", "cost_usd")


def add(session: Session, usage: Usage, *, day: date) -> None:
    """Count what a reading cost. Tenants' rows are updated by many: take it last in a transaction."""
    if usage.calls:
        session.execute(_SQL["add"], day=_begins(day), **{name: getattr(usage, name) or 0 for name in _COUNTS})


def of(session: Session, day: date) -> Usage:
    """What the tenant's calls of a day have cost so far."""
    row = session.row(_SQL["of"], day=_begins(day))
    return Usage(**{name: row[name] for name in _COUNTS}) if row else Usage()


def _begins(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
