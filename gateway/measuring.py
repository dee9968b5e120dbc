"""How a tenant's memory does: its metrics, what its gates say, and recall on labelled questions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from shared import clock
from shared.contract.errors import InvalidInput, NotFound
from shared.contract.ids import IdRange

if TYPE_CHECKING:
    from gateway import Daybook
    from shared.belief.measuring import Judged, Measured
    from shared.contract.scope import Scope
    from shared.settings import Settings
    from shared.store.db import Database
    from shared.store.holds import Hold

Heard = Callable[[int, int], None]
_MOST_CASES: Final = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """How a tenant's memory did over some days."""

    tenant_id: str
    first: date
    last: date
    outcome: str
    """Of the counting: `done`, `looked` (nothing was counted), `skipped` (somebody else is at it), or `failed`."""
    metrics: tuple[Measured, ...]
    gates: tuple[Judged, ...]
    holds: tuple[Hold, ...]
    """What gates have set by now."""
    days: Mapping[date, Mapping[str, float | None]]
    """Each metric's value on each day that has one."""
    error: str | None = None


def evaluate(database: Database, settings: Settings, tenant_id: str, heard: Heard, *, counts: bool) -> Evaluation:
    """Count how a tenant's memory does and have its gates act; without `counts`, only look at what was counted last.

    Raises:
        NotFound: nothing was ever stored of the tenant.
        Misconfigured: the file of gates cannot be used.
    """
    from coldpath.evaluate import evaluate_on
    from shared.accept.policies import policies
    from shared.store import streams
    from shared.work.passes import Job, carry_out
    from shared.work.queues import EVALUATE

    if not streams.is_known(database, tenant_id):
        raise NotFound(f"nothing is stored of tenant {tenant_id!r}; ids are compared exactly", tenant=tenant_id)
    bounds = policies(settings).gates.gates
    if not counts:
        return _looked(database, settings, tenant_id, "looked", None)

    def do(job: Job) -> bool:
        job.heard = heard
        return evaluate_on(database, settings, bounds, job)

    report = carry_out(database, settings, EVALUATE, tenant_id, do, until_s=math.inf)
    return _looked(database, settings, tenant_id, report.outcome.value, report.error)


def _looked(database: Database, settings: Settings, tenant_id: str, outcome: str, error: str | None) -> Evaluation:
    from coldpath.evaluate import window
    from shared.accept.policies import policies
    from shared.belief.measuring import judged, measured
    from shared.contract.scope import AUDIT_OWNER
    from shared.store import holds, measures
    from shared.store.db import Role

    first, last = window(settings, clock.now().date())
    counts = measures.totals(database, tenant_id, first, last)
    by_day = measures.by_day(database, tenant_id, first, last)
    with database.transaction(Role.READER, tenant_id, [AUDIT_OWNER], read_only=True) as session:
        held = tuple(holds.of(session))
    return Evaluation(
        tenant_id=tenant_id,
        first=first,
        last=last,
        outcome=outcome,
        metrics=measured(counts),
        gates=judged(policies(settings).gates.gates, counts),
        holds=held,
        days={day: {each.name: each.value for each in measured(of)} for day, of in by_day.items()},
        error=error,
    )


class Case(BaseModel):
    """A question, and the memories that answer it."""

    model_config = ConfigDict(extra="forbid")

    query: str = Field(min_length=1)
    expected: list[str] = Field(min_length=1)
    """Ids of memories, or the beginnings of such."""

    @field_validator("expected")
    @classmethod
    def _are_ids(cls, value: list[str]) -> list[str]:
        for each in value:
            IdRange.of(each, field="expected")
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A case, and how much of what it expects was found."""

    query: str
    expected: int
    found: int
    missed: tuple[str, ...]
    """Ids, as they are given."""


def cases(path: Path) -> list[Case]:
    """The cases of a file, a JSON object a line.

    Raises:
        InvalidInput: a line is no case, or there is none; nothing has been asked.
    """
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            found.append(Case.model_validate_json(line))
        except ValidationError as error:
            raise InvalidInput(f"line {number} of {path} is no case: {error}", line=number) from error
    if not 0 < len(found) <= _MOST_CASES:
        raise InvalidInput(f"{path} has {len(found):,} cases: give 1 to {_MOST_CASES:,}")
    return found


def answer(daybook: Daybook, scope: Scope, given: Sequence[Case], k: int, heard: Heard) -> list[Answered]:
    """Ask each question, and look for what it expects among the first `k` hits; the counts become metrics of today."""
    found = []
    for place, case in enumerate(given, 1):
        hits = {hit.memory_id for hit in daybook.recall(scope, case.query, k=k).hits[:k]}
        wanted = {IdRange.of(each): each for each in case.expected}
        missed = tuple(each for ids, each in wanted.items() if not any(map(ids.holds, hits)))
        expected = len(wanted)
        found.append(Answered(query=case.query, expected=expected, found=expected - len(missed), missed=missed))
        heard(place, len(given))
    _note(daybook.database(), scope, found)
    return found


def _note(database: Database, scope: Scope, found: Iterable[Answered]) -> None:
    from collections import Counter

    from shared.contract.measures import Counted
    from shared.store import measures
    from shared.store.db import Role

    today = clock.now().date()
    each = list(found)
    counts: measures.Counts = Counter({
        (today, Counted.EXPECTED): sum(one.expected for one in each),
        (today, Counted.FOUND): sum(one.found for one in each),
    })  # fmt: skip
    with database.transaction(Role.WORKER, scope.tenant_id, [scope.owner]) as session:
        measures.put(session, counts)
