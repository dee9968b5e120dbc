"""Beliefs that change places with a reading: which are closed with the old one, opened with the new one, and shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from shared.belief.predicates import side_of
from shared.belief.replacing import REDERIVED
from shared.contract.candidates import Candidate
from shared.contract.operations import ClosePayload, Payload, ReopenPayload
from shared.contract.records import MemoryVersion, Operation
from shared.store import ledger, memories
from shared.store.beliefs import Draft
from shared.store.candidates import Proposed
from shared.store.db import Session

_MISTRUSTED: Final = "source"
_AGAIN: Final = "proposed_again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """What is believed after a switch and was not before, and the other way round; texts, in order of the world."""

    opened: tuple[MemoryVersion, ...]
    closed: tuple[MemoryVersion, ...]
    kept: int
    """Beliefs that are the same."""
    decided: int = 0
    """Decisions of people that what was read anew has met, and that stand."""


def set_aside(
    draft: Draft,
    before: Sequence[MemoryVersion],
    counting: Sequence[Proposed],
    coming: Sequence[Proposed],
    *,
    judged: bool,
) -> list[MemoryVersion]:
    """Close what only the old readings proposed, and open again what the coming ones did before it was closed so.

    Where the coming ones are to be `judged`, those without a claim become memories by that. Returns what it closed, as
    it was held.
    """
    old, new = _marks(counting), _marks(coming)
    again = _marks(each for each in coming if each.claim_key is not None) if judged else new
    closing = _founded(draft.session, before, old - new)
    opening = _founded(draft.session, _unproposed(draft), again)
    operations: list[Payload] = [
        ClosePayload(op=Operation.EXPIRE, reason=REDERIVED, memory=each.memory_id) for each in closing
    ]
    draft.do([*closing, *opening], [*operations, *map(_opened, opening)])
    return closing


def change_places(draft: Draft, leaving: Sequence[Proposed], waiting: Sequence[Proposed]) -> None:
    """Have what is quarantined wait for the reading that counts again, once that is lifted, and not for the other.

    What was made of `leaving` is closed as what nothing proposes, of `waiting` as what is quarantined.
    """
    gone, kept = _marks(leaving) - _marks(waiting), _marks(waiting)
    session = draft.session
    quarantined = _founded(session, memories.closed_by(session, Operation.QUARANTINE), gone)
    expired = _founded(session, _unproposed(draft), kept)
    operations: list[Payload] = []
    for each in quarantined:
        close = ClosePayload(op=Operation.EXPIRE, reason=REDERIVED, memory=each.memory_id)
        operations += [_opened(each), close]
    for each in expired:
        operations += [_opened(each), ClosePayload(op=Operation.QUARANTINE, reason=_MISTRUSTED, memory=each.memory_id)]
    draft.do([*quarantined, *expired], operations)


def _unproposed(draft: Draft) -> list[MemoryVersion]:
    """What is held no more because nothing proposed it; what a policy closed, or somebody, stays closed."""
    expired = memories.closed_by(draft.session, Operation.EXPIRE)
    closing = ledger.numbered(draft.session, draft.head.owner, {each.closed_by for each in expired if each.closed_by})
    reasons = {event.sequence: (event.payload or {}).get("reason") for event in closing}
    return [each for each in expired if reasons.get(each.closed_by or 0) == REDERIVED]


def _opened(version: MemoryVersion) -> ReopenPayload:
    return ReopenPayload(reason=_AGAIN, memory=version.memory_id, valid_to=version.valid_to)


def _founded(
    session: Session, held: Sequence[MemoryVersion], marks: AbstractSet[tuple[object, ...]]
) -> list[MemoryVersion]:
    """The newest versions of those memories that were founded on what has one of some marks.

    A memory is known by its first version: what confirmed it since is in the later ones.
    """
    if not marks:
        return []
    later = [each.memory_id for each in held if each.version > 1]
    first = {each.memory_id: each for each in held if each.version == 1}
    first |= {each.memory_id: each for each in memories.versions(session, later) if each.version == 1}
    return [each for each in held if _mark(first[each.memory_id]) in marks]


def _marks(proposed: Iterable[Proposed]) -> set[tuple[object, ...]]:
    return {_mark(each.candidate) for each in proposed}


def _mark(said: Candidate | MemoryVersion) -> tuple[object, ...]:
    """By what a candidate and the memory that was founded on it know each other."""
    return said.text, said.claim, frozenset(ref.span for ref in said.evidence)


def difference(before: Sequence[MemoryVersion], after: Sequence[MemoryVersion]) -> Diff:
    """What is held after and was not before, and the other way round, as a person would read it."""
    was, now = {_shown(each): each for each in before}, {_shown(each): each for each in after}
    opened = [each for key, each in now.items() if key not in was]
    closed = [each for key, each in was.items() if key not in now]
    return Diff(
        opened=tuple(sorted(opened, key=_by_time)),
        closed=tuple(sorted(closed, key=_by_time)),
        kept=len(was.keys() & now.keys()),
    )


def _shown(version: MemoryVersion) -> tuple[object, ...]:
    """What a person sees of a belief: of two that only differ in what they rest on, neither is new."""
    claim = side_of(version.claim) if version.claim else None
    return version.text, claim, version.valid_from, version.valid_to, version.kind, version.epistemic_type


def _by_time(version: MemoryVersion) -> tuple[float, int]:
    return version.valid_from.timestamp() if version.valid_from else float("-inf"), version.doc
