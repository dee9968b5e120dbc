"""What has no claim ends by what was said in its place where the world's times and the trust of both allow it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from shared.belief.predicates import BUILT_IN, claim_of
from shared.belief.replacing import REPLACED, replacing
from shared.contract.records import EpistemicType, EvidenceRef, Operation
from tests.unit.belief.ledgers import at
from tests.unit.belief.test_records import VERSION

OLD = replace(VERSION, text="The choir meets on Monday.")
NEW = replace(
    VERSION,
    memory_id=UUID(int=2),
    doc=2,
    session_doc=2,
    opened_by=5,
    text="The choir meets on Tuesday.",
    valid_from=at(9),
    evidence=(EvidenceRef(sequence=4),),
)


def test_the_earlier_one_ends_when_the_later_one_began() -> None:
    payload = replacing(OLD, NEW, at(9))
    assert payload is not None
    assert (payload.memory, payload.by, payload.valid_to, payload.reason) == (
        OLD.memory_id,
        NEW.memory_id,
        at(9),
        REPLACED,
    )


def test_what_has_no_beginning_ends_too() -> None:
    assert replacing(replace(OLD, valid_from=None), NEW, at(9)) is not None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"claim": claim_of("choir", "located_in", "Leeds", BUILT_IN)}, {}),
        ({"epistemic_type": EpistemicType.EVIDENCE}, {}),
        ({"schema_name": "contact@1", "data": {}}, {}),
        ({"valid_to": at(3)}, {}),
        ({"closed_at": at(3), "closed_reason": Operation.EXPIRE, "closed_by": 4}, {}),
        ({"agent_id": "one"}, {}),
        ({"valid_from": at(9)}, {}),
        ({}, {"trust": 2}),
        ({}, {"closed_at": at(9), "closed_reason": Operation.EXPIRE, "closed_by": 6}),
    ],
)
def test_whatever_else_there_is_stays(old: dict[str, Any], new: dict[str, Any]) -> None:
    assert replacing(replace(OLD, **old), replace(NEW, **new), at(9)) is None


def test_without_a_time_nothing_ends_and_nothing_ends_itself() -> None:
    assert replacing(OLD, NEW, None) is None
    assert replacing(OLD, OLD, at(9)) is None
