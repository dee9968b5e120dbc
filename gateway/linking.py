"""The links of somebody's memories, as people read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from shared.contract.errors import NotFound

if TYPE_CHECKING:
    from shared.contract.records import Link, MemoryVersion
    from shared.contract.scope import Scope
    from shared.store.db import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownLink:
    """One link that holds, with both of its memories."""

    number: int
    """Of the event that made it, by which it is taken back."""
    relation: str
    score: float | None
    trust: int
    """0 to 4: that of the less trusted of the two."""
    source_id: UUID
    source_text: str
    target_id: UUID
    target_text: str
    via: int | None
    """The number of the link that it was drawn from."""


def listed(database: Database, scope: Scope, memory_id: UUID | None, limit: int) -> list[ShownLink]:
    """The scope's links that hold, the newest first; of one memory, all of its.

    Raises:
        NotFound: the memory is none of the scope's.
    """
    from shared.store import links, memories
    from shared.store.db import Role

    with database.transaction(
        Role.READER, scope.tenant_id, [scope.owner], read_only=True, agent_id=scope.agent_id
    ) as session:
        if memory_id is not None and not memories.versions(session, [memory_id]):
            msg = f"the scope has no memory {memory_id}: it is another scope's, or it is forgotten"
            raise NotFound(msg, memory_id=str(memory_id))
        found = links.newest(session, limit=limit) if memory_id is None else links.of(session, [memory_id])
        ends = {end for link in found for end in (link.source, link.target)}
        held = {each.memory_id: each for each in memories.versions(session, ends) if each.is_open} if ends else {}
    return _shown(found, held)


def _shown(found: Sequence[Link], held: dict[UUID, MemoryVersion]) -> list[ShownLink]:
    from shared.belief.validating import is_link

    return [
        ShownLink(
            number=link.opened_by,
            relation=link.relation,
            score=link.score,
            trust=min(held[link.source].trust, held[link.target].trust),
            source_id=link.source,
            source_text=held[link.source].text,
            target_id=link.target,
            target_text=held[link.target].text,
            via=link.via,
        )
        for link in found
        if is_link(link) and link.source in held and link.target in held
    ]
