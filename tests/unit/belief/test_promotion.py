"""When what was concluded becomes a fact, and when it is concluded again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from shared.belief.promotion import promotion
from shared.contract.candidates import Change
from shared.contract.records import EpistemicType, EvidenceRef, MemoryVersion, Operation
from shared.contract.trust import Origin
from tests.unit.belief.statements import Stream, Word

INFERENCE, FACT = EpistemicType.INFERENCE, EpistemicType.FACT


class Life:
    """A stream with an inference in it, and what is said later."""

    def __init__(self, **founding: Any) -> None:
        self.stream = Stream()
        said = self.stream.hear(Word(number=0, object="Varna"), epistemic_type=INFERENCE, **founding)
        self.key = said.claim.key
        self.stream.resolve([self.key])

    def hear(self, *, word: Word | None = None, **fields: Any) -> None:
        self.stream.hear(word or Word(number=1, object="Varna", day=2), **{"epistemic_type": FACT, **fields})
        self.stream.resolve([self.key])

    def footing(self, **given: Any) -> tuple[Operation, EpistemicType | None] | None:
        versions = self.versions()
        evidence = self.stream.ledger.state.evidence
        found = promotion(versions, self.stream.stated.values(), **{"evidence": evidence, **given})
        return (found.op, found.epistemic_type) if found else None

    def versions(self) -> list[MemoryVersion]:
        (versions,) = [each for each in self.stream.ledger.state.memories.values() if each[-1].is_open]
        return list(versions)

    def promote(self) -> None:
        found = promotion(self.versions(), self.stream.stated.values(), evidence=self.stream.ledger.state.evidence)
        assert found is not None
        self.stream.ledger.do(found)


def test_an_inference_alone_stays_one() -> None:
    assert Life().footing() is None


def test_the_users_own_word_makes_a_fact_of_an_inference() -> None:
    life = Life()
    life.hear()
    assert life.footing() == (Operation.PROMOTE, FACT)
    life.promote()
    assert life.versions()[-1].epistemic_type is FACT
    assert life.footing() is None


@pytest.mark.parametrize(
    "said",
    [
        {"epistemic_type": INFERENCE},
        {"word": Word(number=1, object="Varna", day=2, origin=Origin.ASSISTANT)},
        {"word": Word(number=1, object="Varna", day=2, origin=Origin.TOOL)},
        {"word": Word(number=1, object="Varna", day=2, change=Change.ENDED)},
        {"evidence": (EvidenceRef(sequence=1, start=0, end=4),)},
    ],
    ids=["another inference", "an assistant", "a tool", "that it ended", "the same message"],
)
def test_nothing_else_makes_a_fact_of_it(said: dict[str, Any]) -> None:
    life = Life()
    life.hear(**said)
    assert life.footing() is None


def test_an_echo_makes_no_fact() -> None:
    life = Life()
    sequence = life.stream.ledger.hear("the same again", day=2)
    echo = EvidenceRef(sequence=sequence, independent=False)
    life.hear(sequence=sequence, evidence=(echo,))
    assert life.footing() is None


def test_a_source_makes_a_fact_of_it_where_it_is_verified() -> None:
    life = Life()
    life.hear(word=Word(number=1, object="Varna", day=2, origin=Origin.TOOL))
    (spoken,) = [event for event in life.stream.ledger.events if event.origin is Origin.TOOL]
    evidence = {spoken.sequence: replace(spoken, speaker="land registry")}
    # A tool's word is trusted less than the user's that was concluded from, so the memory has to rest on it.
    assert life.footing(evidence=evidence) is None
    assert life.footing(evidence=evidence, verified={"another"}) is None
    assert life.footing(evidence=evidence, verified={"land registry"}) == (Operation.PROMOTE, FACT)


def test_an_assistant_by_a_verified_name_is_no_source() -> None:
    life = Life()
    life.hear(word=Word(number=1, object="Varna", day=2, origin=Origin.ASSISTANT))
    (spoken,) = [event for event in life.stream.ledger.events if event.origin is Origin.ASSISTANT]
    evidence = {spoken.sequence: replace(spoken, speaker="land registry")}
    assert life.footing(evidence=evidence, verified={"land registry"}) is None


def test_a_fact_whose_every_confirmation_is_gone_is_an_inference_again() -> None:
    life = Life()
    life.hear()
    life.promote()
    kept = {
        sequence: each for sequence, each in life.stream.stated.items() if each.candidate.epistemic_type is not FACT
    }
    life.stream.stated = kept
    assert life.footing() == (Operation.DEMOTE, INFERENCE)


def test_a_fact_that_only_an_assistant_still_states_is_an_inference_again() -> None:
    life = Life()
    life.hear()
    life.promote()
    life.hear(word=Word(number=2, object="Varna", day=3, origin=Origin.ASSISTANT))
    assert life.footing() is None
    life.stream.erase([sequence for sequence, stated in life.stream.stated.items() if stated.message_id == "m1"])
    assert life.versions()[-1].epistemic_type is FACT
    assert life.footing() == (Operation.DEMOTE, INFERENCE)


def test_what_was_a_fact_from_the_start_is_left_alone() -> None:
    stream = Stream()
    stream.say(Word(number=0, object="Varna"))
    (versions,) = stream.ledger.state.memories.values()
    assert promotion(versions, [], evidence={}) is None


def test_what_is_closed_is_left_alone() -> None:
    life = Life()
    life.hear()
    closed = [
        replace(each, closed_at=each.recorded_at, closed_reason=Operation.EXPIRE, closed_by=99)
        for each in life.versions()
    ]
    assert promotion(closed, life.stream.stated.values(), evidence={}) is None
