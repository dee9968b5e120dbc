"""What answers a question that stands, and when the answer is another."""

from __future__ import annotations

from typing import Any

from shared.belief.reflecting import Filed, reflections
from shared.belief.validating import refused
from shared.contract.operations import AbstractPayload, ClosePayload
from shared.contract.records import EpistemicType
from tests.unit.belief.ledgers import at
from tests.unit.belief.test_anticipating import Stream, flying

ASKS = "What is known of the flight to Lisbon?"
FLIGHT = "Mira's flight to Lisbon is on 2031-05-03."
LEAVES = "Mira's flight to Lisbon leaves from Leeds."


def reflected(stream: Stream, *questions: str) -> list[str]:
    """One pass, after which another has nothing to do; what is filed."""
    for each in _proposed(stream, questions):
        event = stream.ledger.do(each)
        if isinstance(each, AbstractPayload):
            stream.sources[stream.ledger.ids(event)[0]] = each.sources
    assert _proposed(stream, questions) == []
    return [each.text for each in stream.memories if each.memory_id in stream.sources]


def _proposed(stream: Stream, questions: tuple[str, ...]) -> list[Any]:
    held = stream.memories
    beliefs = [each for each in held if each.epistemic_type is not EpistemicType.EVIDENCE]
    filed = [
        Filed(memory=each, sources=stream.sources[each.memory_id])
        for each in beliefs
        if each.memory_id in stream.sources
    ]
    found = list(reflections(questions, beliefs, filed, at=at(10)))
    by_id = {each.memory_id: each for each in held}
    assert [refused(each, by_id) for each in found] == [None] * len(found)
    return [each.operation for each in found]


def test_an_answer_is_the_facts_that_speak_of_the_question_word_for_word() -> None:
    assert reflected(flying(), ASKS) == [f"{FLIGHT} {LEAVES}"]


def test_two_questions_with_one_answer_are_answered_once_and_one_with_none_not_at_all() -> None:
    asked = (ASKS, "Tell me of the Lisbon flight.", "Which violin does Ingeborg play?")
    assert len(reflected(flying(), *asked)) == 1


def test_facts_that_contradict_each_other_both_stand_in_the_answer() -> None:
    stream = flying()
    stream.hold("Mira's flight to Lisbon is on 2031-05-04.")
    (answer,) = reflected(stream, ASKS)
    assert "2031-05-03" in answer
    assert "2031-05-04" in answer


def test_an_answer_is_replaced_where_a_fact_is_new_or_closed_and_goes_with_its_question() -> None:
    stream = flying()
    before = reflected(stream, ASKS)
    full = stream.hold("Mira's flight to Lisbon is full.")
    (with_it,) = reflected(stream, ASKS)
    assert "full" in with_it
    stream.ledger.do(ClosePayload(op="retract", reason="never_so", memory=full))  # type: ignore[arg-type]
    assert reflected(stream, ASKS) == before
    assert reflected(stream) == []


def test_an_answer_is_no_ground_of_another() -> None:
    stream = flying()
    reflected(stream, ASKS)
    reflected(stream, ASKS, "Does the flight to Lisbon leave from Leeds?")
    assert all(each not in sources for each in stream.sources for sources in stream.sources.values())
