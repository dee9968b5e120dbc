"""What contradicts what among beliefs that were not resolved, and what is done or asked for it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest

from shared.belief.contradictions import Contradictions, contradictions, taken_back
from shared.belief.fold import open_memories
from shared.belief.predicates import BUILT_IN, claim_of
from shared.belief.validating import refused
from shared.contract.operations import CorroboratePayload, EndPayload, SupersedePayload
from shared.contract.proposals import Proposal, Refusal
from shared.contract.records import Claim, EvidenceRef, MemoryVersion
from shared.contract.trust import Origin
from tests.unit.belief.ledgers import Ledger, at, belief


def under(key: str, predicate: str, obj: str, subject: str = "Mira") -> Claim:
    """A claim as it was keyed before its predicate was known."""
    return Claim(subject=subject, predicate=predicate, object=obj, key=key)


class Stream:
    """A stream that beliefs are put into."""

    def __init__(self) -> None:
        self.ledger = Ledger()

    def hold(self, text: str, day: int | None, claim: Claim | None = None, **fields: Any) -> MemoryVersion:
        origin = fields.pop("origin", Origin.USER)
        said = self.ledger.hear(text, day=day, origin=origin)
        valid_from = None if day is None else at(day)
        self.ledger.believe(belief(said, text=text, claim=claim, valid_from=valid_from, **fields))
        return self.memories[-1]

    @property
    def memories(self) -> list[MemoryVersion]:
        return open_memories(self.ledger.state)

    @property
    def said_at(self) -> dict[int, datetime | None]:
        return {event.sequence: event.occurred_at for event in self.ledger.events}

    def found(self) -> Contradictions:
        found = contradictions(self.memories, self.said_at)
        held = {each.memory_id: each for each in self.memories}
        assert [refused(each, held) for each in found.superseded] == [None] * len(found.superseded)
        return found

    def ended(self) -> list[tuple[str, str, datetime]]:
        texts = {each.memory_id: each.text for each in self.memories}
        operations = [each.operation for each in self.found().superseded]
        return [
            (texts[each.memory], texts[each.by], each.valid_to)
            for each in operations
            if isinstance(each, SupersedePayload)
        ]

    def asked(self) -> list[tuple[str, ...]]:
        texts = {each.memory_id: each.text for each in self.memories}
        return [tuple(texts[memory] for memory in each.memories) for each in self.found().questions]


LEEDS, YORK = "Mira lives in Leeds.", "Mira lives in York."
OLD, NEW = under("mira home_town_now", "residence", "Leeds"), claim_of("Mira", "lives_in", "York", BUILT_IN)


@pytest.mark.parametrize("late", [False, True], ids=["in order", "the earlier one heard last"])
def test_what_one_has_one_of_is_ended_by_what_began_later_though_they_were_stored_under_two_keys(*, late: bool) -> None:
    stream = Stream()
    for text, day, claim in sorted([(LEEDS, 1, OLD), (YORK, 30, NEW)], key=lambda each: each[1], reverse=late):
        stream.hold(text, day, claim)
    assert stream.ended() == [(LEEDS, YORK, at(30))]
    assert stream.asked() == []


def test_once_it_is_done_a_second_look_finds_nothing() -> None:
    stream = Stream()
    stream.hold(LEEDS, 1, OLD)
    stream.hold(YORK, 30, NEW)
    for each in stream.found().superseded:
        stream.ledger.do(each.operation)
    assert stream.found() == Contradictions()


def test_what_claims_nothing_is_read_as_the_claim_that_it_reads_like() -> None:
    stream = Stream()
    stream.hold(YORK, 30, NEW)
    stream.hold(LEEDS, 1)
    stream.hold("Mira lives in a house that her aunt built.", 40)
    stream.hold("Mira lives in hope.", 40)
    assert stream.ended() == [(LEEDS, YORK, at(30))]


@pytest.mark.parametrize("day", [None, 30], ids=["at no time", "at the same time"])
def test_without_an_order_in_the_world_a_person_is_asked(day: int | None) -> None:
    stream = Stream()
    stream.hold(LEEDS, day, OLD)
    stream.hold(YORK, day, NEW)
    assert (stream.ended(), stream.asked()) == ([], [(LEEDS, YORK)])


def test_what_was_said_again_after_the_other_had_begun_is_asked_about() -> None:
    stream = Stream()
    leeds = stream.hold(LEEDS, 1, OLD)
    stream.hold(YORK, 30, NEW)
    again = stream.ledger.hear("Still in Leeds.", day=60)
    more = CorroboratePayload(reason="said_again", memory=leeds.memory_id, evidence=(EvidenceRef(sequence=again),))
    stream.ledger.do(more)
    assert (stream.ended(), stream.asked()) == ([], [(LEEDS, YORK)])


def test_a_less_trusted_word_ends_nothing_and_is_asked_about() -> None:
    stream = Stream()
    stream.hold(LEEDS, 1, OLD)
    stream.hold(YORK, 30, NEW, origin=Origin.WEB)
    assert (stream.ended(), stream.asked()) == ([], [(LEEDS, YORK)])


def test_what_one_may_have_many_of_is_no_contradiction() -> None:
    stream = Stream()
    for obj in ("tea", "coffee"):
        stream.hold(f"Mira likes {obj}.", 1, claim_of("Mira", "likes", obj, BUILT_IN))
    stream.hold("Mira's friend is Tove.", 1)
    stream.hold("Mira's friend is Oskar.", 2)
    assert stream.found() == Contradictions()


def test_another_agents_word_is_not_weighed_against_ones_own() -> None:
    stream = Stream()
    stream.hold(LEEDS, 1, OLD)
    stream.hold(YORK, 30, NEW)
    first, second = stream.memories
    assert contradictions([first, replace(second, agent_id="scout")], stream.said_at) == Contradictions()


def test_of_three_each_is_ended_by_the_next() -> None:
    stream = Stream()
    stream.hold(LEEDS, 1, OLD)
    stream.hold(YORK, 30, NEW)
    stream.hold("Mira lives in Hull.", 60)
    hull = "Mira lives in Hull."
    assert stream.ended() == [(LEEDS, YORK, at(30)), (YORK, hull, at(60))]


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ("The gate code is 4417.", "The gate code is 4471.", "numbers"),
        ("The choir meets on Monday.", "The choir meets on Tuesday.", "dates"),
        ("The head of the choir is Tove.", "The head of the choir is Oskar.", "names"),
        ("Mira eats meat.", "Mira does not eat meat.", None),
        ("Mira can swim.", "Mira can not swim.", "negations"),
        ("Mira bought 3 lamps.", "Mira bought 5 lamps.", None),
        ("Mira was in Rome in May.", "Mira was in Rome in June.", None),
        ("Tove is in the choir.", "Oskar is in the choir.", None),
        ("The front gate code is 4417.", "The back gate code is 4471.", None),
        ("The shop opens at 9 and closes at 17.", "The shop opens at 10 and closes at 18.", None),
        ("Mira's dog is Rex.", "Mira's dog is Bello.", None),
    ],
)
def test_two_of_one_wording_are_asked_about_where_one_of_them_cannot_be(
    first: str, second: str, why: str | None
) -> None:
    stream = Stream()
    stream.hold(first, 1)
    stream.hold(second, 2)
    found = stream.found()
    assert found.superseded == ()
    assert [each.why for each in found.questions] == ([why] if why else [])


def test_two_claims_that_are_keyed_apart_are_not_compared_by_their_words() -> None:
    stream = Stream()
    stream.hold("The code is 1.", 1, under("a", "note", "1", "the code"))
    stream.hold("The code is 2.", 2, under("b", "note", "2", "the code"))
    assert stream.found() == Contradictions()


def supersede(old: MemoryVersion, new: MemoryVersion, when: datetime) -> Proposal:
    return Proposal(
        operation=SupersedePayload(reason="said_late", memory=old.memory_id, by=new.memory_id, valid_to=when),
        read={each.memory_id: each.version for each in (old, new)},
    )


@pytest.mark.parametrize(
    ("changes", "when", "expected"),
    [
        ({}, at(30), None),
        ({"agent_id": "scout"}, at(30), Refusal.SCOPES_MIXED),
        ({"claim": claim_of("Tove", "lives_in", "York", BUILT_IN)}, at(30), Refusal.NOT_OPPOSED),
        ({"claim": claim_of("Mira", "lives_in", "Leeds", BUILT_IN)}, at(30), Refusal.NOT_OPPOSED),
        ({"claim": None, "text": "Mira likes York."}, at(30), Refusal.NOT_OPPOSED),
        ({"trust": 1}, at(30), Refusal.TRUST_MIXED),
        ({}, at(20), Refusal.NOT_LATER),
        ({"valid_from": None}, at(30), Refusal.NOT_LATER),
        ({"valid_from": at(0)}, at(0), Refusal.NOT_LATER),
    ],
)
def test_whoever_proposes_it_nothing_is_superseded_but_by_what_opposes_it_and_began_later(
    changes: dict[str, Any], when: datetime, expected: Refusal | None
) -> None:
    stream = Stream()
    stream.hold(LEEDS, 1, OLD)
    stream.hold(YORK, 30, NEW)
    old, new = stream.memories
    new = replace(new, **changes)
    assert refused(supersede(old, new, when), {each.memory_id: each for each in (old, new)}) is expected


def test_an_end_is_taken_back_once_what_gave_it_is_believed_no_more_and_only_then() -> None:
    stream = Stream()
    stream.hold(LEEDS, 1, OLD)
    york = stream.hold(YORK, 30, NEW)
    (proposal,) = stream.found().superseded
    assert isinstance(proposal.operation, SupersedePayload)
    event = stream.ledger.do(proposal.operation)
    ended, _ = stream.memories
    by = {event.sequence: proposal.operation}
    again = (EvidenceRef(sequence=stream.ledger.hear("Leeds it was.", day=2)),)
    confirming = CorroboratePayload(reason="said_again", memory=ended.memory_id, evidence=again, confidence=0.95)
    stream.ledger.do(confirming)

    def found(standing: list[UUID]) -> list[Proposal]:
        return [*taken_back([stream.ledger.state.memories[ended.memory_id]], by, standing)]

    assert found([york.memory_id]) == []
    (back,) = found([])
    stream.ledger.do(back.operation)
    assert stream.memories[0].valid_to is None
    assert found([]) == []
    stream.ledger.do(EndPayload(reason="no_longer", memory=ended.memory_id, valid_to=at(5)))
    assert found([]) == [], "what somebody else has ended stays so"
