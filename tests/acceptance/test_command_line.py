"""A life of a Daybook, from the command line, through real servers and real workers."""

from __future__ import annotations

import json
import os
import signal
import urllib.request
from typing import Any

import pytest

from tests.acceptance.conftest import PATIENCE_S, Daybook, until

ME = ("--tenant", "acme", "--user", "mira")
RUN = {
    "run_id": "run-7",
    "messages": [
        {"id": "m1", "role": "user", "ts": "2026-03-01T09:00:00+00:00", "text": "I keep two beehives on the roof."},
        {"id": "m2", "role": "assistant", "ts": "2026-03-01T09:00:05+00:00", "text": "Lovely. Which bees are they?"},
        {"id": "m3", "role": "user", "ts": "2026-03-01T09:01:00+00:00", "text": "Buckfast bees, and they are gentle."},
        {"id": "m4", "role": "user", "ts": "2026-03-01T09:02:00+00:00", "text": "  "},
    ],
}


def _waiting(daybook: Daybook) -> int:
    found = daybook.json("status")
    return sum(each["runs"] for each in found["progress"]["backlog"] if each["state"] == "waiting")


def _running(daybook: Daybook, code: int | None = 0) -> dict[str, bool]:
    found = daybook.json("status", code=code)
    return {each["name"]: each["running"] for each in (*found["services"], *found["processes"])}


def test_from_up_to_down(daybook: Daybook) -> None:
    found = daybook.json("up")
    assert all(each["running"] for each in (*found["services"], *found["processes"]))
    pids = {each["name"]: each["pid"] for each in found["processes"]}
    assert set(pids) == {"append", "gate", "extract", "index", "quick", "cold", "model", "beat", "health"}

    again = daybook.json("up")
    assert {each["name"]: each["pid"] for each in again["processes"]} == pids

    (receipt,) = daybook.json("observe", "-", *ME, feed=json.dumps(RUN))["receipts"]
    assert (receipt["run_id"], receipt["outcome"], receipt["counts"]["messages"]) == ("run-7", "accepted", 4)
    until(lambda: _waiting(daybook) == 0, "all stages done")

    bundle = daybook.json("recall", "Where are the beehives?", *ME, "--explain")
    assert bundle["verdict"] == "supported"
    assert bundle["degraded"] == []
    best = bundle["hits"][0]
    assert best["sources"][0]["message_id"] == "m1"
    assert "I keep two beehives on the roof." in bundle["text"]
    assert any("meaning" in item["scores"] for item in bundle["items"])

    assert daybook.json("recall", "Where are the beehives?", "--tenant", "acme", "--user", "oz")["items"] == []

    history = daybook.json("receipts", "run-7", *ME)
    assert [each["stage"] for each in history["receipts"]] == [
        "observe",
        "append",
        "gate",
        "extract",
        "resolve",
        "index",
    ]
    assert history["deliveries"][0]["state"] == "done"
    assert {each["message_id"]: each["action"] for each in history["decisions"]}["m4"] == "ignore"
    assert "no run 'run-8'" in daybook.json("receipts", "run-8", *ME, code=2)["error"]["message"]

    verified = daybook.json("verify")
    assert verified["sound"]
    assert sum(each["events"] for each in verified["streams"]) >= 5

    doctor = daybook.json("doctor")
    assert doctor["healthy"], doctor
    assert {"pgvector", "schema", "login", "roles", "broker", "broker eviction", "embedding model"} <= {
        check["name"] for check in doctor["checks"]
    }

    assert daybook.json("health")["healthy"]
    with urllib.request.urlopen(daybook.json("status")["health_url"], timeout=30) as answer:
        document = json.load(answer)
    assert (answer.status, [each["stage"] for each in document["stages"]]) == (
        200,
        ["append", "gate", "extract", "resolve", "index"],
    )

    for command in (
        ("status",),
        ("health",),
        ("receipts", "run-7", *ME),
        ("recall", "beehives", *ME, "--explain"),
        ("verify",),
    ):
        shown = daybook.run(*command)
        assert shown.strip()
        assert "\x1b" not in shown

    ended = daybook.json("down")
    assert {each["name"] for each in ended["processes"]} == set(pids)
    assert daybook.running() == []
    assert daybook.json("down") == {"processes": [], "services": []}
    assert not any(_running(daybook).values())


def test_what_was_accepted_while_nothing_ran_is_done_after_up(daybook: Daybook) -> None:
    process = daybook.begin("observe", "-", *ME)
    _, err = process.communicate(json.dumps(RUN), timeout=60)
    assert process.returncode == 0
    assert "daybook up" in err
    assert daybook.running() == []
    assert daybook.json("recall", "Where are the beehives?", *ME)["items"], "the fresh tail has it"
    daybook.run("up")
    until(lambda: _waiting(daybook) == 0, "the waiting run is done")


def test_three_first_starts_at_once_all_go_through(daybook: Daybook) -> None:
    path = daybook.folder / "run.json"
    path.write_text(json.dumps(RUN), encoding="utf-8-sig")
    begun = [daybook.begin("observe", str(path), *ME, "--inline", "--run-id", f"run-{number}") for number in range(3)]
    ends = [process.communicate(timeout=PATIENCE_S) for process in begun]
    assert [process.returncode for process in begun] == [0, 0, 0], ends
    assert daybook.running() == []


def test_two_ups_at_once_are_one_and_what_dies_then_is_told(daybook: Daybook) -> None:
    begun = [daybook.begin("up") for _ in range(2)]
    ends = [process.communicate(timeout=PATIENCE_S) for process in begun]
    assert [process.returncode for process in begun] == [0, 0], ends
    found = daybook.json("status")
    assert all(each["running"] for each in (*found["services"], *found["processes"]))
    assert found["advice"] == []

    pids = {each["name"]: each["pid"] for each in (*found["services"], *found["processes"])}
    os.kill(pids["beat"], signal.SIGKILL)
    until(lambda: not _running(daybook, code=None)["beat"], "beat is dead")
    os.kill(pids["broker"], signal.SIGKILL)
    until(lambda: not _running(daybook, code=None)["broker"], "the broker is dead")
    beat, broker = daybook.json("status", code=1)["advice"]
    assert "beat has died" in beat
    assert "the embedded broker has died: run `daybook up`" in broker


def test_inline_needs_no_worker(daybook: Daybook) -> None:
    daybook.run("observe", "-", *ME, "--inline", feed=json.dumps(RUN))
    history = daybook.json("receipts", "run-7", *ME)
    assert history["receipts"][-1]["stage"] == "index"
    assert daybook.running() == []


def test_several_runs_are_accepted_until_one_does_not_fit(daybook: Daybook) -> None:
    first: dict[str, Any] = RUN | {"run_id": "run-1"}
    second: dict[str, Any] = {"run_id": "run-2", "messages": []}
    feed = "\n".join(map(json.dumps, (first, second)))
    document = daybook.json("observe", "-", *ME, "--inline", feed=feed, code=2)
    assert [receipt["run_id"] for receipt in document["receipts"]] == ["run-1"]
    assert document["error"]["code"] == "InvalidRun"


@pytest.mark.parametrize("moment", ["at the first process", "at the last process"])
def test_after_a_killed_starter_down_leaves_nothing(daybook: Daybook, moment: str) -> None:
    awaited = 1 if moment == "at the first process" else 6
    record = daybook.settings.data_dir / "processes.json"
    starter = daybook.begin("up")
    until(lambda: record.exists() and len(json.loads(record.read_text())) >= awaited, moment)
    os.kill(starter.pid, signal.SIGKILL)
    starter.communicate(timeout=60)
    assert daybook.running(), "workers and servers outlive their starter"
    daybook.run("down")
    assert daybook.running() == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_up_leaves_nothing(daybook: Daybook, number: signal.Signals) -> None:
    record = daybook.settings.data_dir / "processes.json"
    starter = daybook.begin("up")
    until(record.exists, "the first process is started")
    starter.send_signal(number)
    _, err = starter.communicate(timeout=60)
    assert starter.returncode == 128 + number
    assert "Traceback" not in err
    assert daybook.running() == []


def test_damage_is_found_and_placed(daybook: Daybook) -> None:
    import psycopg

    daybook.run("observe", "-", *ME, "--inline", feed=json.dumps(RUN))
    with embedded_owner(daybook) as url, psycopg.connect(url, autocommit=True) as owner:
        owner.execute("set session_replication_role = replica")  # past the triggers, as only a superuser can
        owner.execute("update event_payload set payload = replace(payload, 'two', 'ten') where sequence = 1")
        document = daybook.json("verify", code=1)
    (damaged,) = [each for each in document["streams"] if each["fault"]]
    assert (damaged["stream"], damaged["fault"]["sequence"]) == ("user:mira", 1)
    assert "damaged at event 1" in _errors(daybook, "verify")


def _errors(daybook: Daybook, *arguments: str) -> str:
    return daybook.begin(*arguments).communicate(timeout=60)[1]


def embedded_owner(daybook: Daybook) -> Any:
    from contextlib import contextmanager

    from shared.embedded import hold

    @contextmanager
    def url() -> Any:
        with hold(daybook.settings, broker=False) as endpoints:
            yield endpoints.migrate_url

    return url()
