"""Shows people what is believed: each point with its beliefs by both clocks, why, and what is recalled now and then."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from gateway.commands.why import ANSWERS
from gateway.evidence import best
from gateway.terminal import columns, day
from shared.contract.records import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from gateway.accounts import Why
    from gateway.demo.believing import Told
    from shared.contract.bundle import Bundle

_LOOKED_AT: Final = 5
"""Hits among which a belief is shown first: the episode that it was read from is as near."""
_CLOCKS: Final = "true: in the world; held: here, in UTC. A version closes when more is known, and its memory lives on"


def show_told(out: Console, place: int, places: int, told: Told) -> None:
    """One point."""
    out.print()
    if place == 1:
        out.print(_CLOCKS, style="dim")
        out.print()
    out.print(Rule(f"{place} of {places} · {told.point.title}", align="left", style="dim"))
    out.print(_history(told) if told.histories else Text("believed: nothing of it", "dim"))
    answers = Table.grid(padding=(0, 2, 0, 0))
    answers.add_column(style="bold", overflow="fold", ratio=2)
    answers.add_column(overflow="fold", ratio=3)
    for line in _answers(told):
        answers.add_row(*line)
    out.print(answers)
    out.print(
        Text("✓ as it should be", "bold green") if told.right else Text(f"✗ {', '.join(told.faults)}", "bold red")
    )


def _mark(told: Told) -> Text:
    return Text("✓ as it should be", "bold green") if told.right else Text(f"✗ {', '.join(told.faults)}", "bold red")


def _history(told: Told) -> Table:
    """The versions of each belief."""
    table = columns("believed", "true from", "true until", "held from", "held until", "closed by")
    for history in told.histories:
        for each in history.versions:
            table.add_row(
                Text(each.text, "" if each.is_open else "dim"),
                day(each.valid_from), day(each.valid_to), _time(each.recorded_at), _time(each.closed_at),
                each.closed_reason or "",
            )  # fmt: skip
    return table


def _answers(told: Told) -> Iterator[tuple[str, Text]]:
    for why in told.whys:
        yield f"why “{why.asked}”", _because(told, why)
    yield f"recall “{told.point.recall}”", _first(told.now)
    if told.before is not None and told.point.before is not None:
        yield f"  as of {day(told.point.before)}", _first(told.before)


def _because(told: Told, why: Why) -> Text:
    """What the answer comes to, and the rules behind it: of what was refused, or else of the beliefs it is about."""
    line = Text(ANSWERS[why.finding])
    about = {history.memory_id for history in told.histories}
    kept = [each.proposal.verdict for each in why.considered if any(one.memory_id in about for one in each.memories)]
    came_in = [each.verdict for each in why.heard]
    for verdict in dict.fromkeys((each.action, each.rule, each.reason) for each in (kept or came_in) if each):
        line.append(f"\n{verdict[0]} by the rule {verdict[1]}: {verdict[2]}", "dim")
    for heard in [] if kept else why.heard:
        line.append(f"\n{day(heard.said.said_at)} {heard.said.speaker or heard.said.origin}: {heard.said.text}", "dim")
    return line


def _first(bundle: Bundle) -> Text:
    """The best hit, of beliefs if there are some among the first; or that there is none."""
    found = best(bundle, _LOOKED_AT)
    shown = [item for item in found if item.kind != Kind.EPISODIC] or found
    return Text(shown[0].text) if shown else Text(f"nothing: {bundle.reason}", "dim")


def _time(at: datetime | None) -> str:
    return f"{at.astimezone(UTC):%H:%M:%S}" if at else ""
