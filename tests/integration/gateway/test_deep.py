"""Deep questions on real memories: whose they are, what may be cited, and what an agent cannot get away with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from gateway import Daybook, lifecycle
from gateway.cli import FAILED, OK, WRONG_INPUT, run
from gateway.runbook import Budget, DeepVerdict, Failure, Finish, Party, Search, Span, Stopped, Turn
from gateway.runbook.folder import place_in
from gateway.runbook.loop import Action
from gateway.runbook.stale import sweep
from shared.contract.errors import InvalidQuery, InvalidScope, Misconfigured
from shared.contract.scope import Scope
from shared.settings import Settings, settings
from shared.testing import HashEmbedder

ME = ("--tenant", "acme", "--user", "mira")
MIRA = Scope(tenant_id="acme", user_id="mira")
OSKAR = Scope(tenant_id="acme", user_id="oskar-the-other")
HIVES = "I keep two beehives behind the garage."
CODE = "My locker has the number 4471."
OTHERS = "The ferry to Hvar leaves at 09:40."
UNKNOWN = Finish(verdict=DeepVerdict.UNKNOWN)

Model = Callable[[Sequence[Turn]], Action]


@pytest.fixture(autouse=True)
def _filled(environment: Settings, embedder: HashEmbedder) -> None:
    with Daybook() as daybook:
        daybook.observe(
            MIRA, [{"role": "user", "ts": "2025-03-04T18:30:00Z", "text": HIVES}], run_id="run-1", inline=True
        )
        daybook.observe(MIRA, [{"role": "user", "text": CODE}], run_id="run-2", inline=True)
        daybook.observe(OSKAR, [{"role": "user", "text": OTHERS, "speaker": "Oskar"}], run_id="oskars-run", inline=True)


def folders() -> Path:
    return place_in(settings().data_dir)


def everything(scope: Scope, **bounds: Any) -> str:
    """All names and contents of the files that a model of this scope could look at."""
    found: list[str] = []

    def model(_turns: Sequence[Turn]) -> Action:
        for path in sorted(folders().glob("*/tree/**/*")):
            found.append(str(path.relative_to(folders()).parts[1:]))
            if path.is_file():
                found.append(path.read_text())
        return UNKNOWN

    with Daybook() as daybook:
        daybook.deep(scope, "what?", model=model, budget=Budget(**bounds))
    return "\n".join(found)


def citing(word: str, verdict: DeepVerdict = DeepVerdict.SUPPORTED, answer: str | None = None) -> Model:
    """A model that looks for a word and cites what it found first."""

    def model(turns: Sequence[Turn]) -> Action:
        if turns[-1].party is Party.TASK:
            return Search(words=(word,))
        file, _, lines = turns[-1].text.split()[0].partition(":")
        start, end = map(int, lines.split("-"))
        return Finish(verdict=verdict, spans=(Span(file=file, start_line=start, end_line=end),), answer=answer)

    return model


def saying(finish: Finish) -> Model:
    return lambda _turns: finish


def test_a_cited_span_comes_back_as_the_memory_with_its_evidence():
    with Daybook() as daybook:
        found = daybook.deep(MIRA, "Where are the hives?", model=citing("beehives", answer="Behind the garage."))
        (item,) = [each for each in daybook.recall(MIRA, "beehives").items if each.text == HIVES]
    assert (found.verdict, found.failure, found.stopped) == (DeepVerdict.SUPPORTED, None, None)
    assert found.answer == "Behind the garage."
    (span,) = found.spans
    (evidence,) = span.evidence
    assert (evidence.memory_id, evidence.text, evidence.event_time) == (item.memory_id, HIVES, item.event_time)
    assert evidence.sources == item.sources
    assert (evidence.speaker, evidence.run_id, evidence.session_id) == ("user", "run-1", "run-1")
    assert (found.used.states, found.left_out.of, found.left_out.memories) == (1, 2, 0)
    assert found.folder is None


def test_the_files_hold_nothing_of_anybody_else_not_even_in_a_name():
    mine, others = everything(MIRA), everything(OSKAR)
    assert HIVES in mine
    assert CODE in mine
    for word in (OTHERS, "Hvar", "oskar", "Oskar"):
        assert word not in mine
    assert OTHERS in others
    for word in (HIVES, CODE, "mira", "run-1"):
        assert word not in others


def test_another_tenants_user_of_the_same_name_has_files_of_their_own():
    assert "messages of 0" in _index(Scope(tenant_id="other", user_id="mira"))


def _index(scope: Scope) -> str:
    with Daybook() as daybook:
        found = daybook.deep(scope, "what?", model=saying(UNKNOWN), keep=True)
    assert found.folder is not None
    return (found.folder / "index.md").read_text()


def test_rooms_and_what_the_tenant_shares_are_there_as_recall_sees_them():
    with Daybook() as daybook:
        everybody = Scope.tenant_wide("acme")
        daybook.observe(everybody, [{"text": "The office is shut on Fridays."}], run_id="t1", inline=True)
        daybook.observe(
            OSKAR,
            [{"text": "We meet in the kitchen."}],
            run_id="r1",
            room="den",
            participants=["mira", OSKAR.user_id],
            inline=True,
        )
        daybook.observe(OSKAR, [{"text": "A secret of the attic."}], run_id="r2", room="attic", inline=True)
    mine = everything(MIRA)
    assert "The office is shut on Fridays." in mine
    assert "We meet in the kitchen." in mine
    assert "attic" not in mine
    assert "Hvar" not in mine


def test_what_was_forgotten_is_not_in_the_files():
    with Daybook() as daybook:
        (item,) = [each for each in daybook.recall(MIRA, "locker code").items if each.text == CODE]
        daybook.forget(MIRA, item.memory_id)
    mine = everything(MIRA)
    assert "4471" not in mine
    assert "run-2" not in mine
    assert HIVES in mine


def test_what_is_no_longer_held_is_not_in_the_files(owner: psycopg.Connection):
    closing = "closed_at = recorded_at, closed_reason = 'supersede', closed_by = opened_by + 1"
    owner.execute(f"update memory set {closing} where text = %s".encode(), [CODE])
    mine = everything(MIRA)
    assert "4471" not in mine
    assert "1 messages of 1" in mine


def test_forgetting_wins_over_a_search_under_way():
    with Daybook() as daybook:
        (item,) = [each for each in daybook.recall(MIRA, "locker code").items if each.text == CODE]

        def model(turns: Sequence[Turn]) -> Action:
            if turns[-1].party is not Party.TASK:
                daybook.forget(MIRA, item.memory_id)
            return citing("beehives", answer="The number is 4471.")(turns)

        found = daybook.deep(MIRA, "What is the code?", model=model)
    assert (found.verdict, found.failure, found.spans, found.answer) == ("unknown", Failure.FORGOTTEN, (), None)
    assert "4471" not in repr(found)


def test_the_same_memories_are_the_same_files():
    assert everything(MIRA) == everything(MIRA)


@pytest.mark.parametrize(
    ("finish", "failure"),
    [
        (Finish(verdict=DeepVerdict.SUPPORTED, answer="made up"), Failure.WITHOUT_EVIDENCE),
        (
            Finish(verdict=DeepVerdict.SUPPORTED, spans=(Span(file="index.md", start_line=1, end_line=2),)),
            Failure.NO_SUCH_SPAN,
        ),
        (
            Finish(verdict=DeepVerdict.UNKNOWN, spans=(Span(file="streams/x.md", start_line=1, end_line=1),)),
            Failure.NO_SUCH_SPAN,
        ),
    ],
)
def test_an_answer_that_rests_on_nothing_is_void(finish: Finish, failure: Failure):
    with Daybook() as daybook:
        found = daybook.deep(MIRA, "Where?", model=saying(finish))
    assert (found.verdict, found.failure, found.spans, found.answer) == (DeepVerdict.UNKNOWN, failure, (), None)


def test_a_contradiction_needs_two_messages():
    with Daybook() as daybook:
        found = daybook.deep(MIRA, "Where?", model=citing("beehives", DeepVerdict.CONFLICTING))
    assert (found.verdict, found.failure) == (DeepVerdict.UNKNOWN, Failure.WITHOUT_EVIDENCE)


def test_an_answer_holds_no_more_memories_than_it_may():
    with Daybook() as daybook:
        daybook.observe(MIRA, [{"text": f"Note {n} on bees."} for n in range(5)], run_id="run-3", inline=True)

        def model(turns: Sequence[Turn]) -> Action:
            if turns[-1].party is Party.TASK:
                return Search(words=("note",))
            places = [line.split()[0].partition(":") for line in turns[-1].text.splitlines()]
            whole = [Span(file=file, start_line=int(at.split("-")[0]), end_line=int(at.split("-")[1]))
                     for file, _, at in places]  # fmt: skip
            return Finish(verdict=DeepVerdict.SUPPORTED, spans=tuple(whole))

        cut = daybook.deep(MIRA, "Which notes?", model=model, budget=Budget(cited=3))
        wide = daybook.deep(MIRA, "Which notes?", model=_wide, budget=Budget(cited=3))
    assert (cut.verdict, cut.stopped, len(cut.spans)) == (DeepVerdict.SUPPORTED, Stopped.CITED, 3)
    assert (wide.verdict, wide.stopped, wide.spans) == (DeepVerdict.UNKNOWN, Stopped.CITED, ())


def _wide(turns: Sequence[Turn]) -> Action:
    if turns[-1].party is Party.TASK:
        return Search(words=("note",))
    file = turns[-1].text.partition(":")[0]
    return Finish(verdict=DeepVerdict.SUPPORTED, spans=(Span(file=file, start_line=1, end_line=18),))


def test_nobody_is_asked_where_there_is_nothing_to_search():
    def model(_turns: Sequence[Turn]) -> Action:
        raise AssertionError

    with Daybook() as daybook:
        found = daybook.deep(Scope(tenant_id="acme", user_id="new"), "Where?", model=model)
    assert (found.verdict, found.failure) == (DeepVerdict.UNKNOWN, None)
    assert found.reason == "there is nothing to search"


def test_what_does_not_fit_is_said():
    with Daybook() as daybook:
        found = daybook.deep(MIRA, "Where?", model=saying(UNKNOWN), budget=Budget(memories=1))
    assert (found.left_out.memories, found.left_out.of) == (1, 2)
    assert "1 did not fit and are NOT here" in everything(MIRA, memories=1)


@pytest.mark.parametrize("question", ["", "  \n", "x" * 9_000, 7, None])
def test_a_question_that_does_not_fit_is_refused(question: Any):
    with Daybook() as daybook, pytest.raises(InvalidQuery):
        daybook.deep(MIRA, question, model=saying(UNKNOWN))


def test_a_scope_that_is_none_is_refused():
    with Daybook() as daybook, pytest.raises(InvalidScope):
        daybook.deep("mira", "Where?", model=saying(UNKNOWN))  # type: ignore[arg-type]


def test_without_an_agent_it_says_what_to_set():
    with Daybook() as daybook, pytest.raises(Misconfigured, match="DAYBOOK_DEEP_COMMAND"):
        daybook.deep(MIRA, "Where?")


AGENT = """
import json, os, subprocess, sys
assert "DAYBOOK_DATABASE_URL" not in os.environ
question = sys.stdin.read().rpartition("Question: ")[2].split()
found = subprocess.run([sys.executable, "-I", "search.py", *question], capture_output=True, text=True, check=True)
file, _, lines = found.stdout.split()[0].partition(":")
start, end = map(int, lines.split("-"))
span = {"file": file, "start_line": start, "end_line": end}
print(json.dumps({"verdict": "supported", "spans": [span], "answer": "See [bold]there[/bold]."}))
"""
WRITER = AGENT + "os.chmod('.', 0o700); open('index.md.new', 'w').write('all of it')"


@pytest.fixture
def agent(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def configure(code: str) -> None:
        monkeypatch.setenv("DAYBOOK_DEEP_COMMAND", json.dumps([sys.executable, "-I", "-c", code]))
        settings.cache_clear()

    return configure


def test_a_command_answers_from_the_command_line(agent, capsys: pytest.CaptureFixture[str]):
    agent(AGENT)
    assert run(["deep", "beehives garage", *ME, "--states", "5"]) == OK
    shown = capsys.readouterr().out
    assert "supported · the agent says supported of 1 message" in shown
    assert f"4 Mar 2025 user: {HIVES}" in shown
    assert "the agent's words: See [bold]there[/bold]." in shown
    assert "1 of 5 looks" in shown
    assert run(["deep", "beehives garage", *ME, "--json"]) == OK
    found = json.loads(capsys.readouterr().out)
    assert [each["text"] for span in found["spans"] for each in span["evidence"]] == [HIVES]
    assert list(folders().iterdir()) == []


def test_a_command_that_writes_into_the_files_has_its_answer_refused(agent, capsys: pytest.CaptureFixture[str]):
    agent(WRITER)
    assert run(["deep", "beehives", *ME, "--json"]) == FAILED
    found = json.loads(capsys.readouterr().out)
    assert (found["failure"], found["verdict"], found["spans"]) == ("changed_files", "unknown", [])
    assert "index.md.new" in found["reason"]
    assert list(folders().iterdir()) == []


def test_a_command_that_fails_or_hangs_is_no_traceback(agent, capsys: pytest.CaptureFixture[str]):
    agent("import sys; sys.exit('out of tokens')")
    assert run(["deep", "beehives", *ME]) == FAILED
    assert "out of tokens" in capsys.readouterr().out
    agent("import time; time.sleep(600)")
    assert run(["deep", "beehives", *ME, "--timeout", "0.5"]) == FAILED
    assert "ended after 0.5 s" in capsys.readouterr().out


HANGING = """
import os, pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-I", "-c", "import time; time.sleep(600)"])
pathlib.Path(os.environ["HOME"], "writing").write_text(f"{os.getpid()} {child.pid}")
os.rename(os.environ["HOME"] + "/writing", os.environ["HOME"] + "/ids")
time.sleep(600)
"""


@contextmanager
def searching() -> Iterator[tuple[subprocess.Popen[bytes], list[int]]]:
    """A command whose agent hangs, and the pids of the agent and its child."""
    command = [sys.executable, "-m", "gateway", "deep", "beehives", *ME]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        while not (found := list(folders().glob("*/scratch/ids"))):
            assert process.poll() is None
            time.sleep(0.02)
        yield process, list(map(int, found[0].read_text().split()))


def have_ended(pids: Sequence[int]) -> bool:
    _, alive = psutil.wait_procs([psutil.Process(each) for each in pids if psutil.pid_exists(each)], timeout=10)
    return not [each for each in alive if each.status() != psutil.STATUS_ZOMBIE]


def test_a_terminated_command_ends_its_agent_and_removes_the_files(agent):
    agent(HANGING)
    with searching() as (process, pids):
        process.terminate()
        assert process.wait(60) == 128 + signal.SIGTERM
    assert list(folders().iterdir()) == []
    assert have_ended(pids)


@pytest.mark.parametrize("next_one", ["deep", "erase", "doctor", "up"])
def test_what_a_killed_command_leaves_goes_with_the_next_one_and_its_agent_too(agent, next_one: str, monkeypatch):
    agent(HANGING)
    with searching() as (process, pids):
        assert sweep(settings().data_dir) == 0, "it is being searched"
        process.kill()
        process.wait()
    assert list(folders().iterdir()) != []
    if next_one == "deep":
        with Daybook() as daybook:
            daybook.deep(MIRA, "Where?", model=saying(UNKNOWN))
    elif next_one == "up":
        monkeypatch.setattr(lifecycle.Processes, "start", lambda *_, **__: [])
        monkeypatch.setattr(lifecycle, "_require", lambda *_: None)
        lifecycle.up(settings())
    else:
        run([next_one, *(("--yes", *ME) if next_one == "erase" else ())])
    assert list(folders().iterdir()) == []
    assert have_ended(pids)


def test_what_is_kept_stays_until_its_user_is_erased(agent):
    agent(AGENT)
    assert run(["deep", "beehives", *ME, "--keep"]) == OK
    (root,) = folders().iterdir()
    assert run(["erase", "--tenant", "acme", "--user", "oskar-the-other", "--yes"]) == OK
    assert (root / "tree" / "index.md").exists()
    assert run(["erase", *ME, "--yes"]) == OK
    assert list(folders().iterdir()) == []


def test_a_folder_of_a_process_that_had_not_come_to_say_whose_it_is_goes_too():
    data_dir = settings().data_dir
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], stdout=subprocess.PIPE, check=True)
    for pid in (int(ended.stdout), os.getpid()):
        (folders() / f"{pid}-x").mkdir(parents=True)
    assert sweep(data_dir) == 1
    assert [each.name for each in folders().iterdir()] == [f"{os.getpid()}-x"]


def test_files_are_kept_where_it_is_asked_for(agent, capsys: pytest.CaptureFixture[str]):
    agent(AGENT)
    assert run(["deep", "beehives", *ME, "--keep", "--json"]) == OK
    folder = Path(json.loads(capsys.readouterr().out)["folder"])
    assert HIVES in "".join(path.read_text() for path in folder.rglob("*.md"))


def test_the_command_line_says_what_to_configure(capsys: pytest.CaptureFixture[str]):
    assert run(["deep", "beehives", *ME, "--json"]) == WRONG_INPUT
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "Misconfigured"
