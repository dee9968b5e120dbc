"""unlink: a link that is wrong is taken back, with all that came of it.

With a link go the links that were drawn from it, those drawn from these in turn, and what the job has written because
of any of them. Nothing is deleted: links are closed, memories EXPIRE, and no pass proposes either again.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from shared.belief.unlinking import unlinking
from shared.contract.errors import NotFound
from shared.contract.operations import ClosePayload, Payload, UnlinkPayload
from shared.contract.records import MemoryVersion
from shared.contract.relations import RELATIONS
from shared.contract.scope import Owner
from shared.store import generations, ledger, links, memories
from shared.store.beliefs import Draft
from shared.store.db import Database, Role, Session
from shared.work.queues import LINK

REASON: Final = "not_so"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlinked:
    """What was taken back."""

    links: tuple[int, ...]
    """By the numbers of the events that had made them; none where it had been taken back before."""
    memories: tuple[UUID, ...]
    """What had been written because of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakingBack:
    """The operations that take some links back, and all that came of them."""

    operations: tuple[Payload, ...]
    held: tuple[MemoryVersion, ...]
    """All versions of the memories that the operations name."""

    @property
    def memories(self) -> frozenset[UUID]:
        """Those that are held no more."""
        return frozenset(each.memory for each in self.operations if isinstance(each, ClosePayload))


def unlink(database: Database, tenant_id: str, owner: Owner, number: int) -> Unlinked:
    """Take back the link that an event of somebody's stream has made, with all that came of it.

    Raises:
        NotFound: the event has made no link, or one of its memories is forgotten.
        DatabaseUnavailable: nothing has changed.
    """
    with database.transaction(Role.WORKER, tenant_id, [owner]) as session:
        generations.ensure(session, "memory")
        generations.writing(session, "sparse")
        head = ledger.lock(session, owner)
        if not any(tie.relation in RELATIONS for tie in links.numbered(session, [number])):
            msg = f"event {number} of {owner!r} has made no link that is there; `daybook links` gives their numbers"
            raise NotFound(msg, link=number)
        found = taking_back(session, [number], reason=REASON)
        draft = Draft(session, head)
        draft.do(found.held, found.operations)
        ledger.advance(session, draft.write()[1])
    closed = tuple(each.link for each in found.operations if isinstance(each, UnlinkPayload))
    return Unlinked(links=closed, memories=tuple(sorted(found.memories)))


def taking_back(session: Session, sequences: Collection[int], *, reason: str) -> TakingBack:
    """What takes back the links that some events have made. The caller holds the stream's lock."""
    begun = [tie for tie in links.numbered(session, sequences) if tie.relation in RELATIONS]
    going = {tie.opened_by: tie for tie in (*begun, *links.drawn_from(session, [tie.opened_by for tie in begun]))}
    ends = {end for tie in going.values() for end in (tie.source, tie.target)}
    made = {each.memory_id for each in memories.made_by(session, LINK)} if going else set()
    operations = unlinking(going.values(), links.made_from(session, made), reason=reason)
    return TakingBack(operations=operations, held=tuple(memories.versions(session, ends | made)) if operations else ())
