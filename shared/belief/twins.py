"""Memories in words of their own that say the same twice: which of them one should stand for. Pure.

Twins are looked for where they can be: what says the same has the same numbers, dates, names and negations, is of one
kind, footing, agent and trust, and delicate in the same way. So memories are put in blocks by all of that, and only
within a block compared: by how near their vectors are, and by their words in order, since to a vector "the dog chased
the cat" and "the cat chased the dog" are one. No pair that could be merged is missed by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from shared.belief.confirming import together
from shared.belief.rules.sensitivity import classes_of
from shared.belief.similarity import LEAST_COSINE, says_the_same, telling
from shared.belief.unkeyed import is_unkeyed
from shared.contract.operations import MergePayload
from shared.contract.proposals import Proposal
from shared.contract.records import MemoryVersion

Vector = NDArray[np.float32]
Vectors = Callable[[Sequence[MemoryVersion]], Mapping[UUID, Vector]]
"""Gives the unit vectors of some memories, of those that have one."""

REASON = "says_the_same"


def merges(memories: Iterable[MemoryVersion], vectors: Vectors) -> Iterator[Proposal]:
    """What should be merged of open memories of one stream: into each that was held first those that say the same.

    Keyed claims are none of it: what is held of one claim is for resolution, and never judged by how alike words are.
    """
    for block in _blocks(memories):
        known = vectors(block)
        for kept, *absorbed in _sets([each for each in block if each.memory_id in known], known):
            if absorbed:
                yield _merge(kept, absorbed)


def _blocks(memories: Iterable[MemoryVersion]) -> Iterator[list[MemoryVersion]]:
    """Those that may be twins together, of two or more, each in order of their numbers."""
    found: dict[object, list[MemoryVersion]] = {}
    for memory in memories:
        if memory.is_open and is_unkeyed(memory):
            found.setdefault(_block(memory), []).append(memory)
    return (sorted(block, key=lambda memory: memory.doc) for block in found.values() if len(block) > 1)


def _block(memory: MemoryVersion) -> object:
    footing = (memory.kind, memory.epistemic_type, memory.schema_name, memory.agent_id, memory.trust)
    ended = memory.valid_to  # what has ended and what goes on are two things that were said
    return (*footing, ended, telling(memory.text), classes_of(memory.text, holds_secret=False))


def _sets(block: Sequence[MemoryVersion], vectors: Mapping[UUID, Vector]) -> Iterator[list[MemoryVersion]]:
    """Each with those behind it that are near to it itself: nearness is not handed on from one to the next."""
    if not block:
        return
    unit = np.stack([vectors[memory.memory_id] for memory in block])
    free = np.ones(len(block), np.bool_)
    for place, memory in enumerate(block):
        if not free[place]:
            continue
        near = np.flatnonzero((unit[place:] @ unit[place] >= LEAST_COSINE) & free[place:]) + place
        twins = [at for at in near.tolist() if at != place and says_the_same(memory.text, block[at].text)]
        free[[place, *twins]] = False
        yield [memory, *(block[at] for at in twins)]


def _merge(kept: MemoryVersion, absorbed: Sequence[MemoryVersion]) -> Proposal:
    evidence, confidence = together([kept, *absorbed])
    return Proposal(
        operation=MergePayload(
            reason=REASON,
            memory=kept.memory_id,
            absorbed=tuple(each.memory_id for each in absorbed),
            evidence=evidence,
            confidence=confidence,
        ),
        read={each.memory_id: each.version for each in (kept, *absorbed)},
    )
