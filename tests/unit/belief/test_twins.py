"""Which memories say the same twice, and what would be made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from shared.belief.fold import open_memories
from shared.belief.rules.sensitivity import classes_of
from shared.belief.similarity import LEAST_COSINE, says_the_same, telling
from shared.belief.twins import Worded, merge, sets
from shared.belief.unkeyed import is_unkeyed
from shared.belief.validating import refused
from shared.contract.operations import MergePayload
from shared.contract.records import EpistemicType, EvidenceRef, MemoryVersion
from shared.contract.trust import Origin
from tests.unit.belief.ledgers import Ledger, at, belief

LIKES = "Mira likes strong tea in the morning."
AGAIN = "Mira likes a strong tea in the morning."


def worded(memory: MemoryVersion) -> Worded:
    footing = (memory.kind, memory.epistemic_type, memory.schema_name, memory.agent_id, memory.trust, memory.valid_to)
    return Worded(memory.doc, memory.text, footing)


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

    def of(self, docs: Sequence[int]) -> Mapping[int, NDArray[np.float32]]:
        ids = {each.doc: each.memory_id for each in self.memories}
        return {doc: self.vectors[ids[doc]] for doc in docs if ids[doc] in self.vectors}

    def merges(self, order: Callable[[list[Worded]], None] = lambda _: None) -> list[MergePayload]:
        held = {each.doc: each for each in self.memories if is_unkeyed(each)}
        read = [worded(each) for each in held.values()]
        order(read)
        proposed = [merge(held[kept], [held[doc] for doc in others]) for kept, *others in sets(read, (), self.of)]
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
    assert set(held.merges(random.shuffle)) == set(held.merges())


WORDS = ("kettle harbour lantern orchard pebble violin meadow copper saddle timber " * 9).split()
FILLERS = ("", "the ", "really ", "2 ", "not ", "today ", "Tove ")


@st.composite
def texts(draw: st.DrawFn) -> list[Worded]:
    """Texts of few and many words, most of them another one with words left out, put in, or exchanged."""
    found: list[list[str]] = []
    for _ in range(draw(st.integers(2, 12))):
        words = list(draw(st.sampled_from(found))) if found and draw(st.integers(0, 4)) else _drawn(draw)
        for _ in range(draw(st.integers(0, 4)) if len(words) > 1 else 0):
            place = draw(st.integers(0, len(words) - 1))
            words[place : place + draw(st.integers(0, 1))] = draw(st.sampled_from([[], [], ["kettle"], ["sundial"]]))
        found.append(words)
    footings = st.integers(0, 5).map(lambda number: number == 0)
    return [
        Worded(doc, draw(st.sampled_from(FILLERS)) + " ".join(words), draw(footings))
        for doc, words in enumerate(found, 1)
    ]


def _drawn(draw: st.DrawFn) -> list[str]:
    start, count = draw(st.integers(0, 9)), draw(st.sampled_from([1, 3, 8, 9, 10, 11, 19, 20, 21, 30, 45, 50, 56, 75]))
    return WORDS[start : start + count]


@st.composite
def directions(draw: st.DrawFn, count: int) -> dict[int, NDArray[np.float32]]:
    angles = st.sampled_from([0.0, 0.1, 0.2, 0.3, 2.0])
    drawn = {doc: draw(angles) for doc in range(1, count + 1) if draw(st.integers(0, 9))}
    return {doc: np.array([np.cos(angle), np.sin(angle)], np.float32) for doc, angle in drawn.items()}


def compared_with_all(memories: Sequence[Worded], old: int, near: Mapping[int, NDArray[np.float32]]) -> Any:
    """The slow definition: each that is left with all behind it that are left, of any two `old` first ones neither."""
    equal = {
        each.doc: (each.footing, telling(each.text), classes_of(each.text, holds_secret=False)) for each in memories
    }
    taken: set[int] = set()
    for each in memories:
        twins = [
            other.doc
            for other in memories
            if other.doc > max(each.doc, old if each.doc <= old else 0)
            and not {each.doc, other.doc} & taken
            and {each.doc, other.doc} <= near.keys()
            and equal[each.doc] == equal[other.doc]
            and says_the_same(each.text, other.text)
            and near[each.doc] @ near[other.doc] >= LEAST_COSINE
        ]
        taken.update(twins)
        if twins:
            yield each.doc, *twins


@given(st.data())
def test_what_is_found_by_keys_is_what_comparing_all_with_all_finds(data: st.DataObject) -> None:
    memories = data.draw(texts())
    near = data.draw(directions(len(memories)))
    old = data.draw(st.integers(0, len(memories)))

    def known(docs: Sequence[int]) -> Mapping[int, NDArray[np.float32]]:
        return {doc: near[doc] for doc in docs if doc in near}

    assert list(sets(memories[old:], memories[:old], known)) == list(compared_with_all(memories, old, near))


def test_what_differs_in_a_number_is_told_apart_by_it_and_not_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = [Worded(doc, f"The code of the garden gate is {doc}.", ()) for doc in range(1, 400)]
    compared: list[object] = []

    def overlaps(*pair: object) -> bool:
        compared.append(pair)
        return False

    monkeypatch.setattr("shared.belief.twins.overlaps", overlaps)
    assert list(sets([*codes, Worded(400, "The code of the garden gate is 7.", ())], (), lambda _: {})) == []
    assert len(compared) == 1


def test_the_words_of_a_template_make_nobody_be_held_against_all(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = "every evening before supper the old keeper rows {} from the pier to the lighthouse and back with {} lamps"
    told = [Worded(doc, frame.format(f"boat-{doc}", f"kind-{doc}"), ()) for doc in range(1, 400)]
    compared: list[object] = []

    def overlaps(*pair: object) -> bool:
        compared.append(pair)
        return False

    monkeypatch.setattr("shared.belief.twins.overlaps", overlaps)
    assert list(sets(told, (), lambda _: {})) == []
    assert compared == []


def test_what_ended_at_another_time_is_another_thing() -> None:
    held = Held([LIKES])
    ended = held.ledger.believe(belief(held.ledger.hear(LIKES), text=LIKES, valid_from=at(0), valid_to=at(3)))
    held.vectors[ended] = np.eye(8, dtype=np.float32)[0]
    assert held.merges() == []
