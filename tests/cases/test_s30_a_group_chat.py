"""S30: each line is shown with who says it, and what is proposed is about one of them, on their own word."""

import pytest

from shared.contract.candidates import Reading
from shared.testing import ScriptedExtractor
from tests.cases.beliefs import Parrot, beliefs, candidates, read_by
from tests.model_reading import asking, asking_a_real_model, bot, entry, facts, line, lines_shown
from tests.scripted_llm import scripted

SAID = [
    line("I can't eat walnuts.", 1, speaker="Tove"),
    line("I can, and I'm vegan.", 2, speaker="Oskar"),
    bot("I like oats.", 3, speaker="bot"),
    line("Same as Oskar, except the walnuts.", 4, speaker="Tove"),
    line("I'm deaf in one ear.", 5, speaker="user"),
]
READING = Reading(lines=SAID)
RIGHT = [
    entry("Tove cannot eat walnuts.", lines=[1], about="Tove", predicate="avoids", object="walnuts"),
    entry("Oskar is vegan.", lines=[2], about="Oskar", predicate="diet", object="vegan"),
    entry("Tove is vegan.", lines=[2, 4], about="Tove", predicate="diet", object="vegan"),
]
WRONG = {
    "another's words": (entry("Oskar cannot eat walnuts.", lines=[1], about="Oskar"), "wrong_speaker"),
    "the last speaker's turn": (entry("Tove is vegan.", lines=[2], about="Tove"), "wrong_speaker"),
    "the bot's": (entry("Tove likes oats.", lines=[3], about="Tove"), "wrong_role"),
    "the bot": (entry("bot likes oats.", lines=[3], about="bot"), "wrong_role"),
    "nobody who is there": (entry("Astrid is deaf in one ear.", lines=[5], about="Astrid"), "unknown_subject"),
    "someone else's for the unknown's": (entry("Tove is deaf.", lines=[5], about="Tove"), "wrong_speaker"),
    "nobody's of two": (entry("They eat vegan walnuts.", lines=[1, 2], about=""), "unclear_subject"),
}


def test_each_line_is_shown_with_its_speaker():
    with scripted(facts()) as server:
        asking(server).extract(READING, deadline_s=10.0)
    shown = lines_shown(server.requests[0].said[0])
    assert [(each["line"], each["speaker"], each["role"]) for each in shown] == [
        (1, "Tove", "user"),
        (2, "Oskar", "user"),
        (3, "bot", "assistant"),
        (4, "Tove", "user"),
        (5, "user", "user"),
    ]


def test_facts_stay_with_who_says_them():
    with scripted(facts(*RIGHT)) as server:
        found = asking(server).extract(READING, deadline_s=10.0)
    assert [(each.claim.subject, each.claim.object) for each in found.candidates] == [
        ("Tove", "walnuts"),
        ("Oskar", "vegan"),
        ("Tove", "vegan"),
    ]


@pytest.mark.parametrize(("wrong", "reason"), WRONG.values(), ids=WRONG)
def test_what_is_put_on_somebody_else_is_refused(wrong, reason):
    with scripted(facts(*RIGHT, wrong), facts()) as server:
        found = asking(server).extract(READING, deadline_s=10.0)
    assert len(found.candidates) == 3
    assert found.rejected == {reason: 1}


def test_an_unknown_speakers_stay_apart():
    with scripted(facts(entry("user is deaf in one ear.", lines=[5], about="user"))) as server:
        found = asking(server).extract(READING, deadline_s=10.0)
    assert [ref.sequence for ref in found.candidates[0].evidence] == [5]


@pytest.mark.parametrize(
    ("said", "text", "about", "subject"),
    [
        ("My sister Ola lives in Gdańsk", "Ola lives in Gdańsk.", "Ola", "Ola"),
        ("my sister lives in Gdańsk", "Mira's sister lives in Gdańsk.", "Mira's sister", "Mira's sister"),
        ("I live in Gdańsk", "The user lives in Gdańsk.", "the user", "Mira"),
        ("I live in Gdańsk", "Mira lives in Gdańsk.", "MIRA", "Mira"),
    ],
)
def test_a_subject_is_written_as_the_lines_have_it(said, text, about, subject):
    answer = facts(entry(text, about=about, predicate="lives_in", object="Gdańsk"))
    with scripted(answer) as server:
        found = asking(server).extract(Reading(lines=[line(said)]), deadline_s=10.0)
    assert found.candidates[0].claim.subject == subject


@pytest.mark.real_model
def test_a_real_model_keeps_people_apart():
    extractor = asking_a_real_model()
    for _ in range(10):
        found = extractor.extract(READING, deadline_s=120.0)
        about = {(each.claim.subject, each.text) for each in found.candidates if each.claim}
        assert any(who == "Tove" and "walnut" in text for who, text in about)
        assert not any(who == "Oskar" and "walnut" in text and "not" in text for who, text in about)
        assert not any("oats" in text for _, text in about)


ROOM = "room:lunch"
RUN = [
    {"id": f"m{place}", "role": each.role.value, "text": each.text, "speaker": each.speaker, "ts": "2025-01-10T09:00Z"}
    for place, each in enumerate(SAID)
]
THERE = {"room": "lunch", "participants": ["tove", "oskar"]}


def about(words, name):
    """What is believed of somebody, from whichever stream."""
    held = [row for user in (ROOM, "tove", "oskar") for row in beliefs(words, "acme", user)]
    return [row["text"] for row in held if row["claim_subject"] and row["claim_subject"].lower() == name]


def recalled(words, user, query):
    """What recall shows beside the words themselves, which say who said them."""
    return [item.text for item in words.bundle("acme", user, query, k=50).items if item.kind != "episodic"]


def assert_apart(words):
    assert any("walnuts" in text for text in about(words, "tove"))
    assert not any("walnuts" in text for text in about(words, "oskar"))
    assert any("vegan" in text for text in about(words, "oskar"))
    for user in ("tove", "oskar"):
        shown = recalled(words, user, "allergies: walnuts, oats, vegan, deaf")
        assert not [text for text in shown if "oats" in text or "deaf" in text]
        assert all(text.startswith("Tove") for text in shown if "walnuts" in text)
    assert any("walnuts" in text for text in recalled(words, "tove", "What can Tove not eat? walnuts"))
    for item in words.bundle("acme", "oskar", "oats deaf walnuts", k=50).items:
        assert item.speaker in {each.speaker for each in SAID} or item.kind != "episodic"


def test_by_rules_each_fact_is_its_own_speakers(learning):
    learning.ingest("acme", "tove", "run-1", RUN, **THERE)
    assert_apart(learning)


@pytest.mark.parametrize("wrong", [each for each, _ in WRONG.values()], ids=WRONG)
def test_by_a_model_that_puts_one_on_somebody_else_too(wrong, learning, answers):
    answers(facts(*RIGHT, wrong), facts())
    learning.ingest("acme", "tove", "run-1", RUN, **THERE)
    assert_apart(learning)
    assert any("vegan" in text for text in about(learning, "tove"))


def test_by_a_model_that_takes_every_line_for_a_fact_an_unnamed_speakers_is_dropped(learning, answers):
    answers(Parrot())
    learning.ingest("acme", "tove", "run-1", RUN, **THERE)
    held = [row["text"] for row in beliefs(learning, "acme", ROOM)]
    assert not [text for text in held if "deaf" in text or "oats" in text], held


@pytest.mark.parametrize(
    ("line", "claim", "rule"),
    [
        ("I can't eat walnuts", ("Oskar", "avoids", "walnuts"), "wrong_subject"),
        ("I'm deaf", ("the user", "has_condition", "deaf"), "unknown_speaker"),
        ("I like oats", ("Tove", "likes", "oats"), "wrong_role"),
    ],
)
def test_the_gate_stops_an_extractor_that_puts_it_on_somebody_else(line, claim, rule, learning):
    text = f"{claim[0]} {claim[1]} {claim[2]}."
    read_by(
        learning, ScriptedExtractor({line: [{"text": text, "claim": claim}]}), "acme", "tove", "run-1", RUN, **THERE
    )
    assert candidates(learning, "acme", ROOM) == [(text, rule)]
    assert beliefs(learning, "acme", ROOM) == []
