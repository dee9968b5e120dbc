"""Whoever searches a folder: what it is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gateway.runbook.actions import Finish
from gateway.runbook.answers import Budget, Failure, Stopped, Used
from gateway.runbook.folder import Folder
from gateway.runbook.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """A question, and where to look."""

    question: str
    folder: Folder
    tree: Tree
    budget: Budget


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a search ended: with an answer, or with the reason why there is none."""

    finish: Finish | None = None
    used: Used
    stopped: Stopped | None = None
    failure: Failure | None = None
    reason: str = ""


Agent = Callable[[Errand], Ended]
"""Searches, and never raises for what it finds or fails at."""
