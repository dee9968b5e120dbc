"""The demonstration, end to end, on a conversation short enough for a test."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from gateway import procfile
from gateway.demo import night
from gateway.demo.believing import shipped
from gateway.demo.corpus import SHIPPED
from tests.acceptance.conftest import Daybook, until

PROCESSES = len(procfile.read())


@pytest.fixture
def short(tmp_path: Path) -> Path:
    """The first sessions of the shipped conversation, with the questions they answer and one that nothing does."""
    whole = json.loads(SHIPPED.read_text(encoding="utf-8"))
    sessions = whole["sessions"][:5]
    known = {message["id"] for session in sessions for message in session["messages"]}
    questions = [each for each in whole["questions"] if set(each["evidence"]) <= known]
    path = tmp_path / "short.json"
    path.write_text(json.dumps(whole | {"sessions": sessions, "questions": questions}), encoding="utf-8")
    return path


def test_it_feeds_asks_and_leaves_nothing_running_twice(daybook: Daybook, short: Path) -> None:
    found = daybook.json("demo", "--input", str(short))
    assert found["complete"]
    assert found["done"] == found["runs"] == 5 + len(shipped().runs) + len(night.shipped())
    assert found["events"] >= found["messages"] > 50
    assert all(answer["bundle"]["degraded"] == [] for answer in found["answers"])
    answerable = [answer for answer in found["answers"] if answer["question"]["evidence"]]
    assert answerable
    assert any(answer["right"] for answer in answerable)
    assert_believed(found["told"])
    assert found["night"]["faults"] == []
    assert daybook.running() == []

    shown = daybook.run("demo", "--input", str(short))
    assert "\x1b" not in shown
    for answer in found["answers"]:
        assert answer["question"]["query"] in shown
    for point in shipped().points:
        assert point.title in shown
    assert "✗ '" not in shown
    assert "runs processed" in shown
    assert shown.rstrip().endswith("everything stopped")
    assert daybook.running() == []
    assert [path.name for path in daybook.settings.data_dir.iterdir()] == ["demo.lock"]


def assert_believed(told: list[dict[str, Any]]) -> None:
    assert [(each["point"]["title"], each["faults"]) for each in told] == [
        (each.title, []) for each in shipped().points
    ]
    address, coffee, room, order, secret, plan = told
    assert held(address) == [
        ("petra lives in Varna.", True),
        ("petra lives in Porto since the week of 2019-09-09.", False),
    ]
    assert "petra lives in Porto since the week of 2019-09-09." in recalled(address["now"])
    assert "petra lives in Varna." in recalled(address["before"])
    assert [len(history["versions"]) for history in address["histories"]] == [2, 1], (
        "Varna was held without an end first"
    )
    assert held(coffee) == [("petra likes coffee.", True), ("petra no longer drinks coffee.", False)]
    assert {text for text, _ in held(room)} == {
        "petra is allergic to walnuts.",
        "luca likes walnuts.",
        "luca is vegetarian.",
    }
    (asked,) = order["whys"]
    assert asked["finding"] == "ignored"
    assert [heard["verdict"]["rule"] for heard in asked["heard"]] == ["injection"]
    redacted, itself = secret["whys"]
    assert "[redacted: api key]" in redacted["heard"][0]["said"]["text"]
    assert itself["finding"] == "unheard"
    assert held(plan) == [("petra travels to Lisbon on 2019-10-12.", False)]


def held(told: dict[str, Any]) -> list[tuple[str, bool]]:
    """The newest version of what a point is about, and whether it has ended."""
    newest = [history["versions"][-1] for history in told["histories"]]
    return [(version["text"], version["valid_to"] is not None) for version in newest]


def recalled(bundle: dict[str, Any]) -> list[str]:
    return [item["text"] for item in bundle["items"]]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_it_leaves_nothing_running(daybook: Daybook, number: signal.Signals) -> None:
    demo = daybook.begin("demo")
    record = daybook.settings.data_dir / "demo" / "processes.json"
    until(lambda: record.exists() and len(json.loads(record.read_text())) == PROCESSES, "all processes are started")
    demo.send_signal(number)
    _, err = demo.communicate(timeout=60)
    assert demo.returncode == 128 + number
    assert "Traceback" not in err
    assert daybook.running() == []


def test_after_a_killed_demonstration_the_next_one_begins_anew_and_ends_clean(daybook: Daybook, short: Path) -> None:
    demo = daybook.begin("demo", "--input", str(short))
    record = daybook.settings.data_dir / "demo" / "processes.json"
    until(lambda: record.exists() and len(json.loads(record.read_text())) == PROCESSES, "all processes are started")
    os.kill(demo.pid, signal.SIGKILL)
    demo.communicate(timeout=60)
    assert daybook.running()
    assert daybook.json("demo", "--input", str(short))["complete"]
    assert daybook.running() == []


def test_a_worker_that_ends_ends_the_demonstration_with_its_last_words(daybook: Daybook) -> None:
    demo = daybook.begin("demo")
    record = daybook.settings.data_dir / "demo" / "processes.json"
    until(lambda: record.exists() and len(json.loads(record.read_text())) == PROCESSES, "all processes are started")
    index = next(each["pid"] for each in json.loads(record.read_text()) if each["name"] == "index")
    os.kill(index, signal.SIGKILL)
    _, err = demo.communicate(timeout=100)
    assert demo.returncode == 3, err
    assert "index (pid" in err
    assert daybook.running() == []


def test_a_second_demonstration_at_once_is_refused(daybook: Daybook) -> None:
    first = daybook.begin("demo")
    until((daybook.settings.data_dir / "demo.lock").exists, "the first one has begun")
    assert "another demonstration" in daybook.json("demo", code=3)["error"]["message"]
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=60)


def test_kept_it_can_be_asked_more_and_is_ended_by_down(daybook: Daybook, short: Path) -> None:
    shown = daybook.run("demo", "--input", str(short), "--keep")
    assert "daybook down" in shown
    place = daybook.settings.model_copy(update={"data_dir": daybook.settings.data_dir / "demo"})
    kept = Daybook(place, daybook.folder)
    bundle = kept.json("recall", "What is the boat called?", "--tenant", "demo", "--user", "haru")
    assert bundle["items"]
    kept.run("down")
    assert daybook.running() == []
