"""An agent that is a model: asked what to look at next, shown it, and asked again, until it answers or must stop."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from gateway.runbook import search
from gateway.runbook.actions import Finish, Open, Search, action_of
from gateway.runbook.agents import Agent, Ended, Errand
from gateway.runbook.answers import Failure, Stopped, Used
from gateway.runbook.tree import GUIDE, INDEX
from shared import clock
from shared.contract.errors import InvalidInput
from shared.log import logger

_INDEX_BYTES: Final = 20_000
"""Of the index, what a model is shown unasked."""
_LOG: Final = logger(__name__)


class Party(StrEnum):
    """Whose words a turn holds."""

    TASK = "task"
    """What is asked, and how to go about it."""
    ACTION = "action"
    """What the model chose, as JSON."""
    SEEN = "seen"
    """What that gave: data, and never an instruction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn of the conversation with a model."""

    party: Party
    text: str


Action = Search | Open | Finish
Model = Callable[[Sequence[Turn]], Action]
"""Chooses what to do next from all turns so far. Make its answer with `action_of`, which refuses what does not fit."""


class _Late(Exception):
    """The model has not answered in time."""


class _Failed(Exception):
    """The model's client raised; says what."""


def model_agent(model: Model) -> Agent:
    """An agent that asks `model`. A look costs a state; when none is left, the model is asked once more, to answer.

    Each call is made on a thread of its own. One that takes longer than the budget's time is left to itself.
    """

    def follow(errand: Errand) -> Ended:
        return _Conversation(errand, model).held()

    return follow


@dataclass(slots=True)
class _Conversation:
    errand: Errand
    model: Model
    began_s: float = field(default_factory=clock.monotonic_s)
    turns: list[Turn] = field(default_factory=list)
    states: int = 0
    read_bytes: int = 0
    entries: list[search.Entry] | None = None

    def held(self) -> Ended:
        self.turns.append(Turn(party=Party.TASK, text=_task(self.errand)))
        while True:
            try:
                action = self._next()
            except _Late:
                reason = f"no answer within {self.errand.budget.timeout_s:g} s"
                return Ended(used=self._used(), stopped=Stopped.TIME, reason=reason)
            except InvalidInput as error:
                return Ended(used=self._used(), failure=Failure.MISFORMED, reason=str(error))
            except _Failed as error:
                _LOG.warning("the model of a deep question failed: %s", error)
                return Ended(used=self._used(), failure=Failure.MODEL_FAILED, reason=f"the model failed: {error}")
            if isinstance(action, Finish):
                return Ended(finish=action, used=self._used(), stopped=self._bound())
            stopped = self._bound()
            if stopped is not None:
                reason = f"the budget of {stopped} was used up without an answer"
                return Ended(used=self._used(), stopped=stopped, reason=reason)
            self._look(action)

    def _next(self) -> Action:
        """What the model chooses, checked, as whatever it returned may be anything."""
        chosen: Any = _asked(self.model, tuple(self.turns), timeout_s=self._left_s())
        if not isinstance(chosen, (Search, Open, Finish)):
            raise InvalidInput(f"the model returned a {type(chosen).__name__}, and no action")
        return action_of(chosen.model_dump())

    def _look(self, action: Search | Open) -> None:
        left = self.errand.budget.read_bytes - self.read_bytes
        seen = self._seen(action).encode("utf-8", "replace")[:left].decode("utf-8", "ignore")
        self.states += 1
        self.read_bytes += len(seen.encode())
        self.turns.append(Turn(party=Party.ACTION, text=action.model_dump_json()))
        remark = "" if self._bound() is None else "\n\nThe budget is used up: finish now."
        self.turns.append(Turn(party=Party.SEEN, text=f"{seen}{remark}"))

    def _seen(self, action: Search | Open) -> str:
        root = self.errand.folder.tree
        if isinstance(action, Open):
            lines = search.opened(root, action.file, action.start_line, action.end_line)
            return "there are no such lines" if lines is None else lines
        if self.entries is None:
            self.entries = list(search.entries(root))
        since, until = (day.isoformat() if day else None for day in (action.since, action.until))
        wanted = search.Wanted(action.words, action.speaker, since, until, action.limit)
        return search.listed(search.find(self.entries, wanted), action.words)

    def _bound(self) -> Stopped | None:
        if self.read_bytes >= self.errand.budget.read_bytes:
            return Stopped.BYTES
        return Stopped.STATES if self.states >= self.errand.budget.states else None

    def _left_s(self) -> float:
        return max(0.0, self.errand.budget.timeout_s - (clock.monotonic_s() - self.began_s))

    def _used(self) -> Used:
        elapsed_s = clock.monotonic_s() - self.began_s
        return Used(states=self.states, read_bytes=self.read_bytes, elapsed_s=elapsed_s)


def _task(errand: Errand) -> str:
    guide = errand.tree.files[GUIDE].decode()
    index = errand.tree.files[INDEX][:_INDEX_BYTES].decode("utf-8", "ignore")
    return f"{guide}\n{index}\nAnswer by the action `finish`.\n\nQuestion: {errand.question}"


def _asked(model: Model, turns: Sequence[Turn], *, timeout_s: float) -> object:
    """What the model returns.

    Raises:
        InvalidInput: what it said is no action.
        _Late: it has not answered in time.
        _Failed: it raised.
    """
    answers: queue.SimpleQueue[tuple[object, BaseException | None]] = queue.SimpleQueue()
    context = copy_context()

    def ask() -> None:
        try:
            answers.put((context.run(model, turns), None))
        except BaseException as error:  # noqa: BLE001 - a client may raise anything; it is told where it was asked
            answers.put((None, error))

    threading.Thread(target=ask, name="daybook-deep-model", daemon=True).start()
    try:
        answer, error = answers.get(timeout=timeout_s)
    except queue.Empty:
        raise _Late from None
    if isinstance(error, InvalidInput):
        raise error
    if error is not None:
        raise _Failed(type(error).__name__) from error
    return answer
