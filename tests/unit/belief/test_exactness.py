from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.belief.exactness import says_less, stage_of
from shared.belief.predicates import BUILT_IN, SEPARATOR, claim_of
from shared.belief.segments import Segment, Stated
from shared.belief.timeline import timeline
from shared.contract.candidates import Candidate, Change
from shared.contract.records import EpistemicType, EvidenceRef, Kind
from shared.contract.trust import Origin
from tests.unit.belief.ledgers import at as at_day
from tests.unit.belief.statements import Stream, Word

LONG_AGO = datetime(2001, 1, 1, tzinfo=UTC)


def _at(month: int) -> datetime:
    return datetime(2031, month, 1, tzinfo=UTC)


def _said(
    month: int, predicate: str, obj: str, *, change: Change = Change.HOLDS, text: str = "", trust: int = 3
) -> Stated:
    candidate = Candidate(
        kind=Kind.SEMANTIC,
        epistemic_type=EpistemicType.FACT,
        text=text or f"mira {predicate} {obj}.",
        claim=claim_of("mira", predicate, obj, BUILT_IN),
        change=change,
        evidence=(EvidenceRef(sequence=month, start=0, end=9),),
        confidence=0.9,
    )
    return Stated(candidate=candidate, said_at=_at(month), message_id=f"m{month}", digest=str(month), trust=trust)


def _spans(segments: Sequence[Segment]) -> list[tuple[str, datetime | None, datetime | None]]:
    return [(each.founding.claim.object, each.valid_from, each.valid_to) for each in segments]


@pytest.mark.parametrize(
    ("predicate", "less", "more"),
    [
        ("birthday", "4 May", "4 May 1990"),
        ("birthday", "1990", "4 May 1990"),
        ("lives_in", "Oslo", "Oslo, Norway"),
        ("scheduled_for", "2031-05", "2031-05-03"),
        ("child", "kids", "three kids"),
        ("takes", "warfarin", "5 mg warfarin"),
        ("lives_in", "Norway", "Oslo, Norway"),
        ("lives_in", "a small town", "Ely"),
        ("works_at", "Heron", "Heron AG"),
        ("works_at", "Heron", "Heron Pty Ltd."),
        ("name", "Anna", "Anna Berg"),
        ("manager", "Dr Berg", "Dr Berg Halvorsen"),
    ],
)
def test_what_leaves_something_out_says_less(predicate: str, less: str, more: str) -> None:
    one, other = (claim_of("mira", predicate, obj, BUILT_IN) for obj in (less, more))
    assert (says_less(one, other), says_less(other, one)) == (True, False)


@pytest.mark.parametrize(
    ("predicate", "one", "other"),
    [
        ("birthday", "4 May", "5 May 1990"),
        ("lives_in", "Oslo", "Osloby"),
        ("lives_in", "a small town", "a village"),
        ("lives_in", "Oslo, Norway", "Oslo, Minnesota"),
        ("child", "two kids", "three kids"),
        ("takes", "5 mg warfarin", "10 mg warfarin"),
        ("works_at", "Heron", "Heron Capital"),
        ("works_at", "Heron AG", "Heron Ltd"),
        ("job", "nurse", "nurse practitioner"),
        ("name", "Anna", "Annabel"),
        ("manager", "Tom", "Tom and Ana"),
        ("record:contact", "a", "a, b"),
    ],
)
def test_what_differs_says_neither_less_nor_more(predicate: str, one: str, other: str) -> None:
    base = claim_of("mira", "lives_in", "x", BUILT_IN)
    first, second = (replace(base, predicate=predicate, object=obj) for obj in (one, other))
    assert not says_less(first, second)
    assert not says_less(second, first)


@pytest.mark.parametrize(
    ("predicate", "one", "other"),
    [
        ("child", "two kids", "three children"),
        ("child", "one kid", "two kids"),
        ("pet", "two cats", "three cats"),
        ("takes", "5 mg warfarin", "warfarin"),
        ("instruction", "Never use tables", "please don't ever use tables"),
        ("instruction", "Stop using tables", "never use tables"),
        ("instruction", "From now on use metric units", "always use metric units"),
        ("instruction", "Always use tables", "never use tables"),
    ],
)
def test_another_number_or_wording_has_the_same_key(predicate: str, one: str, other: str) -> None:
    assert claim_of("mira", predicate, one, BUILT_IN).key == claim_of("mira", predicate, other, BUILT_IN).key


@pytest.mark.parametrize(
    ("predicate", "obj"),
    [("pet", "dog"), ("pet", "Rex"), ("owns", "2 bedroom flat"), ("likes", "two cats"), ("takes", "warfarin")],
)
def test_what_is_not_counted_is_its_own_key(predicate: str, obj: str) -> None:
    assert claim_of("mira", predicate, obj, BUILT_IN).key.split(SEPARATOR)[-1] == obj.lower()


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_said_less_exactly_again_nothing_ends(order: tuple[int, ...]) -> None:
    said = [_said(1, "lives_in", "Oslo, Norway"), _said(2, "lives_in", "Oslo"), _said(3, "lives_in", "Oslo, Norway")]
    (segment,) = timeline([said[at] for at in order])
    assert _spans([segment]) == [("Oslo, Norway", _at(1), None)]
    assert {each.sequence for each in segment.evidence} == {1, 2, 3}


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_said_more_exactly_nothing_has_changed_and_the_exact_words_stand_from_the_beginning(
    order: tuple[int, ...],
) -> None:
    said = [
        _said(1, "birthday", "4 May"),
        _said(2, "birthday", "4 May 1990"),
        _said(3, "birthday", "1990"),
        _said(4, "birthday", "4 May 1990"),
    ]
    (segment,) = timeline([said[at] for at in order])
    assert _spans([segment]) == [("4 May 1990", _at(1), None)]
    assert segment.founding is said[1]
    assert {each.sequence for each in segment.evidence} == {1, 2, 3, 4}


def test_what_is_more_exact_since_a_later_day_was_not_so_before() -> None:
    said = _said(3, "lives_in", "Oslo, Norway")
    dated = replace(said, candidate=said.candidate.model_copy(update={"since": _at(2)}))
    assert _spans(timeline([_said(1, "lives_in", "Oslo"), dated])) == [("Oslo", _at(1), None)]


def test_what_began_earlier_is_heard_without_a_time_and_again_when_it_was_said() -> None:
    said = _said(3, "lives_in", "Porto")
    earlier = replace(said, candidate=said.candidate.model_copy(update={"began_earlier": True}))
    assert _spans(timeline([earlier])) == [("Porto", None, None)]
    assert _spans(timeline([_said(1, "lives_in", "Oslo"), earlier])) == [
        ("Porto", None, _at(1)),
        ("Oslo", _at(1), _at(3)),
        ("Porto", _at(3), None),
    ]


def test_what_tells_of_then_leaves_what_is_known_of_later() -> None:
    said = _said(3, "lives_in", "Porto")
    then = replace(said, candidate=said.candidate.model_copy(update={"since": LONG_AGO, "of_then": True}))
    assert _spans(timeline([then])) == [("Porto", LONG_AGO, None)]
    known = [_said(1, "lives_in", "Oslo"), then]
    assert _spans(timeline(known)) == [("Porto", LONG_AGO, _at(1)), ("Oslo", _at(1), None)]
    assert _spans(timeline(known[::-1])) == _spans(timeline(known))
    as_a_child = replace(said, candidate=said.candidate.model_copy(update={"began_earlier": True, "of_then": True}))
    assert _spans(timeline([_said(1, "lives_in", "Oslo"), as_a_child])) == [
        ("Porto", None, _at(1)), ("Oslo", _at(1), None),
    ]  # fmt: skip


def test_what_was_over_long_ago_ends_nothing_that_began_since() -> None:
    over = _said(3, "lives_in", "Oslo", change=Change.ENDED)
    then = replace(over, candidate=over.candidate.model_copy(update={"until": LONG_AGO, "of_then": True}))
    assert _spans(timeline([_said(1, "lives_in", "Oslo"), then])) == [("Oslo", _at(1), None)]
    assert _spans(timeline([_said(1, "lives_in", "Oslo"), over])) == [("Oslo", _at(1), _at(3))]


def test_what_is_trusted_less_makes_nothing_more_exact() -> None:
    said = [_said(1, "lives_in", "Oslo"), _said(2, "lives_in", "Oslo, Norway", trust=1)]
    assert _spans(timeline(said)) == [("Oslo", _at(1), None), ("Oslo, Norway", _at(2), None)]


def test_of_two_that_say_more_the_newer_holds_and_what_says_less_belongs_to_the_first() -> None:
    said = [_said(1, "lives_in", "Varna"), _said(2, "lives_in", "Varna, Bulgaria"), _said(3, "lives_in", "Varna, Ohio")]
    assert _spans(timeline(said)) == [("Varna, Bulgaria", _at(1), _at(3)), ("Varna, Ohio", _at(3), None)]


@pytest.mark.parametrize(
    ("predicate", "one", "other"),
    [("pet", "2 dogs", "two dogs"), ("child", "three kids", "3 kids"), ("age", "9", "nine")],
)
def test_a_number_in_words_says_what_it_says_in_digits(predicate: str, one: str, other: str) -> None:
    (segment,) = timeline([_said(1, predicate, one), _said(2, predicate, other)])
    assert _spans([segment]) == [(one, _at(1), None)]


@pytest.mark.parametrize(("first", "second"), [("Always use tables", "Never use tables"), ("never use tables",) * 2])
def test_an_order_and_its_contrary_are_about_one_thing_and_the_newer_holds(first: str, second: str) -> None:
    told = timeline([_said(1, "instruction", first), _said(2, "instruction", second)])
    assert [each.founding.candidate.claim.object for each in told if each.valid_to is None] == [  # type: ignore[union-attr]
        second
    ]


def test_another_place_ends_the_exact_one_and_no_longer_ends_it_by_its_short_name() -> None:
    exact = _said(1, "lives_in", "Oslo, Norway")
    assert _spans(timeline([exact, _said(2, "lives_in", "Rome")])) == [
        ("Oslo, Norway", _at(1), _at(2)),
        ("Rome", _at(2), None),
    ]
    ended = _said(2, "lives_in", "Oslo", change=Change.ENDED)
    assert _spans(timeline([exact, ended])) == [("Oslo, Norway", _at(1), _at(2))]


def test_another_number_takes_the_place_of_the_first() -> None:
    assert _spans(timeline([_said(1, "child", "two kids"), _said(4, "child", "three kids")])) == [
        ("two kids", _at(1), _at(4)),
        ("three kids", _at(4), None),
    ]


def test_whoever_marries_is_a_partner_of_another_kind_since_then() -> None:
    friend = _said(1, "partner", "Tom", text="Tom is mira's boyfriend.")
    wed = _said(2, "partner", "Tom", text="Tom is mira's spouse.")
    again = _said(3, "partner", "Tom", text="Tom is mira's husband.")
    told = timeline([again, wed, friend])
    assert [(each.founding.candidate.text, each.valid_to) for each in told] == [
        ("Tom is mira's boyfriend.", _at(2)),
        ("Tom is mira's spouse.", None),
    ]
    assert {each.sequence for each in told[1].evidence} == {2, 3}


def test_only_partners_have_stages() -> None:
    assert stage_of("partner", "Ana is mira's wife.") == "married"
    assert stage_of("partner", "Ana is together with mira.") == ""
    assert stage_of("friend", "Ana is mira's wife.") == ""


WORDS = st.builds(
    Word,
    number=st.integers(0, 9),
    object=st.sampled_from(["Varna", "Varna, Bulgaria", "Varna, Ohio", "Oslo", "Oslo, Norway", "Porto"]),
    change=st.sampled_from([Change.HOLDS, Change.HOLDS, Change.HOLDS, Change.ENDED, Change.NEVER]),
    day=st.none() | st.integers(0, 5),
    since=st.none() | st.integers(0, 5),
    origin=st.sampled_from([Origin.USER, Origin.USER, Origin.TOOL]),
)


@settings(max_examples=100, deadline=None)
@given(order=st.permutations(range(4)), sizes=st.lists(st.integers(1, 3), min_size=4, max_size=4))
def test_one_belief_is_left_of_what_is_said_ever_more_exactly(order: list[int], sizes: list[int]) -> None:
    places = ["Oslo", "Oslo, Norway", "Norway", "Grorud, Oslo, Norway"]
    said = [Word(number=at, object=place, day=at) for at, place in enumerate(places)]
    stream, waiting = Stream(), [said[at] for at in order]
    for size in sizes:
        stream.say(*waiting[:size])
        waiting = waiting[size:]
    (belief,) = (version for version in stream.latest() if version.is_open)
    assert belief.claim is not None
    assert (belief.claim.object, belief.valid_from, belief.valid_to) == ("Grorud, Oslo, Norway", at_day(0), None)
    assert len(belief.evidence) == len(places)
    assert stream.true_at(0) == {"Grorud, Oslo, Norway"}


@settings(max_examples=100, deadline=None)
@given(said=st.lists(WORDS, min_size=1, max_size=6, unique_by=lambda word: word.number), data=st.data())
def test_however_exactly_and_in_whatever_order_things_are_said_the_beliefs_are_the_same(
    said: list[Word], data: st.DataObject
) -> None:
    first, second = Stream(), Stream()
    for word in said:
        first.say(word)
    for word in data.draw(st.permutations(said)):
        second.say(word)
    assert first.open() == second.open()
    assert first.history() == second.history()
