"""A run, cut into windows that a model is shown one at a time. Pure.

Lines are shown as JSON, one object a line, so that nothing in a text can end its line or begin another.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from shared.contract.candidates import Line, Neighbour
from shared.language.text import terms
from shared.language.tokens import TokenCounter
from warmpath._heard import is_heard

_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_OVERLAP_LINES: Final = 2
_OVERLAP_SHARE: Final = 8
"""Lines of the window before are shown again, as long as they are at most this part of a window."""
# JSON leaves these as they are; they end a line for some readers, and some models' own signs begin with the last.
_UNSAFE: Final = {"\u2028": "\\u2028", "\u2029": "\\u2029", "\x85": "\\u0085", "\x7f": "\\u007f", "<|": "\\u003c|"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A line of a window, or a stretch of a line too long for one."""

    line: Line
    text: str
    start: int | None = None
    end: int | None = None
    """Where the stretch stands in the line's text, in characters; None for all of it."""
    seen: bool = False
    """It stood in the window before, too."""


@dataclass(frozen=True, kw_only=True)
class Window:
    """What a model is shown at once. A line's number is its place among `shown`, from 1; a memory's likewise."""

    shown: Sequence[Shown]
    neighbours: Sequence[Neighbour] = ()

    def line(self, number: int) -> Shown | None:
        """The line of a number; None where no such number was given out."""
        return self.shown[number - 1] if 1 <= number <= len(self.shown) else None

    def neighbour(self, number: int) -> Neighbour | None:
        """The memory of a number; None likewise."""
        return self.neighbours[number - 1] if 1 <= number <= len(self.neighbours) else None

    @cached_property
    def terms(self) -> Sequence[frozenset[str]]:
        """The terms of each line, parallel to `shown`: looked up by every entry of an answer."""
        return [frozenset(terms(shown.text)) for shown in self.shown]

    @property
    def words(self) -> str:
        """What the model is shown."""
        lines = [_line(number, shown) for number, shown in enumerate(self.shown, 1)]
        memories = [_memory(number, neighbour) for number, neighbour in enumerate(self.neighbours, 1)]
        return "\n".join(["MEMORIES", *memories, "", "LINES", *lines])


def windows(
    lines: Sequence[Line], neighbours: Sequence[Neighbour], *, budget_tokens: int, counter: TokenCounter
) -> Iterator[Window]:
    """The run in order, each window within the budget with the memories beside it; none where there is nothing to read.

    The memories may take half of the budget, the first ones first.
    """
    kept = _fitting(neighbours, budget_tokens // 2, counter)
    room = budget_tokens - sum(counter.count(_memory(number, each)) + 1 for number, each in enumerate(kept, 1))
    window: list[Shown] = []
    used = 0
    for shown in _stretches(lines, room, counter):
        cost = counter.count(_line(len(window) + 1, shown)) + 1
        if window and used + cost > room:
            yield Window(shown=tuple(window), neighbours=kept)
            window = _overlap(window, room, counter)
            used = sum(counter.count(_line(number, each)) + 1 for number, each in enumerate(window, 1))
        window.append(shown)
        used += cost
    if window:
        yield Window(shown=tuple(window), neighbours=kept)


def _fitting(neighbours: Sequence[Neighbour], room: int, counter: TokenCounter) -> tuple[Neighbour, ...]:
    kept: list[Neighbour] = []
    for neighbour in neighbours:
        room -= counter.count(_memory(len(kept) + 1, neighbour)) + 1
        if room < 0:
            break
        kept.append(neighbour)
    return tuple(kept)


def _stretches(lines: Sequence[Line], room: int, counter: TokenCounter) -> Iterator[Shown]:
    """What may be shown, with lines that fill more than half of a window cut at spaces."""
    for line in lines:
        if not is_heard(line.role, line.origin) or not line.text.strip():
            continue
        most = room // 2
        if counter.count(_line(1, Shown(line=line, text=line.text))) <= most:
            yield Shown(line=line, text=line.text)
        else:
            yield from _cut(line, most, counter)


def _cut(line: Line, most_tokens: int, counter: TokenCounter) -> Iterator[Shown]:
    start = 0
    while start < len(line.text):
        end = min(len(line.text), start + 4 * most_tokens)
        while end - start > 1 and counter.count(_line(1, Shown(line=line, text=line.text[start:end]))) > most_tokens:
            end = start + (end - start) * 3 // 4
        space = line.text.rfind(" ", start + (end - start) * 3 // 4, end)
        if end < len(line.text) and space > start:
            end = space + 1
        yield Shown(line=line, text=line.text[start:end], start=start, end=end)
        start = end


def _overlap(window: Sequence[Shown], room: int, counter: TokenCounter) -> list[Shown]:
    last = [replace(shown, seen=True) for shown in window[-_OVERLAP_LINES:]]
    cost = sum(counter.count(_line(number, shown)) + 1 for number, shown in enumerate(last, 1))
    return last if cost <= room // _OVERLAP_SHARE else []


def _line(number: int, shown: Shown) -> str:
    line = shown.line
    fields: dict[str, object] = {
        "line": number,
        "when": when(line),
        "role": line.role.value,
        "speaker": line.speaker,
        "text": shown.text,
    }
    return _json(fields | {"seen": True} if shown.seen else fields)


def when(line: Line) -> str:
    """When a line was said, as a model is told: the weekday, the day and the time in the speaker's zone."""
    if line.said_at is None:
        return "unknown"
    # `%A` would speak the machine's language.
    return f"{_DAYS[line.said_at.weekday()]} {line.said_at.isoformat(sep=' ', timespec='minutes')}"


def _memory(number: int, neighbour: Neighbour) -> str:
    fields: dict[str, object] = {"memory": number, "text": neighbour.text}
    if neighbour.valid_from is not None:
        fields["since"] = neighbour.valid_from.date().isoformat()
    return _json(fields)


def _json(fields: dict[str, object]) -> str:
    written = json.dumps(fields, ensure_ascii=False)
    for character, escaped in _UNSAFE.items():
        written = written.replace(character, escaped)
    return written
