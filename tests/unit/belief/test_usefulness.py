"""What outcomes come to, as values: counted once a turn, by what was said last, and read back as they were written."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.belief.usefulness import as_payload, reported, usefulness
from shared.contract.errors import LedgerDamaged
from shared.contract.events import Event, EventClass, Precision
from shared.contract.scope import Owner
from shared.contract.trust import Origin
from shared.contract.turns import TurnOutcome, Use

NOON = datetime(2026, 5, 3, 12, tzinfo=UTC)
MEMORIES = [UUID(int=n) for n in range(1, 5)]
DOCS = {memory: number for number, memory in enumerate(MEMORIES, 1)}
STRANGER = UUID(int=99)

_ids = st.lists(st.sampled_from([*MEMORIES, STRANGER]), unique=True, max_size=5)


@st.composite
def outcomes(draw: st.DrawFn) -> TurnOutcome:
    named = draw(_ids)
    served = draw(st.integers(0, len(named)))
    return TurnOutcome(
        turn_id=UUID(int=draw(st.integers(1, 3))),
        used=tuple(named[:served]),
        misled=tuple(named[served:]),
        corrected=draw(st.booleans()),
        abstained=True,
    )


def event(payload: dict[str, object] | None, *, kind: str = "outcome") -> Event:
    return Event(
        tenant_id="acme",
        owner=Owner("mira"),
        stream="user:mira",
        sequence=4,
        event_class=EventClass.EVIDENCE,
        kind=kind,
        occurred_at=None,
        precision=Precision.UNKNOWN,
        recorded_at=NOON,
        origin=Origin.UNKNOWN,
        actor_role=None,
        speaker=None,
        run_id=None,
        message_id=None,
        message_digest=None,
        agent_id=None,
        session_id=None,
        caused_by=None,
        schema_version=1,
        payload_hash=b"",
        previous_hash=b"",
        hash=b"",
        payload=payload,
    )


@given(outcomes())
def test_an_outcome_is_read_back_from_its_event_as_it_was(said: TurnOutcome) -> None:
    assert reported(event(as_payload(said))) == said


def test_what_is_no_outcome_or_has_lost_its_content_reports_nothing() -> None:
    assert reported(event(None)) is None
    assert reported(event({"text": "I keep bees."}, kind="message")) is None


@pytest.mark.parametrize("payload", [{}, {"turn_id": "x"}, {"turn_id": str(STRANGER)}, {"turn_id": 7, "used": []}])
def test_a_payload_that_is_no_outcome_is_damage(payload: dict[str, object]) -> None:
    with pytest.raises(LedgerDamaged, match="no outcome"):
        reported(event(payload))


def test_a_memory_is_counted_once_for_each_turn() -> None:
    bees, bread, *_ = MEMORIES
    first = TurnOutcome(turn_id=UUID(int=1), used=(bees,), misled=(bread,))
    again = TurnOutcome(turn_id=UUID(int=1), used=(bees,), corrected=True)
    other = TurnOutcome(turn_id=UUID(int=2), used=(bees, STRANGER))
    assert usefulness([first, again, other], DOCS) == {
        bees: Use(memory_id=bees, doc=1, used=2, misled=0),
        bread: Use(memory_id=bread, doc=2, used=0, misled=1),
    }


@given(st.lists(outcomes(), max_size=12))
def test_the_counts_of_a_memory_are_of_as_many_turns_as_name_it(said: list[TurnOutcome]) -> None:
    found = usefulness(said, DOCS)
    for memory in MEMORIES:
        turns = {each.turn_id for each in said if memory in each.memories}
        use = found.get(memory)
        assert (use.used + use.misled if use else 0) == len(turns)
    assert STRANGER not in found


@given(st.lists(outcomes(), max_size=12), st.integers(0, 12))
def test_what_turns_came_to_may_be_taken_off_and_what_they_come_to_now_be_put_upon(
    said: list[TurnOutcome], cut: int
) -> None:
    """What append does: it reads the outcomes of the turns that it is told of, and no others."""
    head, tail = said[:cut], said[cut:]
    turns, named = {each.turn_id for each in tail}, {memory for each in tail for memory in each.memories}
    docs = {memory: doc for memory, doc in DOCS.items() if memory in named}
    earlier = [each for each in head if each.turn_id in turns]
    held, before, after = usefulness(head, DOCS), usefulness(earlier, docs), usefulness([*earlier, *tail], docs)
    assert before.keys() <= after.keys()
    counted = {memory: (use.used, use.misled) for memory, use in held.items()}
    for memory, use in after.items():
        off, (used, misled) = before.get(memory), counted.get(memory, (0, 0))
        counted[memory] = (
            used + use.used - (off.used if off else 0),
            misled + use.misled - (off.misled if off else 0),
        )
    assert counted == {memory: (use.used, use.misled) for memory, use in usefulness(said, DOCS).items()}
