"""Stretches of a session around hits: which turns stand around which. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from hotpath._fuse import Ranked
from shared.store.keys import DOC_BITS

BEFORE: Final = 1
AFTER: Final = 2
"""One third of what surrounds a hit comes before it and two thirds after: answers follow questions (MemMachine)."""


class Context(NamedTuple):
    """A stretch of one session around hits, in the order of time."""

    session: int
    """Number of the session's first memory."""
    first: int
    """Key of its first turn that may be there."""
    last: int
    hits: tuple[int, ...]
    """Keys of the hits in it, best first."""


def contexts(ranked: Sequence[Ranked]) -> list[Context]:
    """What surrounds the hits, the best hit's first; stretches of one session that touch or overlap are one."""
    by_session: dict[tuple[int, int], list[int]] = {}
    for each in ranked:
        by_session.setdefault((each.key >> DOC_BITS, each.session), []).append(each.key)
    merged: dict[int, Context] = {}
    for (_, session), keys in by_session.items():
        for run in _runs(sorted(keys)):
            hits = tuple(key for key in keys if run[0] <= key <= run[-1])
            merged[hits[0]] = Context(session, run[0] - BEFORE, run[-1] + AFTER, hits)
    return [merged[each.key] for each in ranked if each.key in merged]


def _runs(keys: Sequence[int]) -> Iterator[list[int]]:
    """Ascending keys, parted where the turn after one context is not yet in the next."""
    run = [keys[0]]
    for key in keys[1:]:
        if key - BEFORE > run[-1] + AFTER + 1:
            yield run
            run = []
        run.append(key)
    yield run
