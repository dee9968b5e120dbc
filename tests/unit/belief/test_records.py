"""What the record types refuse at construction, and how payloads are stored and read."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.contract.errors import InvalidInput
from shared.contract.operations import (
    AbstractPayload,
    AddPayload,
    ClosePayload,
    EndPayload,
    ForgetPayload,
    Payload,
    ReopenPayload,
    VerbatimEntry,
    as_json,
    parsed,
)
from shared.contract.records import (
    Action,
    Claim,
    Decision,
    EpistemicType,
    EvidenceRef,
    Kind,
    Link,
    MemoryVersion,
    Operation,
    Span,
)
from shared.contract.trust import Origin
from tests.unit.belief.ledgers import START, at, belief

MEMORY = UUID(int=1)
VERSION = MemoryVersion(
    memory_id=MEMORY,
    version=1,
    kind=Kind.SEMANTIC,
    epistemic_type=EpistemicType.FACT,
    text="Mira keeps bees",
    speaker="Mira",
    role=None,
    origin=Origin.USER,
    trust=4,
    session_id=None,
    agent_id=None,
    run_id=None,
    doc=1,
    session_doc=1,
    valid_from=at(0),
    valid_to=None,
    recorded_at=START,
    opened_by=2,
    ordinal=0,
    evidence=(EvidenceRef(sequence=1),),
    confidence=0.5,
)
CLOSING: dict[str, Any] = {"closed_at": at(1), "closed_reason": Operation.RETRACT, "closed_by": 3}


@pytest.mark.parametrize(
    "fields",
    [
        {"text": " \n"},
        {"version": 0},
        {"doc": 0},
        {"session_doc": 0},
        {"session_doc": 2},
        {"opened_by": 0},
        {"ordinal": -1},
        {"trust": 5},
        {"trust": -1},
        {"confidence": 1.01},
        {"confidence": -0.1},
        {"confidence": float("nan")},
        {"evidence": ()},
        {"evidence": "evidence"},
        {"evidence": (1,)},
        {"evidence": [EvidenceRef(sequence=1)]},
        {"recorded_at": datetime(2031, 1, 1)},  # noqa: DTZ001 - what is refused
        {"valid_from": datetime(2031, 1, 1)},  # noqa: DTZ001 - what is refused
        {"valid_to": at(-1)},
        {"closed_at": at(1)},
        {"closed_reason": Operation.RETRACT},
        {"closed_by": 3},
        {**CLOSING, "closed_at": START - timedelta(seconds=1)},
        {**CLOSING, "closed_by": 2},
    ],
)
def test_an_impossible_version_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        replace(VERSION, **fields)


def test_a_version_is_a_value_and_knows_whether_it_is_open() -> None:
    assert replace(VERSION) == VERSION
    assert hash(replace(VERSION)) == hash(VERSION)
    assert VERSION.is_open
    assert not replace(VERSION, **CLOSING).is_open
    assert replace(VERSION, valid_to=at(0)).is_open
    with pytest.raises(FrozenInstanceError):
        VERSION.version = 2  # type: ignore[misc]


@pytest.mark.parametrize(
    "fields", [{"action": "store_it"}, {"rule": ""}, {"reason": "  "}, {"confidence": 2}, {"confidence": float("nan")}]
)
def test_an_invalid_decision_is_refused(fields: dict[str, Any]) -> None:
    given_fields: dict[str, Any] = {"action": Action.STORE, "rule": "default", "reason": "why not", "confidence": 0.6}
    Decision(**given_fields)
    with pytest.raises(InvalidInput):
        Decision(**{**given_fields, **fields})


@pytest.mark.parametrize(("start", "end"), [(1, None), (None, 1), (2, 2), (3, 2), (-1, 2)])
def test_a_span_is_a_whole_event_or_a_stretch_of_it(start: int | None, end: int | None) -> None:
    with pytest.raises(InvalidInput):
        Span(sequence=1, start=start, end=end)
    with pytest.raises(InvalidInput):
        EvidenceRef(sequence=1, start=start, end=end)


def test_claims_and_links_with_blank_or_equal_parts_are_refused() -> None:
    with pytest.raises(InvalidInput):
        Claim(subject="Mira", predicate="lives_in", object=" ", key="mira.lives_in")
    with pytest.raises(InvalidInput):
        Link(source=MEMORY, relation="near", target=MEMORY, opened_by=1)


STRETCHES = st.tuples(st.integers(0, 9), st.integers(1, 9)).map(lambda each: (each[0], sum(each)))


@given(first=STRETCHES | st.none(), second=STRETCHES | st.none(), same=st.booleans())
def test_spans_overlap_where_they_share_a_character(
    first: tuple[int, int] | None,
    second: tuple[int, int] | None,
    same: bool,  # noqa: FBT001
) -> None:
    one, other = (
        Span(sequence=sequence, start=ends and ends[0], end=ends and ends[1])
        for sequence, ends in ((1, first), (1 if same else 2, second))
    )
    shared = set(range(*(first or (0, 20)))) & set(range(*(second or (0, 20))))
    assert one.overlaps(other) == other.overlaps(one) == bool(same and shared)


@pytest.mark.parametrize(
    "payload",
    [
        AddPayload(reason="admitted", entries=(VerbatimEntry(evidence=EvidenceRef(sequence=1, start=0, end=3)),)),
        AddPayload(
            reason="resolved",
            entries=(
                belief(1, claim=Claim(subject="Mira", predicate="has", object="bees", key="mira.has"), valid_to=at(3)),
            ),
        ),
        AbstractPayload(reason="compressed", sources=(MEMORY, UUID(int=2)), entry=belief(1)),
        ClosePayload(op=Operation.EXPIRE, reason="policy", memory=MEMORY),
        EndPayload(reason="no_longer", memory=MEMORY, valid_to=START.replace(microsecond=123456)),
        ForgetPayload(reason="user_request", spans=(Span(sequence=1),), closes=(MEMORY,), erased=(1, 2)),
        ReopenPayload(reason="taken_back", memory=MEMORY),
    ],
)
def test_a_payload_is_read_back_as_it_was_written(payload: Payload) -> None:
    assert parsed(as_json(payload)) == payload


@pytest.mark.parametrize(
    "payload",
    [
        {"op": "add", "reason": "admitted", "entries": []},
        {"op": "add", "reason": "He said Porto", "entries": [{"form": "verbatim", "evidence": {"sequence": 1}}]},
        {"op": "delete", "reason": "x", "memory": str(MEMORY)},
        {"op": "expire", "reason": "x", "memory": str(MEMORY), "text": "more"},
        {"op": "end", "reason": "x", "memory": str(MEMORY), "valid_to": "2031-03-04T09:00:00"},
        {"op": "merge", "reason": "x", "memory": str(MEMORY), "absorbed": [str(UUID(int=2))], "evidence": []},
        {"op": "forget", "reason": "x", "spans": []},
    ],
)
def test_a_payload_that_is_no_operation_is_refused(payload: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        parsed(payload)


def test_texts_are_kept_in_events_of_their_own() -> None:
    with pytest.raises(ValueError, match="one ADD for each"):
        AddPayload(reason="resolved", entries=(belief(1), belief(2)))


def test_a_written_text_is_never_evidence_and_an_abstraction_names_each_source_once() -> None:
    with pytest.raises(ValueError, match="not evidence"):
        belief(1, epistemic_type=EpistemicType.EVIDENCE)
    with pytest.raises(ValueError, match="twice"):
        AbstractPayload(reason="compressed", sources=(MEMORY, MEMORY), entry=belief(1))
