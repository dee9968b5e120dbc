"""Which proposals are refused, and why."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from shared.belief.fold import open_memories
from shared.belief.validating import refused
from shared.contract.errors import InvalidInput
from shared.contract.operations import (
    AbstractPayload,
    ClosePayload,
    EndPayload,
    LinkPayload,
    MergePayload,
    StandingPayload,
)
from shared.contract.proposals import Proposable, Proposal, Refusal, named
from shared.contract.records import Claim, EpistemicType, EvidenceRef, Kind, MemoryVersion, Operation
from tests.unit.belief.ledgers import Ledger, at, belief

TEXT = "Mira likes strong tea."


def versions(*texts: str, **fields: Any) -> list[MemoryVersion]:
    ledger = Ledger()
    for text in texts or (TEXT, TEXT):
        ledger.believe(belief(ledger.hear(text), text=text, **fields))
    return open_memories(ledger.state)


def reading(operation: Proposable, memories: list[MemoryVersion]) -> Proposal:
    return Proposal(operation=operation, read={each.memory_id: each.version for each in memories})


def merging(memories: list[MemoryVersion], **changes: Any) -> Proposal:
    first, *others = memories
    given = {
        "reason": "says_the_same",
        "memory": first.memory_id,
        "absorbed": tuple(each.memory_id for each in others),
        "evidence": tuple(ref for each in memories for ref in each.evidence),
        **changes,
    }
    return reading(MergePayload(**given), memories)


def abstracting(memories: list[MemoryVersion], text: str = "Mira likes tea.", **changes: Any) -> Proposal:
    evidence = tuple(ref for each in memories for ref in each.evidence)
    entry = belief(*evidence, text=text, **{"epistemic_type": EpistemicType.INFERENCE, "confidence": 0.5, **changes})
    sources = tuple(each.memory_id for each in memories)
    return reading(AbstractPayload(reason="abstracted", sources=sources, entry=entry), memories)


def verdict(proposal: Proposal, memories: list[MemoryVersion]) -> Refusal | None:
    return refused(proposal, {each.memory_id: each for each in memories})


def test_a_sound_merge_and_a_sound_abstraction_pass() -> None:
    held = versions()
    assert verdict(merging(held), held) is None
    assert verdict(abstracting(held), held) is None


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"agent_id": "scout"}, Refusal.SCOPES_MIXED),
        ({"claim": Claim(subject="mira", predicate="likes", object="tea", key="mira likes")}, Refusal.CLAIMS_MIXED),
        ({"kind": Kind.PROCEDURAL}, Refusal.FOOTINGS_MIXED),
        ({"epistemic_type": EpistemicType.OPINION}, Refusal.FOOTINGS_MIXED),
        ({"trust": 2}, Refusal.TRUST_MIXED),
        ({"text": "Mira has diabetes and likes strong tea."}, Refusal.SENSITIVITY_MIXED),
        ({"text": "Mira does not like strong tea."}, Refusal.CONTRADICTION),
        ({"text": "Mira likes 3 strong teas."}, Refusal.CONTRADICTION),
        ({"text": "Mira likes strong coffee."}, Refusal.CONTRADICTION),
        ({"text": "Strong tea likes Mira."}, Refusal.CONTRADICTION),
        ({"evidence": (EvidenceRef(sequence=7),)}, Refusal.EVIDENCE_LOST),
        ({"version": 2}, Refusal.CHANGED_SINCE),
    ],
)
def test_a_merge_is_refused_for_whatever_differs_in_one_of_its_sources(
    changed: dict[str, Any], expected: Refusal
) -> None:
    first, second = versions()
    proposal = merging([first, second])
    assert verdict(proposal, [first, replace(second, **changed)]) is expected


def test_what_is_closed_or_gone_by_now_is_merged_no_more() -> None:
    first, second = versions()
    proposal = merging([first, second])
    closed = replace(
        second, closed_at=second.recorded_at, closed_reason=Operation.RETRACT, closed_by=second.opened_by + 1
    )
    assert verdict(proposal, [first, closed]) is Refusal.SOURCE_CLOSED
    assert verdict(proposal, [first]) is Refusal.SOURCE_MISSING


def test_a_memory_is_not_merged_with_itself() -> None:
    (alone,) = versions(TEXT)
    proposal = merging([alone], absorbed=(alone.memory_id,))
    assert verdict(proposal, [alone]) is Refusal.TOO_FEW_SOURCES


def test_evidence_that_no_source_has_is_refused() -> None:
    held = versions()
    more = (*(ref for each in held for ref in each.evidence), EvidenceRef(sequence=9))
    assert verdict(merging(held, evidence=more), held) is Refusal.EVIDENCE_ADDED


@pytest.mark.parametrize(("confidence", "expected"), [(0.75, None), (0.76, Refusal.MORE_CERTAIN)])
def test_a_merge_is_as_certain_as_independent_evidence_makes_it(confidence: float, expected: Refusal | None) -> None:
    held = versions()
    assert verdict(merging(held, confidence=confidence), held) is expected


def test_echoes_make_no_merge_more_certain() -> None:
    first, second = versions()
    echo = replace(second, evidence=tuple(replace(ref, independent=False) for ref in second.evidence))
    assert verdict(merging([first, echo], confidence=0.51), [first, echo]) is Refusal.MORE_CERTAIN


@pytest.mark.parametrize(
    ("text", "changes", "expected"),
    [
        ("Mira likes tea at 7.", {}, Refusal.UNSUPPORTED),
        ("Mira and Tove like tea.", {}, Refusal.UNSUPPORTED),
        ("Mira never likes coffee.", {}, Refusal.UNSUPPORTED),
        ("Mira likes tea on Monday.", {}, Refusal.UNSUPPORTED),
        ("Mira has diabetes.", {}, Refusal.SENSITIVITY_MIXED),
        ("Mira likes tea.", {"confidence": 0.6}, Refusal.MORE_CERTAIN),
    ],
)
def test_an_abstraction_says_nothing_that_its_sources_do_not(
    text: str, changes: dict[str, Any], expected: Refusal
) -> None:
    held = versions()
    assert verdict(abstracting(held, text, **changes), held) is expected


def test_an_abstraction_becomes_no_fact_unless_all_its_sources_are() -> None:
    held = versions(epistemic_type=EpistemicType.INFERENCE)
    assert verdict(abstracting(held, epistemic_type=EpistemicType.FACT), held) is Refusal.FIRMER
    facts = versions()
    assert verdict(abstracting(facts, epistemic_type=EpistemicType.FACT), facts) is None


def test_other_operations_are_refused_only_where_what_they_name_has_changed() -> None:
    first, second = held = versions()
    operations: list[Proposable] = [
        EndPayload(reason="ended", memory=first.memory_id, valid_to=at(3)),
        LinkPayload(reason="alike", source=first.memory_id, relation="same_topic", target=second.memory_id),
        ClosePayload(op=Operation.EXPIRE, reason="worn", memory=first.memory_id),
    ]
    for operation in operations:
        assert verdict(reading(operation, held), held) is None
        assert verdict(reading(operation, held), [replace(first, version=4), second]) is Refusal.CHANGED_SINCE


def test_a_proposal_cannot_retract_quarantine_or_name_what_it_has_not_read() -> None:
    memory = uuid4()
    for op in (Operation.RETRACT, Operation.QUARANTINE):
        with pytest.raises(InvalidInput, match="EXPIRE alone"):
            Proposal(operation=ClosePayload(op=op, reason="wrong", memory=memory), read={memory: 1})
    with pytest.raises(InvalidInput, match="version of each memory"):
        Proposal(operation=EndPayload(reason="ended", memory=memory, valid_to=at(1)), read={})


def test_what_an_operation_names_comes_with_what_stays_first() -> None:
    a, b, c = (UUID(int=number) for number in (3, 1, 2))
    ref = EvidenceRef(sequence=1)
    assert named(MergePayload(reason="r", memory=a, absorbed=(b, c, b), evidence=(ref,))) == (a, b, c)


@pytest.mark.parametrize(
    ("op", "changes", "expected"),
    [
        (Operation.PROMOTE, {"kind": Kind.PROCEDURAL}, None),
        (Operation.DEMOTE, {"confidence": 0.4}, None),
        (Operation.DEMOTE, {"epistemic_type": EpistemicType.INFERENCE}, None),
        (Operation.PROMOTE, {"confidence": 0.9}, Refusal.MORE_CERTAIN),
        (Operation.PROMOTE, {"epistemic_type": EpistemicType.OPINION}, Refusal.FIRMER),
        (Operation.DEMOTE, {"epistemic_type": EpistemicType.EVIDENCE}, Refusal.FIRMER),
        (Operation.DEMOTE, {"confidence": 0.5}, Refusal.NO_CHANGE),
        (Operation.PROMOTE, {"kind": Kind.SEMANTIC}, Refusal.NO_CHANGE),
    ],
)
def test_a_job_makes_nothing_more_certain_or_a_fact_and_does_not_say_what_is_so_already(
    op: Operation, changes: dict[str, Any], expected: Refusal | None
) -> None:
    (held,) = versions(TEXT)
    operation = StandingPayload.model_validate({"op": op, "reason": "weighed", "memory": held.memory_id, **changes})
    assert verdict(reading(operation, [held]), [held]) is expected


def test_an_abstraction_of_denials_denies() -> None:
    held = versions("Mira does not eat meat.", "Mira eats no meat on weekdays.")
    assert verdict(abstracting(held, "Mira eats meat."), held) is Refusal.UNSUPPORTED
    assert verdict(abstracting(held, "Mira does not eat meat."), held) is None


def test_nothing_is_inferred_from_an_inference_of_its_kind() -> None:
    held = versions(epistemic_type=EpistemicType.INFERENCE)
    assert verdict(abstracting(held), held) is Refusal.OF_ITS_OWN_KIND
    assert verdict(abstracting(held, kind=Kind.PROCEDURAL), held) is None
