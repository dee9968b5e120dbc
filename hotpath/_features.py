"""Features of candidates: what words and meaning say of each, of the one before it, and of its neighbours. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hotpath import _sparse
from hotpath._asked import is_person, words_of_people
from hotpath._plan import Plan
from shared.store.db import Session
from shared.store.keys import Ints, docs_of, places_of
from shared.store.memories import Shown
from shared.store.vectors import Nearness

Floats = NDArray[np.float64]

AROUND: Final = 3
"""Turns before and after one within which somebody of several is still answered: with 1 or 2 the area under the curve
on our own questions (`_premise.BESIDE`) was .85."""
GROUP: Final = 3
"""People from whom on what is said around somebody tells of them: between two, each is always beside the other."""

_WORD_FEATURES: Final = ("words", "words_before", "words_session", "words_neighbour", "coverage", "said", "said_around")


def of_words(session: Session, plan: Plan, scores: Sequence[_sparse.OwnerScores], shown: Shown) -> dict[str, Floats]:
    """What the words of the query say of each memory that may be shown: arrays parallel to those of `shown`."""
    features = np.zeros((len(_WORD_FEATURES), len(shown.keys)))
    places, docs = places_of(shown.keys), docs_of(shown.keys)
    people = words_of_people(plan, shown.speakers)
    in_group = bool(people or plan.about_user) and sum(map(is_person, set(shown.speakers))) >= GROUP
    for each in scores:
        mine = places == session.owners.index(each.owner)
        doc, first = docs[mine], shown.sessions[mine]
        said = each.covered(doc, people) if people else _sparse.at(each.coverage, doc)
        features[:, mine] = (
            _sparse.at(each.words, doc),
            each.together(doc, first),
            each.by_session(first),
            each.neighbour(doc, first),
            _sparse.at(each.coverage, doc),
            said,
            _covered_around(each, doc, first, people) if in_group else said,
        )
    return dict(zip(_WORD_FEATURES, features, strict=True))


def _covered_around(each: _sparse.OwnerScores, docs: Ints, sessions: Ints, without: frozenset[str]) -> Floats:
    """The coverage of each together with the memories of its session around it, by the terms other than some."""
    others = sum(share for term, share in each.telling.items() if term not in without)
    if not others > 0:
        return np.zeros(len(docs))
    held = np.zeros((len(each.held), len(each.session)), np.bool_)
    held[each.occurrences.term, each.occurrences.doc] = True
    near = np.add.outer(np.arange(-AROUND, AROUND + 1), docs).clip(0, len(each.session) - 1)
    covered = (held[:, near] & (each.session[near] == sessions)).any(axis=1)
    shares = np.array([0.0 if term in without else each.telling[term] for term in each.held])
    of_all: Floats = shares @ covered / others
    return of_all


def of_meaning(near: Nearness, shown: Shown) -> dict[str, Floats]:
    """How near each, the one before it and its better neighbour are to the query; NaN where that is not known."""
    own, before, after = near.of(np.add.outer([0, -1, 1], shown.keys), shown.sessions)
    return {
        "meaning": own,
        "meaning_before": np.where(np.isnan(before), own, (own + before) / 2),
        "meaning_neighbour": np.fmax(before, after),
    }
