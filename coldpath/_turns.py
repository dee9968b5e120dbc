"""Whose memories a model is asked about next: those of one agent at a time, each in its turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from coldpath._answered import Seen, seen_by
from coldpath._consulting import Shown
from shared.contract.events import Event
from shared.contract.records import MemoryVersion

_NEVER: Final = datetime.min.replace(tzinfo=UTC)


def next_turn(
    asked: Iterable[Event],
    memories: Iterable[MemoryVersion],
    told: Callable[[Sequence[MemoryVersion]], str],
    *,
    enough: int,
    most: int,
) -> list[Shown]:
    """Of an agent of whom `enough` memories are new, the newest `most` of those that may be shown; empty without one.

    Of several it is the one that was asked about the longest ago. `told` gives them as the model is shown them.
    """
    seen = seen_by(asked)
    by_agent: dict[str | None, list[MemoryVersion]] = {}
    for each in memories:
        by_agent.setdefault(each.agent_id, []).append(each)
    newest = {agent: sorted(each, key=lambda memory: memory.doc)[-most:] for agent, each in by_agent.items()}
    new = {agent: sum(each.doc > seen.get(agent, Seen()).docs for each in shown) for agent, shown in newest.items()}
    due = [agent for agent, number in new.items() if number >= enough]
    if not due:
        return []
    agent = min(due, key=lambda each: (seen.get(each, Seen()).asked_at or _NEVER, -new[each]))
    about = {"agent": agent, "waiting": len(due) > 1}
    tries = seen.get(agent, Seen()).tries
    return [Shown(memories=newest[agent], text=told(newest[agent]), about=about, tries=tries)]
