"""How the words of memories go from one tier's blocks to the other's: which blocks are written anew. Pure.

Nothing is deleted, which only an eraser may: a block that one tier needs no more becomes one of the other. So that each
has at least one entry, there are never more blocks than were there before, or than the entries fill.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Blocks = Sequence[tuple[int, NDArray[np.void]]]
"""Numbers of blocks with their entries, in order of both."""


class Rewritten(NamedTuple):
    """What becomes of the blocks of one term."""

    left: Mapping[int, bytes]
    """Of those that it leaves: what stays in them."""
    kept: Mapping[int, bytes]
    """Of those that it enters: what is in them now."""
    moved: Sequence[tuple[int, int, bytes]]
    """Blocks that it leaves empty: each one's number there, its number here, and what is in it now."""
    begun: Mapping[int, bytes]
    """New ones."""


def taken_from(blocks: Blocks, docs: NDArray[np.int32]) -> tuple[Blocks, Blocks]:
    """What stays of each block that holds one of the memories, and what leaves it."""
    stays, leaves = [], []
    for number, entries in blocks:
        is_leaving = np.isin(entries["doc"], docs)
        if is_leaving.any():
            stays.append((number, entries[~is_leaving]))
            leaves.append((number, entries[is_leaving]))
    return stays, leaves


def moved(stays: Blocks, leaving: NDArray[np.void], there: Blocks, after: int, block_entries: int) -> Rewritten:
    """Put what leaves some blocks among the entries of those that are `there`, the last of which is number `after`.

    `there` are the blocks of the other tier that reach beyond the first of what comes, and the last one if it has room.
    """
    emptied = [number for number, entries in stays if not len(entries)]
    together = np.concatenate([*(entries for _, entries in there), leaving])
    together = together[np.argsort(together["doc"], kind="stable")]
    numbers = [number for number, _ in there]
    needed = max(len(numbers) + len(emptied), -(-len(together) // block_entries))
    numbers += range(after + 1, after + 1 + needed - len(numbers))
    parts = dict(zip(numbers, _spread(together, needed), strict=True))
    new = numbers[len(there) :]
    return Rewritten(
        left={number: entries.tobytes() for number, entries in stays if len(entries)},
        kept={number: parts[number] for number in numbers[: len(there)]},
        moved=[(old, number, parts[number]) for old, number in zip(emptied, new, strict=False)],
        begun={number: parts[number] for number in new[len(emptied) :]},
    )


def _spread(entries: NDArray[np.void], blocks: int) -> Iterator[bytes]:
    return (part.tobytes() for part in np.array_split(entries, blocks))
