"""S17: machines whose clocks are twenty minutes ahead and behind write one ledger, in one order."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import hotpath
from shared.settings import Settings, settings
from tests.cases.adapter import Words, said, scope
from tests.cases.beliefs import beliefs, history, now_true

ROOT = Path(__file__).parents[2]
AHEAD, BEHIND = 1_200, -1_200
ELEVEN = said("The gate code is 11.", "m1", ts="2025-03-04T09:00Z")
TWENTY_TWO = said("The gate code is 22.", "m2", ts="2025-03-04T09:05Z")


def process(seconds: float, doing: str, **arguments: Any) -> Any:
    """What a process with such a clock prints."""
    done = subprocess.run(
        [
            *(sys.executable, str(Path(__file__).parent / "process_with_a_clock.py")),
            *(str(seconds), doing, json.dumps(arguments)),
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def test_s17_the_ledger_has_one_order_and_message_times_say_what_is_later(words: Words, environment: Settings) -> None:
    clocks = [
        datetime.fromisoformat(process(seconds, "observe", run_id=run_id, messages=[message])["clock"])
        for seconds, run_id, message in [(AHEAD, "run-a", ELEVEN), (BEHIND, "run-b", TWENTY_TWO)]
    ]
    assert clocks[0] - clocks[1] > timedelta(minutes=35)

    first, second = words.evidence("acme", "mira")
    assert [first.payload["text"], second.payload["text"]] == [ELEVEN["text"], TWENTY_TWO["text"]]
    assert first.occurred_at < second.occurred_at
    events = words.ledger("acme", "mira")
    assert [event.sequence for event in events] == [1, 2, 3, 4]
    now = datetime.now(UTC)
    for one, other in pairwise(events):
        assert one.recorded_at <= other.recorded_at <= now, "the server's time, of which no worker has another"

    for seconds in (0, AHEAD, BEHIND):
        found = process(seconds, "recall", query="what is the gate code?")
        assert found["degraded"] == []
        by_time = sorted(found["hits"], key=lambda hit: hit["at"])
        assert [hit["text"] for hit in by_time] == [ELEVEN["text"], TWENTY_TWO["text"]], "neither lies in the future"
        assert all(math.isfinite(hit["score"]) and 0 <= hit["score"] <= 1 for hit in found["hits"])
    known = hotpath.recall(scope("acme", "mira", {}), "gate code", known_at=now, deadline_ms=30_000)
    assert len(known.hits) == 2


def test_s17_a_runs_receipts_and_its_lease_are_by_the_servers_clock(words: Words, environment: Settings) -> None:
    before = datetime.now(UTC)
    process(AHEAD, "observe", run_id="run-a", messages=[ELEVEN])
    process(BEHIND, "observe", run_id="run-b", messages=[TWENTY_TWO])
    for run_id in ("run-a", "run-b"):
        found = words.receipts("acme", "mira", run_id)
        assert [receipt.stage for receipt in found] == ["observe", "append", "gate", "index"]
        for receipt in found[1:]:
            assert before <= receipt.started_at <= receipt.finished_at <= datetime.now(UTC)
    within = "select bool_and(accepted_at >= %s and changed_at <= now()) from inbox"
    assert words.owner.execute(within, [before]).fetchone() == (True,)


@pytest.mark.parametrize("seconds", [AHEAD, BEHIND])
def test_s17_what_was_said_without_a_time_is_recalled_under_every_clock(
    words: Words, environment: Settings, seconds: float
) -> None:
    process(seconds, "observe", run_id="run-a", messages=[said("The gate code is 11.", "m1")])
    for asker in (0, -seconds):
        assert len(process(asker, "recall", query="gate code")["hits"]) == 1


@pytest.mark.parametrize("first", ["fast", "slow"])
def test_s17_the_later_message_wins_whichever_clock_is_ahead_and_whichever_arrives_first(
    words: Words, reading: Settings, first: str
) -> None:
    told = [(AHEAD, "run-a", ELEVEN), (BEHIND, "run-b", TWENTY_TWO)]
    for seconds, run_id, message in reversed(told) if first == "slow" else told:
        process(seconds, "observe", run_id=run_id, messages=[message])
    (current,) = now_true(words, "acme", "mira", "gate code")
    assert "22" in current
    held = beliefs(words, "acme", "mira", "gate code")
    (old,) = [row for row in held if "11" in row["text"]]
    (new,) = [row for row in held if "22" in row["text"]]
    assert old["valid_to"] == new["valid_from"] == datetime(2025, 3, 4, 9, 5, tzinfo=UTC)
    for row in (old, new):
        assert history("acme", "mira", row["memory_id"]).versions[0].text == row["text"]
    for seconds in (0, AHEAD, BEHIND):
        hits = process(seconds, "recall", query="what is the gate code?")["hits"]
        assert {hit["text"] for hit in hits} >= {current}
        assert all(math.isfinite(hit["score"]) and 0 <= hit["score"] <= 1 for hit in hits)


@pytest.mark.parametrize("seconds", [AHEAD, BEHIND])
def test_s17_a_message_from_the_next_twenty_minutes_is_believed_at_once(
    words: Words, reading: Settings, seconds: float
) -> None:
    """Its sender's clock is ahead of ours: what it says is so, and does not wait for its time to come."""
    at = datetime.now(UTC) + timedelta(seconds=seconds)
    told = said("The gate code is 33.", "m3", ts=at.isoformat())
    process(seconds, "observe", run_id="run-c", messages=[told])
    assert now_true(words, "acme", "mira", "gate code") == ["The gate code is 33."]
    for clock_s in (0, AHEAD, BEHIND):
        hits = process(clock_s, "recall", query="what is the gate code?")["hits"]
        assert {hit["text"] for hit in hits} == {"The gate code is 33."}
        assert all(math.isfinite(hit["score"]) and 0 <= hit["score"] <= 1 for hit in hits)
    assert settings().extraction
