"""What surrounds hits: one turn before and two after, merged, never of another session, each given once."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from hotpath._contexts import AFTER, BEFORE, Context, contexts
from hotpath._expand import Around
from hotpath._fuse import Ranked
from shared.contract.bundle import Source
from shared.contract.scope import Owner
from shared.store.keys import DOC_BITS
from shared.store.memories import Whole
from tests.unit.hotpath.pieces import START, piece

SESSION = 10
"""Turns of a session: of the first, the keys 0 to 9."""


def ranked(key: int, score: float = 0.5) -> Ranked:
    return Ranked(key=key, session=key // SESSION * SESSION, score=score, evidence=1.0, explained={})


def row(key: int) -> Whole:
    return Whole(
        key=key,
        memory_id=UUID(int=key + 1),
        owner=Owner("mira"),
        doc=key,
        session_doc=key // SESSION * SESSION,
        text=f"turn {key}",
        kind="episodic",
        epistemic_type="evidence",
        speaker="user",
        role="user",
        origin="user",
        trust=4,
        valid_from=START + timedelta(minutes=key),
        valid_to=None,
        session_id=f"s{key // SESSION}",
        run_ids=["run"],
        message_ids=[f"m{key}"],
        sequences=[key + 1],
    )


def given_by(hits: list[Ranked], keys: range = range(40)) -> list[list[int]]:
    """The turns around each hit."""
    around = Around(hits, {key: row(key) for key in keys})
    return [[turn.doc for turn in around(piece(1, "", memory_id=UUID(int=hit.key + 1)))] for hit in hits]


def test_a_third_of_what_surrounds_a_hit_is_before_it_and_two_thirds_after() -> None:
    assert AFTER == 2 * BEFORE
    assert given_by([ranked(5)]) == [[6, 4, 7]]


def test_a_turn_around_a_hit_cites_what_it_rests_on() -> None:
    around = Around([ranked(5)], {key: row(key) for key in range(10)})
    first, *_ = around(piece(1, "", memory_id=UUID(int=6)))
    assert first.sources == (Source(run_id="run", message_id="m6", stream="user:mira", sequence=7),)


def test_no_turn_of_another_session_is_around_a_hit() -> None:
    assert given_by([ranked(9)]) == [[8]]
    assert given_by([ranked(10)]) == [[11, 12]]


def test_a_turn_is_given_once_for_the_hit_that_is_asked_of_first() -> None:
    assert given_by([ranked(5), ranked(6)]) == [[6, 4, 7], [5, 8]]
    assert given_by([ranked(5), ranked(7)]) == [[6, 4, 7], [8, 9]]


def test_what_is_not_there_any_more_is_passed_over() -> None:
    assert given_by([ranked(5)], range(6)) == [[4]]
    assert given_by([ranked(5)], range(0)) == [[]]
    assert list(Around()(piece(1, "fresh"))) == []


def test_contexts_that_touch_or_overlap_are_one_and_the_best_hits_comes_first() -> None:
    made = contexts([ranked(25), ranked(4), ranked(8), ranked(1)])
    assert made == [
        Context(session=20, first=24, last=27, hits=(25,)),
        Context(session=0, first=0, last=10, hits=(4, 8, 1)),
    ]
    assert [(each.first, each.last) for each in contexts([ranked(30), ranked(35)])] == [(29, 32), (34, 37)]


def test_owners_and_sessions_are_never_merged() -> None:
    other = 1 << DOC_BITS | 5
    made = contexts([ranked(5), Ranked(key=other, session=0, score=0.4, evidence=1.0, explained={}), ranked(10)])
    assert [each.hits for each in made] == [(5,), (other,), (10,)]


@given(st.lists(st.integers(0, 39), unique=True, max_size=12))
def test_each_hit_is_in_one_context_and_no_two_of_a_session_touch(keys: list[int]) -> None:
    hits = [ranked(key) for key in keys]
    made = contexts(hits)
    assert sorted(hit for each in made for hit in each.hits) == sorted(keys)
    firsts = [keys.index(each.hits[0]) for each in made]
    assert firsts == sorted(firsts)
    for each in made:
        assert all(each.first <= hit - BEFORE and hit + AFTER <= each.last for hit in each.hits)
        beside = [other for other in made if other.session == each.session and other is not each]
        assert all(other.first > each.last + 1 or other.last < each.first - 1 for other in beside)
    turns = [turn for of in given_by(hits) for turn in of]
    assert len(turns) == len(set(turns))


def test_what_a_hit_is_linked_to_comes_when_it_is_asked_for_again_once_and_says_how_sure_the_link_is() -> None:
    rows = {key: row(key) for key in range(40)}
    around = Around([ranked(5), ranked(8)], rows, {5: [(33, 0.8), (99, 0.7)], 8: [(33, 0.6), (6, 0.5), (20, 0.5)]})
    hits = [piece(1, "", memory_id=UUID(int=key + 1)) for key in (5, 8)]
    assert [[turn.doc for turn in around(hit)] for hit in hits] == [[6, 4, 7], [9]]
    first, second = (list(around(hit)) for hit in hits)
    assert [turn.doc for turn in first] == [33]
    assert first[0].scores == {"linked": 0.8}
    assert [turn.doc for turn in second] == [20]
