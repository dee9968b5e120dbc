"""What a tenant's calls of models have cost, by day in UTC. The one writer of `spending`.

One call whose price nobody knows makes the money of its day unknown, which is None and not 0; its tokens are counted.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Final

from shared.contract.candidates import Usage
from shared.store.db import Session
from shared.store.queries import queries

_SQL: Final = queries("spending")
_COUNTS: Final = ("calls", "input_tokens", "output_tokens", "cost_usd")


def add(session: Session, usage: Usage, *, day: date) -> Usage:
    """Count what calls cost, or may cost; returns what the day has come to.

    Until the end of the transaction nobody else counts anything of the tenant's: it is to be short.
    """
    row = session.row(_SQL["add"], day=_begins(day), **{name: getattr(usage, name) for name in _COUNTS})
    return Usage(**{name: row[name] for name in _COUNTS}) if row else usage


def correct(session: Session, counted: Usage, spent: Usage, *, day: date) -> None:
    """Count what calls have cost in place of what was counted for them. Locks as `add`."""
    differences = {name: _less(getattr(spent, name), getattr(counted, name)) for name in _COUNTS}
    session.execute(_SQL["correct"], day=_begins(day), **differences)


def of(session: Session, day: date) -> Usage:
    """What the tenant's calls of a day have cost so far."""
    row = session.row(_SQL["of"], day=_begins(day))
    return Usage(**{name: row[name] for name in _COUNTS}) if row else Usage()


def _less(spent: float | None, counted: float | None) -> float | None:
    return None if spent is None or counted is None else spent - counted


def _begins(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
