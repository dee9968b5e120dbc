"""What was stored under one agent was read under another: the agent stood on events and narrowed nothing.

Seen in hardness1020/learn-agent-memory. A scope that names an agent reads what that agent stored and what no agent's
name stands on; one that names none reads all of the user's. A room is its participants', whichever agent wrote.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.cases.adapter import Words, said

QUERY = "What did I say about the lighthouse?"
TRIP = "The lighthouse trip is on Sunday."
PORT = "The lighthouse service listens on port 8123."
PLACE = "The lighthouse is in Kiel."


def texts(words: Words, **more: Any) -> set[str]:
    return {item.text for item in words.bundle("acme", "mira", QUERY, **more).items}


@pytest.fixture
def stored(words: Words) -> Words:
    words.ingest("acme", "mira", "r1", [said(TRIP)], agent="planner")
    words.ingest("acme", "mira", "r2", [said(PORT)], agent="coder")
    words.ingest("acme", "mira", "r3", [said(PLACE)])
    return words


def test_an_agent_reads_its_own_and_what_is_no_agents(stored: Words) -> None:
    assert texts(stored, agent="planner") == {TRIP, PLACE}
    assert texts(stored, agent="coder") == {PORT, PLACE}


def test_an_agent_that_stored_nothing_reads_what_is_no_agents(stored: Words) -> None:
    assert texts(stored, agent="painter") == {PLACE}


def test_a_scope_that_names_no_agent_reads_all_of_the_user(stored: Words) -> None:
    assert texts(stored) == {TRIP, PORT, PLACE}


def test_no_hit_is_another_agents(stored: Words) -> None:
    bundle = stored.bundle("acme", "mira", QUERY, agent="planner", k=50)
    assert len(bundle.hits) == 2
    assert "8123" not in bundle.text


def test_a_turn_beside_a_hit_in_one_session_is_not_shown_to_another_agent(words: Words) -> None:
    words.ingest("acme", "mira", "r1", [said(TRIP)], agent="planner", session="s1")
    words.ingest("acme", "mira", "r2", [said("Port 8123 it is.")], agent="coder", session="s1")
    assert "8123" not in words.bundle("acme", "mira", QUERY, agent="planner", session="s1").text
    assert "8123" in words.bundle("acme", "mira", QUERY, session="s1").text


def test_what_is_on_its_way_is_narrowed_too(words: Words) -> None:
    words.accept("acme", "mira", "r1", [said(PORT)], agent="coder")
    assert texts(words, agent="planner") == set()
    assert texts(words, agent="coder") == {PORT}


def test_an_agents_few_memories_are_found_beside_anothers_many(words: Words) -> None:
    many = [said(f"The lighthouse lighthouse test number {number} is green.") for number in range(300)]
    words.ingest("acme", "mira", "r1", many, agent="coder")
    words.ingest("acme", "mira", "r2", [said("On Sunday we climb the lighthouse, if it is dry.")], agent="planner")
    assert texts(words, agent="planner") == {"On Sunday we climb the lighthouse, if it is dry."}


def test_a_room_is_its_participants_whichever_agent_wrote(words: Words) -> None:
    text = "We meet at the lighthouse at nine."
    whose = {"agent": "coder", "room": "trip", "participants": ["mira", "oskar"]}
    words.ingest("acme", "oskar", "r1", [said(text, speaker="oskar")], **whose)
    assert texts(words, agent="planner") == {text}


def test_two_agents_ask_the_same_and_no_cache_gives_one_the_others(stored: Words) -> None:
    for agent, expected in (("planner", {TRIP, PLACE}), ("coder", {PORT, PLACE}), ("planner", {TRIP, PLACE})):
        assert texts(stored, agent=agent) == expected
