"""Runs with tool calls, as they are weighed for skills: what was asked, what was called, and what came of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from shared.belief.skills import Ran
from shared.belief.usefulness import reported
from shared.contract.events import Event, Role
from shared.contract.records import MemoryVersion
from shared.contract.turns import TurnOutcome
from shared.store import ledger, recalls
from shared.store.db import Session

_MOST_MESSAGES: Final = 20_000
_MOST_REPORTS: Final = 20_000
"""Of a stream, the newest: a run of which nothing is reported among these is one that nobody has judged."""
_FAILED: Final = re.compile(
    r"^\W*(?:error|traceback|exception|failed|failure|fatal)\b|\"(?:is_)?error\"\s*:\s*(?!false|null|\"\")",
    re.IGNORECASE,
)
"""How an answer of a tool says that the call went wrong, at its beginning or as JSON."""
_LOOKED_AT_CHARS: Final = 2_000


def ran(session: Session, episodes: Iterable[MemoryVersion]) -> list[Ran]:
    """The owner's runs with tool calls whose task is held, in no order; `episodes` are what people said in them.

    A task is the first thing that somebody said in the run.
    """
    tasks: dict[str, MemoryVersion] = {}
    for each in sorted(episodes, key=lambda each: each.doc):
        tasks.setdefault(each.run_id or "", each)
    by_run: dict[str, list[Event]] = {}
    for event in ledger.tool_messages(session, limit=_MOST_MESSAGES):
        by_run.setdefault(event.run_id or "", []).append(event)
    outcomes = _outcomes(session) if by_run else {}
    found = ((tasks[run], messages) for run, messages in by_run.items() if run in tasks)
    return [_ran(task, messages, outcomes.get(task.session_id, ())) for task, messages in found]


def _outcomes(session: Session) -> dict[str | None, list[TurnOutcome]]:
    """By session, what was reported last of each of its recalls."""
    last: dict[UUID, tuple[str | None, TurnOutcome]] = {}
    for event in ledger.outcomes(session, limit=_MOST_REPORTS):
        outcome = reported(event)
        if outcome is not None:
            last[outcome.turn_id] = (event.session_id, outcome)
    # That of the recall, where whoever reported what came of it named none.
    logged = recalls.sessions(session, [turn for turn, (named, _) in last.items() if not named])
    found: dict[str | None, list[TurnOutcome]] = {}
    for turn, (named, outcome) in last.items():
        session_id = named or logged.get(turn)
        if session_id:
            found.setdefault(session_id, []).append(outcome)
    return found


def _ran(task: MemoryVersion, messages: Sequence[Event], outcomes: Sequence[TurnOutcome]) -> Ran:
    steps = tuple(step for message in messages for step in _steps(message.payload or {}))
    return Ran(task=task, steps=steps, succeeded=_succeeded(messages, outcomes))


def _succeeded(messages: Sequence[Event], outcomes: Sequence[TurnOutcome]) -> bool | None:
    answers = [_is_failure(each) for each in messages if each.actor_role == Role.TOOL]
    if answers and answers[-1]:
        return False
    if not outcomes:
        return None
    if any(each.corrected or each.abstained or each.misled for each in outcomes):
        return False
    return True if any(each.used for each in outcomes) and not any(answers) else None


def _is_failure(answer: Event) -> bool:
    return _FAILED.search((answer.payload or {}).get("text", "")[:_LOOKED_AT_CHARS]) is not None


def _steps(payload: Mapping[str, Any]) -> Iterator[str]:
    for call in payload.get("tool_calls") or ():
        function = call.get("function") if isinstance(call.get("function"), dict) else call
        name = function.get("name")
        if isinstance(name, str) and name.strip():
            yield _step(name.strip(), _arguments(function.get("arguments", function.get("input"))))


def _arguments(given: object) -> list[str]:
    """The names of a call's arguments, in order; values are of one run alone, and may be anybody's."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            return []
    return [str(name) for name in given] if isinstance(given, dict) else []


def _step(name: str, arguments: Sequence[str]) -> str:
    return f"call {name} with {', '.join(arguments)}" if arguments else f"call {name}"
