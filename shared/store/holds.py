"""What gates on metrics have set for a tenant, and had. The one writer of `hold`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from shared.contract.measures import Act
from shared.store.db import Session
from shared.store.queries import queries

_SQL: Final = queries("holds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """What is done for a tenant otherwise than it is set up."""

    act: Act
    metric: str
    """Whose gate is tripped."""
    value: float
    """What the metric was when it tripped."""
    since: datetime


def put(session: Session, act: Act, metric: str, value: float, since: datetime) -> bool:
    """Set what a gate asks for, of the session's tenant; False if it is set already."""
    row = session.row(_SQL["set"], act=act.value, metric=metric, value=value, since=since)
    return row is not None


def let_go(session: Session, at: datetime, *, act: Act | None = None, metric: str | None = None) -> list[Hold]:
    """Take back what gates have set for the session's tenant, of an act and a metric or all; returns what it was."""
    rows = session.rows(_SQL["let_go"], until=at, act=act and act.value, metric=metric)
    return [_hold(row) for row in rows]


def of(session: Session) -> list[Hold]:
    """What gates have set for the session's tenant, in order."""
    return [_hold(row) for row in session.rows(_SQL["holds"])]


def _hold(row: Mapping[str, Any]) -> Hold:
    return Hold(act=Act(row["act"]), metric=row["metric"], value=row["value"], since=row["since"])
