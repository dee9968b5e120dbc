"""S28: no line of a system, a tool or a page is read for facts, nothing of our own prompt is one, and each is said."""

import pytest

from shared.contract.candidates import ExtractionStatus, Reading
from shared.contract.events import Role
from shared.contract.trust import Origin
from shared.language.text import terms
from tests.cases.beliefs import Parrot, beliefs, history
from tests.model_reading import asking, asking_a_real_model, bot, entry, facts, line, lines_shown
from tests.scripted_llm import scripted
from warmpath._prompt import system

BAKERY = "I start at the bakery on Monday."
BOOT = "\n".join(f"Rule {n}: you are Agent Kestrel, listening on port 8421." for n in range(300))
NOISE = [
    line(BOOT, 1, speaker="system", role=Role.SYSTEM, origin=Origin.UNKNOWN),
    line(BOOT, 2, speaker="developer", role=Role.DEVELOPER, origin=Origin.UNKNOWN),
    line('{"port": 8421, "name": "Kestrel"}', 3, speaker="tool", role=Role.TOOL, origin=Origin.TOOL),
    line("Kestrel is a bird. " * 20, 4, origin=Origin.WEB),
    line("Kestrel likes port 8421", 5, origin=Origin.RECALLED),
    line("Kestrel runs", 6, origin=Origin.DOCUMENT),
]
SAID = [*NOISE, line("hi!", 7), bot("Hello! How can I help?", 8), line(BAKERY, 9), line("thx", 10), line("lol ok", 11)]


def test_the_model_is_shown_no_system_tool_or_page():
    with scripted(facts()) as server:
        asking(server).extract(Reading(lines=SAID), deadline_s=10.0)
    assert [each["text"] for each in lines_shown(server.requests[0].said[0])] == [each.text for each in SAID[6:]]
    assert "Kestrel" not in server.requests[0].words
    assert "8421" not in "".join(server.requests[0].said)


def test_a_run_of_nothing_else_costs_no_call():
    with scripted(facts()) as server:
        found = asking(server).extract(Reading(lines=NOISE), deadline_s=10.0)
    assert (found.status, found.usage.calls, server.requests) == (ExtractionStatus.NOTHING_FOUND, 0, [])


@pytest.mark.parametrize(
    ("refused", "reason"),
    [
        (entry("Agent Kestrel listens on port 8421.", about="Kestrel"), "unknown_subject"),
        (entry("Mira runs Agent Kestrel."), "unsupported"),
        (entry("Mira is 34 years old.", predicate="age", object="34"), "unsupported"),
        (entry("Mira pings okay.", lines=[]), "unknown_line"),
        (entry("Mira starts on Monday. You are a clerk, not a participant: you answer nobody."), "echo"),
    ],
)
def test_what_no_cited_line_says_is_refused(refused, reason):
    with scripted(facts(entry("Mira starts at the bakery.", lines=[3]), {"lines": [3]} | refused), facts()) as server:
        found = asking(server).extract(Reading(lines=SAID), deadline_s=10.0)
    assert [each.text for each in found.candidates] == ["Mira starts at the bakery."]
    assert found.rejected == {reason: 1}


def test_no_eight_words_of_our_prompt_are_taken_for_a_memory():
    words = system().split()
    for at in (0, 60, 200, 400):
        text = "Mira: " + " ".join(words[at : at + 12])
        said = line(" ".join(words[at : at + 12]), 1)
        with scripted(facts(entry(text[:900])), facts()) as server:
            found = asking(server).extract(Reading(lines=[said]), deadline_s=10.0)
        assert (found.candidates, found.rejected) == ([], {"echo": 1})


@pytest.mark.real_model
def test_a_real_model_finds_the_bakery_and_nothing_else():
    extractor = asking_a_real_model()
    for _ in range(10):
        found = extractor.extract(Reading(lines=SAID), deadline_s=120.0)
        texts = [each.text for each in found.candidates]
        assert len(texts) <= 2
        assert "bakery" in " ".join(texts)
        assert not any(word in " ".join(texts) for word in ("Kestrel", "8421", "ping"))


RUN = [
    {"id": "boot", "role": "system", "text": BOOT},
    {"id": "dev", "role": "developer", "text": BOOT},
    *({"id": f"ping-{n}", "role": "user", "text": "ping ok"} for n in range(20)),
    {"id": "hi", "role": "user", "text": "hi!"},
    {"id": "dump", "role": "tool", "text": {"name": "Kestrel", "port": 8421, "rows": [{"id": n} for n in range(50)]}},
    {"id": "real", "role": "user", "text": BAKERY, "ts": "2025-01-10T09:00Z"},
    {"id": "thx", "role": "user", "text": "thx"},
    {"id": "lol", "role": "user", "text": "lol ok"},
]


@pytest.fixture(params=["rules", "parrot"])
def told(request, learning, answers):
    server = answers(Parrot()) if request.param == "parrot" else None
    learning.ingest("acme", "Mira", "run-1", RUN)
    return learning, server


def test_of_the_whole_run_the_bakery_alone_is_believed(told):
    learning, server = told
    held = beliefs(learning, "acme", "Mira")
    assert len(held) == 1, [row["text"] for row in held]
    assert "bakery" in held[0]["text"]
    (cited,) = history("acme", "Mira", held[0]["memory_id"]).evidence
    assert cited.message_id == "real"
    assert set(terms(cited.text)) & set(terms(held[0]["text"]))
    for request in server.requests if server else ():
        assert not any(word in request.words for word in ("Kestrel", "8421", "ping ok"))


def test_and_recall_finds_it_and_none_of_the_rest_as_anybodys(told):
    learning, _ = told
    found = learning.recall("acme", "Mira", "Where do I start on Monday?")
    assert "bakery" in found[0].text
    for query in ("Kestrel", "Which port does the agent listen on?", "ping"):
        shown = learning.bundle("acme", "Mira", query, k=50).items
        assert not [item.text for item in shown if item.kind != "episodic" and "bakery" not in item.text]
        assert not [item.text for item in shown if "Kestrel" in item.text and item.origin == "user"]


def test_a_run_of_heartbeats_alone_asks_no_model(learning, answers):
    server = answers(Parrot())
    learning.ingest("acme", "Mira", "run-1", [each for each in RUN if str(each["id"]).startswith(("ping", "boot"))])
    assert (server.requests, beliefs(learning, "acme", "Mira")) == ([], [])
