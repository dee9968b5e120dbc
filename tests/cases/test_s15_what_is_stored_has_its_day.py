"""S15, the write side: what is stored is of the message's own day in the speaker's zone, and no bare word is left."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from shared import clock
from tests.cases.adapter import Words
from tests.cases.beliefs import beliefs
from tests.model_reading import entry, facts
from tests.scripted_llm import ScriptedLlm

TOKYO = timezone(timedelta(hours=9))
SAID_AT = datetime(2031, 5, 24, 1, 30, tzinfo=TOKYO)
"""Still the 23rd in UTC."""
NOW = datetime(2034, 9, 30, 9, tzinfo=UTC)
BARE = re.compile(r"\b(yesterday|today|tomorrow|last week|next \w+day|three days)\b", re.IGNORECASE)
DATED = re.compile(r"\b20\d\d-\d\d(-\d\d)?\b")
MESSAGES = [
    ("Yesterday I adopted a greyhound.", SAID_AT),
    ("The vet is next Tuesday.", SAID_AT),
    ("I've had the cough for three days.", SAID_AT),
    ("I moved to Porto today.", SAID_AT.replace(year=2032)),
]
DAYS = {
    "greyhound": date(2031, 5, 23),
    "cough": date(2031, 5, 21),
    "Porto": date(2032, 5, 24),
}
MODEL = [
    entry("Mira adopted a greyhound yesterday.", lines=[1], predicate="pet", object="greyhound", since="2031-05-23"),
    entry("The vet is next Tuesday.", lines=[2], about="the vet"),
    entry("Mira has had the cough since 2031-05-21.", lines=[3], since="2031-05-21"),
    entry("Mira moved to Porto today.", lines=[4], predicate="lives_in", object="Porto", since="2032-05-24"),
]


@pytest.fixture(autouse=True)
def years_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOW)


def tell(words: Words) -> None:
    messages: list[dict[str, Any]] = [
        {"id": f"m{n}", "role": "user", "text": text, "ts": at.isoformat()} for n, (text, at) in enumerate(MESSAGES)
    ]
    words.ingest("acme", "Mira", "run-1", messages)


def assert_dated(words: Words) -> None:
    held = beliefs(words, "acme", "Mira")
    for word, day in DAYS.items():
        (row,) = [each for each in held if word in each["text"]]
        assert row["valid_from"].astimezone(TOKYO).date() == day, row["text"]
    (vet,) = [each for each in held if "vet" in each["text"]]
    assert "2031-05-27" in vet["text"]
    assert not [row["text"] for row in held if BARE.search(row["text"]) and not DATED.search(row["text"])]
    assert all(row["valid_from"].year < 2034 for row in held)


def test_s15_by_rules(learning: Words) -> None:
    tell(learning)
    assert_dated(learning)


def test_s15_by_a_model_whose_prompt_has_each_messages_own_day(
    learning: Words, answers: Callable[..., ScriptedLlm]
) -> None:
    server = answers(facts(*MODEL))
    tell(learning)
    assert_dated(learning)
    (request,) = server.requests
    assert [day in request.said[0] for day in ("Saturday 2031-05-24", "Monday 2032-05-24", "2034")] == [
        True,
        True,
        False,
    ]


def test_s15_recall_dates_the_greyhound_by_its_own_day(learning: Words) -> None:
    tell(learning)
    bundle = learning.bundle("acme", "Mira", "When did I adopt the greyhound?")
    (item,) = [item for item in bundle.items if item.kind == "semantic" and "greyhound" in item.text]
    assert item.event_time is not None
    assert item.event_time.astimezone(TOKYO).date() == date(2031, 5, 23)
    then = learning.bundle("acme", "Mira", "greyhound", as_of=datetime(2031, 5, 22, 12, tzinfo=TOKYO))
    assert not [item for item in then.items if item.kind == "semantic"]
