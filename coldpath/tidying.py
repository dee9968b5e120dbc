"""The jobs that propose, by name, and how one is carried out: stream by stream of a tenant, as slices of a pass."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from coldpath import (
    _composing,
    _concluding,
    _foretelling,
    _opposing,
    anticipate,
    compress,
    consolidate,
    dedupe,
    link,
    promote,
    prune,
    reflect,
    retain,
    supersede,
)
from coldpath._consulting import Matter, Preparing, prepare
from coldpath._model_gates import ModelGate
from coldpath.proposals import Propose, Tidying, tidy
from coldpath.retain import Forgetting
from shared import metrics
from shared.contract.scope import AUDIT_OWNER, Owner
from shared.settings import Settings
from shared.store import streams
from shared.store.db import Database
from shared.work.passes import Job
from shared.work.queues import (
    ANTICIPATE,
    COMPRESS,
    CONSOLIDATE,
    DEDUPE,
    LINK,
    PROMOTE,
    PRUNE,
    REFLECT,
    RETAIN,
    SUPERSEDE,
)

_SEEN: Final = "streams"
"""By which a pass counts the streams that have had their turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tidier:
    """A job that proposes."""

    looks: Callable[[Settings], Propose]
    """What it does in a stream, by the settings of the process."""
    by_time: bool = False
    """Whether what it finds hangs on the day too, so that it looks although nothing has happened in a stream."""
    is_wanted: Callable[[Settings], bool] = lambda _settings: True
    """Whether there is anything for it to do at all, before any stream is looked at."""
    among: Callable[[Settings, Database, str], Collection[Owner] | None] = lambda *_: None
    """Whose streams of a tenant there is anything for it to do in, by one look-up; None for all. The others are passed
    over without a transaction."""
    forgets: Callable[[Settings], Forgetting] | None = None
    """What it takes away for good beside what it proposes, of streams in which nothing is held too."""
    asks: Matter | None = None
    """What it asks a model and stores before it looks, outside of any transaction: that costs money, and takes long."""


TIDIERS: Final[Mapping[str, Tidier]] = {
    DEDUPE: Tidier(looks=lambda _settings: dedupe.propose),
    PROMOTE: Tidier(looks=promote.by),
    COMPRESS: Tidier(looks=compress.by, by_time=True, among=compress.among),
    SUPERSEDE: Tidier(looks=supersede.by, asks=_opposing.MATTER),
    CONSOLIDATE: Tidier(looks=lambda _settings: consolidate.propose, asks=_concluding.MATTER),
    LINK: Tidier(looks=lambda _settings: link.propose),
    REFLECT: Tidier(looks=lambda _settings: reflect.propose, by_time=True, asks=_composing.MATTER),
    ANTICIPATE: Tidier(looks=anticipate.by, by_time=True, is_wanted=anticipate.is_wanted, asks=_foretelling.MATTER),
    PRUNE: Tidier(looks=prune.by, by_time=True, is_wanted=prune.is_wanted),
    RETAIN: Tidier(looks=retain.by, by_time=True, is_wanted=retain.is_wanted, forgets=retain.forgetting_by),
}
"""Each job that proposes, by the word that its task, queue, command and metric share."""


def tidying(settings: Settings, job: str, batch_id: UUID) -> Tidying:
    """A job as one pass does it; all that the pass changes is the batch."""
    tidier = TIDIERS[job]
    return Tidying(
        job=job,
        propose=tidier.looks(settings),
        batch_id=batch_id,
        by_time=tidier.by_time,
        review_days=settings.review_days,
    )


def forgetting(settings: Settings, job: str) -> Forgetting | None:
    """What a job takes away for good; None where it takes nothing away."""
    forgets = TIDIERS[job].forgets
    return forgets and forgets(settings)


def owners_of(database: Database, tenant_id: str, user_id: str | None = None, *, job: str = "") -> list[Owner]:
    """Whose streams a job goes through, in order: all of a tenant that hold a memory, or the named user's alone.

    Of a job that forgets, those too of which everything is a message that gave no memory.
    """
    if job and TIDIERS[job].forgets:
        owners = [owner for _, owner, _ in streams.of_tenant(database, tenant_id) if owner != AUDIT_OWNER]
    else:
        owners = [owner for owner, _ in streams.with_memories(database, tenant_id)]
    return [owner for owner in owners if user_id is None or owner == user_id]


def tidy_on(database: Database, settings: Settings, job: Job) -> bool:
    """Go on with a tenant's pass; returns whether every stream has had its turn.

    Streams come in order, and a slice that begins anew goes on behind as many as the slices before have seen: what is
    new in those is for the next pass. All that a pass changes is one batch, which bears its id.
    """
    name, tenant_id = job.held.name, job.held.tenant_id
    if not TIDIERS[name].is_wanted(settings):
        return True
    doing, takes = tidying(settings, name, batch_of(job)).fenced(job.fence), forgetting(settings, name)
    owners = owners_of(database, tenant_id, job=name)
    wanted = TIDIERS[name].among(settings, database, tenant_id)
    seen = job.counts.get(_SEEN, 0)
    for place, owner in enumerate(owners[seen:], seen + 1):
        if job.time_is_up or (takes and not _forgotten(database, owner, takes, job)):
            return False
        if wanted is None or owner in wanted:
            gate = prepared(database, settings, tenant_id, owner, doing)
            job.count(**({gate.counted: 1} if gate else {}))
            done = tidy(database, tenant_id, owner, doing)
            job.count(accepted=len(done.accepted), refused=done.refusals, asked=len(done.questions))
            job.count(**({"waiting": done.waiting} if done.waiting else {}))
        job.count(**{_SEEN: 1})
        job.progress(place, len(owners))
    return True


def _forgotten(database: Database, owner: Owner, takes: Forgetting, job: Job) -> bool:
    """Forget what is due in a stream; whether all of it is."""
    found = takes.carry_out(database, job.held.tenant_id, owner, fence=job.fence, time_is_up=lambda: job.time_is_up)
    job.count(forgotten=found.messages, kept=found.kept)
    return found.is_whole


def prepared(database: Database, settings: Settings, tenant_id: str, owner: Owner, doing: Tidying) -> ModelGate | None:
    """Have a job ask what it asks before it looks at a stream; returns how far that came, None where it asks nothing.

    Raises:
        LeaseLost: the job is somebody else's by now; nothing was stored.
        DatabaseUnavailable: nothing was stored.
    """
    matter = TIDIERS[doing.job].asks
    if matter is None:
        return None
    whose = Preparing(database=database, settings=settings, tenant_id=tenant_id, owner=owner, fence=doing.fence)
    gate = prepare(matter, whose)
    metrics.GATES.labels(job=doing.job, gate=gate).inc()
    return gate


def batch_of(job: Job) -> UUID:
    """The id of what a pass changes."""
    return job.held.job_id
