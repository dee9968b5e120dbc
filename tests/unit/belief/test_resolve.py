"""What becomes of the beliefs of a claim, case by case. The laws are in test_resolve_histories."""

from __future__ import annotations

from typing import Any

import pytest

from shared.belief.forgetting import forget
from shared.belief.predicates import BUILT_IN, claim_of
from shared.belief.resolve import resolve
from shared.belief.segments import MOST_CERTAIN, Stated
from shared.belief.timeline import timeline
from shared.contract.candidates import Change
from shared.contract.errors import InvalidInput
from shared.contract.operations import ClosePayload, StandingPayload
from shared.contract.records import EpistemicType, EvidenceRef, MemoryVersion, Operation, Span
from shared.contract.trust import Origin
from tests.unit.belief.ledgers import at
from tests.unit.belief.statements import Stream, Word, day


@pytest.fixture
def stream() -> Stream:
    return Stream()


def held(stream: Stream) -> list[tuple[str, int | None, int | None]]:
    """The objects of the open beliefs with the days of their beginning and end, in order of their documents."""
    return [_days(version) for version in stream.latest() if version.is_open]


def closed(stream: Stream, how: Operation) -> list[tuple[str, int | None, int | None]]:
    return [_days(version) for version in stream.latest() if version.closed_reason is how]


def _days(version: MemoryVersion) -> tuple[str, int | None, int | None]:
    assert version.claim is not None
    times = (version.valid_from, version.valid_to)
    first, last = (None if time is None else (time - at(0)).days for time in times)
    return (version.claim.object, first, last)


def done(operations: Any) -> list[str]:
    return [operation.op.value for operation in operations]


# One fact takes the place of another.


def test_a_fact_that_is_said_first_is_added(stream: Stream) -> None:
    operations = stream.say(Word(number=1, object="Varna", day=3))
    assert done(operations) == ["add"]
    assert held(stream) == [("Varna", 3, None)]


def test_s04_a_newer_fact_supersedes_and_the_older_is_history(stream: Stream) -> None:
    stream.say(Word(number=1, object="Varna", day=0))
    operations = stream.say(Word(number=2, object="Porto", day=9, since=5))
    assert done(operations) == ["add", "supersede"]
    assert held(stream) == [("Varna", 0, 5), ("Porto", 5, None)]
    assert stream.true_at(2) == {"Varna"}
    assert stream.true_at(7) == {"Porto"}
    porto, varna = stream.held("mira\x1flives_in")[-1], stream.held("mira\x1flives_in")[0]
    [link] = stream.ledger.state.links
    assert (link.source, link.relation, link.target) == (porto.memory_id, "supersedes", varna.memory_id)


def test_s17_what_is_said_later_wins_however_early_it_is_written(stream: Stream) -> None:
    stream.say(Word(number=2, subject="gate", predicate="code", object="22", day=1))
    stream.say(Word(number=1, subject="gate", predicate="code", object="11", day=0))
    assert stream.true_at(2) == {"22"}
    assert sorted(held(stream)) == [("11", 0, 1), ("22", 1, None)]


def test_a_late_older_fact_enters_already_ended_and_tied_to_its_successor(stream: Stream) -> None:
    stream.say(Word(number=2, object="Porto", day=5))
    operations = stream.say(Word(number=1, object="Varna", day=0))
    assert done(operations) == ["add", "link"]
    assert held(stream) == [("Porto", 5, None), ("Varna", 0, 5)]


def test_a_fact_that_arrives_between_two_adjusts_the_end_of_the_first(stream: Stream) -> None:
    stream.say(Word(number=1, object="Varna", day=0))
    stream.say(Word(number=3, object="Oslo", day=8))
    operations = stream.say(Word(number=2, object="Porto", day=5))
    assert done(operations) == ["add", "supersede", "link"]
    assert held(stream) == [("Varna", 0, 5), ("Oslo", 8, None), ("Porto", 5, 8)]


def test_a_fact_between_two_that_agree_splits_them(stream: Stream) -> None:
    stream.say(Word(number=1, object="Varna", day=0), Word(number=3, object="Varna", day=8))
    assert held(stream) == [("Varna", 0, None)]
    operations = stream.say(Word(number=2, object="Porto", day=5))
    assert done(operations) == ["add", "add", "supersede", "link"]
    assert held(stream) == [("Varna", 0, 5), ("Porto", 5, 8), ("Varna", 8, None)]


def test_a_fact_may_begin_in_the_future(stream: Stream) -> None:
    stream.say(Word(number=1, object="Varna", day=0), Word(number=2, object="Porto", day=1, since=30))
    assert held(stream) == [("Varna", 0, 30), ("Porto", 30, None)]


def test_the_last_word_wins_over_one_that_was_said_since_what_it_speaks_of_began(stream: Stream) -> None:
    vegetarian = Word(number=1, predicate="diet", object="vegetarian", day=5)
    vegan = Word(number=2, predicate="diet", object="vegan", day=9, since=0)
    stream.say(vegetarian, vegan)
    assert sorted(held(stream)) == [("vegan", 0, 5), ("vegan", 9, None), ("vegetarian", 5, 9)]


def test_of_two_facts_of_one_instant_the_later_message_wins_and_the_other_was_never_true(stream: Stream) -> None:
    stream.say(Word(number=10, object="Porto"), Word(number=9, object="Varna"))
    assert sorted(held(stream)) == [("Porto", 0, None), ("Varna", 0, 0)]


# Said again.


def test_s02_one_fact_learnt_in_two_ways_is_one_belief_with_both_sources(stream: Stream) -> None:
    stream.say(Word(number=1, predicate="dentist", object="Dr Halloran"))
    operations = stream.say(Word(number=2, predicate="has_dentist", object="Dr. Halloran", day=1))
    assert done(operations) == ["corroborate"]
    [version] = [version for version in stream.latest() if version.is_open]
    assert (len(version.evidence), version.text) == (2, "Mira dentist Dr Halloran, as said in 1")


def test_s03_a_restatement_removes_nothing_and_makes_it_more_certain(stream: Stream) -> None:
    stream.say(Word(number=1, predicate="allergic_to", object="walnuts", confidence=0.7))
    stream.say(Word(number=2, predicate="allergic_to", object="walnuts", day=1, confidence=0.6))
    [version] = [version for version in stream.latest() if version.is_open]
    assert version.confidence == pytest.approx(1 - 0.3 * 0.4)


def test_an_echo_and_another_reading_of_one_message_make_nothing_more_certain(stream: Stream) -> None:
    first = Word(number=1, object="Varna")
    stream.say(first)
    stream.hear(Word(number=2, object="varna", day=1), evidence=(EvidenceRef(sequence=1, start=0, end=4),))
    echo = EvidenceRef(sequence=stream.ledger.hear("I said Varna", day=2), independent=False)
    stream.hear(Word(number=3, object="Varna", day=2), sequence=echo.sequence, evidence=(echo,))
    stream.resolve(["mira\x1flives_in"])
    [version] = [version for version in stream.latest() if version.is_open]
    assert (len(version.evidence), version.confidence) == (3, 0.7)


def test_however_often_it_is_said_it_is_never_certain(stream: Stream) -> None:
    stream.say(*(Word(number=number, object="Varna", confidence=0.9) for number in range(9)))
    assert [version.confidence for version in stream.latest()] == [MOST_CERTAIN]


def test_the_same_candidate_twice_is_one(stream: Stream) -> None:
    word = Word(number=1, object="Varna")
    stated = stream.hear(word)
    assert done(resolve([stated, stated], [], id_at=stream.next_id)) == ["add"]


def test_an_earlier_word_that_arrives_late_gives_the_text_and_takes_the_other_in(stream: Stream) -> None:
    stream.say(Word(number=2, object="Varna", day=4))
    operations = stream.say(Word(number=1, object="Varna", day=1))
    assert done(operations) == ["add", "merge"]
    assert held(stream) == [("Varna", 1, None)]
    assert closed(stream, Operation.MERGE) == [("Varna", 4, None)]
    kept = stream.latest()[-1]
    assert (kept.text, len(kept.evidence)) == ("Mira lives_in Varna, as said in 1", 2)
    assert kept.confidence == pytest.approx(1 - 0.3 * 0.3)


def test_a_merge_is_taken_back_when_the_earlier_word_is_erased(stream: Stream) -> None:
    stream.say(Word(number=2, object="Varna", day=4))
    stream.say(Word(number=1, object="Varna", day=1))
    stream.erase([sequence for sequence, stated in stream.stated.items() if stated.message_id == "m1"])
    assert held(stream) == [("Varna", 4, None)]
    assert len(stream.ledger.state.memories) == 1


# No longer.


def test_s05_no_longer_ends_without_a_successor(stream: Stream) -> None:
    stream.say(Word(number=1, predicate="likes", object="coriander"))
    operations = stream.say(Word(number=2, predicate="likes", object="coriander", day=3, change=Change.ENDED))
    assert done(operations) == ["end"]
    assert held(stream) == [("coriander", 0, 3)]
    assert stream.ledger.state.links == frozenset()


@pytest.mark.parametrize("negative", ["dislikes", "does_not_eat"])
def test_s05_the_negative_supersedes_the_positive_of_the_same_thing(stream: Stream, negative: str) -> None:
    stream.say(Word(number=1, predicate="loves", object="coriander"))
    stream.say(Word(number=2, predicate="loves", object="opera"))
    stream.say(Word(number=3, predicate=negative, object="Coriander", day=3))
    claims = [(version.claim.predicate, version.claim.object) for version in current_at(stream, 4) if version.claim]
    assert claims == [("likes", "opera"), ("avoids" if negative == "does_not_eat" else negative, "Coriander")]


def test_what_ended_before_it_was_heard_that_it_held_enters_ended(stream: Stream) -> None:
    assert stream.say(Word(number=2, object="Varna", day=5, change=Change.ENDED)) == []
    stream.say(Word(number=1, object="Varna", day=0))
    assert held(stream) == [("Varna", 0, 5)]


def test_an_end_of_another_object_ends_nothing(stream: Stream) -> None:
    stream.say(Word(number=1, object="Varna"))
    assert stream.say(Word(number=2, object="Porto", day=3, change=Change.ENDED)) == []


def test_an_end_may_lie_before_the_word_of_it(stream: Stream) -> None:
    stream.say(
        Word(number=1, object="Varna", day=0), Word(number=2, object="Varna", day=9, until=4, change=Change.ENDED)
    )
    assert held(stream) == [("Varna", 0, 4)]


def test_who_said_no_longer_last_is_right_over_a_word_in_between(stream: Stream) -> None:
    ended = Word(number=3, object="Varna", day=9, until=4, change=Change.ENDED)
    stream.say(Word(number=1, object="Varna", day=0), Word(number=2, object="Varna", day=6), ended)
    assert held(stream) == [("Varna", 0, 4), ("Varna", 6, 9)]


def test_what_is_said_to_hold_until_then_ends_then(stream: Stream) -> None:
    stream.say(Word(number=1, object="Varna", day=0, until=4))
    assert held(stream) == [("Varna", 0, 4)]


def test_what_began_and_ended_at_once_was_true_at_no_time(stream: Stream) -> None:
    stream.say(Word(number=1, object="Varna", day=9, since=4, until=4))
    assert held(stream) == [("Varna", 4, 4)]


def test_what_is_said_to_be_over_has_no_beginning_unless_one_is_given(stream: Stream) -> None:
    stream.say(Word(number=1, object="Varna", day=9, until=4), Word(number=2, object="Porto", day=9))
    assert held(stream) == [("Varna", None, 4), ("Porto", 9, None)]


def test_it_can_begin_again_after_it_ended(stream: Stream) -> None:
    stream.say(Word(number=1, object="Varna", day=0), Word(number=2, object="Varna", day=3, change=Change.ENDED))
    stream.say(Word(number=3, object="Varna", day=6))
    assert held(stream) == [("Varna", 0, 3), ("Varna", 6, None)]


def test_an_end_is_taken_back_when_its_evidence_is_erased(stream: Stream) -> None:
    stream.say(Word(number=1, object="Varna", day=0))
    stream.say(Word(number=2, object="Varna", day=3, change=Change.ENDED))
    stream.erase([sequence for sequence, stated in stream.stated.items() if stated.message_id == "m2"])
    assert held(stream) == [("Varna", 0, None)]


# Never.


def test_what_never_was_so_is_retracted_and_says_nothing_of_the_world(stream: Stream) -> None:
    stream.say(Word(number=1, object="Varna", day=0))
    operations = stream.say(Word(number=2, object="Varna", day=3, change=Change.NEVER))
    assert done(operations) == ["retract"]
    assert held(stream) == []
    assert closed(stream, Operation.RETRACT) == [("Varna", 0, None)]


def test_a_retraction_gives_the_place_back_to_what_it_had_superseded(stream: Stream) -> None:
    stream.say(Word(number=1, object="Varna", day=0), Word(number=2, object="Porto", day=5))
    operations = stream.say(Word(number=3, object="Porto", day=6, change=Change.NEVER))
    assert done(operations) == ["reopen", "retract"]
    assert held(stream) == [("Varna", 0, None)]


def test_a_retraction_between_two_that_agree_joins_them(stream: Stream) -> None:
    stream.say(Word(number=1, object="Varna", day=0))
    stream.say(Word(number=2, object="Porto", day=5))
    stream.say(Word(number=3, object="Varna", day=8))
    stream.say(Word(number=4, object="Porto", day=9, change=Change.NEVER))
    assert held(stream) == [("Varna", 0, None)]
    assert closed(stream, Operation.MERGE) == [("Varna", 8, None)]


def test_what_is_said_again_after_a_denial_counts_again(stream: Stream) -> None:
    stream.say(Word(number=1, object="Varna", day=0), Word(number=2, object="Varna", day=3, change=Change.NEVER))
    stream.say(Word(number=3, object="Varna", day=6))
    assert held(stream) == [("Varna", 6, None)]
    assert closed(stream, Operation.RETRACT) == [("Varna", 0, None)]


def test_what_was_denied_before_it_arrived_enters_retracted_and_keeps_its_evidence(stream: Stream) -> None:
    stream.say(Word(number=2, object="Varna", day=3, change=Change.NEVER))
    operations = stream.say(Word(number=1, object="Varna", day=0))
    assert done(operations) == ["add", "retract"]
    assert closed(stream, Operation.RETRACT) == [("Varna", 0, None)]


def test_an_end_that_was_said_before_the_denial_and_arrives_after_it_ends_what_is_retracted(stream: Stream) -> None:
    stream.say(Word(number=1, object="Varna", day=0), Word(number=3, object="Varna", day=6, change=Change.NEVER))
    operations = stream.say(Word(number=2, object="Varna", day=3, change=Change.ENDED))
    assert done(operations) == ["reopen", "retract"]
    assert closed(stream, Operation.RETRACT) == [("Varna", 0, 3)]


def test_what_is_retracted_is_merged_into_an_earlier_word_without_what_was_forgotten_since(stream: Stream) -> None:
    stream.say(Word(number=2, object="Varna", day=4), Word(number=3, object="Varna", day=5))
    stream.say(Word(number=4, object="Varna", day=9, change=Change.NEVER))
    [confirmed] = [sequence for sequence, stated in stream.stated.items() if stated.message_id == "m3"]
    stream.ledger.do(forget(stream.ledger.state, [Span(sequence=confirmed)], reason="user_request"))
    del stream.stated[confirmed]
    operations = stream.say(Word(number=1, object="Varna", day=1))
    assert done(operations) == ["add", "reopen", "merge", "retract"]
    assert closed(stream, Operation.RETRACT) == [("Varna", 1, None)]


def test_a_forgotten_denial_gives_back_what_it_closed(stream: Stream) -> None:
    stream.say(Word(number=1, object="Varna", day=0))
    stream.say(Word(number=2, object="Varna", day=3, change=Change.NEVER))
    stream.erase([sequence for sequence, stated in stream.stated.items() if stated.message_id == "m2"])
    assert held(stream) == [("Varna", 0, None)]
    assert len(stream.ledger.state.memories) == 1


# Without a time.


def test_facts_without_a_time_stand_side_by_side(stream: Stream) -> None:
    stream.say(Word(number=1, object="Varna", day=None))
    operations = stream.say(Word(number=2, object="Porto", day=None))
    assert done(operations) == ["add"]
    assert held(stream) == [("Varna", None, None), ("Porto", None, None)]


def test_a_fact_without_a_time_supersedes_nothing(stream: Stream) -> None:
    stream.say(Word(number=1, object="Varna", day=4), Word(number=2, object="Porto", day=None))
    assert sorted(held(stream)) == [("Porto", None, 4), ("Varna", 4, None)]


def test_a_fact_with_a_time_supersedes_all_that_have_none(stream: Stream) -> None:
    stream.say(Word(number=1, object="Varna", day=None), Word(number=2, object="Porto", day=None))
    operations = stream.say(Word(number=3, object="Oslo", day=4))
    assert done(operations) == ["add", "supersede", "supersede"]
    assert held(stream) == [("Varna", None, 4), ("Porto", None, 4), ("Oslo", 4, None)]


def test_a_fact_with_a_time_confirms_the_same_without_one(stream: Stream) -> None:
    stream.say(Word(number=1, object="Varna", day=None), Word(number=2, object="Porto", day=None))
    assert done(stream.say(Word(number=3, object="Varna", day=4))) == ["corroborate", "supersede"]
    assert held(stream) == [("Varna", None, None), ("Porto", None, 4)]


@pytest.mark.parametrize("change", [Change.ENDED, Change.NEVER])
def test_a_denial_without_a_time_closes_what_has_none_and_nothing_else(stream: Stream, change: Change) -> None:
    stream.say(Word(number=2, object="Varna", day=None), Word(number=3, object="Varna", day=4))
    stream.say(Word(number=1, object="Varna", day=None, change=change))
    assert held(stream) == [("Varna", 4, None)]
    assert closed(stream, Operation.RETRACT) == [("Varna", None, None)]


def test_of_one_thing_said_without_a_time_the_more_trusted_word_founds_the_belief(stream: Stream) -> None:
    stream.say(Word(number=1, object="Varna", day=None, origin=Origin.WEB), Word(number=2, object="Varna", day=None))
    assert [version.trust for version in stream.latest() if version.is_open] == [4]


# Trust.


def test_a_less_trusted_word_stands_beside_and_ends_nothing(stream: Stream) -> None:
    stream.say(Word(number=1, object="Varna", day=0))
    stream.say(Word(number=2, object="Oslo", day=3, origin=Origin.WEB))
    stream.say(Word(number=3, object="Varna", day=4, origin=Origin.WEB, change=Change.NEVER))
    stream.say(Word(number=4, object="Varna", day=5, origin=Origin.WEB, change=Change.ENDED))
    assert held(stream) == [("Varna", 0, None), ("Oslo", 3, None)]


def test_a_more_trusted_word_supersedes_a_less_trusted_one_even_of_the_same(stream: Stream) -> None:
    stream.say(Word(number=1, object="Oslo", day=0, origin=Origin.WEB))
    stream.say(Word(number=2, object="Oslo", day=3))
    assert held(stream) == [("Oslo", 0, 3), ("Oslo", 3, None)]
    assert [version.trust for version in stream.latest()] == [1, 4]


def test_a_less_trusted_word_confirms_a_more_trusted_one_of_the_same(stream: Stream) -> None:
    stream.say(Word(number=1, object="Oslo", day=0))
    assert done(stream.say(Word(number=2, object="Oslo", day=3, origin=Origin.WEB))) == ["corroborate"]


# Several subjects and objects.


def test_of_what_one_may_have_many_nothing_contradicts(stream: Stream) -> None:
    stream.say(Word(number=1, predicate="speaks", object="Czech"), Word(number=2, predicate="speaks", object="Greek"))
    assert held(stream) == [("Czech", 0, None), ("Greek", 0, None)]


def test_s30_what_one_person_says_of_themselves_leaves_another_alone(stream: Stream) -> None:
    stream.say(Word(number=1, subject="Tove", predicate="allergic_to", object="walnuts"))
    operations = stream.say(
        Word(number=2, subject="Oskar", predicate="allergic_to", object="walnuts", change=Change.NEVER)
    )
    assert operations == []
    assert held(stream) == [("walnuts", 0, None)]


def test_a_claim_that_is_keyed_anew_is_merged_into_one_with_the_new_claim(stream: Stream) -> None:
    stated = stream.hear(Word(number=1, subject="Mimi", object="Varna"))
    stream.resolve([stated.claim.key])
    renamed = Stated(
        candidate=stated.candidate.model_copy(update={"claim": claim_of("Mira", "lives_in", "Varna", BUILT_IN)}),
        said_at=stated.said_at,
        message_id=stated.message_id,
        digest=stated.digest,
        trust=stated.trust,
    )
    there = do(stream, resolve([renamed], stream.versions(), id_at=stream.next_id))
    assert there == ["add", "merge"]
    assert [version.claim and version.claim.key for version in stream.latest() if version.is_open] == [
        "mira\x1flives_in"
    ]
    assert do(stream, resolve([renamed], stream.versions(), id_at=stream.next_id)) == []
    back = do(stream, resolve([stated], stream.versions(), id_at=stream.next_id))
    assert back == ["reopen", "merge"]
    assert [version.claim and version.claim.key for version in stream.latest() if version.is_open] == [
        "mimi\x1flives_in"
    ]


# What is not said decides too.


@pytest.mark.parametrize("how", [Operation.EXPIRE, Operation.QUARANTINE])
def test_what_policy_closed_stays_closed_until_it_is_said_again(stream: Stream, how: Operation) -> None:
    stream.say(Word(number=1, object="Varna", day=0))
    memory = stream.latest()[0].memory_id
    stream.ledger.do(ClosePayload.model_validate({"op": how, "reason": "policy", "memory": memory}))
    assert stream.resolve(["mira\x1flives_in"]) == []
    assert done(stream.say(Word(number=2, object="Varna", day=3))) == ["reopen", "corroborate"]
    assert held(stream) == [("Varna", 0, None)]


@pytest.mark.parametrize("how", [Operation.EXPIRE, Operation.QUARANTINE])
def test_what_policy_closed_is_not_merged_when_an_earlier_word_arrives(stream: Stream, how: Operation) -> None:
    stream.say(Word(number=2, object="Varna", day=4))
    memory = stream.latest()[0].memory_id
    stream.ledger.do(ClosePayload.model_validate({"op": how, "reason": "policy", "memory": memory}))
    stream.say(Word(number=1, object="Varna", day=1))
    assert closed(stream, how) == [("Varna", 4, None)]
    assert held(stream) == [("Varna", 1, None)]


def test_a_successor_that_policy_closed_still_ends_what_came_before(stream: Stream) -> None:
    stream.say(Word(number=2, object="Porto", day=5))
    stream.ledger.do(ClosePayload(op=Operation.EXPIRE, reason="policy", memory=stream.latest()[0].memory_id))
    stream.say(Word(number=1, object="Varna", day=0))
    stream.say(Word(number=3, object="Varna", day=2))
    assert held(stream) == [("Varna", 0, 5)]


def test_what_was_demoted_is_not_raised_by_resolving_it_again(stream: Stream) -> None:
    stream.say(Word(number=1, object="Varna", day=0))
    memory = stream.latest()[0].memory_id
    stream.ledger.do(StandingPayload(op=Operation.DEMOTE, reason="unused", memory=memory, confidence=0.2))
    assert stream.resolve(["mira\x1flives_in"]) == []
    echo = EvidenceRef(sequence=stream.ledger.hear("Varna, I said", day=2), independent=False)
    stream.hear(Word(number=2, object="Varna", day=2), sequence=echo.sequence, evidence=(echo,))
    stream.resolve(["mira\x1flives_in"])
    [version] = [version for version in stream.latest() if version.is_open]
    assert (len(version.evidence), version.confidence) == (2, 0.2)


def test_a_belief_that_no_statement_founded_is_left_alone(stream: Stream) -> None:
    stated = stream.hear(Word(number=1, object="Varna"))
    stream.resolve([stated.claim.key])
    assert resolve([], stream.versions(), id_at=stream.next_id) == ()


def test_a_confirmation_that_is_forgotten_is_not_brought_back(stream: Stream) -> None:
    stream.say(Word(number=1, object="Varna", day=0), Word(number=2, object="Varna", day=2))
    stream.say(Word(number=3, object="Varna", day=4, change=Change.NEVER))
    [confirmed] = [sequence for sequence, stated in stream.stated.items() if stated.message_id == "m2"]
    denied = [sequence for sequence, stated in stream.stated.items() if stated.message_id == "m3"]
    stream.ledger.do(forget(stream.ledger.state, [Span(sequence=confirmed)], reason="user_request"))
    del stream.stated[confirmed]
    stream.erase(denied)
    [version] = [version for version in stream.latest() if version.is_open]
    assert (len(version.evidence), version.confidence) == (1, 0.7)


def test_a_record_keeps_its_fields(stream: Stream) -> None:
    stream.hear(Word(number=1, object="Varna"), schema_name="address", data={"city": "Varna"})
    stream.resolve(["mira\x1flives_in"])
    assert [(version.schema_name, version.data) for version in stream.latest()] == [("address", {"city": "Varna"})]


# The timeline by itself.


def test_a_timeline_of_nothing_is_empty() -> None:
    assert timeline([]) == ()


def test_a_segment_names_the_one_that_took_its_place(stream: Stream) -> None:
    said = [stream.hear(Word(number=1, object="Varna")), stream.hear(Word(number=2, object="Porto", day=4))]
    varna, porto = timeline(said)
    assert (varna.superseded_by, varna.valid_to, porto.superseded_by) == (porto.identity, day(4), None)


def test_only_what_has_a_claim_and_a_time_with_a_zone_can_be_resolved(stream: Stream) -> None:
    stated = stream.hear(Word(number=1, object="Varna"))
    fields = {"message_id": "m1", "digest": "d", "trust": 4}
    with pytest.raises(InvalidInput, match="time zone"):
        Stated(candidate=stated.candidate, said_at=at(0).replace(tzinfo=None), **fields)
    unkeyed = stated.candidate.model_copy(update={"claim": None})
    with pytest.raises(InvalidInput, match="only what has a claim"):
        Stated(candidate=unkeyed, said_at=None, **fields)


def test_the_footing_of_the_founding_statement_stands(stream: Stream) -> None:
    stream.hear(Word(number=1, object="Varna", day=0), epistemic_type=EpistemicType.INFERENCE)
    stream.hear(Word(number=2, object="Varna", day=1))
    stream.resolve(["mira\x1flives_in"])
    assert [version.epistemic_type for version in stream.latest()] == [EpistemicType.INFERENCE]


def current_at(stream: Stream, when: int) -> list[MemoryVersion]:
    return [
        version
        for version in stream.latest()
        if version.is_open and (version.valid_to is None or at(when) < version.valid_to)
    ]


def do(stream: Stream, operations: Any) -> list[str]:
    for operation in operations:
        stream.ledger.do(operation)
    return done(operations)


# What is said at one time, or meets there.


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [(Change.HOLDS, Change.NEVER, []), (Change.NEVER, Change.HOLDS, [("Varna", 3, None)])],
    ids=["denied", "said all the same"],
)
def test_of_what_is_said_at_one_time_the_later_message_counts(
    stream: Stream, first: Change, second: Change, expected: list[tuple[str, int, None]]
) -> None:
    stream.say(
        Word(number=2, object="Varna", day=3, change=second), Word(number=1, object="Varna", day=3, change=first)
    )
    assert held(stream) == expected


def test_what_ends_where_the_same_begins_leaves_it_be(stream: Stream) -> None:
    """Intervals are half-open: it began to be so again when it had ended."""
    stream.say(Word(number=1, object="Varna", day=0, since=3), Word(number=2, object="Varna", day=1, until=3))
    assert sorted(held(stream), key=str) == [("Varna", 1, 3), ("Varna", 3, None)]
