"""What taking a batch back does in one stream: what was before is held again, and resolved with what was said since."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from coldpath._undone import touched_by
from coldpath.unlink import TakingBack, taking_back
from shared.belief.contradictions import REASON as SAID_LATE
from shared.belief.effects import part_of
from shared.belief.lineage import SOURCES_ENDED
from shared.belief.replacing import REPLACED
from shared.belief.reverting import REASON, Kept, Reverting, Why, crowded, reverting
from shared.contract.events import Event
from shared.contract.operations import RestorePayload
from shared.contract.records import MemoryVersion, Operation
from shared.store import ledger, memories
from shared.store.batches import Batch
from shared.store.beliefs import Draft
from shared.store.db import Session
from shared.store.ledger import Head
from shared.store.resolving import found_anew, resolve_claims

_ENDS: Final = frozenset({Operation.SUPERSEDE, Operation.END})
_BY_JOBS: Final = frozenset({SAID_LATE, SOURCES_ENDED, REPLACED})
"""Why something ended of whose end no statement of its claim tells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Undoing:
    """What was written."""

    operations: int
    """Without those that resolve what is held again."""
    kept: tuple[Kept, ...]
    unknown: int
    """Operations of the batch whose content was erased."""
    end: Head
    """Of the stream, to be stored."""


def undo(session: Session, head: Head, batch: Batch, verified: AbstractSet[str]) -> Undoing:
    """Take back what a batch did in a stream, and write that. Locks as for `Draft`, `verified` for `resolve_claims`."""
    events = ledger.numbered(session, head.owner, range(batch.first_sequence, batch.last_sequence + 1))
    linked = [event.sequence for event in events if event.kind == Operation.LINK]
    untied = taking_back(session, linked, reason=REASON)
    others = [event for event in events if event.payload is not None and event.kind != Operation.LINK]
    touched = [group for group in map(touched_by, others) if untied.memories.isdisjoint(group)]
    versions = memories.versions(session, {memory for each in touched for memory in each})
    held = part_of(versions, (), docs=0).memories
    taken: set[UUID] = set()
    while True:
        found = reverting(touched, batch.first_sequence, batch.last_sequence, held, taken=taken)
        draft = Draft(session, head)
        crowding, waiting = _done(draft, untied, versions, found, verified)
        if not crowding:
            break
        taken |= crowding
    return Undoing(
        operations=len(untied.operations) + len(found.operations) - len(waiting),
        kept=(*found.kept, *(Kept(memory=each, why=Why.QUARANTINED) for each in waiting)),
        unknown=sum(event.payload is None for event in events),
        end=draft.write()[1],
    )


def _done(
    draft: Draft,
    untied: TakingBack,
    versions: Iterable[MemoryVersion],
    found: Reverting,
    verified: AbstractSet[str],
) -> tuple[set[UUID], Sequence[UUID]]:
    """Do it in a draft; gives the memories that cannot be held again, and those that a quarantine holds back.

    The former since another is in their place. The latter are held again by the lift, as they were before the batch;
    until then what others have said of them is.
    """
    draft.do(untied.held, untied.operations)
    draft.do(draft.as_they_are(versions), found.operations)
    restored = {each.memory for each in found.operations if isinstance(each, RestorePayload)}
    waiting = draft.hold_back()
    found_anew(draft, waiting)
    again = [each for each in draft.as_they_are(versions) if each.memory_id in restored and each.claim]
    resolve_claims(draft, _to_resolve(draft, again), verified=verified)
    keys = {each.claim.key for each in again if each.claim}
    beside = draft.as_they_are(memories.of_claims(draft.session, keys)) if keys else []
    return crowded(beside) & restored, sorted(each.memory_id for each in waiting)


def _to_resolve(draft: Draft, again: Collection[MemoryVersion]) -> set[str]:
    """The claims of what is held again, without what a job has ended: resolving knows nothing of such ends."""
    keys: set[str] = set()
    ends: list[tuple[int, str]] = []
    for versions in part_of(again, (), docs=0).memories.values():
        last = versions[-1]
        assert last.claim is not None
        if last.valid_to is None:
            keys.add(last.claim.key)
        else:
            by = next(each.opened_by for each in versions if each.valid_to == last.valid_to)
            ends.append((by, last.claim.key))
    events = ledger.numbered(draft.session, draft.head.owner, {by for by, _ in ends}) if ends else []
    by_jobs = {event.sequence for event in events if _is_by_a_job(event)}
    return keys | {key for by, key in ends if by not in by_jobs}


def _is_by_a_job(event: Event) -> bool:
    return event.kind in _ENDS and (event.payload or {}).get("reason") in _BY_JOBS
