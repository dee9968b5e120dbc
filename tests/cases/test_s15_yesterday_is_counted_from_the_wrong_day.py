"""S15, the query's side: "yesterday" in a question is the asker's yesterday, in the asker's zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from shared import clock
from shared.settings import settings
from tests.cases.adapter import Words

pytestmark = pytest.mark.usefixtures("no_dense")

SAID = datetime.fromisoformat("2031-05-24T01:30+09:00")
"""Still the 23rd in UTC."""
MUCH_LATER = datetime(2034, 9, 30, 9, tzinfo=UTC)
GREYHOUND = "Yesterday I adopted a greyhound."
VET = "The vet is next Tuesday."
COUGH = "I've had the cough for three days."
OTHER_YEAR = "Yesterday I adopted a heron."


def told(words: Words, monkeypatch: pytest.MonkeyPatch, *, zone: str) -> None:
    """One run with messages of 2031 and 2032, heard by a machine whose clock stands in 2034."""
    monkeypatch.setenv("DAYBOOK_NAIVE_TIMEZONE", zone)
    settings.cache_clear()
    monkeypatch.setattr(clock, "now", lambda: MUCH_LATER)
    messages = [
        {"role": "user", "text": GREYHOUND, "ts": SAID.isoformat()},
        {"role": "user", "text": VET, "ts": (SAID + timedelta(minutes=1)).isoformat()},
        {"role": "user", "text": COUGH, "ts": (SAID + timedelta(days=3)).isoformat()},
        {"role": "user", "text": OTHER_YEAR, "ts": SAID.replace(year=2032).isoformat()},
    ]
    words.ingest("acme", "mira", "run-1", messages)


def dated(words: Words, query: str, **more: Any) -> set[str]:
    """What recall shows as being of the time asked about."""
    bundle = words.bundle("acme", "mira", query, explain=True, **more)
    return {item.text for item in bundle.items if item.scores.get("date") == 1.0}


def when(words: Words, query: str, **more: Any) -> str:
    (found,) = [line for line in words.bundle("acme", "mira", query, **more).plan if line.startswith("when: ")]
    return found


@pytest.mark.parametrize(
    ("zone", "asked_at", "query", "found"),
    [
        ("Asia/Tokyo", "2031-05-24T10:00+09:00", "What did I tell you today?", {GREYHOUND, VET}),
        ("Asia/Tokyo", "2031-05-24T10:00+09:00", "What did I tell you yesterday?", set()),
        ("Asia/Tokyo", "2031-05-25T00:05+09:00", "What did I tell you yesterday?", {GREYHOUND, VET}),
        ("UTC", "2031-05-24T10:00+00:00", "What did I tell you yesterday?", {GREYHOUND, VET}),
        ("UTC", "2031-05-24T10:00+00:00", "What did I tell you today?", set()),
        ("America/New_York", "2031-05-23T21:00-04:00", "What did I tell you today?", {GREYHOUND, VET}),
        ("UTC", "2031-05-30T10:00+00:00", "What did I tell you last week?", {GREYHOUND, VET}),
        ("UTC", "2031-05-30T10:00+00:00", "What did I tell you three days ago?", set()),
        ("UTC", "2031-05-30T10:00+00:00", "What did I tell you four days ago?", {COUGH}),
    ],
)
def test_the_days_of_a_question_are_counted_in_the_askers_zone_from_the_day_it_is_asked_for(
    zone: str, asked_at: str, query: str, found: set[str], words: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(words, monkeypatch, zone=zone)
    assert dated(words, query, as_of=datetime.fromisoformat(asked_at)) == found


def test_yesterday_asked_years_later_is_not_the_yesterday_of_the_message(
    words: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(words, monkeypatch, zone="UTC")
    assert when(words, "What did I adopt yesterday?").startswith("when: 2034-09-29 until before 2034-09-30")
    assert dated(words, "What did I adopt yesterday?") == set()
    found = words.recall("acme", "mira", "What did I adopt yesterday?")
    assert {GREYHOUND, OTHER_YEAR} <= {each.text for each in found}, "found by its words, and dated by its own time"
    assert {each.event_time for each in found if each.text == GREYHOUND} == {SAID.astimezone(UTC)}


def test_messages_of_two_years_in_one_run_are_told_apart_by_their_own_times(
    words: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(words, monkeypatch, zone="Asia/Tokyo")
    assert dated(words, "What did I adopt in May 2031?") == {COUGH, GREYHOUND, VET}
    assert dated(words, "What did I adopt in 2032?") == {OTHER_YEAR}
    assert dated(words, "What did I adopt two years ago?") == {OTHER_YEAR}
    assert dated(words, "What did I adopt in 2034?") == set()
    tokyo = ZoneInfo("Asia/Tokyo")
    assert SAID.astimezone(tokyo).day == 24
    assert dated(words, "What did I say on 24 May 2031?") == {GREYHOUND, VET}
    assert dated(words, "What did I say on 23 May 2031?") == set()
