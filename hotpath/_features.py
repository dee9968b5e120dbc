"""Features of candidates: what words and meaning say of each, of the one before it, and of its neighbours. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hotpath import _sparse
from hotpath._asked import words_of_people
from hotpath._plan import Plan
from shared.store.db import Session
from shared.store.keys import docs_of, places_of
from shared.store.memories import Shown
from shared.store.vectors import Nearness

Floats = NDArray[np.float64]

_WORD_FEATURES: Final = ("words", "words_before", "words_session", "words_neighbour", "coverage", "said")


def of_words(session: Session, plan: Plan, scores: Sequence[_sparse.OwnerScores], shown: Shown) -> dict[str, Floats]:
    """What the words of the query say of each memory that may be shown: arrays parallel to those of `shown`."""
    features = np.zeros((len(_WORD_FEATURES), len(shown.keys)))
    places, docs = places_of(shown.keys), docs_of(shown.keys)
    people = words_of_people(plan, shown.speakers)
    for each in scores:
        mine = places == session.owners.index(each.owner)
        doc, first = docs[mine], shown.sessions[mine]
        features[:, mine] = (
            _sparse.at(each.words, doc),
            each.together(doc, first),
            _sparse.at(each.by_session, first),
            each.neighbour(doc, first),
            _sparse.at(each.coverage, doc),
            each.covered(doc, people) if people else _sparse.at(each.coverage, doc),
        )
    return dict(zip(_WORD_FEATURES, features, strict=True))


def of_meaning(near: Nearness, shown: Shown) -> dict[str, Floats]:
    """How near each, the one before it and its better neighbour are to the query; NaN where that is not known."""
    own, before, after = near.of(np.add.outer([0, -1, 1], shown.keys), shown.sessions)
    return {
        "meaning": own,
        "meaning_before": np.where(np.isnan(before), own, (own + before) / 2),
        "meaning_neighbour": np.fmax(before, after),
    }
