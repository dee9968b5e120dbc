"""Profiles: fields merged by policy, with where each value comes from; the same in any order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.belief.profiles import Instance, profile
from shared.belief.recording import record_candidate
from shared.belief.schemas import Schemas
from shared.contract.candidates import Change
from shared.contract.records import MemoryVersion
from shared.contract.trust import Origin
from shared.contract.turns import Use
from tests.app_schemas import CONTACT, LATER, SCHEMAS
from tests.unit.belief.ledgers import at
from tests.unit.belief.statements import Stream, Word

MOST = 6


def state(stream: Stream, word: Word, data: dict[str, Any], *, resolve: bool = True) -> str:
    """Have a record stated, on the word's day, by its origin; the key of its claim."""
    said = stream.hear(word)
    made = record_candidate(
        CONTACT,
        word.subject,
        data,
        evidence=said.candidate.evidence,
        change=word.change,
        confidence=word.confidence,
    )
    stream.stated[said.candidate.evidence[0].sequence] = replace(said, candidate=made)
    key = CONTACT.claim(word.subject, made.data or {}).key
    if resolve:
        stream.resolve([key])
    return key


def told(*records: tuple[int | None, dict[str, Any]], **word: Any) -> Stream:
    """A stream in which Anna's record is stated on some days."""
    stream = Stream()
    for number, (day, data) in enumerate(records):
        state(stream, Word(number=number, object="-", day=day, **word), {"name": "Anna", **data})
    return stream


def anna(stream: Stream, day: int = 9) -> Instance:
    (found,) = profile(stream.versions(), SCHEMAS, at=at(day)).schemas["contact"]
    return found


def values(instance: Instance) -> dict[str, Any]:
    return {name: each.value for name, each in instance.fields.items()}


def test_fields_of_several_records_are_merged_each_by_its_policy() -> None:
    first = {"phone": "1", "tags": ["work"], "met": "Varna"}
    stream = told((1, first), (2, {"phone": "2", "tags": ["choir", "work"]}), (3, {"met": "Porto", "tags": []}))
    found = anna(stream)
    assert values(found) == {"name": "Anna", "phone": "2", "tags": ["work", "choir"], "met": "Varna"}
    assert (found.subject, found.key) == ("Mira", {"name": "Anna"})
    assert (found.fields["phone"].since, found.fields["met"].since, found.fields["name"].since) == (at(2), at(1), at(1))


def test_each_value_names_the_memories_that_say_so_and_what_they_rest_on() -> None:
    stream = told((1, {"phone": "1"}), (2, {"phone": "2"}), (3, {"phone": "2", "met": "Varna"}))
    found = anna(stream).fields["phone"]
    memories = {version.memory_id: version for version in stream.latest()}
    assert [memories[each].data for each in found.memory_ids] == [
        {"name": "Anna", "phone": "2"},
        {"name": "Anna", "phone": "2", "met": "Varna"},
    ]
    assert found.evidence == tuple(ref for each in found.memory_ids for ref in memories[each].evidence)
    assert found.since == at(2)


def test_a_value_that_came_back_is_so_since_then() -> None:
    stream = told((1, {"phone": "1"}), (2, {"phone": "2"}), (3, {"phone": "1"}))
    found = anna(stream).fields["phone"]
    assert (found.value, found.since, len(found.memory_ids)) == ("1", at(3), 1)


def test_the_most_certain_value_stands_where_the_schema_says_so() -> None:
    stream = Stream()
    for number, (size, sure) in enumerate([(1.0, 0.6), (2.0, 0.9), (3.0, 0.7)]):
        state(stream, Word(number=number, object="-", day=number, confidence=sure), {"name": "Anna", "size": size})
    assert (anna(stream).fields["size"].value, anna(stream).fields["size"].confidence) == (2.0, 0.9)


def test_how_often_it_was_confirmed_makes_no_value_the_most_certain() -> None:
    stream = Stream()
    for number, (size, sure) in enumerate([(1.0, 0.8), (2.0, 0.7), (2.0, 0.7), (2.0, 0.7)]):
        state(stream, Word(number=number, object="-", day=number, confidence=sure), {"name": "Anna", "size": size})
    assert anna(stream).fields["size"].value == 1.0


def test_a_field_that_is_stated_as_empty_is_empty() -> None:
    assert values(anna(told((1, {"phone": "1"}), (2, {"phone": None})))) == {"name": "Anna", "phone": None}


def test_what_ended_is_in_no_profile_and_what_came_before_a_gap_is_of_another() -> None:
    stream = told((1, {"phone": "1", "met": "Varna"}))
    ended = Word(number=7, object="-", day=3, change=Change.ENDED)
    state(stream, ended, {"name": "Anna", "phone": "1", "met": "Varna"})
    assert profile(stream.versions(), SCHEMAS, at=at(4)).schemas == {}
    assert values(anna(stream, day=2))["met"] == "Varna"
    state(stream, Word(number=8, object="-", day=5), {"name": "Anna", "phone": "2"})
    assert values(anna(stream)) == {"name": "Anna", "phone": "2"}


def test_what_was_retracted_never_counts() -> None:
    stream = told((1, {"phone": "1", "met": "Varna"}), (2, {"phone": "2"}))
    never = Word(number=7, object="-", day=3, change=Change.NEVER)
    state(stream, never, {"name": "Anna", "phone": "1", "met": "Varna"})
    assert values(anna(stream)) == {"name": "Anna", "phone": "2"}
    assert profile(stream.versions(), SCHEMAS, at=at(1)).schemas == {}


def test_whom_we_trust_more_has_the_last_word() -> None:
    stream = told((1, {"phone": "1"}))
    tool = Word(number=7, object="-", day=5, origin=Origin.TOOL)
    state(stream, tool, {"name": "Anna", "phone": "2", "met": "Varna"})
    assert values(anna(stream)) == {"name": "Anna", "phone": "1", "met": "Varna"}


def test_a_profile_can_be_asked_as_of_another_time_and_as_it_was_known_then() -> None:
    stream = told((1, {"phone": "1"}), (5, {"phone": "2"}))
    assert values(anna(stream, day=4))["phone"] == "1"
    (first, *_) = stream.versions()
    (found,) = profile(stream.versions(), SCHEMAS, at=at(9), known_at=first.recorded_at).schemas["contact"]
    assert values(found)["phone"] == "1"


def test_data_of_an_earlier_version_is_read_as_the_schema_is_now_and_the_rest_is_named() -> None:
    stream = told((1, {"phone": "1"}))
    state(stream, Word(number=7, object="-", day=2), {"name": "Oskar"})
    found = profile(stream.versions(), Schemas().with_(*LATER), at=at(9))
    assert [values(each) for each in found.schemas["contact"]] == [{"name": "Anna", "phones": ["1"]}]
    oskar = [version.memory_id for version in stream.latest() if version.data == {"name": "Oskar"}]
    assert list(found.unreadable) == oskar


def test_what_is_no_record_is_passed_over() -> None:
    stream = Stream()
    stream.say(Word(number=1, object="Varna"))
    assert profile(stream.versions(), SCHEMAS, at=at(9)).schemas == {}


def test_how_its_memories_fared_is_added_up() -> None:
    stream = told((1, {"phone": "1"}), (2, {"phone": "2"}))
    uses = {each.memory_id: Use(memory_id=each.memory_id, doc=each.doc, used=2, misled=1) for each in stream.latest()}
    (found,) = profile(stream.versions(), SCHEMAS, at=at(9), uses=uses).schemas["contact"]
    assert (found.succeeded, found.failed) == (4, 2)


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[Word, dict[str, Any]]]:
    """Records of two contacts, some of them ended or denied, by a user or a tool."""
    said: list[tuple[Word, dict[str, Any]]] = []
    for number in range(draw(st.integers(1, MOST))):
        data: dict[str, Any] = {"name": draw(st.sampled_from(["Anna", "Anna", "Oskar"]))}
        optional: dict[str, st.SearchStrategy[Any]] = {
            "phone": st.sampled_from(["1", "2", None]),
            "tags": st.lists(st.sampled_from(["a", "b", "c"]), max_size=2),
            "met": st.sampled_from(["Varna", "Porto"]),
            "size": st.sampled_from([1.0, 2.0]),
        }
        data |= {name: draw(each) for name, each in optional.items() if draw(st.booleans())}
        word = Word(
            number=number,
            object="-",
            day=draw(st.none() | st.integers(0, 6)),
            change=draw(st.sampled_from([Change.HOLDS, Change.HOLDS, Change.HOLDS, Change.ENDED, Change.NEVER])),
            origin=draw(st.sampled_from([Origin.USER, Origin.USER, Origin.TOOL])),
            confidence=draw(st.sampled_from([0.6, 0.8])),
        )
        said.append((word, data))
    return said


def arrived(said: list[tuple[Word, dict[str, Any]]], order: list[int], size: int) -> Stream:
    """A stream in which records arrive in an order, so many at a time."""
    stream = Stream()
    for start in range(0, len(order), size):
        keys = {state(stream, *said[each], resolve=False) for each in order[start : start + size]}
        stream.resolve(keys)
    return stream


def shown(versions: list[MemoryVersion], day: int) -> Any:
    """What a profile says, without the memories that say it."""
    found = profile(versions, SCHEMAS, at=at(day))
    return [
        (name, each.subject, each.key, field, value.value, value.since)
        for name, instances in found.schemas.items()
        for each in instances
        for field, value in each.fields.items()
    ]


@settings(max_examples=150, deadline=None)
@given(histories(), st.data())
def test_any_order_of_arrival_gives_the_same_profile(
    said: list[tuple[Word, dict[str, Any]]], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(said))))
    first = arrived(said, list(range(len(said))), 1)
    second = arrived(said, list(order), data.draw(st.integers(1, 3)))
    for day in range(-1, 9):
        one, other = (shown(stream.versions(), day) for stream in (first, second))
        assert one == other


@settings(max_examples=100, deadline=None)
@given(histories(), st.data())
def test_the_order_in_which_memories_are_read_makes_no_difference(
    said: list[tuple[Word, dict[str, Any]]], data: st.DataObject
) -> None:
    stream = arrived(said, list(range(len(said))), 1)
    versions = stream.versions()
    mixed = data.draw(st.permutations(versions))
    for day in range(-1, 9, 2):
        assert profile(mixed, SCHEMAS, at=at(day)) == profile(versions, SCHEMAS, at=at(day))
