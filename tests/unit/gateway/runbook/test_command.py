"""Scripted agents that are commands: what they are given, what they may say, and how they are ended."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import psutil
import pytest

from gateway.runbook.agents import Ended
from gateway.runbook.answers import DeepVerdict, Failure, Stopped
from gateway.runbook.command import command_agent
from gateway.runbook.configured import agent_for
from shared.contract.errors import Misconfigured
from shared.settings import load

RUN_1 = "streams/0001-user-mira/0001-s1/0001-run-1.md"
FINISH = {"verdict": "supported", "spans": [{"file": RUN_1, "start_line": 5, "end_line": 6}], "answer": "Behind it."}


def script(code: str, *more: str) -> list[str]:
    return [sys.executable, "-I", "-c", code, *more]


def printing(value: object) -> list[str]:
    return script(f"print({json.dumps(value)!r})")


def agent(command: list[str], **environment: str):
    return command_agent(command, lambda: environment)


def test_an_answer_on_stdout_is_an_answer(send):
    ended: Ended = agent(printing(FINISH))(send())
    assert ended.failure is None
    assert ended.stopped is None
    assert ended.finish is not None
    assert (ended.finish.verdict, ended.finish.answer) == (DeepVerdict.SUPPORTED, "Behind it.")
    assert [(each.file, each.start_line, each.end_line) for each in ended.finish.spans] == [(RUN_1, 5, 6)]
    assert ended.used.output_bytes == len(json.dumps(FINISH)) + 1
    assert ended.used.elapsed_s > 0


def told(errand, name: str) -> str:
    return (errand.folder.scratch / name).read_text()


WRITE = "import os, sys, pathlib; here = pathlib.Path(os.environ['HOME'])\n"


@pytest.mark.parametrize(
    "harm",
    ["meter.write_text('none')", "meter.write_text('-9999')", "meter.unlink()"],
    ids=["no number", "less", "gone"],
)
def test_a_command_that_damages_the_meter_has_used_up_its_looks(send, harm):
    code = (
        f"import os, pathlib; meter = pathlib.Path(os.environ['RUNBOOK_METER']); {harm}; print({json.dumps(FINISH)!r})"
    )
    errand = send()
    ended = agent(script(code))(errand)
    assert ended.finish is not None
    assert (ended.used.states, ended.used.read_bytes) == (errand.budget.states, errand.budget.read_bytes)
    assert ended.stopped is Stopped.BYTES


def test_the_question_is_on_stdin_and_the_folder_is_the_working_directory(send):
    errand = send("Where are\nthe hives?")
    code = WRITE + "(here / 'in').write_text(sys.stdin.read()); (here / 'cwd').write_text(os.getcwd())"
    assert agent(script(code))(errand).failure is Failure.NO_JSON
    assert told(errand, "in").startswith("Answer the question below")
    assert told(errand, "in").endswith("Question: Where are\nthe hives?\n")
    assert Path(told(errand, "cwd")) == errand.folder.tree.resolve()


def test_the_question_takes_the_place_of_its_mark_and_no_shell_reads_it(send):
    errand = send("--help; $(touch bad) `x` {question}")
    code = WRITE + "(here / 'in').write_text(repr((sys.argv[1:], sys.stdin.read())))"
    agent(script(code, "{question}", "--ask={question}"))(errand)
    (bare, joined), stdin = eval(told(errand, "in"))
    assert bare.startswith("Answer the question below")
    assert bare.endswith("Question: --help; $(touch bad) `x` {question}")
    assert joined == f"--ask={bare}"
    assert stdin == ""


def test_an_agent_is_given_no_variable_but_those_it_is_to_have(send, monkeypatch, tmp_path):
    for name in ("DAYBOOK_DATABASE_URL", "PGPASSWORD", "OTHER_KEY", "AGENT_KEY"):
        monkeypatch.setenv(name, "secret-of-ours")
    code = WRITE + "import json; (here / 'env').write_text(json.dumps(dict(os.environ)))"
    settings = load(
        deep_command=json.dumps(script(code)), deep_environment="AGENT_KEY, NOT_SET", database_url="postgresql://h/d"
    )
    errand = send()
    agent_for(settings, None)(errand)
    given = json.loads(told(errand, "env"))
    assert given["AGENT_KEY"] == "secret-of-ours"
    assert given["PATH"] == os.environ["PATH"]
    assert given["HOME"] == given["TMPDIR"] == str(errand.folder.scratch)
    known = {"PATH", "HOME", "TMPDIR", "AGENT_KEY", "LANG", "LC_ALL", "LC_CTYPE", "TZ"}
    assert given.keys() <= known | {"RUNBOOK_METER", "RUNBOOK_STATES", "RUNBOOK_BYTES"}


@pytest.mark.parametrize(
    ("command", "failure", "says"),
    [
        (script("import sys; print('[]'); print('no key', file=sys.stderr); sys.exit(1)"), Failure.EXITED, "no key"),
        (script("import os; os.kill(os.getpid(), 9)"), Failure.EXITED, "signal 9"),
        (script("print('I think it is behind the garage.')"), Failure.NO_JSON, "no JSON"),
        (script("print('{} {}')"), Failure.NO_JSON, "no JSON"),
        (script("print('[' * 100_000)"), Failure.NO_JSON, "no JSON"),
        (script("import sys; sys.stdout.buffer.write(bytes(range(128, 256)))"), Failure.NO_JSON, "no JSON"),
        (script("pass"), Failure.NO_JSON, "nothing"),
        (printing([FINISH]), Failure.MISFORMED, "the answer does not fit"),
        (printing(FINISH | {"verdict": "certain"}), Failure.MISFORMED, "verdict"),
        (printing(FINISH | {"spans": [{"file": RUN_1, "start_line": 6, "end_line": 5}]}), Failure.MISFORMED, "before"),
        (printing(FINISH | {"spans": [{"file": RUN_1, "start_line": "5", "end_line": 6}]}), Failure.MISFORMED, "spans"),
        (printing(FINISH | {"spans": [{"file": RUN_1, "start_line": True, "end_line": 6}]}), Failure.MISFORMED, "sp"),
        (printing({"spans": []}), Failure.MISFORMED, "verdict"),
        (["no-such-program-anywhere"], Failure.NOT_STARTED, "cannot be started"),
        (["index.md"], Failure.NOT_STARTED, "cannot be started"),
        (["./index.md"], Failure.NOT_STARTED, "cannot be started"),
    ],
)
def test_what_is_wrong_with_an_agent_is_told_by_name(send, command, failure, says):
    ended = agent(command)(send())
    assert (ended.finish, ended.failure) == (None, failure)
    assert says in ended.reason


def test_an_answer_is_cleaned(send):
    ended = agent(script('print(\'{"verdict": "unknown", "answer": "a\\\\u0000b\\\\u0001"}\')'))(send())
    assert ended.finish is not None
    assert ended.finish.answer == "ab\ufffd"


CHILDREN = """
import os, pathlib, subprocess, sys, time
here = pathlib.Path(os.environ["HOME"])
sleep = [sys.executable, "-I", "-c", "import time; time.sleep(600)"]
ids = [os.getpid(), subprocess.Popen(sleep).pid, subprocess.Popen(sleep, start_new_session=True).pid]
(here / "writing").write_text("\\n".join(map(str, ids)))
(here / "writing").rename(here / "ids")
"""


def are_gone(errand) -> bool:
    ids = [int(each) for each in told(errand, "ids").splitlines()]
    assert len(ids) == 3
    _, alive = psutil.wait_procs([psutil.Process(each) for each in ids if psutil.pid_exists(each)], timeout=10)
    return not [each for each in alive if each.status() != psutil.STATUS_ZOMBIE]


def test_a_hanging_agent_is_ended_at_its_time_with_all_that_it_started(send):
    errand = send(timeout_s=5)
    ended = agent(script(CHILDREN + "time.sleep(600)"))(errand)
    assert (ended.finish, ended.failure, ended.stopped) == (None, None, Stopped.TIME)
    assert "after 5 s" in ended.reason
    assert 5 <= ended.used.elapsed_s < 30
    assert are_gone(errand)


def test_what_an_agent_leaves_running_is_ended_with_it(send):
    errand = send(timeout_s=60)
    code = CHILDREN.replace(", subprocess.Popen(sleep, start_new_session=True).pid", ", os.getpid()")
    ended = agent(script(code + f"print({json.dumps(FINISH)!r})"))(errand)
    assert ended.failure is None
    assert ended.used.elapsed_s < 30
    assert are_gone(errand)


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_an_agent_that_writes_without_end_is_ended(send, stream):
    errand = send(timeout_s=60, output_bytes=10_000)
    ended = agent(script(f"import sys\nwhile True: sys.{stream}.write('x' * 1000)"))(errand)
    assert (ended.failure, ended.stopped) == (None, Stopped.OUTPUT)
    assert ended.used.output_bytes <= 20_000
    assert ended.used.elapsed_s < 30


LOOKING = """
import json, subprocess, sys
for _ in range(5):
    subprocess.run([sys.executable, "-I", "search.py", "garage"], check=False, capture_output=True)
print(json.dumps({"verdict": "unknown"}))
"""


def test_looks_by_way_of_the_helper_are_counted_and_bounded(send):
    ended = agent(script(LOOKING))(send(states=3))
    assert (ended.used.states, ended.stopped, ended.failure) == (3, Stopped.STATES, None)
    assert ended.finish is not None
    ended = agent(script(LOOKING))(send(read_bytes=100))
    assert (ended.used.read_bytes, ended.used.states, ended.stopped) == (100, 1, Stopped.BYTES)
    ended = agent(script(LOOKING))(send(states=9))
    assert (ended.used.states, ended.stopped) == (5, None)


def test_no_agent_is_a_clear_error():
    with pytest.raises(Misconfigured, match="DAYBOOK_DEEP_COMMAND"):
        agent_for(load(), None)


@pytest.mark.parametrize("value", ["agent --print", "[]", '"agent"', '["agent", 1]', '[" "]', '["a\\u0000b"]', "["])
def test_a_command_that_is_no_list_of_words_is_refused(value):
    with pytest.raises(Misconfigured, match=r"DAYBOOK_DEEP_COMMAND: .*JSON list"):
        load(deep_command=value)


@pytest.mark.parametrize("value", ["DAYBOOK_DATABASE_URL", "HOME, daybook_redis_url", "A-B", "HOME;x", "Ä"])
def test_an_agent_is_never_given_daybooks_own_variables(value):
    with pytest.raises(Misconfigured, match="DAYBOOK_DEEP_ENVIRONMENT"):
        load(deep_environment=value)
