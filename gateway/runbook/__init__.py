"""The deep tier: an agent searches all that a scope may read, laid out as files, within a hard budget.

Opt-in, takes seconds to minutes, and is never a part of recall. The agent is a command given by setting
(`command.py`), or a model behind a port (`loop.py`); what it says counts only as far as the lines that it cites hold a
memory (`deep.py`).

    answers   what a question may cost, and what comes of it
    tree      memories as files, and which memory is on which lines: pure, on pages, picking, names
    folder    those files on the disk, private and read-only
    stale     those that killed processes have left, and their agents
    search    the helper that lies beside them, and what the loop searches with
    agents    what an agent is given and gives back: command (with process) and loop
    deep      all of it in order
"""

from __future__ import annotations

from gateway.runbook.actions import Finish, Open, Search, Span, action_of
from gateway.runbook.answers import Budget, DeepAnswer, DeepVerdict, Failure, Stopped
from gateway.runbook.loop import Model, Party, Turn

__all__ = [
    "Budget",
    "DeepAnswer",
    "DeepVerdict",
    "Failure",
    "Finish",
    "Model",
    "Open",
    "Party",
    "Search",
    "Span",
    "Stopped",
    "Turn",
    "action_of",
]
