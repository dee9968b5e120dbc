"""What a person decided stands until the evidence says something new."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from shared.belief.deciding import Decided, Decisions, Recorded, Said, turned
from shared.belief.predicates import BUILT_IN, claim_of
from shared.contract.candidates import Candidate, Change
from shared.contract.records import EpistemicType, EvidenceRef, Kind

AT = datetime(2026, 1, 1, tzinfo=UTC)


def says(text: str, *messages: int, place: str | None = None, change: Change = Change.HOLDS) -> Candidate:
    return Candidate(
        kind=Kind.SEMANTIC,
        epistemic_type=EpistemicType.FACT,
        text=text,
        claim=claim_of("Mira", "lives_in", place, BUILT_IN) if place else None,
        change=change,
        evidence=tuple(EvidenceRef(sequence=each) for each in messages),
        confidence=0.9,
    )


def decided(
    candidate: Candidate, *, counts: bool, day: int = 0, name: str = "one", run_id: str | None = None
) -> Decided:
    at = AT + timedelta(days=day)
    return Decided(decision=name, said=Said.by(candidate), counts=counts, at=at, run_id=run_id)


def recorded(run_id: str, day: int) -> Recorded:
    return Recorded(run_id=run_id, at=AT + timedelta(days=day))


CAME = {1: recorded("a", -3), 2: recorded("a", -3), 3: recorded("a", 1), 4: recorded("b", -2), 5: recorded("b", 0)}
"""Line 3 came after what is decided on day 0; 5 was recorded at that very time, and so before it."""


@dataclass(frozen=True)
class Holder:
    candidate: Candidate


@pytest.mark.parametrize(
    "again",
    [
        says("Mira lives in Porto.", 1, 2, place="Porto"),
        says("mira  lives in Porto.", 2),
        says("Porto is where Mira lives.", 1, place="Porto"),
        says("Mira lives in Porto.", 1),
    ],
    ids=["the_very_same", "the_same_words", "the_same_claim", "of_a_part_of_the_messages"],
)
def test_what_says_the_same_of_the_same_messages_meets_the_decision(again: Candidate) -> None:
    was = decided(says("Mira lives in Porto.", 1, 2, place="Porto"), counts=False)
    assert Decisions([was]).on(Said.by(again)) == was


@pytest.mark.parametrize(
    "other",
    [
        says("Mira lives in Porto.", 3, place="Porto"),
        says("Mira lives in Porto.", 1, 3, place="Porto"),
        says("Mira lives in Varna.", 1, place="Varna"),
        says("Mira lives in Porto no more.", 1, place="Porto", change=Change.ENDED),
        says("Mira lives in Varna.", 1),
    ],
    ids=["another_message", "one_message_more", "another_object", "another_change", "another_text"],
)
def test_whatever_says_something_new_is_free(other: Candidate) -> None:
    was = decided(says("Mira lives in Porto.", 1, 2, place="Porto"), counts=False)
    assert Decisions([was]).on(Said.by(other)) is None


@pytest.mark.parametrize(
    ("cited", "meets_a_write", "meets_an_answer"),
    [
        ((1,), True, True),
        ((1, 2), True, True),
        ((2,), True, False),
        ((3,), False, False),
        ((1, 3), False, False),
        ((2, 3), False, False),
        ((4,), False, False),
        ((1, 4), True, True),
        ((1, 5), True, True),
        ((1, 9), False, False),
    ],
    ids=[
        *("the_same", "wider", "another_line_of_the_run", "a_line_that_came_later", "with_one_that_came_later"),
        *("another_line_with_a_later_one", "another_run", "with_an_older_run", "with_one_of_that_time", "unknown"),
    ],
)
def test_what_cites_other_lines_meets_the_decision_unless_one_came_after_it(
    cited: tuple[int, ...], *, meets_a_write: bool, meets_an_answer: bool
) -> None:
    porto, again = (says("Mira lives in Porto.", *lines, place="Porto") for lines in ((1,), cited))
    write, answer = (decided(porto, counts=False, run_id=run_id) for run_id in ("a", None))
    assert Decisions([write], CAME).on(Said.by(again)) == (write if meets_a_write else None)
    assert Decisions([answer], CAME).on(Said.by(again)) == (answer if meets_an_answer else None)


@given(some.sets(some.sampled_from([*CAME]), min_size=1), some.sets(some.sampled_from([1, 2, 4, 5]), min_size=1))
def test_a_decision_stands_for_whatever_cites_one_of_its_lines_and_nothing_that_came_later(
    cited: set[int], of: set[int]
) -> None:
    was = decided(says("Mira lives in Porto.", *of, place="Porto"), counts=False)
    found = Decisions([was], CAME).on(Said.by(says("Porto is where Mira lives.", *cited, place="Porto")))
    assert (found == was) == (3 not in cited and bool(cited & of))


def test_a_decision_on_what_is_cited_comes_before_a_later_one_on_another_line_of_its_run() -> None:
    first, second = (says("Mira lives in Porto.", line, place="Porto") for line in (1, 2))
    refused = decided(first, counts=False, day=5, run_id="a")
    approved = decided(second, counts=True, day=2, run_id="a")
    decisions = Decisions([refused, approved], CAME)
    assert decisions.on(Said.by(first)) == refused
    assert decisions.on(Said.by(second)) == approved
    assert decisions.on(Said.by(says("Mira lives in Porto.", 1, 2, place="Porto"))) == refused


@given(some.lists(some.booleans(), min_size=1, max_size=4))
def test_of_several_decisions_the_last_stands_in_whatever_order_they_are_found(counts: list[bool]) -> None:
    porto = says("Mira lives in Porto.", 1, place="Porto")
    every = [decided(porto, counts=each, day=day, name=str(day)) for day, each in enumerate(counts)]
    for order in permutations(every):
        assert Decisions(order).on(Said.by(porto)) == every[-1]


def test_what_was_approved_stays_and_other_words_of_it_come_to_nothing() -> None:
    old, new = Holder(says("Mira lives in Porto.", 1, place="Porto")), Holder(says("Porto!", 1, place="Porto"))
    turn = turned(Decisions([decided(old.candidate, counts=True)]), [old], [new])
    assert (turn.leaving, turn.staying, turn.coming, turn.refused) == ([], [old], [], [new])
    assert turn.kept == {"one"}


def test_the_same_words_with_a_claim_take_the_place_of_what_was_approved() -> None:
    old, new = Holder(says("Mira lives in Porto.", 1)), Holder(says("Mira lives in Porto.", 1, place="Porto"))
    turn = turned(Decisions([decided(old.candidate, counts=True)]), [old], [new])
    assert (turn.leaving, turn.staying, turn.coming, turn.refused) == ([old], [], [new], [])


@pytest.mark.parametrize(
    ("before", "after", "gives_way"),
    [((1,), (1, 2), True), ((1, 2), (1,), True), ((1,), (2,), False), ((1,), (1, 3), False)],
    ids=["wider", "narrower", "another_line_of_the_run", "with_a_line_that_came_later"],
)
def test_the_same_words_with_a_claim_take_the_place_of_what_was_approved_whichever_old_lines_are_cited(
    before: tuple[int, ...], after: tuple[int, ...], *, gives_way: bool
) -> None:
    old = Holder(says("Mira lives in Porto.", *before))
    new = Holder(says("Mira lives in Porto.", *after, place="Porto"))
    turn = turned(Decisions([decided(old.candidate, counts=True, run_id="a")], CAME), [old], [new])
    assert (turn.leaving, turn.staying) == (([old], []) if gives_way else ([], [old]))


def test_what_was_rejected_does_not_come_and_what_nobody_decided_changes_places() -> None:
    old, new = Holder(says("Mira lives in Porto.", 1)), Holder(says("Mira has a home in Porto.", 1))
    refused = Holder(says("Mira is ill.", 1))
    turn = turned(Decisions([decided(refused.candidate, counts=False)]), [old], [new, refused])
    assert (turn.leaving, turn.staying, turn.coming, turn.refused) == ([old], [], [new], [refused])
    assert turn.kept == {"one"}


def test_where_nothing_was_decided_all_changes_places() -> None:
    old, new = Holder(says("Mira lives in Porto.", 1)), Holder(says("Mira lives in Varna.", 1))
    turn = turned(Decisions(), [old], [new])
    assert (turn.leaving, turn.coming, turn.kept) == ([old], [new], frozenset())
