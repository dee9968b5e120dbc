"""What the words of a query say of candidates, and of what is said around them."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest

from hotpath import _sparse
from hotpath._features import GROUP, of_words
from hotpath._plan import plan
from shared.contract.scope import Owner
from shared.language.indexing import Indexed
from shared.store.memories import Shown
from shared.store.postings import Statistics, entries_by_term

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hotpath._plan import Plan
    from shared.store.db import Session

NOW = datetime(2031, 5, 1, tzinfo=UTC)
MIRA = Owner("mira")


def shown(keys: Sequence[int], sessions: Sequence[int], speakers: Sequence[str | None] = ()) -> Shown:
    return Shown(
        keys=np.array(keys, np.int64),
        sessions=np.array(sessions, np.int64),
        speakers=speakers or [None] * len(keys),
        roles=["user"] * len(keys),
        times=[None] * len(keys),
        asks=[False] * len(keys),
    )


def said(
    asked: Plan, texts: Sequence[str], speakers: Sequence[str | None], sessions: Sequence[int]
) -> Mapping[str, list[float]]:
    """What the words say of texts that are all of an owner, by feature."""
    counts = [{term: text.split().count(term) for term in text.split()} for text in texts]
    indexed = [
        Indexed(doc=doc, session=session, counts=each, length=sum(each.values()))
        for doc, (session, each) in enumerate(zip(sessions, counts, strict=True), 1)
    ]
    statistics = Statistics(
        documents=len(texts), length_sum=sum(each.length for each in indexed), sessions=len(set(sessions))
    )
    entries = {(MIRA, term): part for term, part in entries_by_term(indexed).items() if term in asked.terms}
    scores = _sparse.score(asked.terms, entries, {MIRA: statistics})
    session = cast("Session", SimpleNamespace(owners=(MIRA,)))
    found = of_words(session, asked, scores, shown(range(1, len(texts) + 1), sessions, speakers))
    return {name: values.tolist() for name, values in found.items()}


ASKED = plan("What did Ana see in the canyon?", now=NOW)
SPEAKERS = ("Ana", "Rui", "Mira")


def test_in_a_group_what_is_said_around_somebody_counts_beside_what_they_say() -> None:
    assert len(SPEAKERS) == GROUP
    found = said(ASKED, ["ana hello", "rui canyon", "mira hello", "ana see"], [*SPEAKERS, "Ana"], [1] * 4)
    assert found["said"][0] == 0
    assert found["said_around"][0] == pytest.approx(1)
    assert found["said_around"][3] == pytest.approx(1)


def test_what_is_said_in_another_session_is_not_around() -> None:
    found = said(ASKED, ["ana hello", "rui canyon", "mira see", "ana hello"], [*SPEAKERS, "Ana"], [1, 2, 2, 4])
    assert (found["said_around"][0], found["said_around"][3]) == (0, 0)


def test_what_is_said_long_after_is_not_around() -> None:
    texts = ["ana hello", *["mira hello"] * 3, "rui canyon"]
    found = said(ASKED, texts, ["Ana", "Mira", "Mira", "Mira", "Rui"], [1] * 5)
    assert found["said_around"][0] == 0
    assert found["said_around"][1] > 0


def test_between_two_nothing_is_around_anybody() -> None:
    found = said(ASKED, ["ana hello", "rui canyon", "ana see"], ["Ana", "Rui", "Ana"], [1] * 3)
    assert found["said_around"] == found["said"]


def test_where_nobody_is_asked_about_nothing_is_around_anybody() -> None:
    found = said(plan("What was seen in the canyon?", now=NOW), ["hello", "canyon", "hello"], SPEAKERS, [1] * 3)
    assert found["said_around"] == found["said"] == found["coverage"]


def test_names_of_those_who_speak_count_for_nobody() -> None:
    found = said(plan("Where is Ana?", now=NOW), ["ana hello", "rui ana", "mira hello"], SPEAKERS, [1] * 3)
    assert found["said_around"] == found["said"] == [0, 0, 0]
