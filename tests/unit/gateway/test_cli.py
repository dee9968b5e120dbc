from __future__ import annotations

import json
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from uuid import UUID

import click
import pytest

import gateway
from gateway import cli
from gateway.cli import COMMANDS, FAILED, INTERRUPTED, OK, UNREACHABLE, WRONG_INPUT, daybook, exit_code, run
from gateway.status import where
from gateway.terminal import Terminal, counted
from shared.contract.errors import (
    DatabaseUnavailable,
    InvalidRun,
    LedgerDamaged,
    SchemaMismatch,
    ServiceFailed,
)
from shared.contract.receipts import Stage, Work
from shared.contract.scope import Owner
from shared.settings import load, settings
from shared.work.doorbell import Doorbell

ROOT = Path(gateway.__file__).parents[1]
SCOPE = ("--tenant", "acme", "--user", "mira")


@pytest.fixture(autouse=True)
def _no_servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A wrong input is found before anything is started; should one not be, nothing answers here."""
    monkeypatch.setenv("DAYBOOK_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("DAYBOOK_DATABASE_URL", "postgresql://nobody@127.0.0.1:9/none")
    monkeypatch.setenv("DAYBOOK_REDIS_URL", "redis://127.0.0.1:9/0")
    monkeypatch.setenv("DAYBOOK_CONNECT_TIMEOUT_S", "0.2")
    monkeypatch.setenv("DAYBOOK_BROKER_TIMEOUT_S", "0.2")
    settings.cache_clear()
    yield
    settings.cache_clear()


def _command(name: str) -> click.Command:
    found: click.Command | None = daybook
    for each in name.split():
        assert isinstance(found, click.Group)
        found = found.get_command(click.Context(found), each)
    assert found is not None
    return found


def test_the_overview_names_every_command_and_every_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == OK
    shown = capsys.readouterr().out
    for name, (_, short) in COMMANDS.items():
        assert name in shown
        assert short.split(",", maxsplit=1)[0][:30] in shown
    for code in (OK, FAILED, WRONG_INPUT, UNREACHABLE, INTERRUPTED):
        assert f"  {code} " in shown


def test_the_overview_loads_no_rich_no_settings_and_no_driver() -> None:
    code = (
        "import sys; from gateway.cli import run; run(['--help']); "
        "print([name for name in ('rich', 'pydantic', 'psycopg', 'celery', 'kombu', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.splitlines()[-1] == "[]"


def _paths() -> list[str]:
    """What is called, of commands that hold others these: `evaluate memory`."""
    found: list[str] = []
    for name in COMMANDS:
        command = _command(name)
        inner = command.commands if isinstance(command, click.Group) else {}
        found += [f"{name} {each}" for each in inner] or [name]
    return found


@pytest.mark.parametrize("name", _paths())
def test_each_command_has_help_with_json_and_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*name.split(), "--help"]) == OK
    shown = capsys.readouterr().out
    assert "--json" in shown
    assert "Examples:" in shown


@pytest.mark.parametrize("name", _paths())
def test_each_example_in_the_help_is_a_call_that_its_command_takes(name: str, tmp_path: Path) -> None:
    command = _command(name)
    examples = [line.strip() for line in (command.epilog or "").splitlines() if f"daybook {name}" in line]
    assert examples
    (tmp_path / "run.json").touch()
    (tmp_path / "questions.jsonl").touch()
    for example in examples:
        words = shlex.split(example.partition(f"daybook {name}")[2].partition(" < ")[0])
        words = [str(tmp_path / word) if word in ("run.json", "questions.jsonl") else word for word in words]
        command.make_context(name, words, obj=Terminal()).close()


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["recall", "where?"],
        ["recall", "where?", "--tenant", "acme"],
        ["recall", *SCOPE],
        ["recall", "where?", *SCOPE, "--budget", "-1"],
        ["recall", "where?", *SCOPE, "--as-of", "yesterday"],
        ["recall", "where?", *SCOPE, "--k", "0"],
        ["recall", " ", *SCOPE],
        ["recall", "where?", "--tenant", "*", "--user", "mira"],
        ["recall", "where?", "--tenant", "acme", "--user", " "],
        ["observe", "/no/such/file", *SCOPE],
        ["receipts", *SCOPE],
        ["verify", "--user", "mira"],
        ["demo", "--input", "/no/such/file.json"],
        ["demo", "--questions", "0"],
        ["up", "now"],
        ["dead", "nonsense"],
        ["dead", "show", "no-id", "--tenant", "acme"],
        ["dead", "redrive", "--tenant", "acme"],
        ["why", *SCOPE],
        ["why", "bees", "--tenant", "acme"],
        ["history", *SCOPE],
        ["review", "list"],
        ["review", "show", "0f3c9a1b77e2", "--tenant", "acme"],
        ["review", "approve", "0f3c9a1b77e2", *SCOPE],
        ["review", "assign", "0f3c9a1b77e2", *SCOPE],
        ["reindex", "--back"],
        ["reembed", "--back", "--background", "--tenant", "acme"],
    ],
)
def test_wrong_input_exits_2_with_one_clear_line_and_one_document(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == WRONG_INPUT
    shown = capsys.readouterr()
    assert "rror:" in shown.err
    assert "Traceback" not in shown.err
    assert run([*arguments, "--json"]) == WRONG_INPUT
    shown = capsys.readouterr()
    assert json.loads(shown.out)["error"]["message"]
    assert "Traceback" not in shown.err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "nothing to read"),
        ("hello", "no JSON"),
        ('{"messages": [{"text": "no id"}]}', "run_id"),
    ],
)
def test_a_file_that_is_no_run_exits_2(
    content: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.json"
    path.write_text(content)
    assert run(["observe", str(path), *SCOPE]) == WRONG_INPUT
    assert says in capsys.readouterr().err


def test_observe_without_its_database_exits_3_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.json"
    path.write_text('{"run_id": "r", "messages": [{"text": "I keep two beehives."}]}')
    assert run(["observe", str(path), *SCOPE, "--json"]) == UNREACHABLE
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["code"] == "DatabaseUnavailable"
    assert "refused" in error["message"]


def test_recall_without_its_database_answers_degraded_and_exits_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["recall", "Where are the beehives?", *SCOPE, "--json"]) == UNREACHABLE
    bundle = json.loads(capsys.readouterr().out)
    assert bundle["verdict"] == "unknown"
    assert "database" in bundle["degraded"]


def test_status_without_its_servers_says_what_is_down_and_exits_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["status", "--json"]) == UNREACHABLE
    found = json.loads(capsys.readouterr().out)
    assert [service["running"] for service in found["services"]] == [False, False]
    assert all(service["problem"] for service in found["services"])
    assert not any(process["running"] for process in found["processes"])


def test_doctor_without_its_servers_says_what_to_do_and_exits_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--json"]) == FAILED
    found = json.loads(capsys.readouterr().out)
    checks = {check["name"]: check for check in found["checks"]}
    assert not found["healthy"]
    assert checks["postgres"]["health"] == checks["broker"]["health"] == "fail"
    assert "DAYBOOK_DATABASE_URL" in checks["postgres"]["advice"]


def test_up_without_its_configured_servers_exits_3_and_starts_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["up"]) == UNREACHABLE
    assert "error:" in capsys.readouterr().err
    assert not (tmp_path / "data" / "processes.json").exists()


def test_down_where_nothing_runs_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["down"]) == OK
    assert "nothing was running" in capsys.readouterr().out


def test_errors_are_told_apart_by_exit_code() -> None:
    assert exit_code(LedgerDamaged()) == FAILED
    assert exit_code(InvalidRun()) == exit_code(SchemaMismatch()) == WRONG_INPUT
    assert exit_code(DatabaseUnavailable()) == exit_code(ServiceFailed()) == UNREACHABLE


def test_settings_that_do_not_fit_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DAYBOOK_POOL_SIZE", "many")
    settings.cache_clear()
    assert run(["status"]) == WRONG_INPUT
    assert "DAYBOOK_POOL_SIZE" in capsys.readouterr().err


def test_ctrl_c_exits_130_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "COMMANDS", {"status": ("gateway.commands.watching", "")})
    monkeypatch.setattr("gateway.commands.watching.status.callback", interrupted)
    monkeypatch.setattr("gateway.commands.watching.status.params", [])
    assert run(["status"]) == INTERRUPTED
    shown = capsys.readouterr()
    assert "interrupted" in shown.err
    assert "Traceback" not in shown.err


def test_debug_shows_the_error_as_it_was_raised() -> None:
    with pytest.raises(ValueError, match="wildcard"):
        run(["recall", "where?", "--tenant", "*", "--user", "mira", "--debug"])


def test_what_is_no_text_on_stdin_is_told_in_one_line() -> None:
    command = [sys.executable, "-m", "gateway", "observe", "-", *SCOPE]
    done = subprocess.run(command, input=b"\xff\x00\x80", capture_output=True, cwd=ROOT, check=False)
    assert done.returncode == WRONG_INPUT
    assert b"no text in UTF-8" in done.stderr
    assert b"Traceback" not in done.stderr


def test_what_the_system_refuses_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused() -> None:
        raise PermissionError(13, "Permission denied", "/somewhere")

    monkeypatch.setattr(cli, "COMMANDS", {"status": ("gateway.commands.watching", "")})
    monkeypatch.setattr("gateway.commands.watching.status.callback", refused)
    monkeypatch.setattr("gateway.commands.watching.status.params", [])
    assert run(["status"]) == WRONG_INPUT
    assert "/somewhere" in capsys.readouterr().err


def test_what_is_counted_stands_in_the_number_it_has() -> None:
    assert [counted(count, "messages") for count in (0, 1, 1200)] == ["0 messages", "1 message", "1,200 messages"]
    assert counted(1, "redacted") == "1 redacted"


@pytest.mark.parametrize(
    "url", ["postgresql://u:pw@h1:5432,h2:5432/d", "sentinel://:pw@h1:26379;sentinel://h2", "redis://:pw@h:1/0"]
)
def test_where_a_server_is_told_without_the_password(url: str) -> None:
    assert "h" in where(url)
    assert "pw" not in where(url)


def test_flushing_waits_for_the_broker_no_longer_than_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    import shared.work.broker  # noqa: F401 - its loading is not what is timed

    configured = load(broker_timeout_s=0.2)
    bell = Doorbell(configured, lambda: "redis://127.0.0.1:9/0")
    hangs = threading.Event()
    monkeypatch.setattr("shared.work.broker.send", lambda *_, **__: hangs.wait(30))
    monkeypatch.setattr("warmpath._door.door", lambda: SimpleNamespace(services=SimpleNamespace(bell=bell)))
    bell.ring(Stage.APPEND, Work(tenant_id="acme", owner=Owner("user:mira"), inbox_id=UUID(int=1)))
    began = time.monotonic()
    assert not gateway.Daybook(configured).flush()
    assert time.monotonic() - began < 3
    hangs.set()
    assert gateway.Daybook(configured).flush(30)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_output_that_cannot_be_written_is_told_in_one_line() -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "gateway", "status", "--json"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, cwd=ROOT, check=False)
    assert done.returncode != OK
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr


def test_why_postgres_does_not_answer_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["receipts", "run-1", *SCOPE, "--json"]) == UNREACHABLE
    message = json.loads(capsys.readouterr().out)["error"]["message"]
    assert message.count("Connection refused") == 1


@pytest.mark.parametrize("command", ["list", "send"])
def test_each_spool_command_shows_examples(capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert run(["spool", command, "--help"]) == OK
    assert f"daybook spool {command} --json" in capsys.readouterr().out
