"""Batches taken back: what was before is held again, and nothing else is touched."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.belief.fold import fingerprint, fold, open_memories
from shared.belief.forgetting import forget
from shared.belief.reverting import Kept, Reverting, Why, crowded, reverting
from shared.contract.errors import LedgerDamaged
from shared.contract.operations import (
    AbstractPayload,
    CorroboratePayload,
    EndPayload,
    MergePayload,
    Payload,
    RestorePayload,
    SupersedePayload,
)
from shared.contract.records import Claim, EpistemicType, EvidenceRef, MemoryVersion, Operation, Span
from tests.unit.belief.ledgers import Ledger, at, belief

State = list[tuple[str, object, object, object, float]]


class Life:
    """A stream, a batch of operations in it, and what they touched."""

    def __init__(self, *texts: str) -> None:
        self.ledger = Ledger()
        self.touched: list[set[UUID]] = []
        self.said = [self.ledger.hear(text) for text in texts]
        self.ids = [self.ledger.believe(belief(said, text=text)) for said, text in zip(self.said, texts, strict=True)]
        self.first = len(self.ledger.events) + 1
        self.last = self.first - 1

    def batch(self, operation: Payload, *touched: UUID) -> list[UUID]:
        event = self.ledger.do(operation)
        opened = [
            versions[0].memory_id
            for versions in self.ledger.state.memories.values()
            if versions[0].opened_by == event.sequence
        ]
        self.touched.append({*touched, *opened})
        self.last = event.sequence
        return opened

    def revert(self) -> Reverting:
        found = reverting(self.touched, self.first, self.last, self.ledger.state.memories)
        for operation in found.operations:
            self.ledger.do(operation)
        replayed = fold(self.ledger.events)
        assert fingerprint(replayed) == fingerprint(self.ledger.state)
        return found

    def held(self) -> State:
        """What is held, but for the numbers of versions."""
        return sorted((_held(version) for version in open_memories(self.ledger.state)), key=repr)

    def merge(self, kept: int, absorbed: int) -> None:
        evidence = self.ledger.state.memories[self.ids[absorbed]][-1].evidence
        a, b = self.ids[kept], self.ids[absorbed]
        self.batch(MergePayload(reason="same", memory=a, absorbed=(b,), evidence=evidence, confidence=0.7), a, b)


def _held(version: MemoryVersion) -> tuple[str, object, object, object, float]:
    return version.text, version.valid_to, version.epistemic_type, version.evidence, version.confidence


def test_a_merge_an_abstraction_and_a_supersession_are_taken_back_to_what_was_held() -> None:
    life = Life("one", "one again", "two", "three", "four")
    before = life.held()
    life.merge(0, 1)
    _, _, two, three, four = life.ids
    life.batch(SupersedePayload(reason="newer", memory=two, by=three, valid_to=at(4)), two, three)
    entry = belief(*life.said[3:], text="three and four", epistemic_type=EpistemicType.INFERENCE)
    life.batch(AbstractPayload(reason="alike", sources=(three, four), entry=entry), three, four)
    assert life.held() != before
    assert life.revert().kept == ()
    assert life.held() == before


def test_later_changes_of_other_memories_stay_and_do_not_hinder() -> None:
    life = Life("one", "one again", "two")
    life.merge(0, 1)
    life.ledger.do(EndPayload(reason="ended", memory=life.ids[2], valid_to=at(5)))
    life.ledger.believe(belief(life.ledger.hear("three"), text="three"))
    assert life.revert().kept == ()
    assert {text for text, *_ in life.held()} == {"one", "one again", "two", "three"}
    assert {text: end for text, end, *_ in life.held()}["two"] == at(5)


def test_what_has_changed_since_stays_with_all_that_the_same_operations_touched() -> None:
    life = Life("one", "one again", "two", "two again")
    life.merge(0, 1)
    life.merge(2, 3)
    more = EvidenceRef(sequence=life.ledger.hear("one more"))
    life.ledger.do(CorroboratePayload(reason="again", memory=life.ids[0], evidence=(more,)))
    assert set(life.revert().kept) == {
        Kept(memory=life.ids[0], why=Why.CHANGED),
        Kept(memory=life.ids[1], why=Why.TOGETHER),
    }
    assert {text for text, *_ in life.held()} == {"one", "two", "two again"}


def test_what_was_forgotten_since_does_not_come_back() -> None:
    life = Life("one", "one again")
    life.merge(0, 1)
    state, spans = life.ledger.state, [Span(sequence=life.said[1])]
    life.ledger.do(forget(state, spans, reason="user_request"))
    found = life.revert()
    assert found.operations == ()
    assert {each.memory: each.why for each in found.kept} == {
        life.ids[0]: Why.CHANGED,
        life.ids[1]: Why.FORGOTTEN,
    }


def test_operations_that_touch_one_memory_are_taken_back_together() -> None:
    life = Life("one", "one again", "one once more")
    before = life.held()
    life.merge(0, 1)
    life.merge(0, 2)
    life.revert()
    assert life.held() == before


def test_a_batch_is_taken_back_once() -> None:
    life = Life("one", "one again")
    life.merge(0, 1)
    life.revert()
    assert {each.memory for each in life.revert().kept} == set(life.ids)


@pytest.mark.parametrize("version", [1, 2])
def test_nothing_is_restored_to_what_it_is(version: int) -> None:
    life = Life("one")
    with pytest.raises(LedgerDamaged, match="no version"):
        life.ledger.do(RestorePayload(reason="reverted", memory=life.ids[0], version=version))


def test_a_restored_memory_is_a_version_of_its_own() -> None:
    life = Life("one", "one again")
    life.merge(0, 1)
    life.revert()
    versions = life.ledger.state.memories[life.ids[1]]
    assert [version.version for version in versions] == [1, 2]
    assert versions[0].closed_reason is Operation.MERGE
    assert versions[1].is_open


def test_what_another_has_the_place_of_stays_closed_with_what_the_same_operation_touched() -> None:
    life = Life("one", "one again", "two", "two again")
    life.merge(0, 1)
    life.merge(2, 3)
    found = reverting(life.touched, life.first, life.last, life.ledger.state.memories, taken={life.ids[1]})
    assert set(found.kept) == {
        Kept(memory=life.ids[0], why=Why.TOGETHER),
        Kept(memory=life.ids[1], why=Why.TAKEN),
    }
    assert {each.memory for each in found.operations if isinstance(each, RestorePayload)} == {life.ids[2], life.ids[3]}


TIMES = st.tuples(st.integers(1, 6), st.one_of(st.none(), st.integers(1, 6)), st.sampled_from("ab"), st.integers(1, 2))


@given(st.lists(TIMES, max_size=7))
def test_crowded_is_whatever_is_true_at_one_time_with_another_of_its_claim(
    times: list[tuple[int, int | None, str, int]],
) -> None:
    (some,) = open_memories(Life("one").ledger.state)
    held = [
        replace(
            some,
            memory_id=UUID(int=number),
            valid_from=at(begins),
            valid_to=at(begins + lasts - 1) if lasts else None,
            claim=Claim(subject="mira", predicate="lives_in", object="Oslo", key=key),
            trust=trust,
        )
        for number, (begins, lasts, key, trust) in enumerate(times)
    ]
    wanted = {each.memory_id for pair in combinations(held, 2) if _meet(*pair) for each in pair}
    assert crowded(held) == wanted
    unknown = [replace(each, valid_from=None, valid_to=None) for each in held]
    assert crowded([*unknown, replace(some, claim=None)]) == set()


def _meet(one: MemoryVersion, other: MemoryVersion) -> bool:
    assert one.claim
    assert other.claim
    days = [
        {
            day
            for day in range(1, 20)
            if each.valid_from <= at(day) and (each.valid_to is None or at(day) < each.valid_to)
        }
        for each in (one, other)
        if each.valid_from
    ]
    return (one.claim.key, one.trust) == (other.claim.key, other.trust) and not days[0].isdisjoint(days[1])
