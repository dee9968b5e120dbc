"""The baselines rank as they say, over turns written here."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
import pytest

from bench.baselines import (
    Bm25Baseline,
    EmbedderBaseline,
    RrfBaseline,
    with_date_and_speaker,
    with_speaker,
)
from bench.corpus import Turn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bench.baselines import Ranker


def said(turn_id: str, text: str, speaker: str = "Ines") -> Turn:
    at = datetime(2021, 6, 3, 12, 5, tzinfo=UTC)
    return Turn(id=turn_id, session_id="1", speaker=speaker, at=at, text=text, role="user")


TURNS = (
    said("a", "The ferry leaves at seven."),
    said("b", "I painted the boat green.", "Tom"),
    said("c", "Painting takes me a week."),
    said("d", "Bring the green rope."),
)


class ColourEncoder:
    """One axis for `green`, one for the rest: enough to see the order."""

    def encode_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.encode_documents([text])[0]
        return vector

    def encode_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        greens = np.array([text.count("green") > 0 for text in texts], dtype=np.float32)
        return np.stack([greens, 1 - greens], axis=1)


class Fixed:
    """A ranker that always answers the same."""

    def __init__(self, *turn_ids: str) -> None:
        self._turn_ids = list(turn_ids)

    def rank(self, query: str) -> list[str]:
        return self._turn_ids if query else []


def test_bm25_finds_other_forms_of_a_word_and_ranks_the_fuller_match_first() -> None:
    more = (said("e", "The harbour was full of fog."), said("f", "We had soup on deck."))
    ranked = Bm25Baseline(TURNS + more).rank("What did she paint green?")
    assert ranked[0] == "b"
    assert set(ranked) == {"b", "c", "d"}


def test_bm25_keeps_a_match_on_a_term_that_half_the_turns_hold() -> None:
    assert Bm25Baseline(TURNS).rank("paint") == ["b", "c"]


def test_bm25_leaves_out_what_shares_no_term() -> None:
    assert Bm25Baseline(TURNS).rank("ferry") == ["a"]
    assert Bm25Baseline(TURNS).rank("tulips") == []


def test_bm25_finds_speaker_and_date_only_where_they_are_written() -> None:
    assert Bm25Baseline(TURNS).rank("Tom") == []
    assert Bm25Baseline(TURNS, with_speaker).rank("Tom") == ["b"]
    assert with_date_and_speaker(TURNS[1]) == ("Thursday 3 June 2021 Tom: I painted the boat green.")


@pytest.mark.parametrize("turns", [(), (said("a", "the"),)], ids=["none", "stop words alone"])
def test_bm25_over_nothing_to_find_ranks_nothing(turns: tuple[Turn, ...]) -> None:
    assert Bm25Baseline(turns).rank("ferry") == []


def test_the_bare_embedder_ranks_every_turn_and_keeps_the_order_of_equals() -> None:
    assert EmbedderBaseline(TURNS, ColourEncoder()).rank("green") == ["b", "d", "a", "c"]


def test_the_bare_embedder_over_no_turns_ranks_nothing() -> None:
    assert EmbedderBaseline((), ColourEncoder()).rank("green") == []


def test_fused_ranks_put_first_what_both_find() -> None:
    rankers: list[Ranker] = [Fixed("x", "b"), Fixed("y", "b")]
    assert RrfBaseline(rankers).rank("anything") == ["b", "x", "y"]


def test_fused_ranks_of_nothing_are_nothing() -> None:
    assert RrfBaseline([Fixed("x")]).rank("") == []
