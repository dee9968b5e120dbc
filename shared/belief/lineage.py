"""What was made of other memories, and whether those still bear it. Pure.

What is forgotten or quarantined takes along all that was made from it, by its evidence. A source that was retracted
keeps its evidence, which says that it was said, and not that it is so: what was concluded from it is for this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final
from uuid import UUID

from shared.contract.operations import ClosePayload, EndPayload
from shared.contract.proposals import Proposal
from shared.contract.records import MemoryVersion, Operation

SOURCES_ENDED: Final = "sources_ended"
_DENIED: Final = frozenset({Operation.RETRACT, Operation.QUARANTINE})


def undermined(made: Iterable[MemoryVersion], sources: Mapping[UUID, Sequence[MemoryVersion]]) -> Iterator[Proposal]:
    """What is to become of open memories that were made of others, given the newest versions of those.

    One of which any source is denied is held no more: if the rest bears it, it is found again. One whose sources have
    all ended in the world has ended with the last of them. What was merged or set aside denies nothing.
    """
    for memory in made:
        of = sources.get(memory.memory_id, ())
        read = {memory.memory_id: memory.version}
        if any(each.closed_reason in _DENIED for each in of):
            closing = ClosePayload(op=Operation.EXPIRE, reason="source_denied", memory=memory.memory_id)
            yield Proposal(operation=closing, read=read)
            continue
        ends = [each.valid_to for each in of if each.valid_to is not None]
        if of and len(ends) == len(of) and memory.valid_to is None:
            ending = EndPayload(reason=SOURCES_ENDED, memory=memory.memory_id, valid_to=max(ends))
            yield Proposal(operation=ending, read=read)
