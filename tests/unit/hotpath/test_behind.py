"""Which of the old episodes behind a summary come with it."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from hotpath._behind import MOST, fitting, was_never_so
from shared.contract.scope import Owner
from shared.language.text import query_terms
from shared.store.memories import Whole


def row(key: int, text: str, **fields: object) -> Whole:
    given = {
        "key": key,
        "memory_id": UUID(int=key),
        "owner": Owner("mira"),
        "doc": key,
        "session_doc": 1,
        "text": text,
        "kind": "episodic",
        "epistemic_type": "evidence",
        "speaker": "Mira",
        "role": "user",
        "origin": "user",
        "trust": 4,
        "session_id": "monday",
        "valid_from": datetime(2020, 5, 4, tzinfo=UTC),
        "valid_to": None,
        "run_ids": (),
        "message_ids": (),
        "sequences": (),
        **fields,
    }
    return Whole(**given)  # type: ignore[arg-type]


def test_those_that_hold_the_most_of_what_is_asked_come_and_what_holds_nothing_of_it_does_not() -> None:
    rows = [
        row(1, "We met in Graz."),
        row(2, "The bridge cost 380 euros."),
        row(3, "The violin needs a bridge."),
        row(4, "Good night."),
        row(5, "The workshop is closed."),
    ]
    found = fitting(rows, query_terms("What did the bridge of the violin cost?", 32))
    assert {key for key, _ in found} == {2, 3}
    assert all(0.5 < share < 1 for _, share in found)
    assert fitting(rows, []) == []
    assert [key for key, _ in fitting([row(key, "violin") for key in range(20)], ["violin"])] == list(range(MOST))


def test_of_what_was_taken_back_as_a_whole_nothing_is_told() -> None:
    assert was_never_so(row(1, "I live in Graz.", is_past=True, past_since=None))
    assert not was_never_so(row(1, "I lived in Graz.", is_past=True, past_since=datetime(2020, 5, 4, tzinfo=UTC)))
    assert not was_never_so(row(1, "I live in Graz."))
