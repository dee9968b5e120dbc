"""What `daybook status` asks somebody to see to."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from gateway import _running, procfile
from gateway.processes import Processes, State
from gateway.reports import ServiceState
from gateway.status import _on_the_dead
from shared.settings import load

LOG = Path("/data/logs/append.log")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def _process(*, running: bool = False, died: bool = False) -> State:
    return State(name="append", running=running, pid=None, since=None, log=LOG, died=died)


def _service(*, running: bool, embedded: bool = True) -> ServiceState:
    return ServiceState(name="broker", embedded=embedded, running=running, where="")


def test_a_process_that_died_is_told_with_its_log_and_what_to_do() -> None:
    (line,) = _on_the_dead([_service(running=True)], [_process(died=True)])
    assert line == f"append has died: read {LOG}, then run `daybook up`"


def test_an_embedded_server_that_died_under_its_processes_is_told() -> None:
    (line,) = _on_the_dead([_service(running=False)], [_process(running=True)])
    assert "embedded broker has died" in line


@pytest.mark.parametrize(
    ("service", "process"),
    [
        (_service(running=False), _process()),
        (_service(running=True), _process(running=True)),
        (_service(running=False, embedded=False), _process(running=True)),
    ],
)
def test_what_nobody_started_or_what_runs_is_no_matter(service: ServiceState, process: State) -> None:
    assert list(_on_the_dead([service], [process])) == []


def test_a_process_that_was_started_and_runs_no_more_has_died(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = (procfile.Entry(name="append", command=("celery",)), procfile.Entry(name="gate", command=("celery",)))
    monkeypatch.setattr(procfile, "read", lambda: entries)
    gone = _running.Started(
        name="append", pid=2**22 + 1, started="never", since=NOON, command=("celery",), log=LOG, offset=0
    )
    _running.store(tmp_path, [gone])
    states = Processes(load(data_dir=tmp_path)).states()
    assert [(each.name, each.running, each.died) for each in states] == [
        ("append", False, True),
        ("gate", False, False),
    ]
