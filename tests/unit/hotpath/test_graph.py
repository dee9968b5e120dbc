"""The graph channel's arithmetic: what a walk may do, and where it begins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import scipy.sparse  # noqa: F401 - loaded here, so that no example is timed with it
from hypothesis import given
from hypothesis import strategies as st

from hotpath._graph import COMMONEST, FLOOR, Joined, asked, neighbourhood, rank, seeds_of, walk
from shared.language.names import names_in
from shared.store.graph import Called
from shared.store.links import Beside

Rows = list[tuple[str, list[int]]]

LETTERS = "abcdefgh"


@st.composite
def graphs(draw: st.DrawFn) -> Rows:
    names = draw(st.lists(st.sampled_from(LETTERS), unique=True, min_size=1))
    return [(name, draw(st.lists(st.integers(1, 9), unique=True, min_size=1))) for name in names]


def scores(rows: Rows, *seeds: str, near: Sequence[int] = ()) -> dict[int, float]:
    found = neighbourhood(rows)
    worth = np.isin(found.keys, near).astype(np.float64)
    return dict(zip(found.keys.tolist(), rank(found, dict.fromkeys(seeds, 1.0), worth).tolist(), strict=True))


@given(st.integers(2, 12).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.tuples(*[st.integers(0, n - 1)] * 2)))))
def test_a_walk_is_always_somewhere(given: tuple[int, list[tuple[int, int]]]) -> None:
    size, pairs = given
    ends = np.array(pairs, np.int64).reshape(-1, 2)
    sources, targets = np.concatenate([ends, ends[:, ::-1]]).T
    begin = np.zeros(size)
    begin[:2] = 0.5
    at = walk((sources, targets, np.ones(len(sources))), begin)
    assert at.sum() == pytest.approx(1.0)
    assert (at >= 0).all()


@given(graphs(), st.permutations(range(8)), st.sampled_from(LETTERS))
def test_the_order_of_names_and_mentions_changes_nothing(rows: Rows, order: list[int], seed: str) -> None:
    mixed = [(name, keys[::-1]) for _, (name, keys) in sorted(zip(order, rows, strict=False))]
    assert scores(mixed, seed) == pytest.approx(scores(rows, seed))


@given(graphs())
def test_what_nothing_joins_to_the_beginning_gets_nothing(rows: Rows) -> None:
    apart = [(name.upper() * 3, [key + 100 for key in keys]) for name, keys in rows]
    found = scores([*rows, *apart], rows[0][0])
    assert all(score == 0.0 for key, score in found.items() if key > 100)
    assert sum(score for key, score in found.items() if key < 100) > 0


def test_a_memory_two_hops_away_is_met_less_than_one_that_names_what_is_asked() -> None:
    found = scores([("oak", [1]), ("elm", [1, 2]), ("ash", [2, 3]), ("fir", [4])], "oak")
    assert found[1] > found[2] > found[3] > found[4] == 0.0


def test_a_name_that_is_everywhere_leads_nowhere_in_particular() -> None:
    found = scores([("oak", [1]), ("elm", [1, 2]), ("everything", [1, *range(3, 40)])], "oak")
    assert found[2] > 10 * found[3]


def test_names_that_may_stand_for_the_same_are_joined() -> None:
    assert scores([("tove lind", [1]), ("tove", [2]), ("lindgren", [3])], "tove lind")[2] > 0
    assert scores([("tove lind", [1]), ("tove", [2]), ("lindgren", [3])], "tove lind")[3] == 0


def test_memories_near_in_meaning_are_a_little_of_the_beginning() -> None:
    rows: Rows = [("oak", [1]), ("elm", [2])]
    assert scores(rows, "oak")[2] == 0
    assert 0 < scores(rows, "oak", near=[2])[2] < scores(rows, "oak", near=[2])[1]


def test_without_a_name_that_is_known_there_is_no_walk() -> None:
    assert set(scores([("oak", [1])], "elm", near=[1]).values()) == {0.0}
    assert seeds_of(["elm"], []) == {}


def called(asked: str, name: str, memories: int = 1) -> Called:
    return Called(asked=asked, name=name, memories=memories)


def test_a_name_stands_for_who_is_called_exactly_so_or_else_for_longer_names_or_else_for_its_parts() -> None:
    longer = called("tove", "tove lind", 2)
    assert seeds_of(["tove"], [called("tove", "tove", 4), longer]) == {"tove": 0.25}
    assert seeds_of(["tove"], [longer]) == {"tove lind": 0.25}
    assert seeds_of(["tove lind"], [called("tove", "tove"), called("lind", "anna lind")]) == {"tove": 0.5}


def test_a_name_that_too_many_memories_mention_is_no_beginning() -> None:
    assert seeds_of(["tove"], [called("tove", "tove", COMMONEST + 1)]) == {}


def test_a_query_in_small_letters_is_read_for_all_that_may_be_names() -> None:
    query = "Who met Tove in Graz?"
    assert asked(query, names_in(query)) == ["tove", "graz"]
    assert {"tove lind", "graz"} <= set(asked("who met tove lind in graz?", []))
    assert asked("Who met them?", []) == []


def test_what_a_walk_met_is_looked_up_by_key() -> None:
    met = Joined(keys=np.array([3, 5, 9]), scores=np.array([0.1, 0.3, 0.2]))
    assert met.of(np.array([5, 4, 9, 10, 1])).tolist() == [0.3, 0.0, 0.2, 0.0, 0.0]
    assert met.best(2).tolist() == [5, 9]
    assert 0 < FLOOR < 1


def tied(*pairs: tuple[int, int, float]) -> Beside:
    ones, others, scores_of = (np.array(column) for column in zip(*pairs, strict=True))
    return Beside(keys=ones, others=others, sessions=others, scores=scores_of)


def test_a_walk_goes_along_links_further_along_surer_ones_and_not_twice_along_one() -> None:
    rows: Rows = [("oak", [1, 2, 3])]
    found = neighbourhood(rows, tied((1, 7, 0.9), (2, 8, 0.5), (2, 9, 0.0), (7, 1, 0.9)))
    at = dict(zip(found.keys.tolist(), rank(found, {"oak": 1.0}, np.zeros(len(found.keys))).tolist(), strict=True))
    assert at[3] > at[7] > at[8] > at[9] == 0.0
    assert found.linked.tolist() == [1, 7, 8, 9]
    once = neighbourhood(rows, tied((1, 7, 0.9)))
    assert once.tied == [(0, 3, 0.9)]
    assert len(found.tied) == 2
