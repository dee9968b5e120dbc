"""Jobs that change memories at an operator's word, in this process: as a whole, or rehearsed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from uuid import UUID, uuid4

from gateway.rehearsing import Change, Rehearsed, rehearsed
from shared.contract.errors import NotFound
from shared.contract.scope import checked_id

if TYPE_CHECKING:
    from shared.contract.scope import Owner
    from shared.settings import Settings
    from shared.store.batches import Listed
    from shared.store.db import Database
    from shared.store.holdings import Holding

_NEWEST: Final = 5
"""Recalls that are named of those that would have come out otherwise."""

Heard = Callable[[int, int], None]
"""Takes how many streams are done and how many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tidied:
    """What came of a job for a tenant."""

    tenant_id: str
    job: str
    batch_id: UUID | None
    """By which it can be taken back; None where nothing was changed."""
    outcome: str
    """`done`, `rehearsed`, `requested`, `skipped` (somebody else is at it), or `failed`."""
    accepted: int
    refused: int
    asked: int = 0
    """Questions that wait for a person, or would."""
    forgotten: int = 0
    """Messages that went for good, with all that was made from them."""
    kept: int = 0
    """Messages that were due to go, and that a rule keeps."""
    gates: Mapping[str, int] = field(default_factory=dict)
    """How many streams came how far on their way to a model, where the job asks one."""
    changes: tuple[Change, ...] = ()
    """Of a rehearsal."""
    unlisted: int = 0
    """Of a rehearsal, how many messages were counted that are not among the changes: too many for anybody to read."""
    recalls: int = 0
    """Of a rehearsal, how many logged recalls showed any of what goes."""
    newest_recalls: tuple[UUID, ...] = ()
    """The turns of the newest few of these."""
    notes: tuple[str, ...] = ()
    """What a policy comes to that its rules do not say one by one."""
    waiting: int = 0
    """Memories that it will look at once they have a vector."""
    error: str | None = None
    """Of one that was skipped, who is at it."""


def rehearse(
    database: Database,
    settings: Settings,
    tenant_id: str,
    job: str,
    heard: Heard,
    *,
    user_id: str | None = None,
    ask: bool = False,
) -> Tidied:
    """What a job would do by now, for a tenant or one user of it. Nothing is written.

    With `ask` its model is asked first, and what it answers is stored for the next pass; without, nobody is.

    Raises:
        NotFound: nothing was ever stored of the tenant, or of the user.
    """
    from coldpath.proposals import rehearse as look
    from coldpath.tidying import forgetting, prepared, tidying

    doing, takes = tidying(settings, job, uuid4()), forgetting(settings, job)
    owners = _owners(database, tenant_id, user_id, job=job)
    found: list[Rehearsed] = []
    gates: Counter[str] = Counter()
    for place, owner in enumerate(owners, 1):
        gate = prepared(database, settings, tenant_id, owner, doing) if ask else None
        gates.update([gate.value] if gate else [])
        done = look(database, tenant_id, owner, doing)
        found.append(rehearsed(database, tenant_id, done, takes))
        heard(place, len(owners))
    return Tidied(
        tenant_id=tenant_id,
        job=job,
        batch_id=None,
        outcome="rehearsed",
        accepted=sum(len(each.done.accepted) for each in found),
        refused=sum(each.done.refusals for each in found),
        asked=sum(len(each.done.questions) for each in found),
        waiting=sum(each.done.waiting for each in found),
        gates=gates,
        forgotten=sum(each.forgotten for each in found),
        kept=sum(each.kept for each in found),
        unlisted=sum(each.unlisted for each in found),
        changes=tuple(change for each in found for change in each.changes),
        recalls=sum(each.recalls for each in found),
        newest_recalls=tuple(sorted((turn for each in found for turn in each.newest), reverse=True)[:_NEWEST]),
        notes=takes.policy.overlaps if takes else (),
    )


def tidy(
    database: Database, settings: Settings, tenant_id: str, job: str, heard: Heard, *, user_id: str | None = None
) -> Tidied:
    """Do a job to its end, for a tenant or one user of it; what it changes is one batch.

    Raises:
        NotFound: nothing was ever stored of the tenant, or of the user.
        Misconfigured: its policy cannot be read.
    """
    from coldpath.tidying import tidying

    owners = _owners(database, tenant_id, user_id, job=job)
    tidying(settings, job, uuid4())  # what is set wrongly is said at once, and fails no pass
    if user_id is not None:
        return _tidied_alone(database, settings, tenant_id, job, owners[0])
    return _tidied_all(database, settings, tenant_id, job, heard)


def request(database: Database, settings: Settings, tenant_id: str, job: str) -> Tidied:
    """Have the workers do a job for a tenant at once; `skipped` where a pass of it waits or is under way already.

    Raises:
        NotFound: nothing was ever stored of the tenant.
    """
    from coldpath.app import PLACE
    from shared.work import passes
    from shared.work.job_tasks import ring

    _owners(database, tenant_id)
    left = passes.request(database, settings, job, tenant_id)
    ring(PLACE, job, tenant_id)
    outcome, error = ("requested", None) if left else ("skipped", passes.at_it(database, job, tenant_id))
    return Tidied(tenant_id=tenant_id, job=job, batch_id=None, outcome=outcome, accepted=0, refused=0, error=error)


def _tidied_alone(database: Database, settings: Settings, tenant_id: str, job: str, owner: Owner) -> Tidied:
    """One stream needs no pass of its own: its lock keeps others out, and what changed meanwhile is refused."""
    from coldpath.proposals import tidy as change
    from coldpath.tidying import forgetting, prepared, tidying

    batch_id, takes = uuid4(), forgetting(settings, job)
    doing = tidying(settings, job, batch_id)
    gone = takes.carry_out(database, tenant_id, owner) if takes else None
    gate = prepared(database, settings, tenant_id, owner, doing)
    done = change(database, tenant_id, owner, doing)
    return Tidied(
        tenant_id=tenant_id,
        job=job,
        batch_id=batch_id if done.accepted else None,
        outcome="done",
        accepted=len(done.accepted),
        refused=done.refusals,
        asked=len(done.questions),
        waiting=done.waiting,
        forgotten=gone.messages if gone else 0,
        kept=gone.kept if gone else 0,
        gates={gate.value: 1} if gate else {},
    )


def _tidied_all(database: Database, settings: Settings, tenant_id: str, job: str, heard: Heard) -> Tidied:
    from coldpath.tidying import batch_of, tidy_on
    from shared.work.passes import Job, carry_out

    batch: list[UUID] = []

    def do(each: Job) -> bool:
        batch.append(batch_of(each))
        each.heard = heard
        return tidy_on(database, settings, each)

    report = carry_out(database, settings, job, tenant_id, do, until_s=math.inf)
    accepted = report.counts.get("accepted", 0)
    return Tidied(
        tenant_id=tenant_id,
        job=job,
        batch_id=batch[-1] if accepted and batch else None,
        outcome=report.outcome.value,
        accepted=accepted,
        refused=report.counts.get("refused", 0),
        asked=report.counts.get("asked", 0),
        waiting=report.counts.get("waiting", 0),
        forgotten=report.counts.get("forgotten", 0),
        kept=report.counts.get("kept", 0),
        gates={name.removeprefix("gate_"): of for name, of in report.counts.items() if name.startswith("gate_")},
        error=report.error,
    )


def held(database: Database, tenant_id: str) -> list[Holding]:
    """The jobs of a tenant that somebody is at."""
    from shared.store import holdings

    return holdings.held(database, tenant_id=tenant_id)


def listed(database: Database, tenant_id: str, limit: int) -> list[Listed]:
    """The tenant's last batches, the newest first.

    Raises:
        NotFound: nothing was ever stored of the tenant.
    """
    from shared.store import batches

    return batches.newest(database, tenant_id, limit=limit) if _owners(database, tenant_id) else []


def _owners(database: Database, tenant_id: str, user_id: str | None = None, *, job: str = "") -> Sequence[Owner]:
    from coldpath.tidying import owners_of

    owners = owners_of(database, checked_id("tenant_id", tenant_id), user_id, job=job)
    if not owners:
        whom = f"tenant {tenant_id!r}" if user_id is None else f"user {user_id!r} of tenant {tenant_id!r}"
        msg = f"nothing is stored of {whom}; ids are compared exactly"
        raise NotFound(msg, tenant=tenant_id)
    return owners
