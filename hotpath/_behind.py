"""The old episodes behind a summary: when it is found, those that bear on the query come with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from hotpath._fuse import Ranked
from shared.language.indexing import indexed_terms
from shared.store import memories
from shared.store.db import Session
from shared.store.memories import Whole

MOST: Final = 4
"""Of the old episodes that a summary stands for, how many come with it."""
MOST_READ: Final = 64
"""Of them, how many are read to choose from: more than a summary that was made for them stands for."""


def read(
    session: Session, rows: dict[int, Whole], ranked: Sequence[Ranked], asked: Sequence[str]
) -> dict[int, list[int]]:
    """By the key of a summary among the hits, the episodes in the cold tier that come with it, best first.

    `rows` has the hits by their keys, and those episodes afterwards. `asked` are the terms of the query. Where there is
    no summary among the hits nothing is looked up.
    """
    hits = [rows[each.key] for each in ranked if each.key in rows]
    summaries = [row.key for row in hits if row.kind == "episodic" and row.epistemic_type != "evidence"]
    found = memories.behind(session, np.array(summaries, np.int64), limit=MOST_READ) if summaries else {}
    lacking = {key: first for episodes in found.values() for key, first in episodes if key not in rows}
    if lacking:
        keys, firsts = np.array([*lacking.items()], np.int64).T
        rows |= {row.key: row for row in memories.whole(session, keys, firsts) if not was_never_so(row)}
    return {
        summary: fitting([rows[key] for key, _ in episodes if key in rows], asked)
        for summary, episodes in found.items()
    }


def fitting(episodes: Sequence[Whole], asked: Sequence[str]) -> list[int]:
    """Keys of those that hold the most of what is asked, of equal ones the first."""
    wanted = set(asked)
    best = sorted(episodes, key=lambda row: -len(wanted.intersection(_terms(row))))
    return [row.key for row in best[:MOST]]


def was_never_so(row: Whole) -> bool:
    """Whether all that was claimed from an episode was taken back: its words are no evidence of anything."""
    return bool(row.is_past) and row.past_since is None


def _terms(row: Whole) -> list[str]:
    return indexed_terms(text=row.text, speaker=row.speaker, at=row.valid_from)
