"""dedupe: memories that say the same twice become one, with all that either rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from coldpath.proposals import Proposed
from shared.belief.twins import Vector, merges
from shared.contract.records import MemoryVersion
from shared.store import memories, vectors
from shared.store.db import Session

MOST_COMPARED: Final = 20_000
"""Memories in words of its own that a stream is looked at for, the newest: some 40 MB with their vectors."""


def propose(session: Session) -> Proposed:
    """What should be merged in the stream of the session's owner. Not whole while one of them lacks its vector."""
    lacking = 0

    def known(block: Sequence[MemoryVersion]) -> Mapping[UUID, Vector]:
        nonlocal lacking
        found = vectors.numbered(session, [memory.doc for memory in block])
        lacking += len(block) - len(found)
        return {memory.memory_id: found[memory.doc] for memory in block if memory.doc in found}

    held = memories.beliefs(session, keyed=False, limit=MOST_COMPARED)
    proposals = list(merges(held, known))
    return Proposed(proposals=proposals, is_whole=not lacking)
