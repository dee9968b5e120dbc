"""Jobs that change memories at an operator's word, in this process: as a whole, or rehearsed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from shared.contract.errors import NotFound
from shared.work.queues import DEDUPE

if TYPE_CHECKING:
    from coldpath.proposals import Done, Propose
    from shared.contract.scope import Owner
    from shared.settings import Settings
    from shared.store.batches import Listed
    from shared.store.db import Database

Heard = Callable[[int, int], None]
"""Takes how many streams are done and how many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One proposal for people to read: what is held is put beside what would be."""

    owner: str
    operation: str
    gone: tuple[str, ...]
    """Texts that are held no more by themselves."""
    left: str
    """The text that stands for them."""
    confidence: tuple[float, float]
    """Before and after."""
    refused: str | None = None
    """Why it is not done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tidied:
    """What came of a job for a tenant."""

    tenant_id: str
    job: str
    batch_id: UUID | None
    """By which it can be taken back; None where nothing was changed."""
    outcome: str
    """`done`, `rehearsed`, `skipped` (somebody else is at it), or `failed`."""
    accepted: int
    refused: int
    changes: tuple[Change, ...] = ()
    """Of a rehearsal."""
    error: str | None = None


def rehearse(database: Database, tenant_id: str, job: str, heard: Heard) -> Tidied:
    """What a job would do for a tenant by now. Nothing is written.

    Raises:
        NotFound: nothing was ever stored of the tenant.
    """
    from coldpath.proposals import Tidying
    from coldpath.proposals import rehearse as look

    tidying = Tidying(job=job, propose=_propose(job), batch_id=uuid4())
    owners = _owners(database, tenant_id)
    done: list[Done] = []
    for place, owner in enumerate(owners, 1):
        done.append(look(database, tenant_id, owner, tidying))
        heard(place, len(owners))
    return Tidied(
        tenant_id=tenant_id,
        job=job,
        batch_id=None,
        outcome="rehearsed",
        accepted=sum(len(each.accepted) for each in done),
        refused=sum(len(each.refused) for each in done),
        changes=tuple(change for each in done for change in _changes(each)),
    )


def tidy(database: Database, settings: Settings, tenant_id: str, job: str) -> Tidied:
    """Do a job for a tenant to its end; what it changes is one batch.

    Raises:
        NotFound: nothing was ever stored of the tenant.
    """
    from coldpath._job import Job, carry_out
    from coldpath._tidying import batch_of, tidy_on

    _owners(database, tenant_id)
    batch: list[UUID] = []

    def do(each: Job) -> bool:
        batch.append(batch_of(each))
        return tidy_on(database, each, _propose(job))

    report = carry_out(database, settings, job, tenant_id, do, until_s=math.inf)
    accepted = report.counts.get("accepted", 0)
    return Tidied(
        tenant_id=tenant_id,
        job=job,
        batch_id=batch[-1] if accepted and batch else None,
        outcome=report.outcome.value,
        accepted=accepted,
        refused=report.counts.get("refused", 0),
        error=report.error,
    )


def listed(database: Database, tenant_id: str, limit: int) -> list[Listed]:
    """The tenant's last batches, the newest first.

    Raises:
        NotFound: nothing was ever stored of the tenant.
    """
    from shared.store import batches

    return batches.newest(database, tenant_id, limit=limit) if _owners(database, tenant_id) else []


def _propose(job: str) -> Propose:
    from coldpath import dedupe

    return {DEDUPE: dedupe.propose}[job]


def _owners(database: Database, tenant_id: str) -> Sequence[Owner]:
    from shared.store import streams

    owners = [owner for owner, _ in streams.with_memories(database, tenant_id)]
    if not owners:
        msg = f"nothing is stored of tenant {tenant_id!r}; ids are compared exactly"
        raise NotFound(msg, tenant=tenant_id)
    return owners


def _changes(done: Done) -> list[Change]:
    refusals = {id(proposal): reason.value for proposal, reason in done.refused}
    proposals = [*done.accepted, *(proposal for proposal, _ in done.refused)]
    found = []
    for proposal in proposals:
        operation = proposal.operation
        kept, *others = (done.held[memory] for memory in proposal.read if memory in done.held)
        after = getattr(operation, "confidence", None)
        found.append(
            Change(
                owner=done.owner,
                operation=operation.op.value,
                gone=tuple(each.text for each in others),
                left=kept.text,
                confidence=(kept.confidence, kept.confidence if after is None else after),
                refused=refusals.get(id(proposal)),
            )
        )
    return found
