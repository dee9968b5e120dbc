"""The links of somebody's memories, as people read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.contract.errors import NotFound
from shared.contract.ids import IdRange

if TYPE_CHECKING:
    from uuid import UUID

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


def listed(database: Database, scope: Scope, memory_id: UUID | str | None, limit: int) -> list[ShownLink]:
    """The scope's links that hold, the newest first; of one memory, all of its.

    Raises:
        NotFound: the memory is none of the scope's.
        InvalidInput: it is no id, or the beginning of several.
    """
    from shared.store import links, memories
    from shared.store.db import Role

    ids = None if memory_id is None else IdRange.of(memory_id, field="memory_id")
    with database.transaction(
        Role.READER, scope.tenant_id, [scope.owner], read_only=True, agent_id=scope.agent_id
    ) as session:
        named = ids and ids.only(memories.called(session, ids.first, ids.last), "memories", field="memory_id")
        if ids is not None and named is None:
            msg = f"the scope has no memory {ids.begins}: it is another scope's, or it is forgotten"
            raise NotFound(msg, memory_id=ids.begins)
        found = links.of(session, [named[0]]) if named else links.newest(session, limit=limit)
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
