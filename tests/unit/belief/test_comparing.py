"""What a model says contradicts each other: checked by number, and by the world's times and the words."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.belief.comparing import Compared, comparable, compared, lines, may_be_shown
from shared.belief.outdated import ends_at, outdates
from shared.belief.validating import refused
from shared.contract.operations import SupersedePayload
from shared.contract.records import EpistemicType, Kind, MemoryVersion
from tests.unit.belief.test_outdated import Stream

ACME, GLOBEX = "Mira works at Acme.", "Mira's employer is Globex."
HAM, VEGAN = "Mira eats ham on Sundays.", "Mira is a strict vegan."


@pytest.fixture
def stream() -> Stream:
    made = Stream()
    for day, text in enumerate((ACME, GLOBEX, HAM, VEGAN), 1):
        made.hold(text, day)
    return made


def says(stream: Stream, *entries: Any, pairs: tuple[tuple[int, int], ...] = ((0, 1), (2, 3))) -> Compared:
    return compared(entries, stream.memories, pairs, stream.said_at)


def test_what_times_and_words_support_ends(stream: Stream) -> None:
    found = says(stream, {"pair": 1, "now": 2})
    (proposal,) = found.found.superseded
    first, second = stream.memories[:2]
    assert isinstance(proposal.operation, SupersedePayload)
    assert (proposal.operation.memory, proposal.operation.by) == (first.memory_id, second.memory_id)
    assert proposal.operation.valid_to == second.valid_from
    assert refused(proposal, {each.memory_id: each for each in stream.memories}) is None


@pytest.mark.parametrize("entry", [{"pair": 1}, {"pair": 1, "now": None}, {"pair": 1, "now": 1}, {"pair": 2, "now": 4}])
def test_everything_else_that_it_says_is_a_question(entry: dict[str, Any], stream: Stream) -> None:
    found = says(stream, entry)
    assert (found.found.superseded, [each.why for each in found.found.questions]) == ((), ["model"])
    assert found.rejected == {}


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"pair": 3, "now": 1}, "unknown_alias"),
        ({"pair": 0}, "unknown_alias"),
        ({"pair": -1}, "unknown_alias"),
        ({"pair": 1, "now": 3}, "unknown_alias"),
        ({"pair": "1"}, "bad_entry"),
        ({"pair": 1, "now": "2"}, "bad_entry"),
        ({"pair": True}, "bad_entry"),
        ({"now": 2}, "bad_entry"),
        ("pair 1", "bad_entry"),
        (None, "bad_entry"),
    ],
)
def test_what_names_no_pair_that_was_offered_is_counted_and_comes_to_nothing(
    entry: Any, why: str, stream: Stream
) -> None:
    found = says(stream, entry)
    assert (found.found.superseded, found.found.questions, found.rejected) == ((), (), {why: 1})


def test_a_pair_counts_once(stream: Stream) -> None:
    found = says(stream, {"pair": 1, "now": 2}, {"pair": 1})
    assert (len(found.found.superseded), found.found.questions, found.rejected) == (1, (), {"said_twice": 1})


def test_what_is_held_no_more_or_is_another_version_comes_to_nothing(stream: Stream) -> None:
    shown = [None, *stream.memories[1:]]
    found = compared([{"pair": 1, "now": 2}], shown, [(0, 1)], stream.said_at)
    assert (found.found.superseded, found.rejected) == ((), {"source_gone": 1})


def test_who_takes_most_of_many_pairs_for_contradictions_is_not_listened_to(stream: Stream) -> None:
    pairs = tuple((one, other) for one in range(4) for other in range(4) if one != other)
    found = says(stream, *({"pair": number} for number in range(1, 9)), pairs=pairs)
    assert (found.found.questions, found.rejected) == ((), {"too_many": 8})


def test_pairs_are_shown_by_number_with_their_day_and_speaker(stream: Stream) -> None:
    told = [json.loads(line) for line in lines(stream.memories[:2], [(0, 1)]).split("\n")]
    assert told[0] == {"n": 1, "day": "2031-03-05", "who": "Mira", "text": ACME}
    assert told[2] == {"pair": 1, "lines": [1, 2]}


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": Kind.EPISODIC},
        {"epistemic_type": EpistemicType.EVIDENCE},
        {"epistemic_type": EpistemicType.INFERENCE},
        {"trust": 1},
        {"text": "Mira takes insulin for her diabetes."},
        {"text": "Mira eats " + "ham " * 200},
    ],
)
def test_only_a_persons_plain_beliefs_are_shown(changes: dict[str, Any], stream: Stream) -> None:
    assert may_be_shown(stream.memories[0])
    assert not may_be_shown(replace(stream.memories[0], **changes))


@pytest.mark.parametrize("changes", [{"speaker": "Bob"}, {"agent_id": "scout"}, {"text": HAM}])
def test_only_what_one_person_said_to_one_agent_is_compared(changes: dict[str, Any], stream: Stream) -> None:
    ham, vegan = stream.memories[2:]
    assert comparable(ham, vegan)
    assert not comparable(ham, replace(vegan, **changes))
    assert not comparable(ham, ham)


_NUMBERS = st.one_of(st.integers(-2, 9), st.none(), st.text(max_size=2), st.booleans())


@given(
    st.lists(st.one_of(st.fixed_dictionaries({"pair": _NUMBERS, "now": _NUMBERS}), st.text(max_size=3), st.none())),
    st.lists(st.sampled_from([ACME, GLOBEX, HAM, VEGAN, "Mira now lives in York."]), min_size=3, max_size=3),
    st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=3, max_size=3),
)
def test_whatever_a_model_says_nothing_ends_that_times_and_words_do_not_support(
    entries: list[Any], texts: list[str], days: list[int | None]
) -> None:
    stream = Stream()
    for text, day in zip(texts, days, strict=True):
        stream.hold(text, day)
    held = {each.memory_id: each for each in stream.memories}
    found = says(stream, *entries, pairs=((0, 1), (0, 2), (1, 2)))
    for each in found.found.superseded:
        operation = each.operation
        assert isinstance(operation, SupersedePayload)
        assert _supports(held[operation.memory], held[operation.by], stream.said_at) == operation.valid_to
    assert len(found.found.superseded) + len(found.found.questions) + found.rejected.total() == len(entries)


def _supports(earlier: MemoryVersion, later: MemoryVersion, said_at: dict[int, datetime | None]) -> datetime | None:
    return ends_at(earlier, later, said_at) if outdates(earlier, later) else None
