"""What a person decided stands until the evidence says something new."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from shared.belief.deciding import Decided, Decisions, Said, turned
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


def decided(candidate: Candidate, *, counts: bool, day: int = 0, name: str = "one") -> Decided:
    return Decided(decision=name, said=Said.by(candidate), counts=counts, at=AT + timedelta(days=day))


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
