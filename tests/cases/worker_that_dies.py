"""A Celery worker that dies at a named point of its work; its arguments are those of `celery worker`.

`DIE_AT` names the point as `stage:moment`, the moments in order: `claimed` (the lease is taken), `written` (all is
written and not committed), `committed` (and nobody rung for yet), `rung` (and the message not acknowledged). `DIE_BY`
is KILL, for the whole worker, or TERM, to its parent. Without `DIE_AT` it lives. Run by the tests of cases S41 and A1.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import warmpath.app
from shared.testing import HashEmbedder
from warmpath import _door, append, extract, gate, index, resolve
from warmpath._stages import STAGES

MODULES = {"append": append, "gate": gate, "extract": extract, "resolve": resolve, "index": index}


def die() -> None:
    if os.environ["DIE_BY"] == "KILL":
        os.killpg(os.getpgid(0), signal.SIGKILL)
    os.kill(os.getppid(), signal.SIGTERM)


def dying(function: Callable[..., Any], *, before: bool) -> Callable[..., Any]:
    def do(*arguments: Any) -> Any:
        if before:
            die()
        result = function(*arguments)
        if not before:
            die()
        return result

    return do


def mine(stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """`serve`, dying after the given stage alone, if it did anything."""

    def do(services: Any, at: str, *arguments: Any) -> Any:
        results = function(services, at, *arguments)
        if at == stage and results:
            die()
        return results

    return do


def arrange(stage: str, moment: str) -> None:
    module = MODULES[stage]
    if moment in {"claimed", "committed"}:
        STAGES[stage] = dying(STAGES[stage], before=moment == "claimed")  # type: ignore[index]
    elif moment == "written":
        module.finish = dying(module.finish, before=False)  # type: ignore[attr-defined]
    else:
        warmpath.app.serve = mine(stage, warmpath.app.serve)  # type: ignore[assignment]


def main(arguments: list[str]) -> None:
    _door.embedder = lambda _: HashEmbedder()  # type: ignore[assignment]
    if "DIE_AT" in os.environ:
        arrange(*os.environ["DIE_AT"].split(":"))
    warmpath.app.app.worker_main(["worker", *arguments])


if __name__ == "__main__":
    main(sys.argv[1:])
