"""Blocks of postings that go from one tier to the other: nothing is lost, nothing is empty, and all stays in order."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from shared.store._moving import Blocks, moved, taken_from
from shared.store.postings import BLOCK_ENTRIES, ENTRY

MOST = 4
"""Entries of a block here."""


def entries(docs: list[int]) -> NDArray[np.void]:
    return np.array([(doc, 1, 5, 1) for doc in docs], ENTRY)


def blocks(docs: list[int], cuts: list[int]) -> Blocks:
    """Entries in blocks, whatever their sizes."""
    edges = [0, *sorted({cut for cut in cuts if 0 < cut < len(docs)}), len(docs)]
    return [(number, entries(docs[start:end])) for number, (start, end) in enumerate(itertools.pairwise(edges))]


def read(held: dict[int, bytes]) -> list[list[int]]:
    return [np.frombuffer(held[number], ENTRY)["doc"].tolist() for number in sorted(held)]


@given(
    docs=st.lists(st.integers(1, 60), min_size=1, max_size=40, unique=True).map(sorted),
    data=st.data(),
)
def test_whatever_leaves_is_found_where_it_came_to_in_order_and_no_block_is_empty_or_too_large(
    docs: list[int], data: st.DataObject
) -> None:
    is_there = data.draw(st.lists(st.booleans(), min_size=len(docs), max_size=len(docs)))
    here = [doc for doc, other in zip(docs, is_there, strict=True) if not other]
    there = [doc for doc, other in zip(docs, is_there, strict=True) if other]
    leaving = data.draw(st.lists(st.sampled_from(here), min_size=1, unique=True)) if here else []
    if not leaving:
        return
    whole = dict(blocks(here, list(range(0, 60, MOST))))
    target = dict(blocks(there, list(range(0, 60, MOST)))) if there else {}
    stays, leaves = taken_from(list(whole.items()), np.array(leaving, np.int32))
    gone = np.concatenate([part for _, part in leaves])
    last = max(target, default=-1)
    reached = [
        (number, each)
        for number, each in target.items()
        if each["doc"][-1] > min(leaving) or (number == last and len(each) < MOST)
    ]
    found = moved(stays, gone, reached, last, MOST)
    source = {number: each.tobytes() for number, each in whole.items()} | dict(found.left)
    for old, _, _ in found.moved:
        del source[old]
    into = {number: each.tobytes() for number, each in target.items()} | dict(found.kept) | dict(found.begun)
    into |= {number: part for _, number, part in found.moved}
    for held, wanted in ((source, set(here) - set(leaving)), (into, set(there) | set(leaving))):
        parts = read(held)
        assert [doc for part in parts for doc in part] == sorted(wanted)
        assert all(0 < len(part) <= MOST for part in parts)
    untouched = {number for number, _ in stays} - set(found.left) - {old for old, _, _ in found.moved}
    assert not untouched, "a block that it leaves empty stays nowhere"


def test_the_newest_block_of_the_other_tier_is_filled_up_before_another_is_begun() -> None:
    stays, leaves = taken_from([(3, entries([10, 11, 12, 13]))], np.array([10], np.int32))
    found = moved(stays, leaves[0][1], [(7, entries([1, 2]))], 7, BLOCK_ENTRIES)
    assert read(dict(found.kept)) == [[1, 2, 10]]
    assert (found.moved, found.begun) == ([], {})
    assert read(dict(found.left)) == [[11, 12, 13]]
