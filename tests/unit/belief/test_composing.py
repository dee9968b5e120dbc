"""What is left of a composed answer: sentences that follow from what they cite, or nothing."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.belief.composing import Composed, composed, told
from shared.belief.concluding import showable
from shared.belief.materials import Grounds, Material, Turn
from shared.belief.reflecting import Filed, reflections
from shared.belief.similarity import telling
from shared.belief.validating import refused
from shared.contract.operations import AbstractPayload, ClosePayload
from shared.contract.records import EpistemicType, MemoryVersion
from shared.contract.trust import Origin
from tests.unit.belief.ledgers import at
from tests.unit.belief.test_anticipating import Stream

ASKS = "What is known of the flight to Lisbon?"
FLIGHT = "Mira's flight to Lisbon is on 2031-05-03."
LEAVES = "Mira's flight to Lisbon leaves from Leeds."
SAID = "The flight to Lisbon is not full."
BOTH = "Mira's flight to Lisbon leaves from Leeds on 2031-05-03."
NOW = at(10)


def entry(text: str = BOTH, *lines: int) -> dict[str, Any]:
    return {"text": text, "lines": list(lines or (1, 2))}


class World(Stream):
    """A question, what a model answered to it, and what is filed."""

    def __init__(self) -> None:
        super().__init__()
        self.answer: Any = None
        self.filed: dict[Any, Filed] = {}

    @property
    def beliefs(self) -> list[MemoryVersion]:
        return [each for each in self.memories if each.epistemic_type is not EpistemicType.EVIDENCE]

    def grounds(self) -> Grounds:
        said = [each for each in self.memories if each.epistemic_type is EpistemicType.EVIDENCE]
        stated = [each for each in self.beliefs if each.memory_id not in self.filed]
        return Grounds(stated, said, {}, at=NOW)

    def material(self) -> Material:
        (material,) = self.grounds().on(ASKS)
        return material

    def composed(self, *entries: Any) -> Composed:
        return composed(ASKS, entries, self.material().shown, self.beliefs)

    def reflect(self, by_model: Composed | None = None) -> list[str]:
        """One pass, after which another has nothing to do; what is filed."""
        for each in self._proposed(by_model):
            event = self.ledger.do(each)
            if isinstance(each, AbstractPayload):
                (made,) = self.ledger.ids(event)
                memory = next(found for found in self.memories if found.memory_id == made)
                self.filed[made] = Filed(memory=memory, sources=each.sources, reason=each.reason)
            elif isinstance(each, ClosePayload):
                del self.filed[each.memory]
        assert self._proposed(by_model) == []
        return [each.memory.text for each in self.filed.values()]

    def _proposed(self, by_model: Composed | None) -> list[Any]:
        turns = {Turn(ASKS, None): by_model} if by_model else {}
        found = list(reflections([ASKS], self.beliefs, [*self.filed.values()], at=NOW, composed=turns))
        held = {each.memory_id: each for each in self.memories}
        assert [refused(each, held) for each in found] == [None] * len(found)
        return [each.operation for each in found]


@pytest.fixture
def world() -> World:
    """Two facts that speak of the question, lines 1 and 2, and what was said of it, line 3, besides other things."""
    world = World()
    for text in (FLIGHT, LEAVES, "Mira lives in Oslo."):
        world.hold(text)
    world.ask(SAID, 3)
    world.ask(ASKS, 4)
    return world


def test_the_model_is_shown_the_question_and_by_number_what_is_believed_before_what_was_said(world: World) -> None:
    question, *lines = map(json.loads, told(ASKS, world.material().shown).split("\n"))
    assert question == {"question": ASKS}
    assert [(each["n"], each["text"]) for each in lines] == [(1, FLIGHT), (2, LEAVES), (3, SAID)]
    assert [each["day"] for each in lines] == ["2031-03-04", "2031-03-04", "2031-03-07"]


def test_what_was_concluded_is_shown_as_what_it_was_made_of_and_what_is_not_a_persons_own_is_not() -> None:
    world = World()
    facts = [world.hold(text) for text in ("Mira swims at noon.", "Mira swims in the fjord.")]
    concluded = world.hold("Mira is a keen athlete.")
    world.ask("The athlete won.", 1, origin=Origin.WEB)
    said = [each for each in world.memories if each.epistemic_type is EpistemicType.EVIDENCE]
    (material,) = Grounds(world.beliefs, said, {concluded: facts}, at=NOW).on("Which athlete is Mira?")
    assert [each.memory_id for each in material.shown] == facts


def test_a_composed_answer_cites_what_its_sentences_cite_and_takes_the_place_of_the_facts(world: World) -> None:
    assert world.reflect() == [f"{FLIGHT} {LEAVES}"]
    answer = world.composed(entry(), entry(SAID, 3))
    assert (answer.rejected, answer.text) == ({}, f"{BOTH} {SAID}")
    assert world.reflect(answer) == [f"{BOTH} {SAID}"]
    (filed,) = world.filed.values()
    assert [each.text for each in answer.sources] == [FLIGHT, LEAVES, SAID]
    assert filed.sources == tuple(each.memory_id for each in answer.sources)
    assert filed.memory.confidence < min(each.confidence for each in answer.sources)
    assert filed.memory.trust == min(each.trust for each in answer.sources)
    assert world.reflect() == [f"{FLIGHT} {LEAVES}"], "where the answer is gone, the facts answer"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (7, "bad_entry"),
        ({"text": "", "lines": [1]}, "bad_entry"),
        ({"text": BOTH, "lines": ["1"]}, "bad_entry"),
        (entry(BOTH, 1, 4), "unknown_alias"),
        (entry("Mira's flight to Lisbon leaves at 7:15.", 1, 2), "added"),
        (entry("Mira's flight to Lisbon is with Tove.", 1, 2), "added"),
        (entry("Mira's flight to Lisbon is on 2031-05-04.", 1), "added"),
        (entry("The flight to Lisbon is full.", 3), "denial_differs"),
        (entry("Mira's flight to Lisbon does not leave from Leeds.", 2), "denial_differs"),
        (entry("Nobody can say, the weather is uncertain.", 1), "denial_differs"),
        (entry("It looks like a wonderful holiday by the sea.", 1), "unsupported"),
        (entry("Mira's flight to Lisbon is full.", 1), "uncited"),
        (entry("Mira's known flight to Lisbon is on 2031-05-03.", 1), "uncited"),
        (entry(LEAVES, 2), "said_already"),
        (entry("Mira's flight to Lisbon is cancelled.", 1), "unsupported"),
        (entry("Lisbon's flight to Mira leaves from Leeds.", 2), "unsupported"),
        (entry("Leeds leaves from Mira's flight to Lisbon.", 2), "exchanged"),
        (entry("Does the flight to Lisbon leave from Leeds?", 2), "bad_text"),
    ],
)
def test_a_sentence_that_does_not_follow_is_dropped_and_counted(given: Any, why: str, world: World) -> None:
    answer = world.composed(entry(LEAVES, 2), given, entry(FLIGHT, 1))
    assert answer.rejected == Counter([why])
    assert answer.text == f"{LEAVES} {FLIGHT}"


def test_where_nothing_follows_nothing_is_composed_and_where_one_memory_says_it_all_nothing_is_filed(
    world: World,
) -> None:
    answer = world.composed(entry("Mira's flight to Lisbon leaves at 7:15."), entry("Ask Tove.", 1))
    assert (answer.text, answer.can_be_filed) == ("", False)
    assert not world.composed(entry(FLIGHT, 1)).can_be_filed


def test_what_contradicts_what_is_held_is_dropped() -> None:
    world = World()
    world.hold("Mira's flight to Lisbon is on Monday.")
    world.hold("Mira's flight to Lisbon is on Tuesday.")
    answer = world.composed(entry("Mira's flight to Lisbon is on Tuesday.", 1, 2))
    assert answer.sentences == ()
    assert answer.rejected == {"contradicts": 1}


def test_fifty_answers_in_other_words_leave_one_that_says_what_its_sources_say_and_all_that_was_said(
    world: World,
) -> None:
    before = {each.memory_id: each for each in world.memories}
    for turn in range(50):
        words = f"{FLIGHT} {LEAVES}".replace(".", "").split()
        said = " ".join([*words[turn % 5 :], *words[: turn % 5]])
        wrong = (
            said.replace("03", f"{turn + 10}"),
            f"{said} not",
            f"{said} Oskar",
            f"{said} certainly delightful weather",
        )
        answer = world.composed(entry(f"{said}."), *(entry(each) for each in wrong))
        assert answer.text in {"", f"{said}."}
        (filed,) = world.reflect(answer)
        (made,) = world.filed
        assert set(world.filed[made].sources) <= before.keys(), "nothing is answered from an answer"
        assert telling(filed).numbers
        for kind in ("numbers", "dates", "names"):
            own = {each for text in (FLIGHT, LEAVES, SAID) for each in getattr(telling(text), kind)}
            assert set(getattr(telling(filed), kind)) <= own
        held = {each.memory_id: each for each in world.memories}
        assert {memory: held[memory] for memory in before} == before


@pytest.mark.parametrize(
    ("held", "text", "why"),
    [
        (["Mira lent the boat to Oskar."], "Oskar lent the boat to Mira.", "exchanged"),
        (["Ana pays 500 for the boat.", "Ben pays 300 for the boat."], "Ana pays 300 for the boat.", "exchanged"),
        (["Ana pays 500 and Ben pays 300."], "Ana pays 300 and Ben pays 500.", "exchanged"),
        (["Mira loves the boat."], "Mira hates the boat.", "unsupported"),
        (["Some guests like the boat."], "All guests like the boat.", "unsupported"),
        (["The boat is ready on Monday."], "The boat is cancelled on Monday.", "unsupported"),
    ],
)
def test_what_turns_its_lines_into_their_contrary_is_dropped(held: list[str], text: str, why: str) -> None:
    world = World()
    for each in held:
        world.hold(each)
    memories = world.beliefs
    numbers = range(1, len(held) + 1)
    answer = composed("What of the boat?", [entry(text, *numbers)], memories, world.beliefs)
    assert (answer.sentences, answer.rejected) == ((), Counter([why]))
    assert composed("What of the boat?", [entry(held[0], 1)], memories, world.beliefs).text == held[0]


def test_another_agents_memory_is_other_material(world: World) -> None:
    assert {each.agent_id for each in world.material().shown} == {None}
    assert [each.turn for each in world.grounds().on(ASKS)] == [Turn(ASKS, None)]
    assert all(showable(each) for each in world.material().shown)


@given(
    st.lists(
        st.none()
        | st.builds(
            entry,
            st.sampled_from([BOTH, FLIGHT, SAID, "Mira's flight to Rome is on 2031-05-04.", "", "x" * 400]),
            st.integers(-1, 5),
            st.integers(-1, 5),
        ),
        max_size=12,
    )
)
def test_whatever_is_answered_every_entry_is_a_sentence_or_counted_and_what_can_be_filed_is(entries: list[Any]) -> None:
    world = World()
    for text in (FLIGHT, LEAVES):
        world.hold(text)
    world.ask(SAID, 3)
    answer = world.composed(*entries)
    assert len(answer.sentences) + answer.rejected.total() == len(entries)
    if answer.can_be_filed:
        assert world.reflect(answer) == [answer.text]
