"""The helper beside the files, as an agent runs it: by itself, with nothing installed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from gateway.runbook import search
from gateway.runbook.folder import Folder

RUN_1 = "streams/0001-user-mira/0001-s1/0001-run-1.md"
RUN_2 = "streams/0001-user-mira/0001-s1/0002-run-2.md"


@pytest.fixture
def folder(send) -> Folder:
    return send().folder


def call(folder: Folder, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "search.py", *arguments],
        cwd=folder.tree,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def spans(folder: Folder, *arguments: str) -> list[str]:
    done = call(folder, *arguments)
    assert done.returncode == 0, done.stderr
    return [line.split()[0] for line in done.stdout.splitlines()]


def test_it_explains_itself(folder):
    shown = call(folder, "--help").stdout
    for option in ("--speaker", "--since", "--until", "--limit", "--open", "words"):
        assert option in shown


def test_words_find_spans_and_rare_words_come_first(folder):
    assert spans(folder, "garage") == [f"{RUN_1}:5-6", f"{RUN_1}:8-9"]
    assert spans(folder, "garage", "BEEHIVES")[0] == f"{RUN_1}:5-6"
    assert spans(folder, "swarmed") == [f"{RUN_2}:5-7"]
    assert spans(folder, "box", "--limit", "1") == [f"{RUN_2}:5-7"]


def test_nothing_found_says_so(folder):
    assert call(folder, "piano").stdout == "nothing fits\n"


def test_speaker_and_days_narrow_the_search(folder):
    assert spans(folder, "--speaker", "mira") == [f"{RUN_1}:5-6"]
    assert spans(folder, "garage", "--speaker", "assist") == [f"{RUN_1}:8-9"]
    assert spans(folder, "--since", "2025-03-06", "--until", "2025-03-06") == [f"{RUN_1}:8-9"]
    assert spans(folder, "--until", "2025-03-06") == [f"{RUN_1}:5-6", f"{RUN_1}:8-9"]


def test_lines_are_opened_by_number(folder):
    shown = call(folder, "--open", f"{RUN_2}:5-7").stdout.splitlines()
    assert shown[0].startswith('5\t@ 2025-03-07T18:30:00Z "user" role=user from=user')
    assert shown[1:] == ["6\t> The bees swarmed.", "7\t> We caught them in a box."]
    assert call(folder, "--open", f"{RUN_2}:6").stdout == "6\t> The bees swarmed.\n"


@pytest.mark.parametrize(
    "span", ["nowhere.md:1-2", f"{RUN_1}:900-901", f"{RUN_1}:3-1", f"{RUN_1}:0", "../looks:1", "/etc/hosts:1", "", "x"]
)
def test_lines_that_are_not_there_are_refused(folder, span):
    done = call(folder, "--open", span)
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("arguments", [["--since", "yesterday"], ["--limit", "x"], ["--nonsense"]])
def test_wrong_arguments_exit_2(folder, arguments):
    assert call(folder, *arguments).returncode == 2


def test_it_counts_looks_and_gives_nothing_beyond_the_budget(folder):
    meter = folder.scratch / "looks"
    meter.touch()
    environment = {"RUNBOOK_METER": str(meter), "RUNBOOK_STATES": "2", "RUNBOOK_BYTES": "100000"}
    sizes = [len(call(folder, "garage", **environment).stdout.encode()) for _ in range(2)]
    assert search.read_meter(meter) == (2, sum(sizes))
    done = call(folder, "garage", **environment)
    assert (done.returncode, done.stdout) == (search.SPENT, "")
    assert "used up" in done.stderr


def test_it_gives_no_byte_beyond_the_budget(folder):
    meter = folder.scratch / "looks"
    meter.touch()
    environment = {"RUNBOOK_METER": str(meter), "RUNBOOK_STATES": "9", "RUNBOOK_BYTES": "30"}
    assert len(call(folder, "garage", **environment).stdout.encode()) == 30
    assert call(folder, "garage", **environment).returncode == search.SPENT


@pytest.mark.parametrize("damage", ["many\n", "3\n-3\n", "3\n\n", None], ids=repr)
def test_a_meter_that_is_gone_or_damaged_counts_as_spent(folder, damage):
    meter = folder.scratch / "looks"
    if damage is not None:
        meter.write_text(damage)
    assert search.read_meter(meter) is None
    environment = {"RUNBOOK_METER": str(meter), "RUNBOOK_STATES": "9", "RUNBOOK_BYTES": "100000"}
    assert call(folder, "garage", **environment).returncode == search.SPENT
