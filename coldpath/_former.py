"""What people took back of beliefs in whose place others stand by now, since they were read anew."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import Final
from uuid import UUID

from shared.belief.deciding import Former
from shared.contract.records import EpistemicType, Link, MemoryVersion, Operation
from shared.contract.relations import RELATIONS
from shared.store import links, memories
from shared.store.db import Session

_GIVEN_WAY: Final = (Operation.EXPIRE, Operation.MERGE)
"""How a belief is closed for which another stands."""


def former(session: Session, touched: Collection[UUID]) -> Former:
    """Those of some memories that are held no more, since another stands for them."""
    newest = {each.memory_id: each for each in memories.versions(session, touched)} if touched else {}
    return Former(each for each in newest.values() if each.closed_reason in _GIVEN_WAY)


def ties_at(session: Session, ends: Iterable[MemoryVersion]) -> list[Link]:
    """The ties at some memories, and those that somebody took back at beliefs in whose place they stand.

    The latter as if they had been at them; closed, so that nothing hangs on them.
    """
    now = {each.memory_id: each for each in ends}
    stood_for = {old: new for new, olds in _former_of(session, now.values()) for old in olds}
    ties = links.of(session, {*now, *stood_for}) if now else []
    return [each for tie in ties for each in _as_of_now(tie, stood_for)]


def _former_of(session: Session, now: Collection[MemoryVersion]) -> Iterator[tuple[UUID, frozenset[UUID]]]:
    beliefs = [each for each in now if each.epistemic_type is not EpistemicType.EVIDENCE]
    messages = {ref.sequence for each in beliefs for ref in each.evidence}
    newest = {each.memory_id: each for each in memories.resting_on(session, messages)} if messages else {}
    gone = Former(each for each in newest.values() if each.closed_reason in _GIVEN_WAY)
    return ((each.memory_id, gone.of(each)) for each in beliefs)


def _as_of_now(tie: Link, stood_for: dict[UUID, UUID]) -> Iterator[Link]:
    if tie.source not in stood_for and tie.target not in stood_for:
        yield tie
        return
    source, target = (stood_for.get(end, end) for end in (tie.source, tie.target))
    if tie.closed_by is not None and tie.relation in RELATIONS and source != target:
        yield replace(tie, source=source, target=target)
