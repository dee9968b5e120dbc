"""Turn ids, citations, and outcomes that say something."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.contract.bundle import Bundle, Item, Source, Verdict
from shared.contract.errors import InvalidInput
from shared.contract.scope import AUDIT_OWNER, TENANT_OWNER, Owner, owner_of, room_owner, stream_of
from shared.contract.turns import RANDOM_BYTES, TurnOutcome, Use, began_at, turn_id

NOON = datetime(2026, 5, 3, 12, tzinfo=UTC)
BEES, BREAD = UUID(int=1), UUID(int=2)


@given(st.datetimes(datetime(1971, 1, 1), datetime(9999, 1, 1)), st.binary(min_size=10, max_size=10))  # noqa: DTZ001 - made aware below
def test_a_turn_id_is_a_uuid_of_version_7_that_says_when(at: datetime, random: bytes) -> None:
    at = at.replace(tzinfo=UTC)
    made = turn_id(at, random)
    assert (made.version, made.variant) == (7, "specified in RFC 4122")
    assert abs(began_at(made) - at) <= timedelta(milliseconds=1)


def test_later_turns_have_greater_ids() -> None:
    made = [turn_id(NOON + timedelta(milliseconds=n), os.urandom(RANDOM_BYTES)) for n in range(50)]
    assert made == sorted(made)
    assert len({turn_id(NOON, os.urandom(RANDOM_BYTES)) for _ in range(50)}) == 50


def test_a_turn_id_of_too_few_random_bytes_is_refused() -> None:
    with pytest.raises(InvalidInput, match="10 bytes"):
        turn_id(NOON, b"\0")


def test_an_outcome_that_says_nothing_or_two_things_of_one_memory_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at least one"):
        TurnOutcome(turn_id=UUID(int=7))
    with pytest.raises(InvalidInput, match="misled"):
        TurnOutcome(turn_id=UUID(int=7), used=(BEES, BREAD), misled=(BREAD,))
    assert TurnOutcome(turn_id=UUID(int=7), used=(BEES,), misled=(BREAD,)).memories == (BEES, BREAD)


@pytest.mark.parametrize(
    "wrong",
    [{"used": -1}, {"misled": -1}],
)
def test_counts_that_cannot_be_are_refused(wrong: dict[str, object]) -> None:
    right: dict[str, object] = {"memory_id": BEES, "doc": 1, "used": 1, "misled": 0}
    Use(**right)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        Use(**{**right, **wrong})  # type: ignore[arg-type]


@pytest.mark.parametrize("owner", [Owner("mira"), room_owner("kitchen"), TENANT_OWNER, AUDIT_OWNER])
def test_the_owner_of_a_stream_is_whose_stream_it_is(owner: Owner) -> None:
    assert owner_of(stream_of(owner)) == owner


def _item(ordinal: int, memory_id: UUID) -> Item:
    return Item(
        ordinal=ordinal,
        memory_id=memory_id,
        text="I keep bees.",
        kind="episodic",
        epistemic_type="evidence",
        speaker="mira",
        role="user",
        origin="user",
        trust=4,
        event_time=None,
        session_id=None,
        sources=(Source(run_id="r", message_id="m", stream="user:mira", sequence=ordinal),),
        score=0.5,
        rank=ordinal,
    )


def test_a_bundle_tells_the_memories_behind_citations() -> None:
    bundle = Bundle(
        turn_id=turn_id(NOON, b"0123456789"),
        items=(_item(1, BEES), _item(2, BREAD)),
        text="",
        tokens=0,
        counter="letters",
        verdict=Verdict.SUPPORTED,
        reason="",
        degraded=(),
        omitted=0,
        hits=(),
        watermarks=(),
        fresh_runs=0,
        timings_ms={},
        plan=(),
    )
    assert bundle.memory_ids("m2", "[m1]", "m2") == (BREAD, BEES)
    assert bundle.memory_ids("m2~0000", "[m1~0000 mira, Tue 4 Mar 2031]") == (BREAD, BEES)
    assert bundle.memory_ids() == ()
    for wrong in ("m3", "bees", str(BEES), "m1~beef", "m1 and m2"):
        with pytest.raises(InvalidInput, match="cites no item"):
            bundle.memory_ids(wrong)
