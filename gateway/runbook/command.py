"""An agent that is a command: any coding agent that reads a prompt, looks at files, and writes its answer."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from gateway.runbook.actions import Finish, finish_of, json_of
from gateway.runbook.agents import Agent, Ended, Errand
from gateway.runbook.answers import Failure, Stopped, Used
from gateway.runbook.pages import escaped
from gateway.runbook.process import Ran, run
from gateway.runbook.search import read_meter
from gateway.runbook.stale import METER
from shared.contract.errors import InvalidInput

PLACEHOLDER: Final = "{question}"
_METER: Final = "looks"
_LAST_WORDS: Final = 200


def command_agent(command: Sequence[str], environment: Callable[[], Mapping[str, str]]) -> Agent:
    """An agent that runs `command` in the folder, with `environment` and nothing else of this process's.

    Time and output are bounded from outside. Looks, and the bytes of them, are bounded by `search.py`, which counts in
    a file that the command may write: if that is gone or damaged at the end, they count as used up.

    The prompt, which ends with the question, takes the place of `{question}` in the command's words, or else is on
    stdin. `HOME` and `TMPDIR` are a folder of its own where `environment` has none.
    """

    def search(errand: Errand) -> Ended:
        prompt = _prompt(errand)
        words = [word.replace(PLACEHOLDER, prompt) for word in command]
        (errand.folder.scratch / _METER).touch()  # that it is gone means that somebody took it away
        given = b"" if words != list(command) else f"{prompt}\n".encode()
        try:
            ran = run(
                words,
                given=given,
                folder=errand.folder.tree,
                environment=_environment(errand, environment()),
                timeout_s=errand.budget.timeout_s,
                most_bytes=errand.budget.output_bytes,
            )
        except (OSError, ValueError) as error:
            return Ended(used=Used(), failure=Failure.NOT_STARTED, reason=f"the agent cannot be started: {error}")
        return _ended(errand, ran)

    return search


def _prompt(errand: Errand) -> str:
    """Begins with a letter, so that no command can take it for an option."""
    return (
        "Answer the question below from the files of this folder, as its README.md says: one JSON document on standard "
        f"output and nothing else.\n\nQuestion: {errand.question}"
    )


def _environment(errand: Errand, handed_on: Mapping[str, str]) -> dict[str, str]:
    own = str(errand.folder.scratch)
    return {
        "PATH": os.defpath,
        "HOME": own,
        "TMPDIR": own,
        **handed_on,
        METER: str(errand.folder.scratch / _METER),
        "RUNBOOK_STATES": str(errand.budget.states),
        "RUNBOOK_BYTES": str(errand.budget.read_bytes),
    }


def _ended(errand: Errand, ran: Ran) -> Ended:
    used = _used(errand, ran)
    if ran.timed_out:
        reason = f"the agent was ended after {errand.budget.timeout_s:g} s, without an answer"
        return Ended(used=used, stopped=Stopped.TIME, reason=reason)
    if ran.overflowed:
        reason = f"the agent was ended: it wrote more than {errand.budget.output_bytes:,} bytes"
        return Ended(used=used, stopped=Stopped.OUTPUT, reason=reason)
    if ran.code:
        how = f"ended with exit code {ran.code}" if ran.code > 0 else f"was ended by signal {-ran.code}"
        return Ended(used=used, failure=Failure.EXITED, reason=f"the agent {how}{_last_words(ran.stderr)}")
    return _answered(ran.stdout, used, _bound(errand, used))


def _answered(stdout: bytes, used: Used, stopped: Stopped | None) -> Ended:
    try:
        finish: Finish = finish_of(json_of(stdout))
    except InvalidInput as error:
        return Ended(used=used, stopped=stopped, failure=Failure.MISFORMED, reason=str(error))
    except ValueError:
        reason = "the agent wrote no JSON document" if stdout.strip() else "the agent wrote nothing"
        return Ended(used=used, stopped=stopped, failure=Failure.NO_JSON, reason=reason)
    return Ended(finish=finish, used=used, stopped=stopped)


def _used(errand: Errand, ran: Ran) -> Used:
    spent = (errand.budget.states, errand.budget.read_bytes)
    states, read_bytes = read_meter(errand.folder.scratch / _METER) or spent
    return Used(
        states=states, read_bytes=read_bytes, elapsed_s=ran.elapsed_s, output_bytes=len(ran.stdout) + len(ran.stderr)
    )


def _bound(errand: Errand, used: Used) -> Stopped | None:
    """Which bound the helper has kept: it gives nothing more once one is reached."""
    if used.read_bytes >= errand.budget.read_bytes:
        return Stopped.BYTES
    return Stopped.STATES if used.states >= errand.budget.states else None


def _last_words(stderr: bytes) -> str:
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    return f": {escaped(lines[-1][:_LAST_WORDS])}" if lines else ""
