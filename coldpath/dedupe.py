"""dedupe: memories that say the same twice become one, with all that either rests on."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from coldpath.proposals import Proposed
from shared.belief.twins import Vector, Worded, merge, sets
from shared.contract.proposals import Proposal
from shared.store import batches, memories, vectors
from shared.store.db import Session
from shared.store.memories import WordedRow
from shared.work.queues import DEDUPE

MOST_LOOKED_AT: Final = 20_000
"""New memories of a stream that one pass looks at, in the order they came; the next pass goes on behind them."""
_SETS_AT_ONCE: Final = 500


def propose(session: Session) -> Proposed:
    """What should be merged in the stream of the session's owner: what is new with what says the same.

    Not whole from the first on that may be merged and lacks its vector, or of which the other does. Goes through all
    that is held in words of its own, and keeps of it what is new and what may be the same as something new. What is in
    the cold tier is searched by nobody, and passed over until it comes back.
    """
    marked = batches.marked(session, DEDUPE)
    new, end = _new(session, marked)
    opened = {each.doc: each.opened_by for each in new}
    lacking, waiting, embedded = set[int](), list[int](), 0

    def known(docs: Sequence[int]) -> Mapping[int, Vector]:
        nonlocal embedded
        found = vectors.numbered(session, docs)
        lacking.update(set(docs) - found.keys())
        embedded = max(embedded, *(opened.get(doc, 0) for doc in (0, *found)))
        return found

    def unknown(one: int, other: int) -> None:
        # As long as one of them counts as new the pair is looked at again.
        waiting.append(max(opened.get(one, 0), opened.get(other, 0)))

    older = memories.worded(session, until=marked) if new and marked else ()
    proposals = list(_merges(session, sets([_worded(each) for each in new], map(_worded, older), known, unknown)))
    if not waiting:
        return Proposed(proposals=proposals, is_whole=end is None, seen=end)
    seen = _until(marked, end, waiting, embedded)
    return Proposed(proposals=proposals, is_whole=False, seen=seen, waiting=len(lacking))


def _until(marked: int, end: int | None, waiting: Collection[int], embedded: int) -> int | None:
    """Up to which event all was looked at, where some pairs `waiting` since theirs lack a vector; None for no further.

    Where that is no further and there is more behind `end`, it is without what stays without a vector: what lacks it
    although something that came later, up to `embedded`, has one.
    """
    if min(waiting) - 1 > marked:
        return min(waiting) - 1
    if end is None:
        return None
    coming = [each for each in waiting if each > embedded]
    until = min(coming) - 1 if coming else end
    return until if until > marked else None


def _new(session: Session, marked: int) -> tuple[list[WordedRow], int | None]:
    """What is open and has changed since the job has seen all, and up to which event, if that is not the stream's end.

    What one event has opened is looked at together.
    """
    found = memories.worded_after(session, marked, limit=MOST_LOOKED_AT)
    if len(found) < MOST_LOOKED_AT:
        return found, None
    last = found[-1].opened_by
    before = [each for each in found if each.opened_by < last]
    return (before, last - 1) if before else (found, last)


def _worded(row: WordedRow) -> Worded:
    return Worded(row.doc, row.text, row.footing)


def _merges(session: Session, found: Iterator[tuple[int, ...]]) -> Iterator[Proposal]:
    """What is to be proposed of some sets; of what was closed meanwhile nothing."""
    while portion := list(islice(found, _SETS_AT_ONCE)):
        held = {each.doc: each for each in memories.numbered(session, {doc for docs in portion for doc in docs})}
        for kept, *absorbed in portion:
            if held.keys() >= {kept, *absorbed}:
                yield merge(held[kept], [held[doc] for doc in absorbed])
