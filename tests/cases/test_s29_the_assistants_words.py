"""S29: what only the assistant said is no fact about the user, whatever a model makes of it."""

import pytest

from shared.contract.candidates import Reading
from shared.contract.events import Role
from shared.testing import ScriptedExtractor
from tests.cases.beliefs import Parrot, beliefs, candidates, history, read_by
from tests.model_reading import asking, asking_a_real_model, bot, entry, facts, line
from tests.scripted_llm import scripted

SAID = [
    line("How do I reverse a list in groups?", 1),
    bot("I solved it with recursion; I'm Pip, I grew up by the sea, and I prefer tabs.", 2),
    line("Thanks, but your second claim is wrong.", 3),
]
WORDS = ("recursion", "sea", "Pip", "tabs")
GUESSES = {
    "the assistant's line for a fact": (entry("Mira grew up by the sea.", lines=[2]), "wrong_role"),
    "the assistant as the subject": (entry("assistant prefers tabs.", lines=[2], about="assistant"), "wrong_role"),
    "a user's line that says no such thing": (entry("Mira prefers tabs.", lines=[3]), "unsupported"),
    "a user's line that shares a word": (
        entry("Mira solved list groups with recursion.", lines=[1], object="recursion", predicate="uses"),
        "assistants_word",
    ),
    "both lines": (entry("Mira prefers tabs to lists.", lines=[1, 2], object="tabs", predicate="prefers"), None),
    "the assistant's name": (entry("Pip reverses a list.", lines=[1], about="Pip"), "unknown_subject"),
    "the assistant on the user's line": (
        entry("assistant reverses a list.", lines=[1], about="assistant"),
        "wrong_speaker",
    ),
}


@pytest.mark.parametrize(("guess", "reason"), GUESSES.values(), ids=GUESSES)
def test_a_model_that_takes_the_assistants_word_is_not_believed(guess, reason):
    with scripted(facts(guess), facts()) as server:
        found = asking(server).extract(Reading(lines=SAID), deadline_s=10.0)
    assert found.candidates == []
    assert found.rejected == {reason or "assistants_word": 1}


def test_the_assistant_may_say_how_something_was_done():
    how = entry("To reverse a list in groups, use recursion.", lines=[1, 2], type="procedure")
    with scripted(facts(how)) as server:
        found = asking(server).extract(Reading(lines=SAID), deadline_s=10.0)
    (candidate,) = found.candidates
    assert candidate.kind.value == "procedural"
    assert [ref.sequence for ref in candidate.evidence] == [1, 2]


def test_an_answer_may_take_up_the_words_of_the_question():
    reading = Reading(lines=[bot("What's your favourite programming language?", 1), line("Rust, by far.", 2)])
    text = "Mira's favourite programming language is Rust."
    with scripted(facts(entry(text, lines=[1, 2], predicate="favourite_language", object="Rust"))) as server:
        found = asking(server).extract(reading, deadline_s=10.0)
    (candidate,) = found.candidates
    assert [ref.sequence for ref in candidate.evidence] == [2]


def test_every_candidate_rests_on_lines_whose_role_may_say_it():
    every = [
        entry(f"Mira reverses a list with claim {kind}.", lines=[1, 2, 3], type=kind)
        for kind in ("fact", "preference", "opinion", "inference", "procedure")
    ]
    with scripted(facts(*every)) as server:
        found = asking(server).extract(Reading(lines=SAID), deadline_s=10.0)
    roles = {each.sequence: each.role for each in SAID}
    for candidate in found.candidates:
        told = {roles[ref.sequence] for ref in candidate.evidence}
        assert told == {Role.USER} or candidate.kind.value == "procedural"
    assert len(found.candidates) == 5


@pytest.mark.real_model
def test_a_real_model_says_none_of_it_of_the_user():
    extractor = asking_a_real_model()
    for _ in range(10):
        found = extractor.extract(Reading(lines=SAID), deadline_s=120.0)
        facts_of_user = [each.text for each in found.candidates if each.kind.value != "procedural"]
        assert not any(word in text for text in facts_of_user for word in WORDS)


RUN = [
    {"id": f"m{place}", "role": each.role.value, "text": each.text, "ts": f"2025-01-10T09:0{place}Z"}
    for place, each in enumerate(SAID)
]


@pytest.mark.parametrize("reader", ["rules", "parrot"])
def test_nothing_of_it_is_believed_or_recalled_as_the_users(reader, learning, answers):
    if reader == "parrot":
        answers(Parrot())
    learning.ingest("acme", "Mira", "run-1", RUN)
    held = beliefs(learning, "acme", "Mira")
    assert not [row["text"] for row in held if any(word in row["text"] for word in WORDS)]
    for row in held:
        assert {each.origin for each in history("acme", "Mira", row["memory_id"]).evidence} == {"user"}
    for query in ("Where did I grow up?", "Do I prefer tabs?", "recursion", "Who is Pip?", "the sea"):
        for item in learning.bundle("acme", "Mira", query, k=50).items:
            if any(word in item.text for word in WORDS):
                assert (item.kind, item.speaker, item.role) == ("episodic", "assistant", "assistant")


@pytest.mark.parametrize("text", ["Mira grew up by the sea.", "Mira prefers tabs.", "The user is called Pip."])
def test_an_extractor_that_breaks_the_rule_is_stopped_by_the_gate(text, learning):
    words = ("Mira", "grew_up_in", "the sea") if "sea" in text else ("Mira", "prefers", "tabs")
    extractor = ScriptedExtractor({"I solved it": [{"text": text, "claim": words}, {"text": text}]})
    read_by(learning, extractor, "acme", "Mira", "run-1", RUN)
    assert candidates(learning, "acme", "Mira") == [(text, "wrong_role")] * 2
    assert beliefs(learning, "acme", "Mira") == []
