"""What takes a batch of operations back. Pure.

Nothing is deleted: what the batch opened is closed, and what it changed is held as it was before, each by an operation
of its own. What was changed once more since then is left as it is, with all that the same operation touched: it would
be wrong to take back half of a merge. So is what another memory has the place of by now: of one claim, one is true at a
time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from uuid import UUID

from shared.belief.state import Versions
from shared.contract.operations import ClosePayload, Payload, RestorePayload
from shared.contract.records import MemoryVersion, Operation

REASON = "reverted"
_FOR_GOOD = datetime.max.replace(tzinfo=UTC)


class Why(StrEnum):
    """Why a memory stays as it is."""

    CHANGED = "changed"
    """Something has changed it after the batch."""
    FORGOTTEN = "forgotten"
    """It was forgotten after the batch."""
    TAKEN = "taken"
    """Another is held in its place."""
    QUARANTINED = "quarantined"
    """What it was made from is in quarantine: the lift holds it again."""
    TOGETHER = "together"
    """Another stays that the same operation touched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A memory that stays as it is."""

    memory: UUID
    why: Why


@dataclass(frozen=True, slots=True, kw_only=True)
class Reverting:
    """What is to be done, and what cannot be."""

    operations: tuple[Payload, ...]
    kept: tuple[Kept, ...]


def reverting(
    batch: Iterable[Collection[UUID]],
    first: int,
    last: int,
    memories: Mapping[UUID, Versions],
    *,
    taken: Collection[UUID] = (),
) -> Reverting:
    """The operations that take back those from sequence `first` to `last` of a stream.

    `batch` gives for each of them the memories that it touched, what it opened included; `memories` all versions of
    those that are held or were; `taken` are those of them whose place another has.
    """
    operations: list[Payload] = []
    kept: list[Kept] = []
    for group in _joined(batch):
        staying = {each: why for each in group if (why := _why(memories.get(each), last, is_taken=each in taken))}
        if staying:
            kept += [Kept(memory=each, why=staying.get(each, Why.TOGETHER)) for each in sorted(group)]
        else:
            there = sorted((memories[each] for each in group), key=lambda versions: versions[0].doc)
            operations += [each for versions in there for each in _undone(versions, first)]
    return Reverting(operations=tuple(operations), kept=tuple(kept))


def _joined(batch: Iterable[Collection[UUID]]) -> Sequence[set[UUID]]:
    """Memories by what touched them together, each once, in order."""
    groups: list[set[UUID]] = []
    for touched in batch:
        meeting = [group for group in groups if not group.isdisjoint(touched)]
        groups = [group for group in groups if group.isdisjoint(touched)]
        groups.append(set(touched).union(*meeting))
    return groups


def crowded(held: Iterable[MemoryVersion]) -> set[UUID]:
    """The memories that are true at the same time as another of one claim, at one level of trust.

    The tables hold no two such. Closed versions are passed over. A time is from its beginning up to its end, and what
    has no beginning stands beside all.
    """
    by_claim: dict[tuple[str, int], list[tuple[datetime, datetime, UUID]]] = {}
    for each in held:
        begins, ends = each.valid_from, each.valid_to or _FOR_GOOD
        if each.is_open and each.claim and begins and begins < ends:
            by_claim.setdefault((each.claim.key, each.trust), []).append((begins, ends, each.memory_id))
    return {memory for times in by_claim.values() for memory in _overlapping(sorted(times))}


def _overlapping(times: Iterable[tuple[datetime, datetime, UUID]]) -> Iterable[UUID]:
    """Those of some times, in order of their beginnings, in which another has begun, or that begin in another."""
    until, longest = datetime.min.replace(tzinfo=UTC), None
    for begins, ends, memory in times:
        if longest and begins < until:
            yield longest
            yield memory
        if longest is None or ends > until:
            until, longest = ends, memory


def _why(versions: Versions | None, last: int, *, is_taken: bool) -> Why | None:
    if versions is None:
        return Why.FORGOTTEN
    newest = versions[-1]
    if newest.opened_by > last or (newest.closed_by or 0) > last:
        return Why.CHANGED
    return Why.TAKEN if is_taken else None


def _undone(versions: Versions, first: int) -> Iterable[Payload]:
    before = [version for version in versions if version.opened_by < first]
    newest = versions[-1]
    if not before:
        if newest.is_open:
            yield ClosePayload(op=Operation.EXPIRE, reason=REASON, memory=newest.memory_id)
    elif before[-1] is not newest or not newest.is_open:
        yield RestorePayload(reason=REASON, memory=newest.memory_id, version=before[-1].version)
