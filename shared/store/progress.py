"""How far the work of all tenants has come, and how far each view goes: counts, for the operator. Reads only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from shared.contract.receipts import Stage
from shared.store.db import Connection, Database, Row
from shared.store.queries import queries

_SQL: Final = queries("progress")
_STAGES: Final = tuple(stage for stage in Stage if stage is not Stage.OBSERVE)
_MOST_BUILDS: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class StageProgress:
    """What a stage has before it, and what it did lately."""

    stage: str
    waiting: int
    oldest: datetime | None
    """When the run that waits and was accepted first was."""
    claimable_since: datetime | None
    """Since when there has been a run that a worker might have taken and has not; None where there is none."""
    done: int
    """Runs that it was done for within the span."""
    failed: int = 0
    """Runs that it was given up for within the span."""
    active_at: datetime | None
    """When it last took a run, or ended one within the span."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewProgress:
    """How far a view goes."""

    view: str
    memories: int
    behind: int
    """Memories that it lacks."""
    tenants_behind: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """A generation that is being built beside the live one."""

    tenant_id: str
    view: str
    generation: int
    model_id: str | None
    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """All of it, as of one moment of the database."""

    now: datetime
    stages: tuple[StageProgress, ...]
    parked: int
    views: tuple[ViewProgress, ...]
    builds: tuple[Build, ...]


def look(database: Database, span: timedelta, tenant_id: str | None = None) -> Counts:
    """Count, for one tenant or all. Reads the inbox once, whatever its length."""
    parameters = {"tenant_id": tenant_id, "span": span, "limit": _MOST_BUILDS}
    with database.claiming() as connection:
        found = {name: _rows(connection, name, parameters) for name in _SQL}
    return Counts(
        now=found["now"][0]["now"],
        stages=_stages(found["waiting"], found["lately"], found["served"]),
        parked=found["parked"][0]["runs"],
        views=_views(found["views"][0]),
        builds=tuple(
            Build(
                tenant_id=row["tenant_id"],
                view=row["view"],
                generation=row["building"],
                model_id=row["model_id"],
                done=row["done"],
                total=row["total"],
            )
            for row in found["built"]
        ),
    )


def _rows(connection: Connection, name: str, parameters: Mapping[str, object]) -> list[Row]:
    return connection.execute(_SQL[name], parameters).fetchall()


def _stages(waiting: Sequence[Row], lately: Sequence[Row], served: Sequence[Row]) -> tuple[StageProgress, ...]:
    before, ended, taken = ({row["stage"]: row for row in rows} for rows in (waiting, lately, served))
    return tuple(_stage(stage, before.get(stage), ended.get(stage), taken.get(stage)) for stage in _STAGES)


def _stage(stage: Stage, waiting: Row | None, ended: Row | None, taken: Row | None) -> StageProgress:
    return StageProgress(
        stage=stage.value,
        waiting=waiting["waiting"] if waiting else 0,
        oldest=waiting["oldest"] if waiting else None,
        claimable_since=waiting["claimable_since"] if waiting else None,
        done=ended["runs"] if ended else 0,
        failed=ended["failed"] if ended else 0,
        active_at=max((row["newest"] for row in (ended, taken) if row), default=None),
    )


def _views(row: Row) -> tuple[ViewProgress, ...]:
    return tuple(
        ViewProgress(
            view=view,
            memories=row[view],
            behind=row[f"{view}_behind"],
            tenants_behind=row[f"{view}_tenants"],
        )
        for view in ("sparse", "dense", "graph")
    )
