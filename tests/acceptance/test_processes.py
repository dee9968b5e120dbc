"""Starting and ending processes, with plain programs in the place of workers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from gateway import _running, procfile
from gateway.demo import stage
from gateway.lifecycle import require_servers
from gateway.processes import _WAITS, Processes
from gateway.procfile import Entry
from shared import embedded
from shared.contract.errors import ServiceFailed
from shared.embedded import Endpoints
from shared.settings import Settings, load
from tests.acceptance.conftest import until

NOWHERE = Endpoints(database_url="postgresql://x@127.0.0.1:9/x", migrate_url="", redis_url="redis://127.0.0.1:9/0")
STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(600)"
)

Start = Callable[..., Processes]


def _python(name: str, code: str) -> Entry:
    return Entry(name=name, command=(sys.executable, "-c", code))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load(data_dir=tmp_path / "data")


@pytest.fixture
def processes(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    made: list[Processes] = []

    def make(*entries: Entry) -> Processes:
        monkeypatch.setattr(procfile, "read", lambda: entries)
        made.append(Processes(settings))
        return made[-1]

    yield make
    for each in made:
        each.stop(timeout_s=0)


def _pids(settings: Settings) -> Sequence[int]:
    return [each.pid for each in _running.load(settings.data_dir)]


def test_what_was_started_runs_is_found_by_another_and_ends(settings: Settings, processes: Start) -> None:
    one = processes(_python("a", "import time; time.sleep(600)"), _python("b", "import time; time.sleep(601)"))
    states = one.start(NOWHERE)
    assert [(state.name, state.running) for state in states] == [("a", True), ("b", True)]
    pids = _pids(settings)
    other = Processes(settings)
    assert [state.pid for state in other.states()] == pids
    assert [state.name for state in other.stop()] == ["a", "b"]
    assert not any(state.running for state in one.states())
    assert other.stop() == []


def test_it_is_told_the_endpoints_and_no_owner_and_finds_the_interpreters_programs_first(
    settings: Settings, processes: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAYBOOK_MIGRATE_URL", "postgresql://owner@127.0.0.1:9/x")
    out = tmp_path / "env"
    code = f"import os, time; open({str(out)!r}, 'w').write(repr(dict(os.environ))); time.sleep(600)"
    processes(_python("a", code)).start(NOWHERE)
    until(lambda: out.exists() and out.read_text().endswith("}"), "it has written its environment")
    found = out.read_text()
    assert NOWHERE.database_url in found
    assert NOWHERE.redis_url in found
    assert str(settings.data_dir) in found
    assert "MIGRATE_URL" not in found
    assert f"'PATH': '{Path(sys.executable).parent}:" in found


def test_one_that_ends_early_is_told_with_its_last_words_and_the_others_are_ended(
    settings: Settings, processes: Start
) -> None:
    # Without a worker there is nobody to wait for; one that never answers stands for it.
    waits = Entry(
        name="waits",
        command=(sys.executable, "-c", "import time; time.sleep(600)", "worker", "--hostname", "waits@nowhere"),
    )
    fails = _python("fails", "print('one'); raise SystemExit('out of luck')")
    before = set(psutil.pids())
    with pytest.raises(ServiceFailed, match=r"(?s)fails \(pid \d+\) has ended.*one.*out of luck"):
        processes(waits, fails).start(NOWHERE)
    assert not _running.load(settings.data_dir)
    ours = [pid for pid in set(psutil.pids()) - before if _runs(pid, "nowhere")]
    assert ours == []


def test_a_worker_that_never_answers_is_given_up_and_ended(settings: Settings, processes: Start) -> None:
    waits = Entry(
        name="waits",
        command=(sys.executable, "-c", "import time; time.sleep(600)", "worker", "--hostname", "waits@nowhere"),
    )
    with pytest.raises(ServiceFailed, match="no answer from waits"):
        processes(waits).start(NOWHERE, timeout_s=0.2)
    assert not _running.load(settings.data_dir)


def test_that_the_servers_are_gone_is_noticed_before_a_worker_is_blamed(
    settings: Settings, processes: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = Entry(
        name="waits",
        command=(sys.executable, "-c", "import time; time.sleep(600)", "worker", "--hostname", "waits@nowhere"),
    )
    up = embedded.status(settings)
    found = [[replace(each, running=True) for each in up], up]
    monkeypatch.setattr("shared.embedded.status", lambda _: found.pop(0) if len(found) > 1 else found[0])
    with pytest.raises(ServiceFailed, match=r"postgres and valkey was ended while .*call `daybook up` again"):
        processes(waits).start(NOWHERE, timeout_s=600, require_servers=lambda: require_servers(settings))
    assert not _running.load(settings.data_dir)


def test_servers_of_ones_own_are_not_asked_for(settings: Settings) -> None:
    require_servers(settings.model_copy(update={"database_url": "postgresql://x", "redis_url": "redis://x"}))


def test_one_that_does_not_listen_is_killed_with_its_children(settings: Settings, processes: Start) -> None:
    deaf = processes(_python("deaf", STUBBORN))
    deaf.start(NOWHERE)
    log = settings.data_dir / "logs" / "deaf.log"
    until(lambda: "deaf" in log.read_text(), "it has made itself deaf")
    (pid,) = _pids(settings)
    assert [state.name for state in deaf.stop(timeout_s=0.2)] == ["deaf"]
    assert not psutil.pid_exists(pid)


def test_children_that_outlive_a_killed_leader_are_ended(settings: Settings, processes: Start) -> None:
    code = "import os, time; os.fork(); time.sleep(600)"
    one = processes(_python("forks", code))
    one.start(NOWHERE)
    (started,) = _running.load(settings.data_dir)
    until(lambda: len(started.members()) == 2, "it has forked")
    leader = psutil.Process(started.pid)
    leader.kill()
    until(lambda: not any(state.running for state in one.states()), "the leader has ended")
    assert len(started.members()) == 1
    one.stop()
    assert started.members() == []


def test_another_process_of_the_same_pid_is_left_alone(settings: Settings, processes: Start) -> None:
    one = processes(_python("a", "import time; time.sleep(600)"))
    one.start(NOWHERE)
    (started,) = _running.load(settings.data_dir)
    stranger = replace(started, started="another boot 1")
    _running.store(settings.data_dir, [stranger])
    assert not stranger.runs
    assert one.stop(timeout_s=0) == []
    assert started.runs
    _running.store(settings.data_dir, [started])


def test_a_process_whose_starter_is_gone_before_it_was_written_down_ends_by_itself() -> None:
    child = subprocess.Popen(
        ["/bin/sh", "-c", _WAITS, "name", "/", sys.executable, "-c", "print('alive')"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    out, _ = child.communicate(b"", timeout=30)
    assert (child.returncode != 0, out) == (True, b"")


def _runs(pid: int, word: str) -> bool:
    try:
        return any(word in each for each in psutil.Process(pid).cmdline())
    except psutil.Error:
        return False


@pytest.mark.parametrize("shown_by", ["the dead", "the living", "nobody"])
def test_what_a_killed_demonstration_left_running_is_ended_and_no_others(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, shown_by: str
) -> None:
    monkeypatch.setattr(procfile, "read", lambda: (_python("a", "import time; time.sleep(600)"),))
    playing = stage.demo_settings(settings)
    demo = Processes(playing)
    demo.start(NOWHERE)
    stage._mark(playing)
    if shown_by == "the dead":
        (playing.data_dir / "showing.json").write_text('{"pid": 1, "started": "another boot 1"}')
    elif shown_by == "nobody":
        (playing.data_dir / "showing.json").unlink()
    try:
        assert stage.sweep(settings) is (shown_by == "the dead")
        assert [state.running for state in demo.states()] == [shown_by != "the dead"]
        assert playing.data_dir.exists() is (shown_by != "the dead")
    finally:
        demo.stop(timeout_s=0)
