"""What each operation means, by example. The laws are in test_fold_histories."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from shared.belief.fold import apply, fingerprint, fold, open_memories
from shared.belief.forgetting import effect, erasure, forget, part_of, without_payloads
from shared.belief.opening import add_episodes, opened
from shared.belief.state import State
from shared.contract.errors import LedgerDamaged
from shared.contract.events import EventClass, Role, memory_id
from shared.contract.operations import (
    AbstractPayload,
    AddPayload,
    ClosePayload,
    CorroboratePayload,
    EndPayload,
    ForgetPayload,
    LinkPayload,
    MergePayload,
    ReopenPayload,
    RestorePayload,
    StandingPayload,
    SupersedePayload,
    VerbatimEntry,
    as_json,
)
from shared.contract.records import Action, Decision, EpistemicType, EvidenceRef, Kind, Operation, Span, Tier
from shared.contract.trust import Origin
from tests.unit.belief.ledgers import STORED, Ledger, at, belief


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


def texts(ledger: Ledger) -> list[str]:
    return [version.text for version in open_memories(ledger.state)]


def lives_in(ledger: Ledger, town: str, day: int, **fields: Any) -> Any:
    sequence = ledger.hear(f"I live in {town}.", day=day)
    return ledger.believe(belief(sequence, text=f"Mira lives in {town}", valid_from=at(day), **fields))


# Episodes.


def test_one_operation_opens_the_episodes_of_a_run_with_what_their_events_say(ledger: Ledger) -> None:
    said = ledger.hear("I keep two beehives.", day=2)
    found = ledger.hear("Bees: see page 3.", origin=Origin.TOOL, speaker="search")
    ids = ledger.open_episodes(said, found)
    first, second = open_memories(ledger.state)
    assert [first.memory_id, second.memory_id] == ids == [memory_id("acme", "user:mira", 3, n) for n in (0, 1)]
    assert (first.text, first.speaker, first.role, first.trust, first.doc) == (
        "I keep two beehives.",
        "Mira",
        Role.USER,
        4,
        1,
    )
    assert (second.text, second.speaker, second.origin, second.trust, second.doc) == (
        "Bees: see page 3.",
        "search",
        Origin.TOOL,
        2,
        2,
    )
    assert (first.kind, first.epistemic_type, first.valid_from) == (Kind.EPISODIC, EpistemicType.EVIDENCE, at(2))


def test_only_what_was_admitted_becomes_an_episode(ledger: Ledger) -> None:
    refused = Decision(action=Action.IGNORE, rule="blank", reason="it is blank", confidence=1.0)
    first, second = (ledger.hear(text) for text in ("hi", "I moved."))
    events = ledger.events
    payload = add_episodes([(events[first - 1], refused), (events[second - 1], STORED)])
    assert payload is not None
    assert payload.entries == (VerbatimEntry(evidence=EvidenceRef(sequence=second)),)
    assert add_episodes([(events[first - 1], refused)]) is None


def test_an_add_of_episodes_repeats_nothing_of_their_text(ledger: Ledger) -> None:
    ledger.open_episodes(ledger.hear("I keep two beehives."))
    assert "beehives" not in str(ledger.events[-1].payload)


def test_writing_and_replaying_open_the_same_versions(ledger: Ledger) -> None:
    ledger.open_episodes(ledger.hear("one"), ledger.hear("two"))
    assert opened(ledger.events[-1], ledger.state.evidence, 1, {}) == open_memories(ledger.state)
    ledger.open_episodes(ledger.hear("three"))
    later = opened(ledger.events[-1], ledger.state.evidence, 3, {"monday": 1})
    assert later == open_memories(ledger.state)[2:]


def test_a_stretch_of_a_message_is_an_episode_too(ledger: Ledger) -> None:
    ledger.open_stretch(EvidenceRef(sequence=ledger.hear("first part. second part."), start=12, end=24))
    assert texts(ledger) == ["second part."]


def test_an_unknown_world_time_stays_unknown(ledger: Ledger) -> None:
    ledger.open_episodes(ledger.hear("once I kept bees", day=None))
    assert open_memories(ledger.state)[0].valid_from is None


def test_a_memory_matters_as_the_app_said_of_its_messages_the_most_of_several_and_none_where_it_did_not(
    ledger: Ledger,
) -> None:
    silent, low, high = (ledger.hear(f"I keep bees, {said}.", importance=said) for said in (None, 0.0, 0.75))
    ledger.open_episodes(silent, low, high)
    assert [episode.importance for episode in open_memories(ledger.state)] == [None, 0.0, 0.75]
    for evidence, expected in (((silent,), None), ((silent, low), 0.0), ((low, high), 0.75)):
        ledger.believe(belief(*evidence, text=f"Mira keeps bees, {evidence}"))
        assert open_memories(ledger.state)[-1].importance == expected


# The numbers of sessions.


def session_docs(ledger: Ledger) -> dict[int, int]:
    return {version.doc: version.session_doc for version in open_memories(ledger.state)}


def test_the_episodes_of_a_session_share_the_number_of_the_one_that_began_it(ledger: Ledger) -> None:
    ledger.open_episodes(*(ledger.hear("a", session=session) for session in ("monday", "tuesday", "monday", None)))
    ledger.open_episodes(*(ledger.hear("b", session=session) for session in (None, "tuesday")))
    assert session_docs(ledger) == {1: 1, 2: 2, 3: 1, 4: 4, 5: 5, 6: 2}


def test_a_session_keeps_its_number_while_an_episode_of_it_is_held_open_or_closed(ledger: Ledger) -> None:
    first, second = ledger.hear("a"), ledger.hear("b")
    _, later = ledger.open_episodes(first, second)
    ledger.do(forget(ledger.state, [Span(sequence=first)], reason="user_request"))
    ledger.do(ClosePayload(op=Operation.EXPIRE, reason="unused", memory=later))
    ledger.open_episodes(ledger.hear("c"))
    assert session_docs(ledger) == {3: 1}


def test_once_the_last_episode_of_a_session_is_forgotten_the_next_begins_it_anew(ledger: Ledger) -> None:
    first, second = ledger.hear("a"), ledger.hear("b")
    ledger.open_episodes(first, second)
    ledger.do(forget(ledger.state, [Span(sequence=first), Span(sequence=second)], reason="user_request"))
    ledger.open_episodes(ledger.hear("c"), ledger.hear("d"))
    assert session_docs(ledger) == {3: 3, 4: 3}


def test_a_written_memory_has_its_own_number_and_keeps_no_session_from_beginning_anew(ledger: Ledger) -> None:
    first, second = ledger.hear("a"), ledger.hear("b")
    ledger.open_episodes(first)
    ledger.believe(belief(second, text="b, in other words"))
    assert session_docs(ledger) == {1: 1, 2: 2}
    ledger.do(forget(ledger.state, [Span(sequence=first)], reason="user_request"))
    ledger.open_episodes(ledger.hear("c"))
    assert session_docs(ledger) == {2: 2, 3: 3}


def test_a_promoted_episode_counts_for_its_session_until_it_is_forgotten(ledger: Ledger) -> None:
    [episode] = ledger.open_episodes(ledger.hear("a"))
    footing = {"kind": Kind.SEMANTIC, "epistemic_type": EpistemicType.FACT}
    ledger.do(StandingPayload(op=Operation.PROMOTE, reason="useful", memory=episode, **footing))
    ledger.open_episodes(ledger.hear("b"))
    assert session_docs(ledger) == {1: 1, 2: 1}
    ledger.do(forget(ledger.state, [Span(sequence=1), Span(sequence=4)], reason="user_request"))
    ledger.open_episodes(ledger.hear("c"))
    assert session_docs(ledger) == {3: 3}


def test_a_session_keeps_the_number_of_an_episode_whose_text_was_erased_later(ledger: Ledger) -> None:
    first, second = ledger.hear("a"), ledger.hear("b")
    ledger.open_episodes(first, second)
    ledger.open_episodes(ledger.hear("c"))
    payload = erasure(ledger.state, ledger.events, [first], reason="user_request")
    ledger.do(payload)
    ledger.open_episodes(ledger.hear("d"))
    ledger.events = without_payloads(ledger.events, payload.erased)
    assert session_docs(ledger) == {2: 1, 3: 1, 4: 1}
    assert fold(ledger.events) == ledger.state


# Beliefs.


def test_a_belief_is_trusted_as_its_least_trusted_evidence(ledger: Ledger) -> None:
    ledger.believe(belief(ledger.hear("a"), ledger.hear("b", origin=Origin.WEB, speaker="page")))
    version = open_memories(ledger.state)[0]
    assert (version.trust, version.origin, version.speaker, version.session_id) == (1, Origin.WEB, None, "monday")


def test_corroboration_adds_evidence_in_a_new_version_and_leaves_trust(ledger: Ledger) -> None:
    memory = lives_in(ledger, "Varna", 0)
    again = EvidenceRef(sequence=ledger.hear("She is in Varna", origin=Origin.WEB))
    ledger.do(CorroboratePayload(reason="same_claim", memory=memory, evidence=(again,), confidence=0.7))
    first, second = ledger.state.memories[memory]
    assert (first.closed_reason, first.closed_by) == (Operation.CORROBORATE, second.opened_by)
    assert (second.evidence, second.confidence, second.trust) == ((*first.evidence, again), 0.7, first.trust)
    assert (second.text, second.doc, second.memory_id) == (first.text, first.doc, first.memory_id)


def test_an_echo_makes_nothing_more_certain(ledger: Ledger) -> None:
    memory = lives_in(ledger, "Varna", 0)
    echo = EvidenceRef(sequence=ledger.hear("I live in Varna."), independent=False)
    ledger.do(CorroboratePayload(reason="same_claim", memory=memory, evidence=(echo,), confidence=0.5))
    other = EvidenceRef(sequence=ledger.hear("I live in Varna."), independent=False)
    with pytest.raises(LedgerDamaged, match="an echo"):
        ledger.do(CorroboratePayload(reason="same_claim", memory=memory, evidence=(other,), confidence=0.6))


def test_more_evidence_leaves_a_memory_as_certain_as_it_was_where_nothing_else_is_said(ledger: Ledger) -> None:
    memory, other = lives_in(ledger, "Varna", 0, confidence=0.4), lives_in(ledger, "Varna", 3)
    echo = EvidenceRef(sequence=ledger.hear("I live in Varna."), independent=False)
    ledger.do(CorroboratePayload(reason="same_claim", memory=memory, evidence=(echo,)))
    evidence = ledger.state.memories[other][0].evidence
    ledger.do(MergePayload(reason="same", memory=memory, absorbed=(other,), evidence=evidence))
    assert [version.confidence for version in ledger.state.memories[memory]] == [0.4, 0.4, 0.4]


def test_what_is_merged_in_confirms_as_other_evidence_does(ledger: Ledger) -> None:
    kept, absorbed = lives_in(ledger, "Varna", 0), lives_in(ledger, "Varna", 4)
    evidence = ledger.state.memories[absorbed][0].evidence
    merged = MergePayload(reason="same", memory=kept, absorbed=(absorbed,), evidence=evidence, confidence=0.75)
    ledger.do(merged)
    assert open_memories(ledger.state)[0].confidence == 0.75
    again = lives_in(ledger, "Varna", 5)
    with pytest.raises(LedgerDamaged, match="an echo"):
        ledger.do(merged.model_copy(update={"absorbed": (again,), "confidence": 0.8}))


def test_superseding_ends_the_old_one_in_a_new_version_and_holds_both(ledger: Ledger) -> None:
    varna, porto = lives_in(ledger, "Varna", 0), lives_in(ledger, "Porto", 5)
    ledger.do(SupersedePayload(reason="newer", memory=varna, by=porto, valid_to=at(5)))
    first, second = ledger.state.memories[varna]
    assert (first.valid_to, first.closed_reason) == (None, Operation.SUPERSEDE)
    assert (second.valid_to, second.is_open, second.version) == (at(5), True, 2)
    assert [(link.source, link.relation, link.target) for link in ledger.state.links] == [(porto, "supersedes", varna)]


def test_a_late_older_claim_enters_already_ended(ledger: Ledger) -> None:
    porto = lives_in(ledger, "Porto", 5)
    varna = lives_in(ledger, "Varna", 0, valid_to=at(5))
    ledger.do(LinkPayload(reason="late", source=porto, relation="supersedes", target=varna))
    assert [(version.valid_from, version.valid_to) for version in open_memories(ledger.state)] == [
        (at(5), None),
        (at(0), at(5)),
    ]


def test_ending_closes_no_more_than_a_version(ledger: Ledger) -> None:
    memory = lives_in(ledger, "Varna", 0)
    ledger.do(EndPayload(reason="no_longer", memory=memory, valid_to=at(3)))
    assert [version.valid_to for version in ledger.state.memories[memory]] == [None, at(3)]
    assert open_memories(ledger.state)[0].memory_id == memory


@pytest.mark.parametrize("how", [Operation.RETRACT, Operation.EXPIRE, Operation.QUARANTINE])
def test_closing_says_nothing_of_the_world_and_can_be_taken_back(ledger: Ledger, how: Operation) -> None:
    memory = lives_in(ledger, "Varna", 0)
    ledger.do(ClosePayload.model_validate({"op": how, "reason": "policy", "memory": memory}))
    [version] = ledger.state.memories[memory]
    assert (version.valid_to, version.closed_reason, version.closed_by) == (None, how, len(ledger.events))
    assert open_memories(ledger.state) == []
    ledger.do(ReopenPayload(reason="taken_back", memory=memory))
    assert open_memories(ledger.state)[0].version == 2


@pytest.mark.parametrize("is_held", [False, True])
def test_an_end_that_is_forgotten_goes_from_all_versions_and_nothing_else_changes(
    ledger: Ledger, *, is_held: bool
) -> None:
    memory = lives_in(ledger, "Varna", 0)
    ledger.do(EndPayload(reason="no_longer", memory=memory, valid_to=at(3)))
    ledger.do(EndPayload(reason="no_longer", memory=memory, valid_to=at(5)))
    if not is_held:
        ledger.do(ClosePayload(op=Operation.EXPIRE, reason="policy", memory=memory))
    before = ledger.state.memories[memory]
    to = at(5) if is_held else None
    ledger.do(ReopenPayload(reason="end_taken_back", memory=memory, valid_to=to, forgets=True, stays=True))
    after = ledger.state.memories[memory]
    assert [version.valid_to for version in after] == [None, to, to]
    assert [replace(version, valid_to=None) for version in after] == [
        replace(version, valid_to=None) for version in before
    ]


def test_what_stays_as_it_is_can_only_lose_an_end_that_is_forgotten() -> None:
    with pytest.raises(ValueError, match="forgets"):
        ReopenPayload(reason="end_taken_back", memory=uuid4(), stays=True)


def test_reopening_takes_back_an_end(ledger: Ledger) -> None:
    memory = lives_in(ledger, "Varna", 0)
    ledger.do(EndPayload(reason="no_longer", memory=memory, valid_to=at(3)))
    ledger.do(ReopenPayload(reason="taken_back", memory=memory))
    assert [version.valid_to for version in ledger.state.memories[memory]] == [None, at(3), None]


def test_merging_hands_evidence_over_and_changes_no_world_time(ledger: Ledger) -> None:
    kept, absorbed = lives_in(ledger, "Varna", 0), lives_in(ledger, "Varna", 4)
    evidence = ledger.state.memories[absorbed][0].evidence
    ledger.do(MergePayload(reason="same", memory=kept, absorbed=(absorbed,), evidence=evidence))
    [version] = open_memories(ledger.state)
    assert (version.memory_id, version.valid_from, version.valid_to) == (kept, at(0), None)
    assert len(version.evidence) == 2
    assert ledger.state.memories[absorbed][-1].closed_reason is Operation.MERGE
    assert ledger.state.memories[absorbed][-1].valid_to is None


def test_an_abstraction_leaves_its_sources_open_and_rests_on_all_they_rest_on(ledger: Ledger) -> None:
    episodes = ledger.open_episodes(ledger.hear("a"), ledger.hear("b"))
    entry = belief(1, 2, text="a and b", epistemic_type=EpistemicType.INFERENCE)
    ledger.do(AbstractPayload(reason="compressed", sources=tuple(episodes), entry=entry))
    assert texts(ledger) == ["a", "b", "a and b"]
    assert {link.relation for link in ledger.state.links} == {"abstracts"}
    with pytest.raises(LedgerDamaged, match="does not rest on all"):
        ledger.do(AbstractPayload(reason="compressed", sources=tuple(episodes), entry=belief(1)))


def test_promotion_and_demotion_keep_to_their_direction(ledger: Ledger) -> None:
    [memory] = ledger.open_episodes(ledger.hear("I fold maps along the old creases."))
    demotion = StandingPayload(op=Operation.DEMOTE, reason="unused", memory=memory, confidence=0.4)
    ledger.do(demotion)
    up = StandingPayload(op=Operation.PROMOTE, reason="useful", memory=memory, kind=Kind.SEMANTIC, confidence=0.8)
    ledger.do(up)
    assert [(version.kind, version.confidence) for version in ledger.state.memories[memory]] == [
        (Kind.EPISODIC, 1.0),
        (Kind.EPISODIC, 0.4),
        (Kind.SEMANTIC, 0.8),
    ]
    with pytest.raises(LedgerDamaged, match="promote does not move"):
        ledger.do(up.model_copy(update={"confidence": 0.1}))


def cold(memory: UUID, *others: UUID, behind: UUID) -> StandingPayload:
    return StandingPayload(
        op=Operation.DEMOTE, reason="old", memory=memory, others=others, tier=Tier.COLD, behind=behind
    )


def test_episodes_go_cold_behind_a_summary_that_rests_on_all_they_rest_on_and_come_back_by_promotion(
    ledger: Ledger,
) -> None:
    one, other, third = ledger.open_episodes(ledger.hear("a"), ledger.hear("b"), ledger.hear("c"))
    summary = ledger.believe(belief(1, 2, text="a and b", kind=Kind.EPISODIC, epistemic_type=EpistemicType.INFERENCE))
    with pytest.raises(LedgerDamaged, match="does not rest on all"):
        ledger.do(cold(one, third, behind=summary))
    with pytest.raises(LedgerDamaged, match="is no summary"):
        ledger.do(cold(one, behind=other))
    ledger.do(cold(one, other, behind=summary))
    newest = {memory: ledger.state.memories[memory][-1] for memory in (one, other, third)}
    assert [each.tier for each in newest.values()] == [Tier.COLD, Tier.COLD, Tier.HOT]
    assert [(each.text, each.confidence, each.kind) for each in newest.values()] == [
        (text, 1.0, Kind.EPISODIC) for text in "abc"
    ]
    ledger.do(StandingPayload(op=Operation.PROMOTE, reason="useful", memory=one, kind=Kind.SEMANTIC))
    assert ledger.state.memories[one][-1].tier is Tier.HOT
    ledger.do(RestorePayload(reason="reverted", memory=one, version=2))
    assert ledger.state.memories[one][-1].tier is Tier.COLD
    assert fold(ledger.events) == ledger.state


def test_what_is_held_in_words_of_its_own_never_goes_cold(ledger: Ledger) -> None:
    ledger.open_episodes(ledger.hear("a"), ledger.hear("b"))
    said = ledger.believe(belief(1, text="what was said"))
    summary = ledger.believe(belief(1, 2, text="a and b"))
    with pytest.raises(LedgerDamaged, match="only an episode"):
        ledger.do(cold(said, behind=summary))


def test_nothing_goes_cold_behind_a_summary_that_is_held_no_longer(ledger: Ledger) -> None:
    one, _ = ledger.open_episodes(ledger.hear("a"), ledger.hear("b"))
    summary = ledger.believe(belief(1, 2, text="a and b"))
    ledger.do(ClosePayload(op=Operation.EXPIRE, reason="unused", memory=summary))
    with pytest.raises(LedgerDamaged, match="was closed"):
        ledger.do(cold(one, behind=summary))


@pytest.mark.parametrize(
    "fields",
    [
        {"op": "demote", "tier": "cold"},
        {"op": "demote", "behind": UUID(int=2)},
        {"op": "promote", "tier": "cold", "behind": UUID(int=2)},
        {"op": "demote", "tier": "hot"},
        {"op": "demote", "others": (UUID(int=1),)},
    ],
)
def test_a_tier_is_changed_in_its_own_direction_behind_a_summary_and_of_each_memory_once(
    fields: dict[str, object],
) -> None:
    with pytest.raises(ValueError, match=r"tier|summary|twice"):
        StandingPayload.model_validate({"reason": "old", "memory": UUID(int=1), **fields})


# Forgetting and erasing.


def test_forgetting_leaves_no_text_and_bars_what_would_rest_on_it(ledger: Ledger) -> None:
    sequence = ledger.hear("my pin is on the door")
    [episode] = ledger.open_episodes(sequence)
    memory = ledger.believe(belief(sequence))
    ledger.do(forget(ledger.state, [Span(sequence=sequence)], reason="user_request"))
    assert ledger.state.memories == {}
    assert {each.memory_id: each.doc for each in ledger.state.forgotten.values()} == {episode: 1, memory: 2}
    with pytest.raises(LedgerDamaged, match="forgotten"):
        ledger.open_episodes(sequence)
    with pytest.raises(LedgerDamaged, match="forgotten"):
        ledger.do(ReopenPayload(reason="taken_back", memory=memory))


def test_saying_it_again_later_makes_a_new_memory(ledger: Ledger) -> None:
    [old] = ledger.open_episodes(ledger.hear("I keep bees."))
    ledger.do(forget(ledger.state, [Span(sequence=1)], reason="user_request"))
    [new] = ledger.open_episodes(ledger.hear("I keep bees."))
    assert new != old
    assert texts(ledger) == ["I keep bees."]


def test_forgetting_a_stretch_lets_the_rest_be_opened_again(ledger: Ledger) -> None:
    ledger.open_episodes(ledger.hear("I keep bees. My pin is 1234."))
    ledger.do(forget(ledger.state, [Span(sequence=1, start=13, end=28)], reason="user_request"))
    ledger.open_stretch(EvidenceRef(sequence=1, start=0, end=12))
    assert texts(ledger) == ["I keep bees."]


def test_forgetting_what_only_confirmed_a_belief_takes_the_confirmation_away(ledger: Ledger) -> None:
    memory = lives_in(ledger, "Varna", 0)
    again = EvidenceRef(sequence=ledger.hear("still in Varna"))
    ledger.do(CorroboratePayload(reason="same_claim", memory=memory, evidence=(again,), confidence=0.8))
    ledger.do(forget(ledger.state, [again.span], reason="user_request"))
    versions = ledger.state.memories[memory]
    assert [(len(version.evidence), version.confidence) for version in versions] == [(1, 0.5), (2, 0.8), (1, 0.5)]


def test_a_closed_memory_is_reopened_on_what_still_stands(ledger: Ledger) -> None:
    memory = lives_in(ledger, "Varna", 0)
    again = EvidenceRef(sequence=ledger.hear("still in Varna"))
    ledger.do(CorroboratePayload(reason="same_claim", memory=memory, evidence=(again,), confidence=0.8))
    ledger.do(ClosePayload(op=Operation.EXPIRE, reason="unused", memory=memory))
    ledger.do(forget(ledger.state, [again.span], reason="user_request"))
    ledger.do(ReopenPayload(reason="taken_back", memory=memory))
    [version] = open_memories(ledger.state)
    assert (version.evidence, version.confidence) == (ledger.state.memories[memory][0].evidence, 0.5)


def test_an_erased_text_is_nowhere_and_replay_gives_the_live_state(ledger: Ledger) -> None:
    ledger.open_episodes(ledger.hear("I keep bees."))
    varna, porto = lives_in(ledger, "Varna", 0), lives_in(ledger, "Porto", 5)
    ledger.do(SupersedePayload(reason="newer", memory=varna, by=porto, valid_to=at(5)))
    [heard] = (ref.sequence for ref in ledger.state.memories[porto][0].evidence)
    payload = erasure(ledger.state, ledger.events, [heard], reason="user_request")
    assert payload.closes == (porto,)
    assert payload.erased == (heard, heard + 1)
    ledger.do(payload)
    ledger.do(ReopenPayload(reason="successor_erased", memory=varna))
    ledger.events = without_payloads(ledger.events, payload.erased)
    assert fold(ledger.events) == ledger.state
    assert texts(ledger) == ["I keep bees.", "Mira lives in Varna"]
    assert "Porto" not in repr(ledger.state) + repr(ledger.events)


def test_a_memory_forgotten_before_is_erased_with_its_evidence(ledger: Ledger) -> None:
    sequence = ledger.hear("the pin is 1234")
    ledger.believe(belief(sequence, text="Mira's pin is 1234"))
    ledger.do(forget(ledger.state, [Span(sequence=sequence)], reason="user_request"))
    payload = erasure(ledger.state, ledger.events, [sequence], reason="user_request")
    assert (payload.closes, payload.erased) == ((), (1, 2))
    ledger.do(payload)
    ledger.events = without_payloads(ledger.events, payload.erased)
    assert fold(ledger.events) == ledger.state
    assert "1234" not in repr(ledger.events)


def test_an_erasure_that_leaves_the_text_made_from_the_evidence_is_refused(ledger: Ledger) -> None:
    memory = ledger.believe(belief(ledger.hear("a")))
    incomplete = ForgetPayload(reason="user_request", spans=(Span(sequence=1),), closes=(memory,), erased=(1,))
    with pytest.raises(LedgerDamaged, match="leaves the text made from it"):
        ledger.do(incomplete)


def test_an_erasure_of_an_operation_that_others_need_is_refused(ledger: Ledger) -> None:
    ledger.open_episodes(ledger.hear("a"), ledger.hear("b"))
    with pytest.raises(LedgerDamaged, match="erases operation 3"):
        ledger.do(forget(ledger.state, [Span(sequence=1)], reason="user_request", erased=(1, 3)))


def test_a_forget_that_leaves_a_memory_made_from_it_is_refused(ledger: Ledger) -> None:
    ledger.open_episodes(ledger.hear("a"))
    with pytest.raises(LedgerDamaged, match="forgotten"):
        ledger.do(ForgetPayload(reason="user_request", spans=(Span(sequence=1),)))


def test_only_part_of_an_event_forgotten_is_no_ground_to_erase_it(ledger: Ledger) -> None:
    ledger.hear("a long message")
    with pytest.raises(LedgerDamaged, match="does not forget the whole"):
        ledger.do(forget(ledger.state, [Span(sequence=1, start=0, end=4)], reason="user_request", erased=(1,)))


def test_a_forget_that_names_what_a_part_of_the_stream_lacks_is_refused(ledger: Ledger) -> None:
    ledger.open_episodes(ledger.hear("a"))
    event = ledger.do(forget(ledger.state, [Span(sequence=1)], reason="user_request"))
    with pytest.raises(LedgerDamaged, match="no operation opened"):
        effect(part_of([], ledger.events[:1]), event)


# Damage.


@pytest.mark.parametrize("gone", [1, 3])
def test_a_payload_that_is_gone_without_an_erasure_is_damage(ledger: Ledger, gone: int) -> None:
    ledger.open_episodes(ledger.hear("a"))
    ledger.believe(belief(1))
    with pytest.raises(LedgerDamaged):
        fold(without_payloads(ledger.events, [gone]))


def test_a_payload_of_an_operation_without_text_is_never_erased(ledger: Ledger) -> None:
    memory = lives_in(ledger, "Varna", 0)
    ledger.do(EndPayload(reason="no_longer", memory=memory, valid_to=at(3)))
    with pytest.raises(LedgerDamaged, match="never erased"):
        fold(without_payloads(ledger.events, [3]))


@pytest.mark.parametrize(
    "payload",
    [
        EndPayload(reason="x", memory=memory_id("acme", "user:mira", 9, 9), valid_to=at(1)),
        AddPayload(reason="x", entries=(VerbatimEntry(evidence=EvidenceRef(sequence=77)),)),
        AddPayload(reason="x", entries=(VerbatimEntry(evidence=EvidenceRef(sequence=2)),)),
        AddPayload(reason="x", entries=(VerbatimEntry(evidence=EvidenceRef(sequence=1, start=0, end=99)),)),
        AddPayload(reason="x", entries=(belief(77),)),
        EndPayload(reason="x", memory=memory_id("acme", "user:mira", 3, 0), valid_to=at(-1)),
        SupersedePayload(
            reason="x",
            memory=memory_id("acme", "user:mira", 3, 0),
            by=memory_id("acme", "user:mira", 3, 0),
            valid_to=at(1),
        ),
        MergePayload(
            reason="x",
            memory=memory_id("acme", "user:mira", 3, 0),
            absorbed=(memory_id("acme", "user:mira", 3, 0),),
            evidence=(EvidenceRef(sequence=1),),
        ),
        ReopenPayload(reason="x", memory=memory_id("acme", "user:mira", 3, 0)),
    ],
)
def test_an_operation_that_cannot_follow_is_damage_and_changes_nothing(ledger: Ledger, payload: Any) -> None:
    ledger.hear("a")
    ledger.append(EventClass.DERIVATION, "answer", {})
    ledger.open_episodes(1)
    before = fingerprint(ledger.state)
    with pytest.raises(LedgerDamaged, match="event 4 of stream 'user:mira'") as caught:
        ledger.do(payload)
    assert caught.value.details == {"stream": "user:mira", "sequence": 4}
    assert fingerprint(ledger.state) == before


@pytest.mark.parametrize(
    "payload", [{}, {"op": "add"}, as_json(EndPayload(reason="x", memory=memory_id("a", "b", 1, 0), valid_to=at(1)))]
)
def test_a_payload_that_cannot_be_read_or_is_of_another_operation_is_damage(ledger: Ledger, payload: Any) -> None:
    with pytest.raises(LedgerDamaged):
        ledger.append(EventClass.OPERATION, "add", payload)


@pytest.mark.parametrize(
    "change", [{"sequence": 1}, {"stream": "user:oskar"}, {"tenant_id": "other"}, {"recorded_at": at(-9)}]
)
def test_an_event_out_of_place_is_damage(ledger: Ledger, change: dict[str, Any]) -> None:
    ledger.hear("a")
    event = replace(ledger.events[0], **{"sequence": 2, **change})
    with pytest.raises(LedgerDamaged):
        apply(ledger.state, event)


# The whole.


def test_a_state_is_a_value(ledger: Ledger) -> None:
    ledger.hear("a")
    before = ledger.state
    seen = fingerprint(before)
    ledger.open_episodes(1)
    assert fingerprint(before) == seen != fingerprint(ledger.state)
    assert fold([]) == State()


def test_the_same_history_under_other_ids_gives_the_same_memories() -> None:
    kept = []
    for tenant, stream in (("acme", "user:mira"), ("zeta", "room:7")):
        ledger = Ledger(tenant_id=tenant, stream=stream)
        ledger.open_episodes(ledger.hear("one"), ledger.hear("two"))
        varna, porto = lives_in(ledger, "Varna", 0), lives_in(ledger, "Porto", 5)
        ledger.do(SupersedePayload(reason="newer", memory=varna, by=porto, valid_to=at(5)))
        kept.append(
            [replace(version, memory_id=memory_id("", "", version.doc, 0)) for version in open_memories(ledger.state)]
        )
    assert kept[0] == kept[1]
