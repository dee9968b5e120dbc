"""What a policy has let go of: it is not made again out of the same memories, until there are others.

Else what one job expires by a rule, another makes again each night, and a ledger grows by both for ever.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from shared.contract.operations import AbstractPayload
from shared.contract.proposals import Proposable
from shared.contract.records import Operation
from shared.contract.relations import ABSTRACTS
from shared.store import batches, links, memories
from shared.store.db import Session
from shared.work.queues import PRUNE, RETAIN

_BY_POLICY: Final = (PRUNE, RETAIN)
"""The jobs that expire what rules name."""


class LetGo:
    """What was made of memories and expired by a policy, by what it was made of."""

    def __init__(self, made_of: Iterable[frozenset[UUID]] = ()) -> None:
        """`made_of` are the sources of each."""
        self._made_of = tuple(made_of)

    @classmethod
    def of(cls, session: Session, operations: Iterable[Proposable]) -> LetGo:
        """What of this there is for operations that make something, in the stream of the session's owner."""
        sources = {each for made in operations if isinstance(made, AbstractPayload) for each in made.sources}
        ties = links.of(session, sources) if sources else []
        made = {tie.source for tie in ties if tie.relation == ABSTRACTS and tie.target in sources}
        newest = {version.memory_id: version for version in memories.versions(session, made)} if made else {}
        ended = {
            each.memory_id: each.closed_by
            for each in newest.values()
            if each.closed_by is not None and each.closed_reason is Operation.EXPIRE
        }
        found = batches.covering(session, _BY_POLICY, ended.values()) if ended else []
        gone = {
            memory
            for memory, by in ended.items()
            if any(each.first_sequence <= by <= each.last_sequence for each in found)
        }
        return cls(map(frozenset, links.made_from(session, gone).values()))

    def forbids(self, operation: Proposable) -> bool:
        """Whether an operation makes something out of nothing but what such a memory was made of."""
        return isinstance(operation, AbstractPayload) and any(
            each.issuperset(operation.sources) for each in self._made_of
        )
