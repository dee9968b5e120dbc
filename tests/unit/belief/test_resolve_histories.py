"""The law of resolution: the beliefs of a claim are a function of the set of what was said of it.

Histories are drawn at random, and told again in another order, in other batches, with words said twice. What differs
are numbers and our own times.
"""

from __future__ import annotations

import math
from datetime import datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.belief.fold import fingerprint, fold, open_memories
from shared.contract.candidates import Change
from shared.contract.operations import ClosePayload, EndPayload, StandingPayload
from shared.contract.records import MemoryVersion, Operation
from shared.contract.trust import Origin
from tests.unit.belief.ledgers import at
from tests.unit.belief.statements import Stream, Word

DAYS = st.none() | st.integers(0, 6)
MOST_WORDS = 7


@st.composite
def words(draw: st.DrawFn) -> list[Word]:
    """Some things said of two subjects, under a predicate of either cardinality and one of attitudes."""
    count = draw(st.integers(1, MOST_WORDS))
    return [draw(word(number)) for number in range(count)]


@st.composite
def word(draw: st.DrawFn, number: int) -> Word:
    since = draw(st.none() | st.integers(0, 6))
    until = draw(st.none() | st.integers(since or 0, 8))
    return Word(
        number=number,
        subject=draw(st.sampled_from(["Mira", "Mira", "Mira", "Oskar"])),
        predicate=draw(st.sampled_from([*["lives_in"] * 5, "speaks", "likes", "dislikes"])),
        object=draw(st.sampled_from(["Varna", "Varna", "Varna, Bulgaria", "Porto", "Oslo"])),
        change=draw(st.sampled_from([Change.HOLDS, Change.HOLDS, Change.HOLDS, Change.ENDED, Change.NEVER])),
        day=draw(DAYS),
        since=draw(st.sampled_from([None, None, since])),
        until=draw(st.sampled_from([None, None, until])),
        earlier=draw(st.sampled_from([False, False, False, True])),
        origin=draw(st.sampled_from([Origin.USER, Origin.USER, Origin.USER, Origin.TOOL])),
    )


def told_in(said: list[Word], order: list[int], sizes: list[int]) -> Stream:
    """A stream in which words arrive in an order, in batches of some sizes, in turn."""
    stream, waiting = Stream(), [said[each % len(said)] for each in order]
    while waiting:
        for size in sizes:
            stream.say(*waiting[:size])
            waiting = waiting[size:]
    return stream


@st.composite
def tellings(draw: st.DrawFn) -> tuple[Stream, Stream, list[Word]]:
    """One history as it is told in turn, and as it is told otherwise, some of it more than once."""
    said = draw(words())
    again = draw(st.lists(st.integers(0, len(said) - 1), max_size=3))
    order = draw(st.permutations([*range(len(said)), *again]))
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    return told_in(said, list(range(len(said))), [1]), told_in(said, order, sizes), said


laws = settings(max_examples=100, deadline=None)


@laws
@given(tellings())
def test_any_order_of_arrival_in_any_batches_gives_the_same_beliefs(told: tuple[Stream, Stream, list[Word]]) -> None:
    first, second, _ = told
    assert first.open() == second.open()
    assert first.history() == second.history()
    for when in range(-1, 10):
        assert first.true_at(when) == second.true_at(when)


@laws
@given(tellings())
def test_what_is_resolved_live_is_what_a_replay_gives(told: tuple[Stream, Stream, list[Word]]) -> None:
    for stream in told[:2]:
        replayed = fold(stream.ledger.events)
        assert replayed == stream.ledger.state
        assert fingerprint(replayed) == fingerprint(stream.ledger.state)


@laws
@given(tellings())
def test_resolving_again_finds_nothing_to_do(told: tuple[Stream, Stream, list[Word]]) -> None:
    for stream in told[:2]:
        assert stream.resolve(keys_of(stream)) == []


@laws
@given(tellings())
def test_no_evidence_of_what_was_said_to_hold_is_lost(told: tuple[Stream, Stream, list[Word]]) -> None:
    for stream in told[:2]:
        cited = {
            ref.span
            for version in stream.latest()
            if version.closed_reason is not Operation.MERGE
            for ref in version.evidence
        }
        said = [stated for stated in stream.stated.values() if stated.candidate.change is Change.HOLDS]
        assert all(ref.span in cited for stated in said for ref in stated.candidate.evidence)


@laws
@given(tellings())
def test_no_two_beliefs_of_one_claim_and_one_trust_are_true_at_a_time(told: tuple[Stream, Stream, list[Word]]) -> None:
    for stream in told[:2]:
        dated = [version for version in open_memories(stream.ledger.state) if version.valid_from]
        for when in range(10):
            true = [version for version in dated if is_true(version, at(when))]
            keys = [(version.claim.key, version.trust) for version in true if version.claim]
            assert len(keys) == len(set(keys))


@laws
@given(tellings(), st.data())
def test_an_erasure_leaves_what_had_come_of_the_rest_alone(
    told: tuple[Stream, Stream, list[Word]], data: st.DataObject
) -> None:
    _, stream, said = told
    gone = data.draw(st.sets(st.sampled_from(sorted(stream.stated)), min_size=1))
    words_gone = {stream.stated[sequence].candidate.text for sequence in gone}
    kept = [stated.candidate.text for stated in stream.stated.values() if stated.candidate.text not in words_gone]
    everywhere = {sequence for sequence, stated in stream.stated.items() if stated.candidate.text in words_gone}
    stream.erase(everywhere)
    never_had = Stream()
    never_had.say(*(each for each in said if each.text in kept))
    assert stream.open() == never_had.open()
    assert stream.history() == never_had.history()
    assert fold(stream.ledger.events) == stream.ledger.state


@laws
@given(tellings(), st.data())
def test_what_is_said_after_an_erasure_is_resolved_as_ever(
    told: tuple[Stream, Stream, list[Word]], data: st.DataObject
) -> None:
    _, stream, said = told
    number = data.draw(st.sampled_from([each.number for each in said]))
    stream.erase(sequence for sequence, stated in stream.stated.items() if stated.message_id == f"m{number}")
    later = data.draw(st.lists(word(99), max_size=2))
    stream.say(*later)
    other = Stream()
    other.say(*later, *(each for each in said if each.number != number))
    assert stream.open() == other.open()
    assert stream.history() == other.history()


@laws
@given(tellings(), st.data())
def test_what_policy_closes_or_weakens_in_between_breaks_nothing(
    told: tuple[Stream, Stream, list[Word]], data: st.DataObject
) -> None:
    stream = told[0]
    for version in open_memories(stream.ledger.state):
        how = data.draw(st.sampled_from([None, Operation.EXPIRE, Operation.QUARANTINE, Operation.DEMOTE]))
        if how is Operation.DEMOTE:
            stream.ledger.do(StandingPayload(op=how, reason="unused", memory=version.memory_id, confidence=0.1))
        elif how is not None:
            stream.ledger.do(ClosePayload(op=how, reason="policy", memory=version.memory_id))
    assert not [each for each in stream.resolve(keys_of(stream)) if not isinstance(each, EndPayload)]
    stream.say(*data.draw(st.lists(word(99), max_size=3)))
    assert stream.resolve(keys_of(stream)) == []
    assert fold(stream.ledger.events) == stream.ledger.state


@laws
@given(tellings())
def test_a_belief_is_never_more_certain_than_its_sources_make_it(told: tuple[Stream, Stream, list[Word]]) -> None:
    for stream in told[:2]:
        for version in open_memories(stream.ledger.state):
            doubt = math.prod(0.3 for _ in {ref.sequence for ref in version.evidence})
            assert 0.7 <= version.confidence <= max(0.7, 1 - doubt) + 1e-9


def keys_of(stream: Stream) -> set[str]:
    return {stated.claim.key for stated in stream.stated.values()}


def is_true(version: MemoryVersion, when: datetime) -> bool:
    begun = version.valid_from is None or version.valid_from <= when
    return begun and (version.valid_to is None or when < version.valid_to)
