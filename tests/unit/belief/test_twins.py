"""Which memories say the same twice, and what would be made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from shared.belief.fold import open_memories
from shared.belief.twins import merges
from shared.belief.validating import refused
from shared.contract.operations import MergePayload
from shared.contract.records import EpistemicType, EvidenceRef, MemoryVersion
from shared.contract.trust import Origin
from tests.unit.belief.ledgers import Ledger, at, belief

LIKES = "Mira likes strong tea in the morning."
AGAIN = "Mira likes a strong tea in the morning."


class Held:
    """A stream with beliefs, and their vectors: texts of one group are near each other, others are not."""

    def __init__(self, *groups: Sequence[str], origins: Sequence[Origin] = (), **fields: Any) -> None:
        self.ledger = Ledger()
        self.vectors: dict[UUID, NDArray[np.float32]] = {}
        for axis, texts in enumerate(groups):
            for place, text in enumerate(texts):
                origin = origins[place] if origins else Origin.USER
                said = self.ledger.hear(f"{text} ({axis}.{place})", day=place, origin=origin)
                memory = self.ledger.believe(belief(said, text=text, **fields))
                self.vectors[memory] = np.eye(8, dtype=np.float32)[axis]

    @property
    def memories(self) -> list[MemoryVersion]:
        return open_memories(self.ledger.state)

    def of(self, memories: Sequence[MemoryVersion]) -> Mapping[UUID, NDArray[np.float32]]:
        return {each.memory_id: self.vectors[each.memory_id] for each in memories if each.memory_id in self.vectors}

    def merges(self) -> list[MergePayload]:
        proposed = list(merges(self.memories, self.of))
        newest = {each.memory_id: each for each in self.memories}
        assert [refused(each, newest) for each in proposed] == [None] * len(proposed)
        return [each.operation for each in proposed if isinstance(each.operation, MergePayload)]

    def merge(self) -> None:
        for each in self.merges():
            self.ledger.do(each)


def test_what_says_the_same_is_merged_into_what_was_held_first_with_all_evidence_and_no_world_time_changed() -> None:
    held = Held([LIKES, AGAIN, LIKES], confidence=0.6)
    before = {each.memory_id: each for each in held.memories}
    held.merge()
    (left,) = held.memories
    assert left.text == LIKES
    assert {ref.sequence for ref in left.evidence} == {
        ref.sequence for each in before.values() for ref in each.evidence
    }
    assert left.confidence == pytest.approx(1 - 0.4**3)
    assert (left.valid_from, left.valid_to) == (before[left.memory_id].valid_from, None)
    assert held.merges() == [], "a second pass proposes nothing"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The gate code is 4417.", "The gate code is 4471."),
        ("Mira likes strong tea.", "Mira does not like strong tea."),
        ("Tove called Oskar.", "Oskar called Tove."),
        ("The choir meets on Monday.", "The choir meets on Tuesday."),
        ("Mira likes tea.", "Tove likes tea."),
        ("The dog chased the cat.", "The cat chased the dog."),
        ("The left door is locked.", "The right door is locked."),
        ("The shop is before the bank.", "The bank is before the shop."),
    ],
)
def test_a_number_date_name_negation_or_other_word_that_tells_keeps_two_apart_however_near_they_are(
    first: str, second: str
) -> None:
    assert Held([first, second]).merges() == []


def test_what_is_not_near_by_its_vector_is_not_merged_however_alike_its_words_are() -> None:
    assert Held([LIKES], [AGAIN]).merges() == []


def test_what_has_no_vector_yet_waits_for_it() -> None:
    held = Held([LIKES, AGAIN])
    held.vectors.popitem()
    assert held.merges() == []


def test_nothing_is_lent_trust_or_footing_and_episodes_and_claims_stay() -> None:
    assert Held([LIKES, LIKES], origins=[Origin.USER, Origin.WEB]).merges() == []
    held = Held([LIKES])
    said = held.ledger.hear(LIKES)
    other = held.ledger.believe(belief(said, text=LIKES, epistemic_type=EpistemicType.OPINION))
    held.vectors[other] = np.eye(8, dtype=np.float32)[0]
    for episode in held.ledger.open_episodes(said, held.ledger.hear(LIKES)):
        held.vectors[episode] = np.eye(8, dtype=np.float32)[0]
    assert held.merges() == []


def test_an_echo_makes_nothing_more_certain() -> None:
    held = Held([LIKES], confidence=0.6)
    echo = EvidenceRef(sequence=held.ledger.hear(LIKES), independent=False)
    twin = held.ledger.believe(belief(echo, text=AGAIN, confidence=0.6))
    held.vectors[twin] = np.eye(8, dtype=np.float32)[0]
    held.merge()
    (left,) = held.memories
    assert left.confidence == 0.6
    assert len(left.evidence) == 2


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12), st.randoms())
def test_the_same_is_proposed_in_whatever_order_memories_are_read(groups: list[int], random: Any) -> None:
    held = Held(*[[f"{LIKES} She says so."] * count for count in groups if count][:8] or [[LIKES]])
    shuffled = list(held.memories)
    random.shuffle(shuffled)
    first, second = ({each.operation for each in merges(read, held.of)} for read in (held.memories, shuffled))
    assert first == second


def test_what_ended_at_another_time_is_another_thing() -> None:
    held = Held([LIKES])
    ended = held.ledger.believe(belief(held.ledger.hear(LIKES), text=LIKES, valid_from=at(0), valid_to=at(3)))
    held.vectors[ended] = np.eye(8, dtype=np.float32)[0]
    assert held.merges() == []
