"""Blocks: what is held of a subject under a topic, version by version; the same in any order, and when nothing touches
it the same to the byte.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.belief import _built_in as built_in
from shared.belief.blocks import (
    Block,
    Field,
    address_of,
    blocks,
    fields_of,
    rendered,
    sequence_at,
    true_at,
    trusted,
    versions_of,
)
from shared.belief.recording import record_candidate
from shared.belief.topics import TOPICS, Topic, place_of, topic_of
from shared.contract.candidates import Change
from shared.contract.operations import ClosePayload, CorroboratePayload, MergePayload, ReopenPayload
from shared.contract.records import EvidenceRef, MemoryVersion, Operation
from shared.contract.trust import Origin
from tests.app_schemas import CONTACT
from tests.unit.belief.ledgers import START, at
from tests.unit.belief.statements import Stream, Word

NOBODY = datetime(2031, 1, 1, tzinfo=UTC)


def told(*words: Word) -> Stream:
    stream = Stream()
    for word in words:
        stream.say(word)
    return stream


def made(stream: Stream, until: int | None = None) -> dict[tuple[str, str], Block]:
    found = blocks("acme", "user:mira", stream.versions(), until=until)
    return {(each.address.subject, each.address.topic): each for each in found}


def said(block: Block) -> dict[str, list[Any]]:
    return {each.name: [value.value for value in each.values] for each in block.fields}


def moved(number: int = 0) -> list[Word]:
    return [Word(number=number, object="Oslo", day=1), Word(number=number + 1, object="Porto", day=5)]


def test_each_predicate_that_is_known_has_one_topic_that_a_person_has_chosen() -> None:
    known = {name for name, _, _ in (*built_in.SINGLE, *built_in.MULTI)}
    assert set(TOPICS) == known
    assert (topic_of("record:contact"), topic_of("favourite_soup")) == ("record:contact", Topic.PREFERENCES)
    assert topic_of("juggles") == Topic.OTHER
    places = [place_of(topic) for topic in (*Topic, "record:contact")]
    assert places == sorted(places)
    assert len(set(places)) == len(places)


def test_claims_of_one_subject_and_topic_are_one_block_with_a_field_a_predicate() -> None:
    stream = told(
        Word(number=0, object="Oslo"),
        Word(number=1, object="Kestrel Labs", predicate="works_at"),
        Word(number=2, object="choir", predicate="member_of"),
        Word(number=3, object="Graz", subject="Tove"),
    )
    found = made(stream)
    assert {key: said(block) for key, block in found.items()} == {
        ("mira", "places"): {"lives_in": ["Oslo"]},
        ("mira", "work"): {"member_of": ["choir"], "works_at": ["Kestrel Labs"]},
        ("tove", "places"): {"lives_in": ["Graz"]},
    }
    (value,) = found["mira", "places"].fields[0].values
    (memory,) = [each for each in stream.latest() if each.claim and each.claim.object == "Oslo"]
    assert (value.memory_id, value.evidence, value.confidence) == (memory.memory_id, memory.evidence, 0.7)
    assert (value.since, value.until, value.trust) == (memory.valid_from, None, memory.trust)


def test_an_id_is_a_function_of_subject_agent_and_topic_and_of_nothing_else() -> None:
    (first,) = made(told(*moved())).values()
    (second,) = made(told(Word(number=7, object="Graz", predicate="address"))).values()
    assert first.block_id == second.block_id
    (version,) = told(Word(number=0, object="Oslo")).versions()
    address = address_of(version)
    assert address is not None
    ids = {
        address.block_id("acme", "user:mira"),
        address.block_id("acme", "user:oskar"),
        address.block_id("globex", "user:mira"),
        *(
            address._replace(**{name: other}).block_id("acme", "user:mira")
            for name in ("agent_id", "subject", "topic", "instance")
            for other in ("x", "agent x")
        ),
    }
    assert len(ids) == 11, "no two of them are one block"


def test_what_an_agent_holds_for_itself_is_a_block_of_its_own() -> None:
    versions = told(Word(number=0, object="Oslo"), Word(number=1, object="Kestrel", predicate="works_at")).versions()
    (mine,) = blocks("acme", "user:mira", [replace(versions[0], agent_id="coder")])
    (nobodys,) = blocks("acme", "user:mira", [versions[0]])
    assert (mine.address.agent_id, nobodys.address.agent_id) == ("coder", None)
    assert mine.block_id != nobodys.block_id
    assert mine.content == nobodys.content


def test_each_thing_with_records_is_a_block_with_their_fields() -> None:
    stream = Stream()
    for number, (name, phone) in enumerate([("Anna", "1"), ("Anna", "2"), ("Bo", "3")]):
        word = Word(number=number, object="-", day=number)
        heard = stream.hear(word)
        candidate = record_candidate(
            CONTACT,
            word.subject,
            {"name": name, "phone": phone},
            evidence=heard.candidate.evidence,
            change=Change.HOLDS,
            confidence=0.7,
        )
        stream.stated[heard.candidate.evidence[0].sequence] = replace(heard, candidate=candidate)
        stream.resolve([CONTACT.claim(word.subject, candidate.data or {}).key])
    found = blocks("acme", "user:mira", stream.versions())
    assert [said(each) for each in found] == [
        {"name": ["Anna", "Anna"], "phone": ["1", "2"]},
        {"name": ["Bo"], "phone": ["3"]},
    ]
    assert {each.address.topic for each in found} == {"record:contact"}
    anna = found[0]
    assert [(each.name, [value.value for value in each.values]) for each in true_at(anna.fields, at(9))] == [
        ("name", ["Anna"]),
        ("phone", ["2"]),
    ]


def test_a_field_has_what_is_over_and_what_is_to_come_and_is_read_at_a_time_of_the_world() -> None:
    (block,) = made(told(*moved())).values()
    assert said(block) == {"lives_in": ["Oslo", "Porto"]}

    def then(day: int) -> list[Any]:
        return [value.value for each in true_at(block.fields, at(day)) for value in each.values]

    assert [then(0), then(1), then(4), then(5), then(900)] == [[], ["Oslo"], ["Oslo"], ["Porto"], ["Porto"]]


def test_each_instant_at_which_a_memory_is_opened_or_closed_is_a_version() -> None:
    stream = told(*moved())
    (block,) = made(stream).values()
    versions = versions_of(stream.versions())
    assert [each.number for each in versions] == [*range(1, len(versions) + 1)]
    assert versions[-1] == block.version
    assert block.version.opened_by == len(stream.ledger.events)
    then = [made(stream, each.opened_by)["mira", "places"] for each in versions]
    assert said(then[0]) == {"lives_in": ["Oslo"]}
    assert said(then[-1]) == {"lives_in": ["Oslo", "Porto"]}
    assert [each.version for each in then] == list(versions)


def test_operations_of_one_instant_are_one_version() -> None:
    stream = told(*moved())
    versions = [replace(each, recorded_at=START, closed_at=each.closed_at and START) for each in stream.versions()]
    (only,) = versions_of(versions)
    assert (only.number, only.opened_by, only.recorded_at) == (1, len(stream.ledger.events), START)


def test_a_block_that_no_operation_touches_stays_the_same_to_the_byte() -> None:
    stream = told(
        *moved(), Word(number=2, object="opera", predicate="likes"), Word(number=3, object="chess", predicate="likes")
    )
    before = made(stream)["mira", "places"]
    opera, chess = [each for each in stream.latest() if each.claim and each.claim.predicate == "likes"]
    merge = MergePayload(
        reason="twins", memory=opera.memory_id, absorbed=(chess.memory_id,), evidence=(*opera.evidence, *chess.evidence)
    )
    stream.ledger.do(merge)
    stream.say(Word(number=4, object="Graz", subject="Tove"), Word(number=5, object="Kestrel", predicate="works_at"))
    after = made(stream)
    assert after["mira", "places"] == before
    assert after["mira", "places"].content.encode() == before.content.encode()
    assert said(after["mira", "preferences"]) == {"likes": ["opera"]}


def test_more_evidence_is_another_version_of_its_block_alone() -> None:
    stream = told(Word(number=0, object="Oslo"), Word(number=1, object="opera", predicate="likes"))
    before = made(stream)
    (oslo,) = [each for each in stream.latest() if each.claim and each.claim.object == "Oslo"]
    more = stream.ledger.hear("Oslo it is", day=3)
    stream.ledger.do(
        CorroboratePayload(reason="said_again", memory=oslo.memory_id, evidence=(EvidenceRef(sequence=more),))
    )
    after = made(stream)
    assert after["mira", "preferences"] == before["mira", "preferences"]
    assert after["mira", "places"].version.number == before["mira", "places"].version.number + 1
    assert [ref.sequence for ref in after["mira", "places"].fields[0].values[0].evidence][-1] == more


def test_what_was_taken_back_is_in_the_versions_before_and_a_block_of_nothing_keeps_its_history() -> None:
    stream = told(Word(number=0, object="Oslo"), Word(number=1, object="Oslo", change=Change.NEVER))
    (block,) = made(stream).values()
    assert (block.fields, block.held, block.docs) == ((), (), (1,))
    first, last = versions_of(stream.versions())
    assert said(made(stream, first.opened_by)["mira", "places"]) == {"lives_in": ["Oslo"]}
    assert block.version == last


def test_what_is_quarantined_is_in_no_version_until_that_is_lifted() -> None:
    stream = told(Word(number=0, object="Oslo"), Word(number=1, object="Graz", predicate="address"))
    whole = made(stream)["mira", "places"]
    (oslo,) = [each for each in stream.latest() if each.claim and each.claim.object == "Oslo"]
    stream.ledger.do(ClosePayload(op=Operation.QUARANTINE, reason="source", memory=oslo.memory_id))
    block = made(stream)["mira", "places"]
    assert said(block) == {"address": ["Graz"]}
    assert oslo.doc not in block.docs
    assert block.version.number == 1
    assert {each.claim.object for each in trusted(stream.versions()) if each.claim} == {"Graz"}
    before = len(stream.ledger.events) - 1
    assert made(stream, before)["mira", "places"] == whole, "as it was at that event"
    stream.ledger.do(ReopenPayload(reason="source", memory=oslo.memory_id))
    assert said(made(stream)["mira", "places"]) == said(whole)


def test_what_is_forgotten_is_in_no_version_and_numbers_count_what_is_left() -> None:
    stream = told(*moved(), Word(number=2, object="Graz", day=7))
    stream.erase([next(iter(stream.stated))])
    (block,) = made(stream).values()
    assert said(block) == {"lives_in": ["Porto", "Graz"]}
    for each in versions_of(stream.versions()):
        then = made(stream, each.opened_by).values()
        assert "Oslo" not in "".join(one.content for one in then)


def test_the_operation_that_was_the_last_by_a_time_of_ours() -> None:
    stream = told(*moved())
    versions = stream.versions()
    assert sequence_at(versions, NOBODY) == 0
    assert sequence_at(versions, at(90)) == len(stream.ledger.events)
    first = versions_of(versions)[0]
    assert sequence_at(versions, first.recorded_at) == first.opened_by


def test_a_block_is_read_by_people_a_line_a_field() -> None:
    stream = told(*moved(), Word(number=2, object="Graz", predicate="address", day=None))
    (block,) = made(stream).values()
    assert rendered("Mira", "places", block.fields) == (
        "Mira, places\n- address: Graz\n- lives_in: Oslo (since 2031-03-05, until 2031-03-09); Porto (since 2031-03-09)"
    )
    assert rendered(
        "Mira", "record:contact", [Field(name="tags", values=(replace(block.fields[0].values[0], value=["a"]),))]
    ) == ('Mira, record:contact\n- tags: ["a"]')


WORDS = st.builds(
    Word,
    number=st.just(0),
    object=st.sampled_from(["Oslo", "Porto", "opera"]),
    subject=st.sampled_from(["Mira", "Tove"]),
    predicate=st.sampled_from(["lives_in", "likes", "dislikes"]),
    change=st.sampled_from([Change.HOLDS, Change.HOLDS, Change.ENDED, Change.NEVER]),
    day=st.one_of(st.none(), st.integers(0, 4)),
    origin=st.sampled_from([Origin.USER, Origin.TOOL]),
)


@settings(max_examples=60)
@given(data=st.data(), words=st.lists(WORDS, min_size=1, max_size=6))
def test_any_order_of_arrival_gives_the_same_blocks_that_say_the_same_of_the_same_times(
    data: st.DataObject, words: list[Word]
) -> None:
    numbered = [replace(word, number=number) for number, word in enumerate(words)]
    assert _says(told(*numbered)) == _says(told(*data.draw(st.permutations(numbered))))


@settings(max_examples=60)
@given(data=st.data(), words=st.lists(WORDS, min_size=1, max_size=6))
def test_blocks_are_the_same_however_their_memories_are_given_and_read_back_as_they_were(
    data: st.DataObject, words: list[Word]
) -> None:
    stream = told(*(replace(word, number=number) for number, word in enumerate(words)))
    versions = stream.versions()
    until = data.draw(st.integers(0, len(stream.ledger.events)))
    found = blocks("acme", "user:mira", versions, until=until)
    assert blocks("acme", "user:mira", data.draw(st.permutations(versions)), until=until) == found
    assert all(fields_of(each.content) == each.fields for each in found)
    assert blocks("acme", "user:mira", _as_of(versions, until)) == found, "what came later does not count"


def _as_of(versions: Iterable[MemoryVersion], until: int) -> list[MemoryVersion]:
    open_then = dict.fromkeys(("closed_at", "closed_by", "closed_reason"))
    return [
        replace(each, **open_then) if (each.closed_by or 0) > until else each
        for each in versions
        if each.opened_by <= until
    ]


def _says(stream: Stream) -> set[tuple[object, ...]]:
    return {
        (each.block_id, each.subject, field.name, value.value, value.since, value.until, value.trust)
        for each in blocks("acme", "user:mira", stream.versions())
        for field in each.fields
        for value in field.values
    }


@pytest.mark.parametrize("value", ["Ślimak", 3, 0.1, True, None, ["a", {"b": 1}], {"z": [], "a": "é"}])
def test_content_gives_back_any_json_value(value: object) -> None:
    (block,) = made(told(Word(number=0, object="Oslo", day=None))).values()
    (only,) = block.fields[0].values
    changed = replace(block, fields=(Field(name="x", values=(replace(only, value=value),)),))
    assert fields_of(changed.content) == changed.fields
