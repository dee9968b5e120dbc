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

MOST: Final = 6
"""Of the old episodes that a summary stands for, how many come with it."""
MOST_READ: Final = 64
"""Of them, how many are read to choose from: more than a summary that was made for them stands for."""


def read(session: Session, rows: dict[int, Whole], ranked: Sequence[Ranked], asked: Sequence[str]) -> dict[int, float]:
    """The episodes in the cold tier that come with the summaries among the hits, by their keys, each with its score.

    `rows` has the hits by their keys, and those episodes afterwards. `asked` are the terms of the query. Where there is
    no summary among the hits nothing is looked up.
    """
    hits = [(rows[each.key], each.score) for each in ranked if each.key in rows]
    summaries = {row.key: score for row, score in hits if row.kind == "episodic" and row.epistemic_type != "evidence"}
    found = memories.behind(session, np.array([*summaries], np.int64), limit=MOST_READ) if summaries else {}
    lacking = {key: first for episodes in found.values() for key, first in episodes if key not in rows}
    if not lacking:
        return {}
    keys, firsts = np.array([*lacking.items()], np.int64).T
    rows |= {row.key: row for row in memories.whole(session, keys, firsts) if not was_never_so(row)}
    scores: dict[int, float] = {}
    for summary, episodes in found.items():
        read_now = [rows[key] for key, _ in episodes if key in lacking and key in rows]
        for key, share in fitting(read_now, asked):
            scores[key] = max(share * summaries[summary], scores.get(key, 0.0))
    return scores


def fitting(episodes: Sequence[Whole], asked: Sequence[str]) -> list[tuple[int, float]]:
    """Those that hold the most of what is asked, of equal ones the first: key, and how much of their summary's score.

    Half of it for any word, and all of it for all; one that holds none is left where it is.
    """
    wanted = set(asked)
    held = [(row.key, len(wanted.intersection(_terms(row)))) for row in episodes]
    best = sorted((each for each in held if each[1]), key=lambda each: -each[1])
    return [(key, 0.5 + 0.5 * number / len(wanted)) for key, number in best[:MOST]]


def was_never_so(row: Whole) -> bool:
    """Whether all that was claimed from an episode was taken back: its words are no evidence of anything."""
    return bool(row.is_past) and row.past_since is None


def _terms(row: Whole) -> list[str]:
    return indexed_terms(text=row.text, speaker=row.speaker, at=row.valid_from)
