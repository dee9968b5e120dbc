"""The two tiers, as channels come upon them.

What recall comes upon is in the hot tier. Where nothing there holds what is asked, word for word, the words of the cold
one are asked too. Where a time is asked about, the temporal channel brings old episodes, and they are compared with the
others by their words; where a time of the past is given, every channel looks everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hotpath import _graph, _sparse
from hotpath._graph import Joined
from hotpath._plan import Plan
from shared.contract.records import Tier
from shared.contract.scope import Owner
from shared.store import memories, postings
from shared.store.db import Session
from shared.store.postings import Statistics
from shared.store.vectors import Nearness

COLD_BETWEEN: Final = 4
"""How many times as many as it may give the graph channel looks at, where some may be in the cold tier."""


ENOUGH: Final = 0.9
"""What a memory in the hot tier has to hold of a query's terms, weighted by how rare they are, for the cold one to be
left alone: all but words of grammar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """What the words of a query say of memories."""

    hot: Sequence[_sparse.OwnerScores]
    """By the statistics of the hot tier."""
    both: Sequence[_sparse.OwnerScores]
    """Of both tiers, as if they were one; the same where the cold one is not asked."""
    lacking: bool = False
    """Whether nothing in the hot one holds enough of the query, so that what is in the cold one is come upon too."""


def scored(session: Session, plan: Plan, statistics: Mapping[Owner, Statistics], *, cold: bool) -> Scores:
    """Score what holds the query's terms; with `cold` in the cold tier too, or where the hot one holds too few."""
    hot = postings.fetch(session, plan.terms)
    scores = _sparse.score(plan.terms, hot, statistics, little=plan.little)
    lacking = any(each.cold_documents for each in statistics.values()) and not _holds(scores)
    if not (cold or lacking):
        return Scores(hot=scores, both=scores)
    both = postings.together(hot, postings.fetch(session, plan.terms, Tier.COLD))
    whole = {owner: each.of_both for owner, each in statistics.items()}
    found = _sparse.score(plan.terms, both, whole, little=plan.little)
    return Scores(hot=scores, both=found, lacking=lacking)


def _holds(scores: Sequence[_sparse.OwnerScores]) -> bool:
    return any(len(each.coverage) and float(each.coverage.max()) >= ENOUGH for each in scores)


def joined(session: Session, plan: Plan, near: Nearness, *, follow: bool, hot_alone: bool) -> Joined:
    """What names and links join to the query; `hot_alone`, without the cold tier, which the graph does not tell."""
    found = _graph.search(session, plan.query, plan.names, near, follow=follow)
    if not (hot_alone and len(found.keys)):
        return found
    best = np.sort(found.best(COLD_BETWEEN * plan.channels["graph"].limit))
    kept = np.isin(found.keys, np.setdiff1d(best, memories.cold(session, best)))
    return Joined(keys=found.keys[kept], scores=found.scores[kept])
