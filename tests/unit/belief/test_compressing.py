"""Which old episodes are summarised, which leave the hot tier, and which stay."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.belief.compressing import MOST_SOURCES, Held, proposals, returns
from shared.belief.fold import fold, open_memories
from shared.belief.validating import refused
from shared.contract.operations import AbstractPayload, ClosePayload, StandingPayload
from shared.contract.proposals import Proposal, Refusal, named
from shared.contract.records import EpistemicType, Kind, MemoryVersion, Operation, Tier
from shared.contract.trust import Origin
from tests.unit.belief.ledgers import Ledger, belief

VIOLIN, BRIDGE = "My grandmother left me a violin made in Cremona.", "The bridge of the violin cost 380 euros."
CANCELLED, FLOOD = "The concert in Graz was cancelled.", "A flood closed every hall in the valley that week."


class Life:
    """A stream whose old sessions are looked at."""

    def __init__(self) -> None:
        self.ledger = Ledger()

    def said(self, *texts: str, **fields: Any) -> list[UUID]:
        return self.ledger.open_episodes(*(self.ledger.hear(text, **fields) for text in texts))

    @property
    def open(self) -> list[MemoryVersion]:
        return open_memories(self.ledger.state)

    def look(self, *, findable: bool = True, of_use: Collection[UUID] = ()) -> list[Proposal]:
        episodes = [each for each in self.open if each.epistemic_type is EpistemicType.EVIDENCE]
        written = [each for each in self.open if each.epistemic_type is not EpistemicType.EVIDENCE]
        hot = [each for each in episodes if each.tier is Tier.HOT]
        found = {each.memory_id for each in written} if findable else set()
        return list(proposals(Held(episodes=hot, summaries=written, findable=found, of_use=of_use)))

    def do(self, found: Sequence[Proposal]) -> list[Refusal]:
        """Carry out what is not refused."""
        held = {each.memory_id: each for each in self.open}
        refusals = [(each, refused(each, held)) for each in found]
        for each, reason in refusals:
            if reason is None:
                self.ledger.do(each.operation)
        return [reason for _, reason in refusals if reason]

    def tier(self, memory: UUID) -> Tier:
        return self.ledger.state.memories[memory][-1].tier


@pytest.fixture
def life() -> Life:
    return Life()


def test_a_session_is_summarised_in_words_that_were_said_by_a_text_that_cites_all_of_it(life: Life) -> None:
    memories = life.said(VIOLIN, BRIDGE, CANCELLED)
    [found] = life.look()
    assert isinstance(found.operation, AbstractPayload)
    assert set(found.operation.sources) == set(memories)
    entry = found.operation.entry
    assert (entry.kind, entry.epistemic_type) == (Kind.EPISODIC, EpistemicType.INFERENCE)
    assert {ref.sequence for ref in entry.evidence} == {1, 2, 3}
    assert all(sentence in (VIOLIN, BRIDGE, CANCELLED) for sentence in entry.text.split("\n"))
    assert life.do([found]) == []


def test_it_leaves_once_the_summary_can_be_found_and_then_nothing_more_is_proposed(life: Life) -> None:
    memories = life.said(VIOLIN, BRIDGE)
    life.do(life.look())
    assert life.look(findable=False) == []
    [found] = life.look()
    assert isinstance(found.operation, StandingPayload)
    assert set(named(found.operation)) == set(memories)
    assert life.do([found]) == []
    assert {life.tier(each) for each in memories} == {Tier.COLD}
    assert life.look() == []
    assert fold(life.ledger.events) == life.ledger.state


def test_what_is_held_of_it_already_serves_where_it_cites_all(life: Life) -> None:
    life.said(VIOLIN, BRIDGE)
    life.ledger.believe(
        belief(1, 2, text="A violin, and its bridge.", kind=Kind.EPISODIC, epistemic_type=EpistemicType.INFERENCE)
    )
    [found] = life.look()
    assert isinstance(found.operation, StandingPayload)


def test_a_belief_stands_for_no_episode_and_a_summary_of_a_part_for_that_part_alone(life: Life) -> None:
    first, _ = life.said(VIOLIN, BRIDGE)
    life.ledger.believe(belief(1, 2, text="A violin, and its bridge."))
    assert all(isinstance(each.operation, AbstractPayload) for each in life.look())
    part = {"kind": Kind.EPISODIC, "epistemic_type": EpistemicType.INFERENCE}
    life.ledger.believe(belief(1, text="A violin.", **part))
    assert [named(each.operation) for each in life.look()] == [(first,)]


def test_trust_speakers_and_what_is_delicate_are_never_mixed(life: Life) -> None:
    mine = life.said(VIOLIN, BRIDGE)
    tools = life.said(CANCELLED, FLOOD, origin=Origin.TOOL)
    others = life.said("I will play the viola.", "I own two violas.", speaker="Oskar")
    ill = life.said("I have diabetes, said the doctor.", "My diabetes is treated with insulin.")
    found = [set(named(each.operation)) for each in life.look()]
    assert sorted(map(sorted, found)) == sorted(map(sorted, map(set, (mine, tools, others, ill))))
    assert life.do(life.look()) == []


def test_what_is_alone_of_its_sort_stays_and_the_others_leave(life: Life) -> None:
    mine = life.said(VIOLIN, BRIDGE)
    [alone] = life.said(CANCELLED, origin=Origin.TOOL)
    life.do(life.look())
    life.do(life.look())
    assert [life.tier(each) for each in (*mine, alone)] == [Tier.COLD, Tier.COLD, Tier.HOT]
    assert life.look() == []


def test_what_was_of_use_matters_or_is_of_lasting_use_stays_though_it_is_summarised(life: Life) -> None:
    useful, lasting, other = life.said(VIOLIN, BRIDGE, CANCELLED)
    [pinned] = life.said(FLOOD, importance=0.9)
    life.ledger.do(StandingPayload(op=Operation.PROMOTE, reason="useful", memory=lasting, kind=Kind.SEMANTIC))
    life.do(life.look())
    life.do(life.look(of_use={useful}))
    assert [life.tier(each) for each in (useful, lasting, pinned, other)] == [Tier.HOT] * 3 + [Tier.COLD]
    life.do(life.look())
    assert life.tier(useful) is Tier.COLD, "lately is over"


def test_a_long_session_has_several_summaries_of_about_equal_parts(life: Life) -> None:
    life.said(*(f"On that day violin number {number} was sold in Graz." for number in range(2 * MOST_SOURCES + 1)))
    sizes = [len(named(each.operation)) for each in life.look()]
    assert sizes == [27, 27, 27]


def test_of_words_too_short_for_a_sentence_the_longest_stands_for_them(life: Life) -> None:
    life.said("ok", "thanks, bye")
    [found] = life.look()
    assert isinstance(found.operation, AbstractPayload)
    assert found.operation.entry.text == "thanks, bye"
    assert life.do([found]) == []


def test_sessions_leave_each_for_itself(life: Life) -> None:
    monday = life.said(VIOLIN, BRIDGE, session="monday")
    life.do(life.look())
    tuesday = life.said(CANCELLED, FLOOD, session="tuesday")
    life.do(life.look())
    assert [life.tier(each) for each in (*monday, *tuesday)] == [Tier.COLD, Tier.COLD, Tier.HOT, Tier.HOT]


def test_what_lost_its_summary_comes_back(life: Life) -> None:
    memories = life.said(VIOLIN, BRIDGE)
    life.do(life.look())
    life.do(life.look())
    summary = life.open[-1].memory_id
    life.ledger.do(ClosePayload(op=Operation.EXPIRE, reason="unused", memory=summary))
    alone = [each for each in life.open if each.tier is Tier.COLD]
    [found] = returns(alone)
    assert life.do([found]) == []
    assert {life.tier(each) for each in memories} == {Tier.HOT}


def test_a_summary_that_was_closed_since_holds_everything_back(life: Life) -> None:
    life.said(VIOLIN, BRIDGE)
    life.do(life.look())
    [found] = life.look()
    life.ledger.do(ClosePayload(op=Operation.EXPIRE, reason="unused", memory=life.open[-1].memory_id))
    held = {memory: versions[-1] for memory, versions in life.ledger.state.memories.items()}
    assert refused(found, held) is Refusal.SOURCE_CLOSED


WORDS = st.sampled_from(
    [VIOLIN, BRIDGE, CANCELLED, FLOOD, "ok", "No.", "I have diabetes.", "Anna paid 12 euros on 3 May 2021?", "谢谢你。"]
)


@settings(max_examples=60, deadline=None)
@given(
    said=st.lists(
        st.tuples(WORDS, st.sampled_from([Origin.USER, Origin.TOOL]), st.sampled_from(["Mira", "Oskar"])), max_size=12
    )
)
def test_two_passes_come_to_rest_nothing_is_refused_and_all_that_left_is_cited(
    said: list[tuple[str, Origin, str]],
) -> None:
    life = Life()
    for text, origin, speaker in said:
        life.said(text, origin=origin, speaker=speaker)
    for _ in range(2):
        assert life.do(life.look()) == []
    assert life.look() == []
    written = [each for each in life.open if each.epistemic_type is not EpistemicType.EVIDENCE]
    cited = {ref.span for each in written for ref in each.evidence}
    for each in life.open:
        if each.tier is Tier.COLD:
            assert {ref.span for ref in each.evidence} <= cited
    assert fold(life.ledger.events) == life.ledger.state
