"""Which names make a group, and what it is about."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.belief import communities as module
from shared.belief.communities import FEWEST_MEMBERS, MOST_COMPANIONS, Community, communities, together

Mentions = dict[str, list[int]]


def groups(mentions: Mentions, memories: int = 100) -> list[Community]:
    return communities(((name, np.array(sorted(mentions[name]), np.int64)) for name in sorted(mentions)), memories)


def topic(names: str, first: int) -> Mentions:
    """Names that are mentioned together by ten memories, the first of them by one more."""
    return {name: [*range(first, first + 10), *([first + 10] if name == names[0] else [])] for name in names}


def test_names_that_are_spoken_of_together_are_a_group_and_two_that_are_joined_once_stay_two() -> None:
    mentions = topic("abcd", 0) | topic("wxyz", 50)
    mentions["a"].append(51)
    assert [set(each.members) for each in groups(mentions)] == [set("abcd"), set("wxyz")]


def test_a_group_is_about_what_is_in_it_often_and_seldom_elsewhere() -> None:
    mentions = topic("abcd", 0)
    mentions["b"] += range(70, 90)
    (found,) = groups(mentions)
    assert found.members == ("c", "d", "a", "b")
    assert found.label == "c \u00b7 d \u00b7 a"


def test_a_name_that_everybody_mentions_and_one_that_is_mentioned_once_are_in_no_group() -> None:
    mentions = topic("abcd", 0) | topic("wxyz", 50) | {"everybody": list(range(100)), "once": [3]}
    found = groups(mentions)
    assert {name for each in found for name in each.members} == set("abcdwxyz")
    assert groups({"a": [1, 2], "b": [1, 2]}) == [], f"fewer than {FEWEST_MEMBERS}"
    assert groups({}) == []


@given(
    st.dictionaries(st.text("abcdefgh", min_size=1, max_size=2), st.sets(st.integers(1, 30), min_size=1)),
    st.randoms(use_true_random=False),
)
def test_the_same_mentions_give_the_same_groups_and_a_name_is_in_one_at_most(
    mentions: dict[str, set[int]], random
) -> None:  # type: ignore[no-untyped-def]
    given_ones = {name: list(docs) for name, docs in mentions.items()}
    found = groups(given_ones, 30)
    shuffled = list(given_ones.items())
    random.shuffle(shuffled)
    assert groups(dict(shuffled), 30) == found
    names = [name for each in found for name in each.members]
    assert len(names) == len(set(names))
    assert set(names) <= mentions.keys()


def test_what_is_held_is_bounded_by_the_names_that_most_mention_and_their_closest_companions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    docs = [np.array([0, *range(1, place + 2)], np.int64) for place in range(60)]
    edges = together(docs, np.array([len(each) for each in docs], np.int64))
    companions = [sum(place in pair for pair in edges) for place in range(60)]
    assert sum(companions) <= 2 * 60 * MOST_COMPANIONS
    monkeypatch.setattr(module, "MOST_NAMES", 4)
    often = {name: [*docs_of, 90, 91] for name, docs_of in topic("wxyz", 50).items()}
    assert [set(each.members) for each in groups(topic("abcd", 0) | often)] == [set("wxyz")]
